#include "berth/engine/state.h"

#include <fmt/format.h>

#include <utility>

#include "berth/engine/extenders.h"
#include "berth/plugins/default_plugins.h"

namespace berth::engine {
namespace {

// Labels of moves that no event caused.
bool is_event(Symbol label) {
  static const Symbol kNone[] = {Symbol("ScheduleAttemptFailure"), Symbol("BackoffComplete"),
                                 Symbol("PopFromBackoffQ")};
  for (const Symbol none : kNone) {
    if (label == none) return false;
  }
  return true;
}

}  // namespace

// --- What the queue does ---------------------------------------------------------------------------------------------

void QueueWatch::count_incoming(queue::QueueName queue, Symbol label, const queue::QueuedPod& pod) {
  if (metrics_ != nullptr) metrics_->count_incoming(queue, label, pod);
  if (observer_ != nullptr) {
    const bool is_gated = queue == queue::QueueName::kUnschedulable && pod.is_gated();
    observer_->pod_moved(pod, is_gated ? queue::QueueName::kGated : queue, label, now_);
  }
  // Most pods are tried once, as they come: nothing is noted about those.
  if (queue == queue::QueueName::kUnschedulable) return;
  static const Symbol kPodAdd("UnschedulablePodAdd");
  static const Symbol kAttemptFailure("ScheduleAttemptFailure");
  if (label == kAttemptFailure) {
    forget(pod.uid());  // the next try is not due to what led to the last one
  } else if (label != kPodAdd && is_event(label)) {
    woken_by_[pod.uid()] = label;
  }
}

void QueueWatch::add_pending(queue::QueueName queue, int delta) {
  if (metrics_ != nullptr) metrics_->add_pending(queue, delta);
}
void QueueWatch::add_unschedulable(Symbol plugin, Symbol profile, int delta) {
  if (metrics_ != nullptr) metrics_->add_unschedulable(plugin, profile, delta);
}
void QueueWatch::add_in_flight_events(Symbol label, std::int64_t delta) {
  if (metrics_ != nullptr) metrics_->add_in_flight_events(label, delta);
}
void QueueWatch::hint_begins() {
  if (metrics_ != nullptr) metrics_->hint_begins();
}
void QueueWatch::hint_ends(Symbol plugin, Symbol label, queue::HintAnswer answer) {
  if (metrics_ != nullptr) metrics_->hint_ends(plugin, label, answer);
}
void QueueWatch::gating_begins() {
  if (metrics_ != nullptr) metrics_->gating_begins();
}
void QueueWatch::gating_ends(Symbol profile, bool admitted) {
  if (metrics_ != nullptr) metrics_->gating_ends(profile, admitted);
}
void QueueWatch::pre_enqueue_begins() {
  if (metrics_ != nullptr) metrics_->pre_enqueue_begins();
}
void QueueWatch::pre_enqueue_ends(Symbol plugin, Symbol profile, bool admitted) {
  if (metrics_ != nullptr) metrics_->pre_enqueue_ends(plugin, profile, admitted);
}

Symbol QueueWatch::woken_by(std::string_view uid) const {
  const auto it = woken_by_.find(uid);
  return it == woken_by_.end() ? Symbol() : it->second;
}

void QueueWatch::forget(std::string_view uid) {
  const auto it = woken_by_.find(uid);
  if (it != woken_by_.end()) woken_by_.erase(it);
}

// --- The state -------------------------------------------------------------------------------------------------------

State::State(Options given)
    : options(std::move(given)),
      queue_watch(options.metrics, options.observer, now),
      attempts(options.attempt_log),
      rng(options.seed) {}

Result<void> State::build_profiles(const plugins::PreemptionsUnderWay& under_way) {
  plugins::add_default_plugins(registry, options.quirks.plugins, &under_way);
  if (options.add_plugins) {
    if (auto added = options.add_plugins(registry); !added) return added;
  }
  const config::SchedulerConfig& configuration = options.config.config;
  queue::QueueOptions queue_options;
  for (const config::Profile& each : configuration.profiles) {
    auto built = framework::Profile::build(each, registry, options.gates, objects);
    if (!built) {
      return fail(fmt::format("creating profile for scheduler name {}: {}", each.name(), built.error().message()));
    }
    const framework::Profile& profile = **built;
    (*built)->set_metrics(options.metrics);
    for (queue::HintRegistration& hint : profile.hints()) queue_options.hints.push_back(std::move(hint));
    for (queue::PreEnqueueCheck& check : profile.pre_enqueue_checks()) {
      queue_options.pre_enqueue.push_back(std::move(check));
    }
    if (!configuration.extenders.empty()) {
      const queue::ClusterEvent any_event(queue::resource::kAny, queue::action::kAll);
      queue_options.hints.push_back({profile.scheduler_name(), Symbol(kExtenderPlugin), any_event, {}});
    }
    queue_options.profiles.push_back(profile.scheduler_name());
    auto memory = std::make_unique<framework::ClassMemory>(profile, view());
    profiles.push_back({std::move(*built), std::move(memory)});
  }
  queue_options.compatibility = options.compatibility;
  queue_options.initial_backoff = Duration::seconds(configuration.pod_initial_backoff_seconds);
  queue_options.maximum_backoff = Duration::seconds(configuration.pod_max_backoff_seconds);
  queue_options.maximum_in_unschedulable = options.maximum_in_unschedulable;
  queue_options.pop_from_backoff = options.gates.enabled(config::Feature::kSchedulerPopFromBackoffQ);
  queue_options.generic_workload = options.gates.enabled(config::Feature::kGenericWorkload);
  if (!profiles.empty()) queue_options.queue_sort = profiles.front().profile->queue_sort().queue_sort();
  queue_options.find_pod = [this](Symbol name_space, std::string_view name) { return pods.find(name_space, name); };
  queue_options.find_namespace_labels = [this](Symbol name_space) { return objects.namespace_labels(name_space); };
  queue_options.metrics = &queue_watch;
  queue_options.quirks = options.quirks.queue;
  queue = std::make_unique<queue::SchedulingQueue>(std::move(queue_options));
  return {};
}

ProfileInUse* State::profile(Symbol scheduler_name) {
  for (ProfileInUse& each : profiles) {
    if (each.profile->scheduler_name() == scheduler_name) return &each;
  }
  return nullptr;
}

const framework::NominatedPods& State::nominated() {
  const queue::Nominator& nominator = queue->nominator();
  if (nominator.version() == nominated_version_) return nominated_;
  nominated_version_ = nominator.version();
  nominated_.clear();
  Symbol last;
  nominator.for_each([&](Symbol node, const queue::Nominator::Nomination&) {
    if (node == last || node.empty()) return;
    last = node;
    for (const queue::NominatedPod& each : queue->nominated_pods_for_node(node)) {
      if (each.pod == nullptr) continue;
      nominated_.add(node, {each.pod, cache.compile(*each.pod), nullptr});
    }
  });
  return nominated_;
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

void State::publish(const api::PodPtr& pod, Symbol type, Symbol reason, Symbol action, std::string note,
                    std::optional<PodRef> related) {
  outbox.send(PublishEvent{.regarding = pod,
                           .reporting_controller = pod->spec->scheduler_name,
                           .type = type,
                           .reason = reason,
                           .action = action,
                           .note = std::move(note),
                           .related = std::move(related)});
}

void State::patch_status(PatchPodStatus patch, Outbox::OnResult on_result) {
  // Also one whose result changes nothing is under way until it has come.
  if (!on_result) {
    ++unattended_patches;
    on_result = [this](const Outcome&) { --unattended_patches; };
  }
  outbox.send(std::move(patch), counted(SchedulerMetrics::ApiCall::kPodStatusPatch, std::move(on_result)));
}

void State::bind_pod(BindPod bind, Outbox::OnResult on_result) {
  outbox.send(std::move(bind), counted(SchedulerMetrics::ApiCall::kPodBinding, std::move(on_result)));
}

Outbox::OnResult State::counted(SchedulerMetrics::ApiCall call, Outbox::OnResult on_result) {
  if (options.metrics == nullptr) return on_result;
  options.metrics->api_call_begins(call);
  return [this, call, began_at = now, on_result = std::move(on_result)](const Outcome& outcome) {
    options.metrics->api_call_ends(call, outcome.is_done(), now - began_at);
    if (on_result) on_result(outcome);
  };
}

void State::activate_stashed() {
  if (pods_to_activate.empty()) return;
  const std::vector<api::PodPtr> stashed = std::exchange(pods_to_activate, {});
  (void)queue->activate(stashed, now);
}

}  // namespace berth::engine
