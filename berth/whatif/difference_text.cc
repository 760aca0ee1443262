// A difference for people. Sections with nothing to say are left out. docs/what-if.md shows it.
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
#include "berth/text/page.h"
#include "berth/text/table.h"
#include "berth/text/words.h"
#include "berth/whatif/difference.h"

namespace berth::whatif {

namespace {

using text::Align;
using text::Line;
using text::Meaning;

// Longer lists of pods are told by workload.
constexpr std::size_t kMaxRows = 30;
constexpr std::size_t kMaxNamed = 4;
// Of a workload with many pods, in a table.
constexpr std::size_t kMaxPlaces = 2;
// Of several pods that are pending for one reason.
constexpr std::size_t kMaxCauses = 2;
// Pods that one line of the section about the unchanged dump names.
constexpr std::size_t kMaxSettled = 5;

std::string pods_text(std::size_t count) {
  return text::counted(count, "pod");
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
    add_settling();
    add_autoscaler();
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
    if (!difference_.notes.empty()) page_.gap();
    for (const std::string& note : difference_.notes) page_.note(note);
    return page_.render(options_.style);
  }

 private:
  bool is_long(std::size_t rows) const { return !options_.all && rows > kMaxRows; }

  std::size_t count_of_state(std::string_view state) const {
    std::size_t count = 0;
    for (const PendingNow& each : difference_.pending) count += each.state == state ? each.pods.size() : 0;
    return count;
  }

  void add_opening() {
    page_.paragraph(fmt::format("What if: {}.", fmt::join(difference_.changes, "; ")));
    for (const Verdict& verdict : difference_.verdicts) {
      page_.headline(
          {(verdict.ok ? "ok: " : "not ok: ") + verdict.sentence, verdict.ok ? Meaning::kGood : Meaning::kBad});
    }
    page_.gap();
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
    page_.paragraph(fmt::format("{}; {} where {}.", explain::listed(parts),
                                text::counted(difference_.unmoved, "pod stays", "pods stay"),
                                difference_.unmoved == 1 ? "it is" : "they are"));
    page_.paragraph(fmt::format("Nodes: {}. Pods: {}. Pending: {}.",
                                change_text(difference_.nodes_before, difference_.nodes_after),
                                change_text(difference_.pods_before, difference_.pods_after),
                                change_text(difference_.pending_before, difference_.pending_after)));
  }

  static std::string change_text(std::int64_t before, std::int64_t after) {
    return before == after ? text::grouped(before)
                           : fmt::format("{} -> {}", text::grouped(before), text::grouped(after));
  }

  void add_autoscaler() {
    if (difference_.autoscaler.empty()) return;
    page_.section("Autoscaler");
    for (const AutoscaledGroup& group : difference_.autoscaler) {
      std::vector<std::string> done;
      if (group.added > 0) done.push_back(text::counted(group.added, "node") + " added");
      if (group.removed > 0) done.push_back(text::counted(group.removed, "node") + " removed");
      page_.item(fmt::format("{} {}: {}, {} now", group.kind == "NodePool" ? "NodePool" : "node group", group.group,
                             done.empty() ? "nothing added or removed" : text::listed(done),
                             text::counted(group.nodes, "node")));
    }
  }

  // What brought it about, in few words: the change, or that a preemptor did.
  static std::string cause_words(const Cause& cause) {
    if (!cause.preemptor.empty()) return "preempted";
    return cause.change.empty() ? cause.sentence : cause.change;
  }

  // Pods with the same cause, in the order of the first of each.
  template <typename Pod>
  static std::vector<std::pair<std::string, std::vector<Pod>>> by_cause(const std::vector<Pod>& pods) {
    std::vector<std::pair<std::string, std::vector<Pod>>> groups;
    std::map<std::string, std::size_t> index;
    for (const Pod& pod : pods) {
      const std::string words = cause_words(pod.cause);
      const auto [found, is_new] = index.try_emplace(words, groups.size());
      if (is_new) groups.emplace_back(words, std::vector<Pod>());
      groups[found->second].second.push_back(pod);
    }
    return groups;
  }

  static std::string in_brackets(const std::string& words) { return words.empty() ? "" : fmt::format(" ({})", words); }

  void add_moved() {
    for (const auto& [words, pods] : by_cause(difference_.moved)) add_moved_table(words, pods);
  }

