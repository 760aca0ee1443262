#include "berth/whatif/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/explain/words.h"
#include "berth/report/unfinished.h"
#include "berth/report/words.h"
#include "berth/sim/api_server.h"
#include "berth/sim/failed_creations.h"

namespace berth::whatif {

namespace {

// Pods that a sentence names; the rest are counted.
constexpr std::size_t kMaxNamed = 3;
// Nodes of one drain whose budgets are told.
constexpr std::size_t kMaxBlocked = 3;

std::string pods_text(std::size_t count) {
  return report::count_of(static_cast<std::int64_t>(count), "pod");
}

// "1 of 6 pods fits", "2 of 6 pods fit"
std::string part_that(std::size_t part, std::size_t whole, std::string_view one, std::string_view many) {
  if (whole == 1) return fmt::format("its pod {}", one);
  return fmt::format("{} of {} {}", part, pods_text(whole), part == 1 ? one : many);
}

// The sentence of explain ends with a full stop already.
std::string with_full_stop(std::string text) {
  if (!text.ends_with('.')) text += '.';
  return text;
}

bool has_no_controller(const PodRecord& pod) {
  return pod.workload == pod.name;
}

class Judge {
 public:
  explicit Judge(const Facts& facts) : facts_(facts) {
    for (const PodPair& pair : facts.pairs) {
      if (pair.after != nullptr) (pair.after->node.empty() ? waiting_ : placed_)[pair.after->workload].push_back(&pair);
    }
    for (const report::PendingPods& group : facts.pending) {
      for (const std::string& pod : group.pods) groups_[pod] = &group;
    }
    for (sim::FailedCreation& each : facts.world.failed_creations().list()) {
      refused_.emplace(fmt::format("{}/{}", each.name_space.text(), each.group), std::move(each));
    }
  }

  std::vector<Verdict> run() {
    const Plan& plan = facts_.plan;
    for (const LeavingNodes& leaving : plan.leaving) judge_leaving(leaving);
    for (const api::AnyObject& object : plan.apply) judge_applied(object);
    for (const Scaling& scaling : plan.scale) judge_scaling(scaling);
    if (!plan.add_words.empty()) judge_new_nodes();
    judge_preemption();
    judge_others();
    return std::move(verdicts_);
  }

 private:
  Verdict& add(std::string_view kind, std::string subject) {
    Verdict& verdict = verdicts_.emplace_back();
    verdict.kind = Symbol(kind);
    verdict.subject = std::move(subject);
    return verdict;
  }

  // Why the pod is pending, after ": "; empty if nobody knows.
  std::string reason_of(const std::string& pod) const {
    const auto found = groups_.find(pod);
    return found == groups_.end() ? "" : ": " + report::sentence_about(pod, *found->second);
  }
  std::string reason_of_first(std::vector<std::string>& pods) const {
    std::ranges::sort(pods, explain::natural_less);
    return pods.empty() ? "" : reason_of(pods.front());
  }

  // --- Drains and removals -------------------------------------------------------------------------------------------

