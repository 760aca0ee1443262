// A difference for people. At most 100 columns; sections with nothing to say are left out. docs/what-if.md shows it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/explain/stable_order.h"
#include "berth/explain/words.h"
#include "berth/report/table.h"
#include "berth/report/words.h"
#include "berth/whatif/difference.h"

namespace berth::whatif {

namespace {

using Align = report::Table::Align;

constexpr std::size_t kWidth = 100;
// Longer lists of pods are told by workload.
constexpr std::size_t kMaxRows = 30;
constexpr std::size_t kMaxNamed = 4;
// Of a workload with many pods, in a table.
constexpr std::size_t kMaxPlaces = 2;

std::string pods_text(std::size_t count) {
  return report::count_of(static_cast<std::int64_t>(count), "pod");
}

// "1 pod moves", "4 pods move"
std::string pods_that(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", pods_text(count), count == 1 ? one : many);
}

// Where the pods of one workload are, for lists that are too long: "n-1 (3), n-2".
std::string places_text(const std::map<std::string, std::size_t>& places) {
  std::vector<std::string> texts;
  for (const auto& [place, count] : places) {
    texts.push_back(count == 1 ? place : fmt::format("{} ({})", place, count));
  }
  return explain::listed(texts, kMaxPlaces);
}

class Text {
 public:
  Text(const Difference& difference, const DifferenceText& options) : difference_(difference), options_(options) {}

  std::string str() {
    add_opening();
    add_moved();
    add_pending("lost", "lose their place", "loses its place");
    add_placed("get a place", "gets a place", difference_.got_a_place);
    add_placed("are new", "is new", difference_.added);
    add_pending("new", "are new and stay pending", "is new and stays pending");
    add_gone();
    add_held();
    add_preemptions();
    add_still_pending();
    add_utilisation();
    if (!difference_.notes.empty()) text_ += "\n";
    for (const std::string& note : difference_.notes) add_wrapped("Note: " + note, "", "  ");
    return std::move(text_);
  }

 private:
  void add_wrapped(std::string_view text, std::string_view first, std::string_view rest) {
    text_ += report::wrapped(text, kWidth, first, rest);
  }
  void add_head(std::string_view head) { text_ += fmt::format("\n{}\n", head); }
  bool is_long(std::size_t rows) const { return !options_.all && rows > kMaxRows; }

  std::size_t count_of_state(std::string_view state) const {
    std::size_t count = 0;
    for (const PendingNow& each : difference_.pending) count += each.state == state ? each.pods.size() : 0;
    return count;
  }

  void add_opening() {
    add_wrapped(fmt::format("What if: {}.", fmt::join(difference_.changes, "; ")), "", "  ");
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
      if (count > 0) parts.push_back(pods_that(count, one, many));
    };
    add(difference_.moved.size(), "moves", "move");
    add(count_of_state("lost"), "loses its place", "lose their place");
    add(difference_.got_a_place.size(), "gets a place", "get a place");
    add(difference_.added.size() + count_of_state("new"), "is new", "are new");
    add(difference_.gone.size(), "is gone", "are gone");
    if (parts.empty()) parts.emplace_back("No pod moves");
    add_wrapped(
        fmt::format("{}; {} where {}.", explain::listed(parts),
                    report::count_of(difference_.unmoved, "pod") + (difference_.unmoved == 1 ? " stays" : " stay"),
                    difference_.unmoved == 1 ? "it is" : "they are"),
        "", "");
    add_wrapped(
        fmt::format("Nodes: {}. Pods: {}. Pending: {}.", change_text(difference_.nodes_before, difference_.nodes_after),
                    change_text(difference_.pods_before, difference_.pods_after),
                    change_text(difference_.pending_before, difference_.pending_after)),
        "", "");
  }

  static std::string change_text(std::int64_t before, std::int64_t after) {
    return before == after ? report::grouped(before)
                           : fmt::format("{} -> {}", report::grouped(before), report::grouped(after));
  }

