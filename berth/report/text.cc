#include "berth/report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "berth/explain/words.h"
#include "berth/report/words.h"
#include "berth/text/escape.h"
#include "berth/text/table.h"

namespace berth::report {

namespace {

using explain::Round;
using text::Align;
using text::counted;
using text::Line;
using text::Meaning;
using text::Table;

// Columns of resources in the placement table, names of pods in a list, and characters of a node's name: what fits.
constexpr std::size_t kResourceColumns = 4;
constexpr std::size_t kNamesInList = 4;
constexpr std::size_t kNameColumns = 36;
constexpr std::size_t kWakeUpRows = 12;
constexpr std::size_t kGapInHistogram = 3;
// Fewer pods than this have no percentiles.
constexpr std::int64_t kFewPods = 10;
constexpr std::size_t kPendingEntries = 20;

// Cut between characters.
std::string cut(std::string_view text, std::size_t most) {
  const std::string shown = text::escaped(text);
  return text::columns(shown) <= most ? shown : fmt::format("{}..", text::cut_to(shown, most - 2));
}

class Report {
 public:
  explicit Report(const Summary& summary) : summary_(summary) {}

  text::Page page() {
    add_opening();
    add_timeline();
    add_placement();
    add_utilisation();
    add_waiting();
    add_wake_ups();
    add_autoscaler();
    add_unfinished();
    add_pending();
    add_failed_creations();
    if (!summary_.notes.empty()) page_.gap();
    for (const std::string& note : summary_.notes) page_.note(note);
    return std::move(page_);
  }

 private:
  // --- What it was
  // ----------------------------------------------------------------------------------------------------