  void judge_leaving(const LeavingNodes& leaving) {
    const std::set<std::string, std::less<>> nodes(leaving.nodes.begin(), leaving.nodes.end());
    Verdict& verdict = add(leaving.noun(), leaving.subject);
    std::size_t all = 0, waits = 0;
    std::vector<std::string> lost, gone, refused;
    std::string refusal;
    for (const PodPair& pair : facts_.pairs) {
      if (pair.before == nullptr || pair.before->belongs_to_its_node || !nodes.contains(pair.before->node)) continue;
      ++all;
      judged_.insert(pair.before);
      if (pair.after == nullptr) {
        if (has_no_controller(*pair.before)) {
          gone.push_back(pair.before->name);
        } else if (const auto found = refused_.find(pair.before->workload); found != refused_.end()) {
          refused.push_back(pair.before->name);
          refusal = found->second.message;
        } else if (pair.before->workload.find("/StatefulSet/") != std::string::npos) {
          ++waits;
        }
      } else if (pair.after->node.empty()) {
        lost.push_back(pair.after->name);
      }
    }
    std::vector<std::string> sentences = blocked_sentences(leaving, nodes, verdict);
    const std::size_t held = verdict.pods.size();
    // The first sentence says what it is about.
    const auto tell = [&](std::string text) {
      if (sentences.empty()) text = about(leaving, text);
      text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
      sentences.push_back(std::move(text));
    };
    const std::string reason = reason_of_first(lost);
    if (!lost.empty()) {
      tell(with_full_stop(part_that(lost.size(), all, "fits nowhere else", "fit nowhere else") + reason));
    }
    if (!refused.empty()) {
      tell(with_full_stop(fmt::format(
          "{}: {}", part_that(refused.size(), all, "is not created again", "are not created again"), refusal)));
    }
    if (waits > 0) {
      tell(fmt::format("{} of a StatefulSet {} for those before {}.", pods_text(waits), waits == 1 ? "waits" : "wait",
                       waits == 1 ? "it" : "them"));
    }
    if (!gone.empty()) {
      std::ranges::sort(gone, explain::natural_less);
      tell(fmt::format("{} no controller and {} gone for good (kubectl drain refuses without --force): {}.",
                       gone.size() == 1 ? "1 pod has" : pods_text(gone.size()) + " have",
                       gone.size() == 1 ? "is" : "are", explain::listed(gone, kMaxNamed)));
    }
    verdict.wanted = static_cast<std::int64_t>(all);
    verdict.placed = static_cast<std::int64_t>(all - lost.size() - gone.size() - refused.size() - waits -
                                               (leaving.removes ? 0 : held));
    verdict.pods.insert(verdict.pods.end(), lost.begin(), lost.end());
    verdict.pods.insert(verdict.pods.end(), gone.begin(), gone.end());
    verdict.pods.insert(verdict.pods.end(), refused.begin(), refused.end());
    verdict.ok = sentences.empty();
    if (sentences.empty()) {
      sentences.push_back(about(leaving, all == 0   ? "no pod has to leave."
                                         : all == 1 ? "its pod fits elsewhere."
                                                    : fmt::format("all {} fit elsewhere.", pods_text(all))));
    }
    verdict.sentence = joined(sentences);
  }

  // "Drain of n-1: ..."
  static std::string about(const LeavingNodes& leaving, std::string_view what) {
    return fmt::format("{} of {}: {}", leaving.removes ? "Removal" : "Drain", leaving.subject, what);
  }

  static std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& each : sentences) text += (text.empty() ? "" : " ") + each;
    return text;
  }

  std::vector<std::string> blocked_sentences(const LeavingNodes& leaving,
                                             const std::set<std::string, std::less<>>& nodes, Verdict& verdict) const {
    std::vector<std::string> sentences;
    std::size_t blocked = 0;
    for (const report::BlockedDrain& drain : facts_.blocked) {
      if (!nodes.contains(drain.node)) continue;
      ++blocked;
      verdict.pods.insert(verdict.pods.end(), drain.held.begin(), drain.held.end());
      for (const std::string& budget : drain.budgets) {
        if (std::ranges::find(verdict.budgets, budget) == verdict.budgets.end()) verdict.budgets.push_back(budget);
      }
      if (blocked <= kMaxBlocked) sentences.push_back(drain.sentence);
    }
    if (blocked > kMaxBlocked) sentences.push_back(fmt::format("So are the drains of {} more.", blocked - kMaxBlocked));
    if (blocked > 0 && leaving.removes) {
      sentences.emplace_back(verdict.pods.size() == 1 ? "With the node the pod leaves by force."
                                                      : "With the nodes these pods leave by force.");
    }
    return sentences;
  }

  // --- Workloads -----------------------------------------------------------------------------------------------------

  std::size_t count_in(const std::map<std::string, std::vector<const PodPair*>>& pods, const std::string& of) const {
    const auto found = pods.find(of);
    return found == pods.end() ? 0 : found->second.size();
  }