  void add_moved_table(const std::string& words, const std::vector<MovedPod>& moved) {
    page_.section(fmt::format("Move: {}{}", pods_text(moved.size()), in_brackets(words)));
    text::Table table;
    if (is_long(moved.size())) {
      add_moved_workloads(table, moved);
    } else {
      const bool has_preemptor = !moved.front().cause.preemptor.empty();
      table.add_column("pod");
      table.add_column("from");
      table.add_column("to");
      table.add_column("as");
      if (has_preemptor) table.add_column("preempted by");
      for (const MovedPod& pod : moved) {
        const std::string now = pod.now.empty() ? "" : pod.now.substr(pod.now.find('/') + 1);
        if (has_preemptor) {
          table.add_row({pod.pod, pod.from, pod.to, now, pod.cause.preemptor});
        } else {
          table.add_row({pod.pod, pod.from, pod.to, now});
        }
      }
    }
    page_.table(std::move(table));
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
    page_.item(
        {fmt::format("and {} more (--all names every pod)", text::counted(rows - kMaxRows, thing)), Meaning::kDim});
  }

  // Those with most pods first.
  static void add_moved_workloads(text::Table& table, const std::vector<MovedPod>& moved) {
    struct Sum {
      std::string workload;
      std::size_t pods = 0;
      std::map<std::string, std::size_t> from, to;
    };
    std::map<std::string, Sum> by_name;
    for (const MovedPod& pod : moved) {
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
      table.add_row({sum.workload, text::grouped(sum.pods), places_text(sum.from), places_text(sum.to)});
    }
  }

  void add_placed(std::string_view many, std::string_view one, const std::vector<PlacedPod>& all) {
    for (const auto& [words, pods] : by_cause(all)) add_placed_table(pods_that(pods.size(), one, many), words, pods);
  }

  void add_placed_table(const std::string& head, const std::string& words, const std::vector<PlacedPod>& pods) {
    page_.section(head + in_brackets(words));
    text::Table table;
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
    page_.table(std::move(table));
    add_rest(is_long(pods.size()) ? workloads_of(pods) : 0, "workload");
  }

  void add_pending(std::string_view state, std::string_view many, std::string_view one) {
    const std::size_t count = count_of_state(state);
    if (count == 0) return;
    page_.section(pods_that(count, one, many));
    for (const PendingNow& each : difference_.pending) {
      if (each.state != state) continue;
      std::string who = explain::listed(each.pods, options_.all ? each.pods.size() : kMaxNamed);
      std::map<std::string, std::size_t> places;
      for (const std::string& node : each.were_on) ++places[node];
      if (!places.empty())
        who += fmt::format(", {} on {}", each.pods.size() == 1 ? "was" : "were", places_text(places));
      if (const std::string causes = causes_text(each.causes); !causes.empty()) who += ": " + causes;
      page_.item({who, Meaning::kWarning});
      page_.detail(each.sentence);
    }
  }

  void add_more(std::size_t count) {
    page_.item({fmt::format("and {} more (--all names them)", text::grouped(count)), Meaning::kDim});
  }

  // The different ones of several pods, with how many pods each is about.
  static std::string causes_text(const std::vector<Cause>& causes) {
    std::vector<std::pair<std::string, std::size_t>> sentences;
    for (const Cause& cause : causes) {
      if (cause.sentence.empty()) continue;
      const auto found = std::ranges::find(sentences, cause.sentence, &std::pair<std::string, std::size_t>::first);
      if (found == sentences.end()) {
        sentences.emplace_back(cause.sentence, 1);
      } else {
        ++found->second;
      }
    }
    std::vector<std::string> texts;
    for (const auto& [sentence, count] : sentences) {
      texts.push_back(sentences.size() == 1 ? sentence : fmt::format("{} ({})", sentence, count));
    }
    return explain::listed(texts, kMaxCauses);
  }

  void add_gone() {
    const std::vector<GonePod>& gone = difference_.gone;
    if (gone.empty()) return;
    page_.section(pods_that(gone.size(), "is gone", "are gone"));
    std::map<std::string, std::vector<std::string>> reasons;
    for (const GonePod& pod : gone) {
      std::vector<std::string> about;
      if (!pod.node.empty()) about.push_back("was on " + pod.node);
      if (!pod.cause.sentence.empty()) about.push_back(pod.cause.sentence);
      reasons[pod.why].push_back(about.empty() ? pod.pod : fmt::format("{} ({})", pod.pod, fmt::join(about, ", ")));
    }
    for (const auto& [why, pods] : reasons) {
      page_.item(fmt::format("{}: {}", why, explain::listed(pods, options_.all ? pods.size() : kMaxNamed)));
    }
  }