  void add_moved() {
    const std::vector<MovedPod>& moved = difference_.moved;
    if (moved.empty()) return;
    add_head(fmt::format("Move: {}", pods_text(moved.size())));
    report::Table table;
    if (is_long(moved.size())) {
      add_moved_workloads(table);
    } else {
      table.add_column("pod");
      table.add_column("from");
      table.add_column("to");
      table.add_column("as");
      for (const MovedPod& pod : moved) {
        const std::string now = pod.now.empty() ? "" : pod.now.substr(pod.now.find('/') + 1);
        table.add_row({pod.pod, pod.from, pod.to, pod.preempted ? now + " (preempted)" : now});
      }
    }
    text_ += table.str();
    add_rest(is_long(moved.size()) ? workloads_of(moved) : 0, "workload");
  }

  template <typename Pods>
  static std::size_t workloads_of(const Pods& pods) {
    std::set<std::string_view> workloads;
    for (const auto& pod : pods) workloads.insert(pod.workload);
    return workloads.size();
  }

  // What a table of at most kMaxRows left out.
  void add_rest(std::size_t rows, std::string_view thing) {
    if (options_.all || rows <= kMaxRows) return;
    text_ += fmt::format("  and {} more (--all names every pod)\n",
                         report::count_of(static_cast<std::int64_t>(rows - kMaxRows), thing));
  }

  // Those with most pods first.
  void add_moved_workloads(report::Table& table) const {
    struct Sum {
      std::string workload;
      std::size_t pods = 0;
      std::map<std::string, std::size_t> from, to;
    };
    std::map<std::string, Sum> by_name;
    for (const MovedPod& pod : difference_.moved) {
      Sum& sum = by_name[pod.workload];
      sum.workload = pod.workload;
      ++sum.pods;
      ++sum.from[pod.from];
      ++sum.to[pod.to];
    }
    std::vector<Sum> sums;
    for (auto& [workload, sum] : by_name) sums.push_back(std::move(sum));
    explain::sort_stably(sums, std::ranges::greater(), &Sum::pods);
    if (sums.size() > kMaxRows) sums.resize(kMaxRows);
    table.add_column("workload");
    table.add_column("pods", Align::kRight);
    table.add_column("from");
    table.add_column("to");
    for (const Sum& sum : sums) {
      table.add_row({sum.workload, report::grouped(static_cast<std::int64_t>(sum.pods)), places_text(sum.from),
                     places_text(sum.to)});
    }
  }

  void add_placed(std::string_view many, std::string_view one, const std::vector<PlacedPod>& pods) {
    if (pods.empty()) return;
    add_head(pods_that(pods.size(), one, many));
    report::Table table;
    if (is_long(pods.size())) {
      std::map<std::string, std::map<std::string, std::size_t>> workloads;
      for (const PlacedPod& pod : pods) ++workloads[pod.workload][pod.node];
      table.add_column("workload");
      table.add_column("nodes");
      std::size_t rows = 0;
      for (const auto& [workload, nodes] : workloads) {
        if (rows++ == kMaxRows) break;
        table.add_row({workload, places_text(nodes)});
      }
    } else {
      table.add_column("pod");
      table.add_column("node");
      for (const PlacedPod& pod : pods) table.add_row({pod.pod, pod.node});
    }
    text_ += table.str();
    add_rest(is_long(pods.size()) ? workloads_of(pods) : 0, "workload");
  }

  void add_pending(std::string_view state, std::string_view many, std::string_view one) {
    const std::size_t count = count_of_state(state);
    if (count == 0) return;
    add_head(pods_that(count, one, many));
    for (const PendingNow& each : difference_.pending) {
      if (each.state != state) continue;
      std::string who = explain::listed(each.pods, options_.all ? each.pods.size() : kMaxNamed);
      std::map<std::string, std::size_t> places;
      for (const std::string& node : each.were_on) ++places[node];
      if (!places.empty())
        who += fmt::format(", {} on {}", each.pods.size() == 1 ? "was" : "were", places_text(places));
      add_wrapped(who, "  ", "  ");
      add_wrapped(each.sentence, "      ", "      ");
    }
  }