  // How many of the workload's pods have a place; `wanted` is what it asks for, if it says so.
  void judge_workload(const std::string& workload, std::optional<std::int64_t> wanted, const std::string& lead,
                      Verdict& verdict) {
    const std::size_t placed = count_in(placed_, workload), waiting = count_in(waiting_, workload);
    const auto refused = refused_.find(workload);
    const std::int64_t missing = refused == refused_.end() ? 0 : refused->second.missing;
    const auto all = static_cast<std::size_t>(wanted.value_or(static_cast<std::int64_t>(placed + waiting) + missing));
    verdict.wanted = static_cast<std::int64_t>(all);
    verdict.placed = static_cast<std::int64_t>(placed);
    if (const auto found = waiting_.find(workload); found != waiting_.end()) {
      for (const PodPair* pair : found->second) {
        verdict.pods.push_back(pair->after->name);
        judged_.insert(pair->after);
        if (pair->before != nullptr) judged_.insert(pair->before);
      }
    }
    const std::string reason = reason_of_first(verdict.pods);
    verdict.ok = placed >= all && waiting == 0;
    if (verdict.ok) {
      verdict.sentence = fmt::format("{}: {}.", lead,
                                     placed == 0   ? "it has no pods"
                                     : placed == 1 ? "its pod has a place"
                                                   : fmt::format("all {} have a place", pods_text(placed)));
      return;
    }
    const std::size_t without = all > placed ? all - placed : waiting;
    if (waiting > 0) {
      verdict.sentence = with_full_stop(
          fmt::format("{}: {}{}", lead, part_that(without, all, "cannot be placed", "cannot be placed"), reason));
      return;
    }
    verdict.sentence = with_full_stop(
        fmt::format("{}: {}{}", lead, part_that(without, all, "has not been created", "have not been created"),
                    refused == refused_.end() ? "" : ": " + refused->second.message));
  }

  static std::optional<std::int64_t> wanted_by(const api::AnyObject& object) {
    const auto of = [](const auto& workload) { return std::int64_t{workload->spec.replicas.value_or(1)}; };
    if (const auto each = object.as<api::Deployment>()) return of(each);
    if (const auto each = object.as<api::ReplicaSet>()) return of(each);
    if (const auto each = object.as<api::StatefulSet>()) return of(each);
    if (const auto each = object.as<api::ReplicationController>()) return of(each);
    return std::nullopt;
  }

  static bool has_pods(const api::ObjectKind& kind) {
    return &kind == &api::kind_of<api::Pod>() || &kind == &api::kind_of<api::Deployment>() ||
           &kind == &api::kind_of<api::ReplicaSet>() || &kind == &api::kind_of<api::StatefulSet>() ||
           &kind == &api::kind_of<api::ReplicationController>() || &kind == &api::kind_of<api::DaemonSet>() ||
           &kind == &api::kind_of<api::Job>();
  }

  void judge_applied(const api::AnyObject& object) {
    if (!has_pods(object.kind())) return;
    const Symbol name_space = object.metadata().name_space;
    const std::string name =
        fmt::format("{}/{}", name_space.empty() ? "default" : name_space.text(), object.metadata().name);
    if (&object.kind() == &api::kind_of<api::Pod>()) return judge_pod(name);
    if (object.as<api::Deployment>() != nullptr && judge_rollout<api::Deployment>(name, object)) return;
    if (object.as<api::StatefulSet>() != nullptr && judge_rollout<api::StatefulSet>(name, object)) return;
    if (object.as<api::DaemonSet>() != nullptr && judge_rollout<api::DaemonSet>(name, object)) return;
    const std::string workload = workload_key(object);
    judge_workload(workload, wanted_by(object), fmt::format("Apply of {}", workload_words(workload)),
                   add("apply", name));
  }

