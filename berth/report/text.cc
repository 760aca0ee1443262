#include "berth/report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "berth/explain/words.h"
#include "berth/report/table.h"
#include "berth/report/words.h"

namespace berth::report {

namespace {

using explain::Round;

// Columns of resources in the placement table, names of pods in a list, and characters of a node's name: what fits.
constexpr std::size_t kResourceColumns = 4;
constexpr std::size_t kNamesInList = 4;
constexpr std::size_t kNameColumns = 36;
constexpr std::size_t kBarColumns = 40;
constexpr std::size_t kWakeUpRows = 12;
constexpr std::size_t kGapInHistogram = 3;
// Fewer pods than this have no percentiles.
constexpr std::int64_t kFewPods = 10;
constexpr std::size_t kPendingEntries = 20;

std::string cut(std::string_view text, std::size_t most) {
  return text.size() <= most ? std::string(text) : fmt::format("{}..", text.substr(0, most - 2));
}

class Report {
 public:
  Report(const Summary& summary, const TextOptions& options) : summary_(summary), options_(options) {}

  std::string str() {
    add_opening();
    add_timeline();
    add_placement();
    add_utilisation();
    add_waiting();
    add_wake_ups();
    add_pending();
    for (const std::string& note : summary_.notes) text_ += "\n" + wrapped("Note: " + note, options_.width, "", "  ");
    return std::move(text_);
  }