  void add_gone() {
    const std::vector<GonePod>& gone = difference_.gone;
    if (gone.empty()) return;
    add_head(pods_that(gone.size(), "is gone", "are gone"));
    std::map<std::string, std::vector<std::string>> reasons;
    for (const GonePod& pod : gone) {
      reasons[pod.why].push_back(pod.node.empty() ? pod.pod : fmt::format("{} (was on {})", pod.pod, pod.node));
    }
    for (const auto& [why, pods] : reasons) {
      add_wrapped(fmt::format("{}: {}", why, explain::listed(pods, options_.all ? pods.size() : kMaxNamed)), "  ",
                  "      ");
    }
  }

  void add_held() {
    const std::vector<HeldPod>& held = difference_.held;
    if (held.empty()) return;
    add_head(pods_that(held.size(), "does not leave its node", "do not leave their nodes"));
    std::size_t rows = 0;
    for (const HeldPod& pod : held) {
      if (is_long(held.size()) && rows++ == kMaxRows) break;
      add_wrapped(fmt::format("{} on {}: {}", pod.pod, pod.node, pod.why), "  ", "      ");
    }
    if (is_long(held.size())) text_ += fmt::format("  and {} more (--all names them)\n", held.size() - kMaxRows);
  }

  void add_preemptions() {
    const std::vector<Preempting>& preemptions = difference_.preemptions;
    if (preemptions.empty()) return;
    add_head("Preemption");
    std::size_t rows = 0;
    for (const Preempting& each : preemptions) {
      if (is_long(preemptions.size()) && rows++ == kMaxRows) break;
      add_wrapped(fmt::format("{} evicts {} on {}", each.pod, each.victims, each.node), "  ", "      ");
    }
    if (is_long(preemptions.size())) {
      text_ += fmt::format("  and {} more (--all names them)\n", preemptions.size() - kMaxRows);
    }
  }

  void add_still_pending() {
    const std::size_t count = count_of_state("still");
    if (count == 0) return;
    std::vector<std::string> pods;
    for (const PendingNow& each : difference_.pending) {
      if (each.state == "still") pods.insert(pods.end(), each.pods.begin(), each.pods.end());
    }
    text_ += "\n";
    add_wrapped(fmt::format("Pending as before: {}.", explain::listed(pods, options_.all ? pods.size() : kMaxNamed)),
                "", "  ");
  }

  void add_utilisation() {
    if (difference_.utilisation.empty()) return;
    add_head("How full the nodes are");
    report::Table table;
    table.add_column("resource");
    table.add_column("before", Align::kRight);
    table.add_column("after", Align::kRight);
    table.add_column("requested", Align::kRight);
    table.add_column("allocatable", Align::kRight);
    const auto amounts = [](Symbol resource, std::int64_t before, std::int64_t after) {
      const std::string first = explain::amount(resource, before, explain::Round::kDown);
      const std::string second = explain::amount(resource, after, explain::Round::kDown);
      return first == second ? first : fmt::format("{} -> {}", first, second);
    };
    for (const UtilisationChange& each : difference_.utilisation) {
      table.add_row({each.resource.str(), report::percent(each.before), report::percent(each.after),
                     amounts(each.resource, each.requested_before, each.requested_after),
                     amounts(each.resource, each.allocatable_before, each.allocatable_after)});
    }
    text_ += table.str();
  }

  const Difference& difference_;
  const DifferenceText& options_;
  std::string text_;
};

}  // namespace

std::string to_text(const Difference& difference, const DifferenceText& options) {
  return Text(difference, options).str();
}

}  // namespace berth::whatif