  // Of an applied pod that nothing but itself stands for.
  void judge_pod(const std::string& name) {
    Verdict& verdict = add("apply", name);
    judge_workload(name, 1, "", verdict);
    verdict.sentence =
        verdict.ok ? fmt::format("Apply of Pod {}: it has a place on {}.", name, placed_.at(name).front()->after->node)
                   : with_full_stop(fmt::format("Apply of Pod {}: it cannot be placed{}", name, reason_of(name)));
  }

  // Why a new template does not reach the pods, although nothing is wrong: "is paused: ..."; empty if it does.
  static std::string what_holds_back(const api::Deployment& deployment) {
    if (!deployment.spec.paused) return "";
    return fmt::format("is paused: no pod is updated before kubectl rollout resume deployment/{} -n {}",
                       deployment.metadata.name, deployment.metadata.name_space.text());
  }
  static std::string what_holds_back(const api::StatefulSet& set) {
    if (set.spec.update_strategy.type == "OnDelete") return on_delete();
    const auto& rolling = set.spec.update_strategy.rolling_update;
    const std::int32_t partition = rolling ? rolling->partition.value_or(0) : 0;
    const std::int32_t end = (set.spec.ordinals ? set.spec.ordinals->start : 0) + set.spec.replicas.value_or(1);
    return partition >= end ? fmt::format("updates no pod: its partition is {}", partition) : "";
  }
  static std::string what_holds_back(const api::DaemonSet& set) {
    return set.spec.update_strategy.type == "OnDelete" ? on_delete() : "";
  }
  static std::string on_delete() { return "updates no pod before it is deleted: its updateStrategy is OnDelete"; }

  // How many pods are to have the new template.
  static std::int64_t updated_pods(const api::Deployment& deployment) { return deployment.spec.replicas.value_or(1); }
  static std::int64_t updated_pods(const api::StatefulSet& set) {
    const auto& rolling = set.spec.update_strategy.rolling_update;
    const std::int32_t first = set.spec.ordinals ? set.spec.ordinals->start : 0;
    const std::int32_t partition = rolling ? rolling->partition.value_or(0) : 0;
    return set.spec.replicas.value_or(1) - std::max(0, partition - first);
  }
  static std::int64_t updated_pods(const api::DaemonSet& set) { return set.status.desired_number_scheduled; }

  // How far a rollout has come that will not go on by itself; nothing if it is complete.
  struct StuckRollout {
    std::int64_t ready = 0;         // new pods that are
    std::vector<std::string> pods;  // new ones that are pending
    std::string sentence;
  };
  std::optional<StuckRollout> stuck_rollout(const api::Deployment& /*deployment*/, const std::string& name) const {
    std::vector<report::UnfinishedRollout> unfinished =
        report::unfinished_rollouts(facts_.world, facts_.pending, report::Outlook::kAtRest);
    const auto found = std::ranges::find(unfinished, name, &report::UnfinishedRollout::deployment);
    if (found == unfinished.end()) return std::nullopt;
    return StuckRollout{found->ready, std::move(found->pods), std::move(found->sentence)};
  }
  // Of the others, all pods that have come since the change have the new template.
  template <typename Workload>
  std::optional<StuckRollout> stuck_rollout(const Workload& workload, const std::string& name) const {
    if (!what_holds_back(workload).empty()) return std::nullopt;
    const std::string_view kind = api::kind_of<Workload>().kind;
    const std::string key = fmt::format("{}/{}/{}", workload.metadata.name_space.text(), kind, workload.metadata.name);
    StuckRollout result;
    std::vector<std::string> pending;
    for (const PodPair& pair : facts_.pairs) {
      if (pair.after == nullptr || pair.after->workload != key) continue;
      if (pair.after->node.empty()) pending.push_back(pair.after->name);
      if (!pair.after->node.empty() && !pair.is_same) ++result.ready;
    }
    if (result.ready >= updated_pods(workload)) return std::nullopt;
    result.sentence =
        fmt::format("Rollout of {} {} is stuck at {} of {}.", kind, name, result.ready, updated_pods(workload));
    const std::string reason = reason_of_first(pending);
    if (const auto refused = refused_.find(key); refused != refused_.end() && pending.empty()) {
      result.sentence += with_full_stop(" New pods cannot be created: " + refused->second.message);
    } else if (!pending.empty()) {
      result.sentence += with_full_stop(
          fmt::format(" {} of its pods {} pending{}", pending.size(), pending.size() == 1 ? "is" : "are", reason));
    }
    result.pods = std::move(pending);
    return result;
  }

