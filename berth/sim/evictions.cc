#include "berth/sim/evictions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/api/label_selector.h"
#include "berth/sim/owned_pods.h"
#include "berth/text/words.h"

namespace berth::sim {

namespace {

constexpr Duration kRetryAfter = Duration::seconds(5);  // as kubectl drain does

// A controller replaces an evicted pod within seconds. What has not become possible after this many tries waits for
// somebody to change something, and the world does not wait with it.
constexpr int kTriesThatCount = 12;

using BudgetPtr = std::shared_ptr<const api::PodDisruptionBudget>;

// What has not started or has ended disrupts nobody.
bool is_covered(const api::Pod& pod) {
  return !api::is_terminal(pod) && pod.status.phase != "Pending";
}

// Whether the pod may go without a disruption being counted: it is not healthy, and the budget does not insist.
bool is_free_to_go(const api::Pod& pod, const api::PodDisruptionBudget& budget) {
  if (is_ready(pod)) return false;
  const auto& policy = budget.spec.unhealthy_pod_eviction_policy;
  if (policy && *policy == "AlwaysAllow") return true;
  return budget.status.desired_healthy > 0 && budget.status.current_healthy >= budget.status.desired_healthy;
}

}  // namespace

std::string EvictionHold::str() const {
  if (budgets.size() > 1) {
    return fmt::format("the budgets {} (the API server evicts no pod that more than one covers)",
                       fmt::join(budgets, " and "));
  }
  if (budgets.empty()) return "nothing";
  return fmt::format("the budget {} (0 disruptions allowed: {} healthy, and {} to be)", budgets.front(),
                     healthy == 1 ? "1 pod is" : fmt::format("{} pods are", healthy),
                     desired == 1 ? "1 has" : fmt::format("{} have", desired));
}

void Evictions::drain(Symbol node, const std::vector<api::PodPtr>& pods) {
  OpenDrain& drain = drains_[node];
  if (!drain.began_at.is_set()) drain.began_at = agenda_.now();
  std::vector<engine::PodRef> refs;
  for (const api::PodPtr& pod : pods) {
    refs.emplace_back(*pod);
    if (drain.left.emplace(pod->metadata.uid, refs.back()).second) ++drain.pods;
  }
  if (drain.left.empty()) drains_.erase(node);
  for (const engine::PodRef& ref : refs) try_to_evict(node, ref, 0);
}

void Evictions::try_to_evict(Symbol node, const engine::PodRef& ref, int tries) {
  const api::PodPtr pod = api_.get<api::Pod>(ref.name_space, ref.name);
  if (pod == nullptr || pod->metadata.uid != ref.uid || pod->metadata.deletion_timestamp.is_set()) {
    return no_longer_there(node, ref);
  }
  if (const EvictionHold hold = hold_of(*pod); !hold.budgets.empty() || !take_disruption(*pod)) {
    if (tries == kTriesThatCount) history_.eviction_blocked(*pod, hold.str(), agenda_.now());
    const auto urgency = tries < kTriesThatCount ? Agenda::Urgency::kWork : Agenda::Urgency::kLater;
    agenda_.after(kRetryAfter, urgency, [this, node, ref, tries] { try_to_evict(node, ref, tries + 1); });
    return;
  }
  history_.leaves(*pod, Departure::kDrained);
  (void)api_.remove(api::kind_of<api::Pod>(), ref.name_space, ref.name, agenda_.now(), ref.uid);
  no_longer_there(node, ref);
}

void Evictions::no_longer_there(Symbol node, const engine::PodRef& ref) {
  const auto found = drains_.find(node);
  if (found == drains_.end() || found->second.left.erase(ref.uid) == 0 || !found->second.left.empty()) return;
  const OpenDrain drain = std::move(found->second);
  drains_.erase(found);
  // One that nothing held is told by the statement alone; and with the node, its pods leave by force.
  const Duration length = agenda_.now() - drain.began_at;
  if (length == Duration() || api_.get<api::Node>(Symbol(), node.text()) == nullptr) return;
  history_.note(
      HistoryEvent::Kind::kDrained, agenda_.now(),
      fmt::format("{} evicted after {}", drain.pods == 1 ? "its pod was" : fmt::format("all {} pods were", drain.pods),
                  text::short_time(length)),
      node);
}

std::vector<BudgetPtr> Evictions::budgets_of(const api::Pod& pod) const {
  std::vector<BudgetPtr> budgets;
  api_.for_each<api::PodDisruptionBudget>([&](const BudgetPtr& budget) {
    if (budget->metadata.name_space != pod.metadata.name_space) return;
    const auto matcher = api::LabelMatcher::compile(budget->spec.selector);
    if (matcher && matcher->matches(*pod.metadata.labels)) budgets.push_back(budget);
  });
  return budgets;
}

EvictionHold Evictions::hold_of(const api::Pod& pod) const {
  if (!is_covered(pod)) return {};
  const std::vector<BudgetPtr> budgets = budgets_of(pod);
  EvictionHold hold;
  if (budgets.size() == 1) {
    const api::PodDisruptionBudget& budget = *budgets.front();
    if (is_free_to_go(pod, budget) || budget.status.disruptions_allowed > 0) return {};
    hold.healthy = budget.status.current_healthy;
    hold.desired = budget.status.desired_healthy;
  }
  for (const BudgetPtr& budget : budgets) hold.budgets.push_back(api::full_name(budget->metadata));
  std::ranges::sort(hold.budgets);
  return hold;
}

bool Evictions::take_disruption(const api::Pod& pod) {
  if (!is_covered(pod)) return true;
  const std::vector<BudgetPtr> budgets = budgets_of(pod);
  if (budgets.empty() || is_free_to_go(pod, *budgets.front())) return true;
  auto taken = std::make_shared<api::PodDisruptionBudget>(*budgets.front());
  --taken->status.disruptions_allowed;
  taken->status.disrupted_pods[Symbol(pod.metadata.name)] = agenda_.now();
  return api_.update(api::AnyObject(BudgetPtr(std::move(taken)))).has_value();
}

std::vector<Drain> Evictions::open_drains() const {
  std::vector<Drain> result;
  for (const auto& [node, open] : drains_) {
    Drain drain{.node = node, .began_at = open.began_at, .pods = open.pods, .held = {}};
    for (const auto& [uid, ref] : open.left) {
      api::PodPtr pod = api_.get<api::Pod>(ref.name_space, ref.name);
      if (pod == nullptr || pod->metadata.uid != uid || pod->metadata.deletion_timestamp.is_set()) continue;
      EvictionHold hold = hold_of(*pod);
      drain.held.push_back({std::move(pod), std::move(hold)});
    }
    std::ranges::sort(drain.held, {}, [](const Drain::Held& held) { return api::full_name(held.pod->metadata); });
    if (!drain.held.empty()) result.push_back(std::move(drain));
  }
  return result;
}

}  // namespace berth::sim
