#include "berth/engine/state.h"

#include <utility>

namespace berth::engine {

State::State(Options given)
    : options(std::move(given)),
      cache({.assumed_pod_ttl = queue::rules_for(options.compatibility).assumed_pod_ttl}),
      queue_watch(options.metrics, options.observer, now),
      calls(options.metrics, now),
      attempts(options.attempt_log) {}

Result<void> State::build_profiles(const plugins::PreemptionsUnderWay& under_way) {
  const config::SchedulerConfig& configuration = options.config.config;
  queue::QueueOptions queue_options;
  if (auto built = profiles.build(options, under_way, view(), queue_options); !built) return built;
  queue_options.compatibility = options.compatibility;
  queue_options.initial_backoff = Duration::seconds(configuration.pod_initial_backoff_seconds);
  queue_options.maximum_backoff = Duration::seconds(configuration.pod_max_backoff_seconds);
  queue_options.maximum_in_unschedulable = options.maximum_in_unschedulable;
  queue_options.pop_from_backoff = options.gates.enabled(config::Feature::kSchedulerPopFromBackoffQ);
  queue_options.generic_workload = options.gates.enabled(config::Feature::kGenericWorkload);
  queue_options.find_pod = [this](Symbol name_space, std::string_view name) { return pods.find(name_space, name); };
  queue_options.find_namespace_labels = [this](Symbol name_space) { return objects.namespace_labels(name_space); };
  queue_options.metrics = &queue_watch;
  queue_options.quirks = options.quirks.queue;
  queue = std::make_unique<queue::SchedulingQueue>(std::move(queue_options));
  return {};
}

void State::notify(const queue::ClusterEvent& event, api::AnyObject old_object, api::AnyObject new_object,
                   std::optional<queue::PreCheck> pre_check) {
  if (options.observer != nullptr) options.observer->event_happened(event, now);
  measured(event.label(),
           [&] { (void)queue->move_all(event, {std::move(old_object), std::move(new_object)}, now, pre_check); });
}

void State::measured(Symbol event_label, FunctionRef<void()> handle) {
  const Instant began = options.metrics != nullptr ? options.metrics->read_stopwatch() : Instant();
  handle();
  if (began.is_set()) options.metrics->event_handled(event_label, options.metrics->since(began));
}

void State::notify_pod_left(const api::PodPtr& pod, std::optional<queue::PreCheck> pre_check) {
  notify(queue::assigned_pod_delete(), api::AnyObject(pod), {}, pre_check);
}

void State::nomination_given_up(const api::PodPtr& pod, Symbol node) {
  const auto was_kept_off = [&](const api::Pod& waiting) { return is_kept_off_by(waiting, *pod); };
  // Hints look at where the pod was; one without a place keeps nobody off.
  auto promised = std::make_shared<api::Pod>(*pod);
  promised->status.nominated_node_name = node;
  notify_pod_left(std::move(promised), queue::PreCheck(was_kept_off));
}

void State::activate_stashed() {
  if (pods_to_activate.empty()) return;
  const std::vector<api::PodPtr> stashed = std::exchange(pods_to_activate, {});
  (void)queue->activate(stashed, now);
}

}  // namespace berth::engine