  // False if the template of the workload is what it was, or the workload is new.
  template <typename Workload>
  bool judge_rollout(const std::string& name, const api::AnyObject& object) {
    const auto applied = object.as<Workload>();
    const auto now = facts_.world.api().get<Workload>(Symbol(name.substr(0, name.find('/'))), applied->metadata.name);
    const std::string workload = workload_key(object);
    const auto had = [&](const api::AnyObject& each) {
      const auto before = each.as<Workload>();
      return before != nullptr && workload_key(each) == workload &&
             !(before->spec.pod_template == applied->spec.pod_template);
    };
    if (now == nullptr || std::ranges::none_of(facts_.dump, had)) return false;
    std::optional<StuckRollout> stuck = stuck_rollout(*now, name);
    if (!stuck && count_in(waiting_, workload) > 0) return false;
    Verdict& verdict = add("rollout", name);
    verdict.wanted = updated_pods(*now);
    if (!stuck) {
      const std::string_view kind = api::kind_of<Workload>().kind;
      const std::string subject = kind == "Deployment" ? name : fmt::format("{} {}", kind, name);
      const std::string held = what_holds_back(*now);
      verdict.placed = held.empty() ? verdict.wanted : 0;
      verdict.sentence =
          held.empty()
              ? fmt::format("Rollout of {} is complete: {} of {} {} updated and ready.", subject, verdict.wanted,
                            pods_text(static_cast<std::size_t>(verdict.wanted)), verdict.wanted == 1 ? "is" : "are")
              : fmt::format("Rollout of {} {}.", subject, held);
      return true;
    }
    verdict.ok = false;
    verdict.placed = stuck->ready;
    verdict.pods = std::move(stuck->pods);
    verdict.sentence = std::move(stuck->sentence);
    if (const auto waiting = waiting_.find(workload); waiting != waiting_.end()) {
      for (const PodPair* pair : waiting->second) {
        judged_.insert(pair->after);
        if (pair->before != nullptr) judged_.insert(pair->before);
      }
    }
    return true;
  }

  void judge_scaling(const Scaling& scaling) {
    const bool is_job = scaling.kind == api::kind_of<api::Job>().kind;  // some of its pods may have ended
    judge_workload(
        scaling.workload(), is_job ? std::nullopt : std::optional<std::int64_t>(scaling.replicas),
        fmt::format("Scale of {} {}/{} to {}", scaling.kind, scaling.name_space, scaling.name, scaling.replicas),
        add("scale", fmt::format("{}/{}", scaling.name_space, scaling.name)));
  }

  // --- The rest ------------------------------------------------------------------------------------------------------

  void judge_new_nodes() {
    const Plan& plan = facts_.plan;
    Verdict& verdict = add("nodes", plan.add_words);
    std::size_t got = 0;
    for (const PodPair& pair : facts_.pairs) {
      if (pair.before == nullptr || !pair.before->node.empty() || pair.after == nullptr) continue;
      if (pair.after->node.empty()) {
        verdict.pods.push_back(pair.after->name);
      } else {
        ++got;
      }
    }
    const std::string reason = reason_of_first(verdict.pods);
    const std::size_t all = got + verdict.pods.size();
    verdict.wanted = static_cast<std::int64_t>(all);
    verdict.placed = static_cast<std::int64_t>(got);
    const bool is_all_that_changes = plan.apply.empty() && plan.scale.empty() && plan.leaving.empty();
    verdict.ok = verdict.pods.empty() || !is_all_that_changes;
    const std::string nodes = explain::counted(plan.new_nodes.size(), "new node");
    if (all == 0) {
      verdict.sentence = fmt::format("With {}: no pod was pending.", nodes);
    } else if (verdict.pods.empty()) {
      verdict.sentence = fmt::format(
          "With {}: {} a place.", nodes,
          all == 1 ? "the pod that was pending gets" : fmt::format("all {} that were pending get", pods_text(all)));
    } else {
      verdict.sentence =
          with_full_stop(fmt::format("With {}: {} still pending{}", nodes,
                                     all == 1 ? "the pod that was pending is"
                                              : fmt::format("{} of {} that were pending {}", verdict.pods.size(),
                                                            pods_text(all), verdict.pods.size() == 1 ? "is" : "are"),
                                     reason));
    }
  }

