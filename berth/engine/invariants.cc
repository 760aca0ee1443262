#include "berth/engine/invariants.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/cache/comparer.h"

namespace berth::engine {
namespace {

using queue::Place;

class Checker {
 public:
  Checker(State& state, const BindingCycles& bindings, std::string_view attempted_uid)
      : state_(state), bindings_(bindings), attempted_uid_(attempted_uid) {}

  std::vector<std::string> run() {
    state_.pods.for_each([&](const api::PodPtr& pod) { check_pod(*pod); });
    check_cache();
    check_nominations();
    check_flights();
    check_unschedulable();
    for (std::string& difference : cache::compare_sums(state_.cache.nodes())) broken_.push_back(std::move(difference));
    std::ranges::sort(broken_);
    return std::move(broken_);
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    broken_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  // A pod is in exactly one place.
  void check_pod(const api::Pod& pod) {
    const std::string& uid = pod.metadata.uid;
    const std::string name = api::full_name(pod.metadata);
    const queue::QueuedPod* queued = state_.queue->get(pod.metadata.name_space, pod.metadata.name);
    const bool is_queued = queued != nullptr && queued->uid() == uid;
    if (queued != nullptr && !is_queued) say("pod {}: the queue has another one of its name", name);
    const bool is_cached = state_.cache.find(uid) != nullptr;
    if (!pod.spec.node_name.empty()) {
      if (!is_cached) say("pod {}: has a node and is not in the cache", name);
      if (is_queued) say("pod {}: has a node and is still queued", name);
      return;
    }
    if (!state_.is_ours(pod)) {
      if (is_queued || is_cached) say("pod {}: belongs to another scheduler, and is held here", name);
      return;
    }
    const bool is_bound_for = bindings_.contains(uid) || state_.cache.is_assumed(uid);
    const bool is_attempted = attempted_uid_ == uid;
    const int places = int(is_queued) + int(is_bound_for) + int(is_attempted);
    // A pod that is being deleted is not tried any more. One whose assumption expired waits to be seen on its node.
    const bool may_be_nowhere =
        pod.metadata.deletion_timestamp.is_set() || state_.queue->rules().assumed_pod_ttl != Duration();
    if (places > 1 || (places == 0 && !may_be_nowhere)) {
      say("pod {}: in {} places (queued {}, being bound {}, being tried {})", name, places, is_queued, is_bound_for,
          is_attempted);
    }
  }

  // What is assumed is being bound, or bound and not reported yet; what the cache holds is known.
  void check_cache() {
    state_.cache.for_each_pod([&](const api::PodPtr& pod, bool is_assumed) {
      const api::PodPtr& known = state_.pods.find(pod->metadata.name_space, pod->metadata.name);
      if (known == nullptr || known->metadata.uid != pod->metadata.uid) {
        say("pod {}: takes up room on {} and does not exist", api::full_name(pod->metadata),
            pod->spec.node_name.text());
      } else if (!is_assumed && known->spec.node_name != pod->spec.node_name) {
        say("pod {}: counted on {} and bound to {}", api::full_name(pod->metadata), pod->spec.node_name.text(),
            known->spec.node_name.text());
      }
    });
  }

  void check_nominations() {
    state_.queue->nominator().for_each([&](Symbol node, const queue::Nominator::Nomination& nomination) {
      const api::PodPtr& pod = state_.pods.find(nomination.name_space, nomination.name);
      if (pod == nullptr || pod->metadata.uid != nomination.uid || !pod->spec.node_name.empty()) {
        say("node {}: pod {}/{} is nominated to it and is not pending", node.text(), nomination.name_space.text(),
            nomination.name);
      }
    });
  }

  void check_flights() {
    const queue::InFlight& in_flight = state_.queue->in_flight();
    if (in_flight.empty() && in_flight.event_count() > 0) {
      say("{} events are kept although no pod is in flight", in_flight.event_count());
    }
  }

  // A parked pod can be woken.
  void check_unschedulable() {
    for (const queue::QueuedPod* pod : state_.queue->pods_in(Place::kUnschedulable)) {
      const api::ObjectMeta& metadata = pod->pod->metadata;
      const auto wake_set = state_.queue->wake_set(metadata.name_space, metadata.name);
      if (!wake_set || (wake_set->triggers.empty() && wake_set->gating_plugin.empty())) {
        say("pod {}: parked, and no event can wake it", api::full_name(metadata));
      }
    }
  }

  State& state_;
  const BindingCycles& bindings_;
  std::string_view attempted_uid_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_invariants(State& state, const BindingCycles& bindings,
                                           std::string_view attempted_uid) {
  return Checker(state, bindings, attempted_uid).run();
}

}  // namespace berth::engine