  void add_held() {
    const std::vector<HeldPod>& held = difference_.held;
    if (held.empty()) return;
    page_.section(pods_that(held.size(), "does not leave its node", "do not leave their nodes"));
    std::size_t rows = 0;
    for (const HeldPod& pod : held) {
      if (is_long(held.size()) && rows++ == kMaxRows) break;
      page_.item(fmt::format("{} on {}: {}", pod.pod, pod.node, pod.why));
    }
    if (is_long(held.size())) add_more(held.size() - kMaxRows);
  }

  static std::string preemption_text(const Preempting& each) {
    std::string text = fmt::format("{} evicts {} on {}", each.pod, explain::listed(each.victims, kMaxNamed), each.node);
    if (!each.cause.sentence.empty()) text += fmt::format("; it is {}", each.cause.sentence);
    return text;
  }

  // What settling the unchanged dump came to.
  void add_settling() {
    const Settling& settling = difference_.settling;
    if (settling.empty()) return;
    page_.section("Before any change, the dump was not at rest");
    const auto add_line = [&](std::string_view what, const std::vector<std::string>& things) {
      if (things.empty()) return;
      page_.item(fmt::format("{} {}: {}", pods_text(things.size()), what,
                             explain::listed(things, options_.all ? things.size() : kMaxSettled)));
    };
    const auto names_of = [](const auto& pods, auto name) {
      std::vector<std::string> names;
      for (const auto& pod : pods) names.push_back(name(pod));
      return names;
    };
    const auto with_node = [](const PlacedPod& pod) { return fmt::format("{} on {}", pod.pod, pod.node); };
    add_line("pending in the dump found a place", names_of(settling.placed, with_node));
    add_line("created, because workloads of the dump want more pods than it has",
             names_of(settling.created, with_node));
    add_line("moved", names_of(settling.moved, [](const MovedPod& pod) {
               return fmt::format("{} from {} to {}{}", pod.pod, pod.from, pod.to, in_brackets(pod.cause.sentence));
             }));
    add_line("gone", names_of(settling.gone, [](const GonePod& pod) {
               return pod.pod + in_brackets(pod.cause.sentence.empty() ? pod.why : pod.cause.sentence + "; " + pod.why);
             }));
    for (const Preempting& each : settling.preemptions) {
      page_.item("preemption: " + preemption_text(each));
    }
    for (const PendingNow& each : settling.pending) {
      std::string who = fmt::format("{}: {}", each.state == "lost" ? "lost its place" : "created and pending",
                                    explain::listed(each.pods, options_.all ? each.pods.size() : kMaxNamed));
      if (const std::string causes = causes_text(each.causes); !causes.empty()) who += ", " + causes;
      page_.item(who);
      page_.detail(each.sentence);
    }
    for (const std::string& rollout : settling.stuck) page_.item(rollout);
  }

  void add_preemptions() {
    const std::vector<Preempting>& preemptions = difference_.preemptions;
    if (preemptions.empty()) return;
    page_.section("Preemption");
    std::size_t rows = 0;
    for (const Preempting& each : preemptions) {
      if (is_long(preemptions.size()) && rows++ == kMaxRows) break;
      page_.item(preemption_text(each));
    }
    if (is_long(preemptions.size())) add_more(preemptions.size() - kMaxRows);
  }

  void add_still_pending() {
    const std::size_t count = count_of_state("still");
    if (count == 0) return;
    std::vector<std::string> pods;
    for (const PendingNow& each : difference_.pending) {
      if (each.state == "still") pods.insert(pods.end(), each.pods.begin(), each.pods.end());
    }
    page_.gap();
    page_.paragraph(
        fmt::format("Pending as before: {}.", explain::listed(pods, options_.all ? pods.size() : kMaxNamed)));
  }

  void add_utilisation() {
    if (difference_.utilisation.empty()) return;
    page_.section("How full the nodes are");
    text::Table table;
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
      table.add_row({each.resource.str(), text::percent(each.before), text::percent(each.after),
                     amounts(each.resource, each.requested_before, each.requested_after),
                     amounts(each.resource, each.allocatable_before, each.allocatable_after)});
    }
    page_.table(std::move(table));
  }

  const Difference& difference_;
  const DifferenceText& options_;
  text::Page page_;
};

}  // namespace

std::string to_text(const Difference& difference, const DifferenceText& options) {
  return Text(difference, options).str();
}

}  // namespace berth::whatif