  // Pods elsewhere that had to make room.
  void judge_preemption() {
    std::size_t all = 0, moved = 0;
    std::vector<std::string> lost, gone;
    for (const PodPair& pair : facts_.pairs) {
      if (pair.before == nullptr || !pair.preempted || pair.before->node.empty() || judged_.contains(pair.before)) {
        continue;
      }
      judged_.insert(pair.before);
      ++all;
      if (pair.after == nullptr) {
        gone.push_back(pair.before->name);
      } else if (pair.after->node.empty()) {
        lost.push_back(pair.after->name);
      } else {
        ++moved;
      }
    }
    if (all == 0) return;
    Verdict& verdict = add("preemption", "");
    const std::string reason = reason_of_first(lost);
    std::ranges::sort(gone, explain::natural_less);
    verdict.ok = lost.empty() && gone.empty();
    verdict.wanted = static_cast<std::int64_t>(all);
    verdict.placed = static_cast<std::int64_t>(moved);
    verdict.pods = lost;
    verdict.pods.insert(verdict.pods.end(), gone.begin(), gone.end());
    std::string text = fmt::format("Preemption: {} to make room",
                                   all == 1 ? "1 pod elsewhere has" : pods_text(all) + " elsewhere have");
    if (verdict.ok) {
      text += all == 1 ? ", and fits elsewhere." : ", and all fit elsewhere.";
    } else {
      if (!gone.empty()) {
        text +=
            fmt::format(", and {} for good: {}", gone.size() == 1 ? "is gone" : fmt::format("{} are gone", gone.size()),
                        explain::listed(gone, kMaxNamed));
      }
      if (!lost.empty()) {
        text += fmt::format("{} {} pending{}", gone.empty() ? ", and" : ";",
                            lost.size() == 1 ? "stays" : fmt::format("{} stay", lost.size()), reason);
      }
      text = with_full_stop(std::move(text));
    }
    verdict.sentence = std::move(text);
  }

  // Pods that lose their place in any other way: a node that was applied with a taint, say.
  void judge_others() {
    std::vector<std::string> lost;
    for (const PodPair& pair : facts_.pairs) {
      if (pair.before == nullptr || pair.before->node.empty() || pair.after == nullptr || !pair.after->node.empty() ||
          judged_.contains(pair.before)) {
        continue;
      }
      lost.push_back(pair.after->name);
    }
    if (lost.empty()) return;
    Verdict& verdict = add("pods", "");
    const std::string reason = reason_of_first(lost);
    verdict.ok = false;
    verdict.wanted = std::ssize(lost);
    verdict.sentence = with_full_stop(
        fmt::format("{} {} place{}", pods_text(lost.size()), lost.size() == 1 ? "loses its" : "lose their", reason));
    verdict.pods = std::move(lost);
  }

  const Facts& facts_;
  std::map<std::string, std::vector<const PodPair*>> placed_, waiting_;    // pods that are there now, by workload
  std::map<std::string, const report::PendingPods*, std::less<>> groups_;  // by pod
  std::map<std::string, sim::FailedCreation> refused_;                     // pods that are not created, by workload
  std::set<const PodRecord*> judged_;  // that a verdict counts already; only looked up
  std::vector<Verdict> verdicts_;
};

}  // namespace

std::vector<Verdict> verdicts_of(const Facts& facts) {
  return Judge(facts).run();
}

}  // namespace berth::whatif
