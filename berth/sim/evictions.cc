#include "berth/sim/evictions.h"

#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/label_selector.h"

namespace berth::sim {

namespace {

constexpr Duration kRetryAfter = Duration::seconds(5);  // as kubectl drain does

// A controller replaces an evicted pod within seconds. What has not become possible after this many tries waits for
// somebody to change something, and the world does not wait with it.
constexpr int kTriesThatCount = 12;

}  // namespace

void Evictions::try_to_evict(const engine::PodRef& ref, int tries) {
  const api::PodPtr pod = api_.get<api::Pod>(ref.name_space, ref.name);
  if (pod == nullptr || pod->metadata.uid != ref.uid || pod->metadata.deletion_timestamp.is_set()) return;
  const bool is_covered = !api::is_terminal(*pod) && pod->status.phase != "Pending";
  if (is_covered && !take_disruption(*pod)) {
    const auto urgency = tries < kTriesThatCount ? Agenda::Urgency::kWork : Agenda::Urgency::kLater;
    agenda_.after(kRetryAfter, urgency, [this, ref, tries] { try_to_evict(ref, tries + 1); });
    return;
  }
  (void)api_.remove(api::kind_of<api::Pod>(), ref.name_space, ref.name, agenda_.now(), ref.uid);
}

bool Evictions::take_disruption(const api::Pod& pod) {
  std::vector<std::shared_ptr<const api::PodDisruptionBudget>> budgets;
  api_.for_each<api::PodDisruptionBudget>([&](const std::shared_ptr<const api::PodDisruptionBudget>& budget) {
    if (budget->metadata.name_space != pod.metadata.name_space) return;
    const auto matcher = api::LabelMatcher::compile(budget->spec.selector);
    if (matcher && matcher->matches(*pod.metadata.labels)) budgets.push_back(budget);
  });
  if (budgets.empty()) return true;
  if (budgets.size() > 1 || budgets.front()->status.disruptions_allowed <= 0) return false;
  auto taken = std::make_shared<api::PodDisruptionBudget>(*budgets.front());
  --taken->status.disruptions_allowed;
  taken->status.disrupted_pods[Symbol(pod.metadata.name)] = agenda_.now();
  return api_.update(api::AnyObject(std::shared_ptr<const api::PodDisruptionBudget>(std::move(taken)))).has_value();
}

}  // namespace berth::sim