 private:
  std::string coloured(std::string_view code, std::string_view text) const {
    return options_.colours ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  void add_head(std::string_view head) { text_ += fmt::format("\n{}\n", coloured("1", head)); }
  void add_wrapped(std::string_view text, std::string_view first = "  ", std::string_view rest = "  ") {
    text_ += wrapped(text, options_.width, first, rest);
  }

  // --- What it was
  // -----------------------------------------------------------------------------------------------------

  void add_opening() {
    const std::string_view name = summary_.name.empty() ? "The simulation" : std::string_view(summary_.name);
    text_ +=
        coloured("1", fmt::format("{}: {} of virtual time, {}, seed {}", name, short_time(summary_.virtual_seconds),
                                  count_of(summary_.nodes, "node"), summary_.seed)) +
        "\n";
    const PodCounts& pods = summary_.pods;
    if (pods.created == 0) {
      text_ += "No pods were created.\n";
      return;
    }
    std::vector<std::string> parts;
    const auto add_part = [&](std::int64_t count, std::string_view one, std::string_view many) {
      if (count > 0) parts.push_back(fmt::format("{} {}", grouped(count), count == 1 ? one : many));
    };
    add_part(pods.bound, "is on a node", "are on nodes");
    add_part(pods.ended, "has ended", "have ended");
    add_part(pods.gone, "is gone", "are gone");
    add_part(pods.pending, "is pending", "are pending");
    add_wrapped(fmt::format("{} created: {}.{}", count_of(pods.created, "pod"), explain::listed(parts), work_text()),
                "", "");
  }

  std::string work_text() const {
    const SchedulerCounts& counts = summary_.scheduler;
    std::string text = fmt::format(" The scheduler tried {} and placed {}", count_of(counts.attempts, "time"),
                                   counts.bindings == 0 ? "none" : count_of(counts.bindings, "pod"));
    if (summary_.wake_ups && summary_.wake_ups->tries_per_placement > 0) {
      text += fmt::format(", {:.2f} tries for each", summary_.wake_ups->tries_per_placement);
    }
    std::vector<std::string> more;
    const auto add_more = [&](std::int64_t count, std::string_view thing) {
      if (count > 0) more.push_back(count_of(count, thing));
    };
    add_more(counts.preemptions, "preemption");
    add_more(summary_.pods.evicted, "eviction");
    add_more(counts.errors, "error");
    add_more(counts.binding_failures, "failed binding");
    add_more(counts.restarts, "restart");
    return text + (more.empty() ? "." : fmt::format("; {}.", explain::listed(more)));
  }

  // --- What happened
  // ---------------------------------------------------------------------------------------------------

  void add_timeline() {
    const Timeline& timeline = summary_.timeline;
    if (timeline.lines.empty()) return;
    add_head("What happened");
    std::size_t width = 4;
    for (const TimelineLine& line : timeline.lines) width = std::max(width, short_time(line.at_seconds).size());
    const std::string rest(width + 6, ' ');
    for (const TimelineLine& line : timeline.lines) {
      const std::string first = fmt::format("  {:>{}}  ", short_time(line.at_seconds), width);
      std::string text = wrapped(line.text, options_.width, first, rest);
      if (const std::string_view code = colour_of(line.kind.text()); !code.empty()) {
        text = first + coloured(code, text.substr(first.size(), text.size() - first.size() - 1)) + "\n";
      }
      text_ += text;
    }
    if (timeline.left_out > 0) {
      text_ += fmt::format("  ... and {} that mattered less\n", count_of(timeline.left_out, "line"));
    }
  }

  static std::string_view colour_of(std::string_view kind) {
    if (kind == "rejected" || kind == "wokenInVain") return "33";
    if (kind == "bound") return "32";
    if (kind == "preemption" || kind == "evicted") return "35";
    if (kind == "error" || kind == "fault" || kind == "scheduler" || kind == "lostWakeUp") return "31";
    if (kind == "node") return "36";
    return "";
  }

  // --- Nodes
  // -------------------------------------------------------------------------------------------------------------

  static std::string use_text(const ResourceUse& use) {
    if (use.allocatable == 0)
      return use.requested == 0 ? "-" : explain::amount(use.resource, use.requested, Round::kUp);
    const double share = static_cast<double>(use.requested) / static_cast<double>(use.allocatable);
    return fmt::format("{} of {} {:>4}", explain::amount(use.resource, use.requested, Round::kUp),
                       explain::amount(use.resource, use.allocatable, Round::kDown), percent(share));
  }

  void add_placement() {
    if (summary_.placement.empty()) return;
    const bool is_by_pool = summary_.placement_by == "pool";
    add_head(is_by_pool ? "Where the pods are, by pool" : "Where the pods are");
    Table table;
    table.add_column(is_by_pool ? "POOL" : "NODE");
    if (is_by_pool) table.add_column("NODES", Table::Align::kRight);
    table.add_column("PODS", Table::Align::kRight);
    const std::size_t resources = std::min(summary_.placement[0].resources.size(), kResourceColumns);
    for (std::size_t i = 0; i < resources; ++i) {
      std::string head = summary_.placement[0].resources[i].resource.str();
      if (i < 2) std::ranges::transform(head, head.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
      table.add_column(cut(head, kNameColumns), Table::Align::kRight);
    }
    table.add_column("");
    for (const PlacementRow& row : summary_.placement) {
      std::vector<std::string> cells = {cut(row.name, kNameColumns)};
      if (is_by_pool) cells.push_back(grouped(row.nodes));
      cells.push_back(grouped(row.pods));
      for (std::size_t i = 0; i < resources; ++i) cells.push_back(use_text(row.resources[i]));
      cells.push_back(row.note);
      table.add_row(std::move(cells));
    }
    text_ += table.str();
  }

  void add_utilisation() {
    if (summary_.utilisation.empty() || summary_.nodes < 2) return;
    add_head("How full the nodes are");
    Table table;
    table.add_column("");
    for (const std::string_view head : {"REQUESTED", "OF", "SHARE", "LEAST", "MEDIAN", "MOST"}) {
      table.add_column(std::string(head), Table::Align::kRight);
    }
    for (const Utilisation& use : summary_.utilisation) {
      const Symbol resource = use.total.resource;
      table.add_row({cut(resource.text(), kNameColumns), explain::amount(resource, use.total.requested, Round::kUp),
                     explain::amount(resource, use.total.allocatable, Round::kDown), percent(use.share),
                     percent(use.least), percent(use.median), percent(use.most)});
    }
    text_ += table.str();
    if (summary_.fragmentation) add_wrapped(fragmentation_text(*summary_.fragmentation));
  }

  std::string fragmentation_text(const Fragmentation& it) const {
    static const Symbol cpu("cpu"), memory("memory");
    std::vector<std::string> asks;
    if (it.milli_cpu > 0) asks.push_back(explain::amount_of(cpu, it.milli_cpu, Round::kUp));
    if (it.memory > 0) asks.push_back(explain::amount_of(memory, it.memory, Round::kUp));
    const std::string measure = fmt::format("{} ({})", it.pod, explain::listed(asks));
    if (it.free_milli_cpu == 0) return fmt::format("No cpu is free; {} would fit nowhere.", measure);
    const std::string free = explain::amount(cpu, it.free_milli_cpu, Round::kDown);
    if (it.stranded_milli_cpu == 0) {
      return fmt::format("Fragmentation: none of the {} free cpu is on nodes without room for {}.", free, measure);
    }
    return fmt::format("Fragmentation: {} of the {} free cpu ({}) is on nodes without room for {}; {} of {} {} room.",
                       explain::amount(cpu, it.stranded_milli_cpu, Round::kDown), free, percent(it.share), measure,
                       grouped(it.nodes_that_fit), count_of(summary_.nodes, "node"),
                       it.nodes_that_fit == 1 ? "has" : "have");
  }

  // --- Waiting
  // -----------------------------------------------------------------------------------------------------------

  void add_waiting() {
    if (!summary_.waiting) return;
    const WaitingTimes& waiting = *summary_.waiting;
    add_head("How long pods waited, from creation to binding");
    if (waiting.pods == 1) {
      add_wrapped(fmt::format("{} waited {}.", waiting.longest, short_time(waiting.max_seconds)));
    } else if (waiting.pods < kFewPods) {
      add_wrapped(fmt::format("{}: half of them at most {}; {} longest: {}", count_of(waiting.pods, "pod"),
                              short_time(waiting.p50_seconds), waiting.longest, short_time(waiting.max_seconds)));
    } else {
      add_wrapped(fmt::format("{}: half of them at most {}, 90% at most {}, 99% at most {}; {} longest: {}",
                              count_of(waiting.pods, "pod"), short_time(waiting.p50_seconds),
                              short_time(waiting.p90_seconds), short_time(waiting.p99_seconds), waiting.longest,
                              short_time(waiting.max_seconds)));
      add_histogram(waiting.histogram);
    }
  }

  void add_histogram(const std::vector<WaitingBucket>& histogram) {
    if (histogram.size() < 2) return;
    std::int64_t most = 1;
    for (const WaitingBucket& bucket : histogram) most = std::max(most, bucket.pods);
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      const WaitingBucket& bucket = histogram[i];
      // A long gap is one line.
      const std::size_t empty = empty_from(histogram, i);
      if (empty >= kGapInHistogram) {
        text_ += fmt::format("  {:>7}\n", "...");
        i += empty - 1;
        continue;
      }
      const std::string range = bucket.below_seconds > 0 ? "< " + short_time(bucket.below_seconds)
                                                         : ">= " + short_time(histogram[i - 1].below_seconds);
      auto bar = static_cast<std::size_t>(bucket.pods * static_cast<std::int64_t>(kBarColumns) / most);
      if (bucket.pods > 0) bar = std::max<std::size_t>(bar, 1);
      text_ += fmt::format("  {:>7}  {}{}{}\n", range, std::string(bar, '#'), bar > 0 ? " " : "", grouped(bucket.pods));
    }
  }
  static std::size_t empty_from(const std::vector<WaitingBucket>& histogram, std::size_t begin) {
    std::size_t end = begin;
    while (end < histogram.size() && histogram[end].pods == 0) ++end;
    return end - begin;
  }

  void add_wake_ups() {
    if (!summary_.wake_ups) return;
    const WakeUpCounts& wakes = *summary_.wake_ups;
    if (wakes.pods == 0 && wakes.flushed == 0 && wakes.lost == 0) return;
    add_head("What woke pods");
    Table table;
    table.add_column("EVENT");
    for (const std::string_view head : {"PODS", "USEFUL", "WASTED"}) {
      table.add_column(std::string(head), Table::Align::kRight);
    }
    for (std::size_t i = 0; i < std::min(wakes.by_label.size(), kWakeUpRows); ++i) {
      const WakeUps& row = wakes.by_label[i];
      table.add_row({row.label, grouped(row.pods), grouped(row.useful), grouped(row.wasted)});
    }
    text_ += table.str();
    if (wakes.by_label.size() > kWakeUpRows) {
      text_ += fmt::format("  ... and {}\n",
                           count_of(static_cast<std::int64_t>(wakes.by_label.size() - kWakeUpRows), "more event"));
    }
    if (wakes.pods > 0) {
      add_wrapped(wakes.wasted == 0 ? fmt::format("{}, none in vain.", count_of(wakes.pods, "wake-up"))
                                    : fmt::format("{}, {} in vain: the pod was rejected again.",
                                                  count_of(wakes.pods, "wake-up"), grouped(wakes.wasted)));
    }
    if (wakes.flushed > 0) {
      add_wrapped(fmt::format("{} moved by the leftover timeout, because no event came.",
                              wakes.flushed == 1 ? "1 pod was" : grouped(wakes.flushed) + " pods were"));
    }
    if (wakes.lost > 0) {
      add_wrapped(
          coloured("31", fmt::format("{} lost: the pod would have fitted and was not woken.",
                                     wakes.lost == 1 ? "1 wake-up was" : grouped(wakes.lost) + " wake-ups were")));
    }
  }

  // --- Pending
  // -----------------------------------------------------------------------------------------------------------

  void add_pending() {
    if (summary_.pending.empty()) return;
    add_head(fmt::format("Still pending: {}", count_of(summary_.pods.pending, "pod")));
    const std::size_t shown = std::min(summary_.pending.size(), kPendingEntries);
    for (std::size_t i = 0; i < shown; ++i) add_pending_pods(summary_.pending[i]);
    std::int64_t more = 0;
    for (std::size_t i = shown; i < summary_.pending.size(); ++i) more += std::ssize(summary_.pending[i].pods);
    if (more > 0) text_ += fmt::format("  ... and {}; -o json names all\n", count_of(more, "more pod"));
  }

  void add_pending_pods(const PendingPods& pending) {
    add_wrapped(pending.sentence, "  ", "    ");
    std::string about = fmt::format("{}, waits for {}, {}", pending.place, short_time(pending.waits_seconds),
                                    pending.attempts == 1 ? "1 try" : grouped(pending.attempts) + " tries");
    if (pending.ahead > 0)
      about +=
          fmt::format("; {} tried before it", pending.ahead == 1 ? "1 pod is" : grouped(pending.ahead) + " pods are");
    if (!pending.wakes.empty()) about += "; looked at again when " + pending.wakes;
    if (const double left = pending.next_try_seconds - summary_.virtual_seconds; left > 0) {
      about += fmt::format("; tried {} in {}", pending.wakes.empty() ? "again" : "anyway", short_time(left));
    }
    add_wrapped(about, "      ", "      ");
    if (pending.pods.size() > 1) {
      const std::vector<std::string> others(pending.pods.begin() + 1, pending.pods.end());
      add_wrapped(fmt::format("the same for {}", explain::listed(others, kNamesInList)), "      ", "      ");
    }
  }

  const Summary& summary_;
  const TextOptions& options_;
  std::string text_;
};

}  // namespace

std::string to_text(const Summary& summary, const TextOptions& options) {
  return Report(summary, options).str();
}

}  // namespace berth::report