  void add_opening() {
    const std::string_view name = summary_.name.empty() ? "The simulation" : std::string_view(summary_.name);
    page_.headline(fmt::format("{}: {} of virtual time, {}, seed {}", name, short_time(summary_.virtual_seconds),
                               counted(summary_.nodes, "node"), summary_.seed));
    const PodCounts& pods = summary_.pods;
    if (pods.created == 0) {
      page_.paragraph("No pods were created.");
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
    page_.paragraph(
        fmt::format("{} created: {}.{}", counted(pods.created, "pod"), explain::listed(parts), work_text()));
  }

  std::string work_text() const {
    const SchedulerCounts& counts = summary_.scheduler;
    std::string text = fmt::format(" The scheduler tried {} and placed {}", counted(counts.attempts, "time"),
                                   counts.bindings == 0 ? "none" : counted(counts.bindings, "pod"));
    if (summary_.wake_ups && summary_.wake_ups->tries_per_placement > 0) {
      text += fmt::format(", {:.2f} tries for each", summary_.wake_ups->tries_per_placement);
    }
    std::vector<std::string> more;
    const auto add_more = [&](std::int64_t count, std::string_view thing) {
      if (count > 0) more.push_back(counted(count, thing));
    };
    add_more(counts.preemptions, "preemption");
    add_more(summary_.pods.evicted, "eviction");
    add_more(counts.errors, "error");
    add_more(counts.binding_failures, "failed binding");
    add_more(counts.restarts, "restart");
    return text + (more.empty() ? "." : fmt::format("; {}.", explain::listed(more)));
  }

  // --- What happened
  // --------------------------------------------------------------------------------------------------

  void add_timeline() {
    const Timeline& timeline = summary_.timeline;
    if (timeline.lines.empty()) return;
    page_.section("What happened");
    for (const TimelineLine& line : timeline.lines) {
      page_.pair(short_time(line.at_seconds), {line.text, meaning_of(line.kind.text())}, Align::kRight);
    }
    if (timeline.left_out > 0) {
      page_.item({fmt::format("... and {} that mattered less", counted(timeline.left_out, "line")), Meaning::kDim});
    }
  }

  static Meaning meaning_of(std::string_view kind) {
    if (kind == "bound") return Meaning::kGood;
    if (kind == "rejected" || kind == "wokenInVain" || kind == "preemption" || kind == "evicted") {
      return Meaning::kWarning;
    }
    if (kind == "rolloutStuck" || kind == "drainBlocked") return Meaning::kBad;
    if (kind == "error" || kind == "fault" || kind == "scheduler" || kind == "lostWakeUp" || kind == "failedCreate") {
      return Meaning::kBad;
    }
    if (kind == "node") return Meaning::kName;
    return Meaning::kPlain;
  }

  // --- Nodes
  // ----------------------------------------------------------------------------------------------------------

  static std::string use_text(const ResourceUse& use) {
    if (use.allocatable == 0)
      return use.requested == 0 ? "-" : explain::amount(use.resource, use.requested, Round::kUp);
    return text::share_of(use.resource, use.requested, use.allocatable);
  }

  void add_placement() {
    if (summary_.placement.empty()) return;
    const bool is_by_pool = summary_.placement_by == "pool";
    page_.section(is_by_pool ? "Where the pods are, by pool" : "Where the pods are");
    Table table;
    table.add_column(is_by_pool ? "POOL" : "NODE");
    if (is_by_pool) table.add_column("NODES", Align::kRight);
    table.add_column("PODS", Align::kRight);
    const std::size_t resources = std::min(summary_.placement[0].resources.size(), kResourceColumns);
    for (std::size_t i = 0; i < resources; ++i) {
      std::string head = summary_.placement[0].resources[i].resource.str();
      if (i < 2) std::ranges::transform(head, head.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
      table.add_column(cut(head, kNameColumns), Align::kRight);
    }
    table.add_column("");
    for (const PlacementRow& row : summary_.placement) {
      std::vector<Line> cells = {{cut(row.name, kNameColumns), Meaning::kName}};
      if (is_by_pool) cells.emplace_back(grouped(row.nodes));
      cells.emplace_back(grouped(row.pods));
      for (std::size_t i = 0; i < resources; ++i) cells.emplace_back(use_text(row.resources[i]));
      cells.emplace_back(row.note, Meaning::kWarning);
      table.add_row(std::move(cells));
    }
    page_.table(std::move(table));
  }

  void add_utilisation() {
    if (summary_.utilisation.empty() || summary_.nodes < 2) return;
    page_.section("How full the nodes are");
    Table table;
    table.add_column("");
    for (const std::string_view head : {"REQUESTED", "OF", "SHARE", "LEAST", "MEDIAN", "MOST"}) {
      table.add_column(std::string(head), Align::kRight);
    }
    for (const Utilisation& use : summary_.utilisation) {
      const Symbol resource = use.total.resource;
      table.add_row({cut(resource.text(), kNameColumns), explain::amount(resource, use.total.requested, Round::kUp),
                     explain::amount(resource, use.total.allocatable, Round::kDown), percent(use.share),
                     percent(use.least), percent(use.median), percent(use.most)});
    }
    page_.table(std::move(table));
    if (summary_.fragmentation) page_.item(fragmentation_text(*summary_.fragmentation));
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
                       grouped(it.nodes_that_fit), counted(summary_.nodes, "node"),
                       it.nodes_that_fit == 1 ? "has" : "have");
  }

  // --- Waiting
  // --------------------------------------------------------------------------------------------------------

  void add_waiting() {
    if (!summary_.waiting) return;
    const WaitingTimes& waiting = *summary_.waiting;
    page_.section("How long pods waited, from creation to binding");
    if (waiting.pods == 1) {
      page_.item(fmt::format("{} waited {}.", waiting.longest, short_time(waiting.max_seconds)));
    } else if (waiting.pods < kFewPods) {
      page_.item(fmt::format("{}: half of them at most {}; {} longest: {}", counted(waiting.pods, "pod"),
                             short_time(waiting.p50_seconds), waiting.longest, short_time(waiting.max_seconds)));
    } else {
      page_.item(fmt::format("{}: half of them at most {}, 90% at most {}, 99% at most {}; {} longest: {}",
                             counted(waiting.pods, "pod"), short_time(waiting.p50_seconds),
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
        page_.pair("...", "", Align::kRight);
        i += empty - 1;
        continue;
      }
      const std::string range = bucket.below_seconds > 0 ? "< " + short_time(bucket.below_seconds)
                                                         : ">= " + short_time(histogram[i - 1].below_seconds);
      page_.bar(range, static_cast<double>(bucket.pods) / static_cast<double>(most), grouped(bucket.pods));
    }
  }
  static std::size_t empty_from(const std::vector<WaitingBucket>& histogram, std::size_t begin) {
    std::size_t end = begin;
    while (end < histogram.size() && histogram[end].pods == 0) ++end;
    return end - begin;
  }

  void add_autoscaler() {
    if (!summary_.autoscaler) return;
    const AutoscalerSummary& autoscaler = *summary_.autoscaler;
    page_.section("Autoscaler");
    Table table;
    table.add_column("GROUP");
    for (const std::string_view head : {"NODES", "MOST", "ADDED", "REMOVED"}) {
      table.add_column(std::string(head), Align::kRight);
    }
    for (const AutoscalerGroup& row : autoscaler.groups) {
      table.add_row({row.name, grouped(row.nodes), grouped(row.most), grouped(row.added), grouped(row.removed)});
    }
    page_.table(std::move(table));
    page_.item(fmt::format("{} added, {} removed, {:.1f} node-hours.", counted(autoscaler.added, "node"),
                           grouped(autoscaler.removed), autoscaler.node_hours));
  }

  void add_wake_ups() {
    if (!summary_.wake_ups) return;
    const WakeUpCounts& wakes = *summary_.wake_ups;
    if (wakes.pods == 0 && wakes.flushed == 0 && wakes.lost == 0) return;
    page_.section("What woke pods");
    Table table;
    table.add_column("EVENT");
    for (const std::string_view head : {"PODS", "USEFUL", "WASTED"}) {
      table.add_column(std::string(head), Align::kRight);
    }
    for (std::size_t i = 0; i < std::min(wakes.by_label.size(), kWakeUpRows); ++i) {
      const WakeUps& row = wakes.by_label[i];
      table.add_row({row.label, grouped(row.pods), grouped(row.useful), grouped(row.wasted)});
    }
    page_.table(std::move(table));
    if (wakes.by_label.size() > kWakeUpRows) {
      page_.item(
          {fmt::format("... and {}", counted(wakes.by_label.size() - kWakeUpRows, "more event")), Meaning::kDim});
    }
    if (wakes.pods > 0) {
      page_.item(wakes.wasted == 0 ? fmt::format("{}, none in vain.", counted(wakes.pods, "wake-up"))
                                   : fmt::format("{}, {} in vain: the pod was rejected again.",
                                                 counted(wakes.pods, "wake-up"), grouped(wakes.wasted)));
    }
    if (wakes.flushed > 0) {
      page_.item(fmt::format("{} moved by the leftover timeout, because no event came.",
                             wakes.flushed == 1 ? "1 pod was" : grouped(wakes.flushed) + " pods were"));
    }
    if (wakes.lost > 0) {
      page_.item({fmt::format("{} lost: the pod would have fitted and was not woken.",
                              wakes.lost == 1 ? "1 wake-up was" : grouped(wakes.lost) + " wake-ups were"),
                  Meaning::kBad});
    }
  }

  // --- Rollouts and drains
  // -----------------------------------------------------------------------------------------------

  void add_unfinished() {
    if (summary_.rollouts.empty() && summary_.drains.empty()) return;
    page_.section(summary_.drains.empty()     ? "Rollouts that are not complete"
                  : summary_.rollouts.empty() ? "Drains that are not complete"
                                              : "Rollouts and drains that are not complete");
    for (const UnfinishedRollout& rollout : summary_.rollouts) page_.item({rollout.sentence, Meaning::kWarning});
    for (const BlockedDrain& drain : summary_.drains) page_.item({drain.sentence, Meaning::kWarning});
  }

  // --- Pending
  // --------------------------------------------------------------------------------------------------------

  void add_pending() {
    if (summary_.pending.empty()) return;
    page_.section(fmt::format("Still pending: {}", counted(summary_.pods.pending, "pod")));
    const std::size_t shown = std::min(summary_.pending.size(), kPendingEntries);
    for (std::size_t i = 0; i < shown; ++i) add_pending_pods(summary_.pending[i]);
    std::int64_t more = 0;
    for (std::size_t i = shown; i < summary_.pending.size(); ++i) more += std::ssize(summary_.pending[i].pods);
    if (more > 0) {
      page_.item({fmt::format("... and {}; -o json names all", counted(more, "more pod")), Meaning::kDim});
    }
  }

  void add_pending_pods(const PendingPods& pending) {
    page_.item({pending.sentence, Meaning::kWarning});
    std::string about = fmt::format("{}, waits for {}, {}", pending.place, short_time(pending.waits_seconds),
                                    pending.attempts == 1 ? "1 try" : grouped(pending.attempts) + " tries");
    if (pending.ahead > 0)
      about +=
          fmt::format("; {} tried before it", pending.ahead == 1 ? "1 pod is" : grouped(pending.ahead) + " pods are");
    if (!pending.wakes.empty()) about += "; looked at again when " + pending.wakes;
    if (const double left = pending.next_try_seconds - summary_.virtual_seconds; left > 0) {
      about += fmt::format("; tried {} in {}", pending.wakes.empty() ? "again" : "anyway", short_time(left));
    }
    page_.detail(about);
    if (pending.pods.size() > 1) {
      const std::vector<std::string> others(pending.pods.begin() + 1, pending.pods.end());
      page_.detail(fmt::format("the same for {}", explain::listed(others, kNamesInList)));
    }
  }

  void add_failed_creations() {
    if (summary_.failed_creations.empty()) return;
    std::int64_t missing = 0;
    for (const FailedCreation& each : summary_.failed_creations) missing += each.missing;
    page_.section(fmt::format("Not created: {}", counted(missing, "pod")));
    const std::size_t shown = std::min(summary_.failed_creations.size(), kPendingEntries);
    for (std::size_t i = 0; i < shown; ++i) page_.item(summary_.failed_creations[i].sentence + ".");
    const auto more = static_cast<std::int64_t>(summary_.failed_creations.size() - shown);
    if (more > 0) {
      page_.item({fmt::format("... and {}; -o json names all", counted(more, "more workload")), Meaning::kDim});
    }
  }

  const Summary& summary_;
  text::Page page_;
};

}  // namespace

text::Page page_of(const Summary& summary) {
  return Report(summary).page();
}

std::string to_text(const Summary& summary, const text::Style& style) {
  return page_of(summary).render(style);
}

}  // namespace berth::report
