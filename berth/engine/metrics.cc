#include "berth/engine/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/plugins/names.h"

namespace berth::engine {

using framework::Code;
using framework::ExtensionPoint;
using queue::HintAnswer;
using queue::QueueName;

namespace {

using enum Stability;
using LabelNames = std::vector<std::string_view>;

MetricDescriptor counter(std::string_view name, Stability stability, LabelNames labels, std::string_view help) {
  return {name, MetricType::kCounter, stability, std::move(labels), {}, help};
}
MetricDescriptor gauge(std::string_view name, Stability stability, LabelNames labels, std::string_view help) {
  return {name, MetricType::kGauge, stability, std::move(labels), {}, help};
}
MetricDescriptor histogram(std::string_view name, Stability stability, LabelNames labels, std::vector<double> bounds,
                           std::string_view help) {
  return {name, MetricType::kHistogram, stability, std::move(labels), std::move(bounds), help};
}

template <typename Enum>
std::size_t index(Enum value) {
  return static_cast<std::size_t>(value);
}

// A clock that was set back must not make time run backwards in a sum.
double seconds(Duration took) {
  return std::max(took.in_seconds(), 0.0);
}

void observe(MetricSeries& series, std::optional<Duration> took) {
  if (took) series.observe(seconds(*took));
}
// Makes no series if there is nothing to observe.
template <typename... Values>
void observe(MetricFamily& family, std::optional<Duration> took, Values... values) {
  if (took) family.at(values...).observe(seconds(*took));
}

}  // namespace

SchedulerMetrics::Labels::Labels()
    : hints{Symbol("QueueSkip"), Symbol("Queue"), Symbol("Error"), Symbol("QueueImmediately")},
      attempt_results{Symbol("scheduled"), Symbol("unschedulable"), Symbol("error"), Symbol()},
      cache_contents{Symbol("nodes"), Symbol("pods"), Symbol("assumed_pods")},
      activities{Symbol("binding"), Symbol("prioritizing_extender")},
      api_calls{Symbol("pod_status_patch"), Symbol("pod_binding")},
      success{Symbol("error"), Symbol("success")},
      hinted{Symbol("no_hint"), Symbol("hint")},
      batched{Symbol("no_hint"), Symbol("hint_used")},
      made_room("expired") {
  for (const config::ExtensionPointSpec& spec : config::extension_points()) {
    constexpr std::string_view kSuffix = "Plugin";
    points[index(spec.point)] = Symbol(spec.interface.substr(0, spec.interface.size() - kSuffix.size()));
  }
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = Symbol(framework::to_string(static_cast<Code>(i)));
  for (std::size_t i = 0; i < queues.size(); ++i) queues[i] = Symbol(queue::to_string(static_cast<QueueName>(i)));
  for (std::size_t i = 0; i < kMaxAttemptsLabel; ++i) attempts[i] = Symbol(fmt::format("{}", i));
  attempts[kMaxAttemptsLabel] = Symbol(fmt::format("{}+", kMaxAttemptsLabel));
}

MetricFamily& SchedulerMetrics::family(MetricDescriptor descriptor) {
  const std::string_view name = descriptor.name;
  return families_.try_emplace(name, std::move(descriptor)).first->second;
}

SchedulerMetrics::SchedulerMetrics(Stopwatch stopwatch)
    : stopwatch_(std::move(stopwatch)),
      attempts_(family(counter("scheduler_schedule_attempts_total", kStable, {"profile", "result"},
                               "Attempts to schedule a pod, by result. 'unschedulable' means that the pod could not "
                               "be scheduled, 'error' that the scheduler or the API failed."))),
      attempt_duration_(family(histogram("scheduler_scheduling_attempt_duration_seconds", kStable,
                                         {"profile", "result"}, exponential_bounds(0.001, 2, 15),
                                         "How long an attempt took: choosing a node and binding."))),
      algorithm_duration_(family(histogram("scheduler_scheduling_algorithm_duration_seconds", kAlpha, {},
                                           exponential_bounds(0.001, 2, 15), "How long choosing a node took."))
                              .at()),
      point_duration_(family(histogram("scheduler_framework_extension_point_duration_seconds", kStable,
                                       {"extension_point", "profile", "status"}, exponential_bounds(0.0001, 2, 12),
                                       "How long all plugins of an extension point took together."))),
      plugin_duration_(family(histogram("scheduler_plugin_execution_duration_seconds", kAlpha,
                                        {"extension_point", "plugin", "status"}, exponential_bounds(0.00001, 1.5, 20),
                                        "How long a plugin took at an extension point, in one of ten cycles."))),
      plugin_evaluations_(
          family(counter("scheduler_plugin_evaluation_total", kBeta, {"extension_point", "plugin", "profile"},
                         "How often a plugin was asked; at Filter and Score once per node."))),
      pending_(family(gauge("scheduler_pending_pods", kStable, {"queue"}, "Pods that wait, by queue."))),
      incoming_(family(counter("scheduler_queue_incoming_pods_total", kStable, {"event", "queue"},
                               "Pods that came into a queue, by the event that brought them."))),
      unschedulable_(family(gauge("scheduler_unschedulable_pods", kBeta, {"plugin", "profile"},
                                  "Unschedulable pods by rejecting plugin. A pod counts for each of its plugins."))),
      scheduling_attempts_(family(histogram("scheduler_pod_scheduling_attempts", kStable, {},
                                            exponential_bounds(1, 2, 5), "Attempts until a pod was scheduled."))
                               .at()),
      sli_duration_(family(histogram("scheduler_pod_scheduling_sli_duration_seconds", kBeta, {"attempts"},
                                     exponential_bounds(0.01, 2, 20),
                                     "From the moment at which a pod could first be tried until it was scheduled."))),
      scheduled_after_flush_(family(counter("scheduler_pod_scheduled_after_flush_total", kAlpha, {},
                                            "Pods scheduled after the timeout, and no event, had brought them back. "
                                            "Each is a missed wake-up."))
                                 .at()),
      preemption_attempts_(family(counter("scheduler_preemption_attempts_total", kStable, {},
                                          "Searches for pods to preempt, since the start."))
                               .at()),
      preemption_victims_(family(histogram("scheduler_preemption_victims", kStable, {}, exponential_bounds(1, 2, 7),
                                           "Victims per preemption."))
                              .at()),
      preemption_duration_(
          family(histogram("scheduler_preemption_goroutines_duration_seconds", kAlpha, {"result"},
                           exponential_bounds(0.01, 2, 20), "How long evicting the victims of a preemption took."))),
      preemption_executions_(family(counter("scheduler_preemption_goroutines_execution_total", kAlpha, {"result"},
                                            "Preemptions whose victims were evicted, or not, by result."))),
      permit_wait_(family(histogram("scheduler_permit_wait_duration_seconds", kBeta, {"result"},
                                    exponential_bounds(0.001, 2, 15), "How long pods waited at Permit."))),
      under_way_(
          family(gauge("scheduler_goroutines", kBeta, {"operation"}, "What goes on at the same time, by operation."))),
      cache_size_(family(
          gauge("scheduler_cache_size", kAlpha, {"type"}, "Nodes, pods and assumed pods in the scheduler's cache."))),
      event_duration_(
          family(histogram("scheduler_event_handling_duration_seconds", kAlpha, {"event"},
                           exponential_bounds(0.0001, 2, 12), "How long taking in an event of the cluster took."))),
      hint_duration_(
          family(histogram("scheduler_queueing_hint_execution_duration_seconds", kAlpha, {"event", "hint", "plugin"},
                           exponential_bounds(0.00001, 1.5, 20), "How long a plugin's queueing hint took."))),
      in_flight_events_(family(gauge("scheduler_inflight_events", kAlpha, {"event"},
                                     "Events recorded for pods in flight; the pods count as PodPopped."))),
      api_calls_(family(counter("scheduler_async_api_call_execution_total", kAlpha, {"call_type", "result"},
                                "API calls that have ended, by result."))),
      api_call_duration_(
          family(histogram("scheduler_async_api_call_execution_duration_seconds", kAlpha, {"call_type", "result"},
                           exponential_bounds(0.001, 2, 15), "How long an API call took."))),
      pending_api_calls_(
          family(gauge("scheduler_pending_async_api_calls", kAlpha, {"call_type"}, "API calls that have not ended."))),
      volume_errors_(family(counter("scheduler_volume_scheduling_stage_error_total", kAlpha, {"operation"},
                                    "Errors while volumes of a pod were scheduled, by stage."))),
      lookups_(family(counter("scheduler_batch_attempts_total", kAlpha, {"profile", "result"},
                              "Attempts, by whether something was known from an earlier pod of the same class."))),
      lookup_duration_(family(histogram("scheduler_get_node_hint_duration_seconds", kAlpha, {"hinted", "profile"},
                                        exponential_bounds(0.00001, 2, 12),
                                        "How long looking up what is known of a class of pods took."))),
      build_duration_(family(histogram("scheduler_store_schedule_results_duration_seconds", kAlpha, {"profile"},
                                       exponential_bounds(0.00001, 2, 12),
                                       "How long finding out about a new class of pods took."))),
      forgotten_classes_(family(counter("scheduler_batch_cache_flushed_total", kAlpha, {"profile", "reason"},
                                        "Classes of pods about which what was known had to make room."))) {
  // Gauges of a known set show from the start, at 0.
  for (const Symbol queue : labels_.queues) pending_.at(queue);
  for (const Symbol content : labels_.cache_contents) cache_size_.at(content);
  for (const Symbol activity : labels_.activities) under_way_.at(activity);
  for (const Symbol call : labels_.api_calls) pending_api_calls_.at(call);
}

std::optional<Duration> SchedulerMetrics::since(Instant began) const {
  if (!stopwatch_ || !began.is_set()) return std::nullopt;
  return stopwatch_() - began;
}

// --- The engine ------------------------------------------------------------------------------------------------------

void SchedulerMetrics::attempt(AttemptResult result, Symbol profile, Took took) {
  if (result == AttemptResult::kSkipped) return;
  const Symbol label = labels_.attempt_results[index(result)];
  attempts_.at(profile, label).add(1);
  observe(attempt_duration_, took, profile, label);
}

void SchedulerMetrics::scheduling_algorithm(Took took) {
  observe(algorithm_duration_, took);
}

void SchedulerMetrics::pod_scheduled(std::int32_t attempts, Took since_first_attempt) {
  const std::size_t label = static_cast<std::size_t>(std::max(attempts, 0));
  scheduling_attempts_.observe(attempts);
  observe(sli_duration_, since_first_attempt, labels_.attempts[std::min(label, kMaxAttemptsLabel)]);
}

void SchedulerMetrics::pod_scheduled_after_flush() {
  scheduled_after_flush_.add(1);
}

void SchedulerMetrics::preemption_victims(std::size_t victims) {
  preemption_victims_.observe(static_cast<double>(victims));
}

void SchedulerMetrics::preemption_execution(bool succeeded, Took took) {
  preemption_executions_.at(labels_.success[succeeded]).add(1);
  observe(preemption_duration_, took, labels_.success[succeeded]);
}

void SchedulerMetrics::permit_wait(Code result, Duration waited) {
  observe(permit_wait_, waited, labels_.codes[index(result)]);
}

void SchedulerMetrics::cache_size(CacheContent content, std::size_t size) {
  cache_size_.at(labels_.cache_contents[index(content)]).set(static_cast<std::int64_t>(size));
}

void SchedulerMetrics::event_handled(Symbol label, Took took) {
  observe(event_duration_, took, label);
}

void SchedulerMetrics::add_under_way(Activity activity, int delta) {
  under_way_.at(labels_.activities[index(activity)]).add(delta);
}

void SchedulerMetrics::api_call_begins(ApiCall call) {
  pending_api_calls_.at(labels_.api_calls[index(call)]).add(1);
}

void SchedulerMetrics::api_call_ends(ApiCall call, bool succeeded, Took took) {
  const Symbol label = labels_.api_calls[index(call)];
  pending_api_calls_.at(label).add(-1);
  api_calls_.at(label, labels_.success[succeeded]).add(1);
  observe(api_call_duration_, took, label, labels_.success[succeeded]);
}

void SchedulerMetrics::point_took(ExtensionPoint point, Symbol profile, Code code, Duration took) {
  observe_point(point, profile, code, took);
}

void SchedulerMetrics::plugin_took(ExtensionPoint point, Symbol plugin, Code code, Duration took) {
  if (waiting_plugin_runs_++ % kPluginSampleInterval == 0) observe_plugin(point, plugin, code, took);
  if (code == Code::kError) count_volume_error(point, plugin);
}

// --- The queue -------------------------------------------------------------------------------------------------------

void SchedulerMetrics::count_incoming(QueueName queue, Symbol event_label, const queue::QueuedPod& /*pod*/) {
  incoming_.at(event_label, labels_.queues[index(queue)]).add(1);
}

void SchedulerMetrics::add_pending(QueueName queue, int delta) {
  pending_.at(labels_.queues[index(queue)]).add(delta);
}

void SchedulerMetrics::add_unschedulable(Symbol plugin, Symbol profile, int delta) {
  unschedulable_.at(plugin, profile).add(delta);
}

void SchedulerMetrics::add_in_flight_events(Symbol event_label, std::int64_t delta) {
  in_flight_events_.at(event_label).add(delta);
}

void SchedulerMetrics::hint_begins() {
  hint_began_ = read_stopwatch();
}

void SchedulerMetrics::hint_ends(Symbol plugin, Symbol event_label, HintAnswer answer) {
  observe(hint_duration_, since(hint_began_), event_label, labels_.hints[index(answer)], plugin);
}

void SchedulerMetrics::gating_begins() {
  point_began_[index(ExtensionPoint::kPreEnqueue)] = read_stopwatch();
}

void SchedulerMetrics::gating_ends(Symbol profile, bool admitted) {
  const Code code = admitted ? Code::kSuccess : Code::kUnschedulableAndUnresolvable;
  observe_point(ExtensionPoint::kPreEnqueue, profile, code, since(point_began_[index(ExtensionPoint::kPreEnqueue)]));
}

void SchedulerMetrics::pre_enqueue_begins() {
  pre_enqueue_began_ = read_stopwatch();
}

void SchedulerMetrics::pre_enqueue_ends(Symbol plugin, Symbol /*profile*/, bool admitted) {
  const Took took = since(pre_enqueue_began_);
  const Code code = admitted ? Code::kSuccess : Code::kUnschedulableAndUnresolvable;
  if (pre_enqueue_runs_++ % kPluginSampleInterval == 0) {
    observe_plugin(ExtensionPoint::kPreEnqueue, plugin, code, took);
  }
}

// --- The framework ---------------------------------------------------------------------------------------------------

void SchedulerMetrics::point_begins(ExtensionPoint point) {
  // Every attempt begins with PreFilter.
  if (point == ExtensionPoint::kPreFilter) measures_plugins_ = cycles_++ % kPluginSampleInterval == 0;
  point_began_[index(point)] = read_stopwatch();
}

void SchedulerMetrics::point_ends(ExtensionPoint point, Symbol profile, Code code) {
  observe_point(point, profile, code, since(point_began_[index(point)]));
}

void SchedulerMetrics::plugin_begins(ExtensionPoint point, Symbol /*plugin*/) {
  plugin_began_[index(point)] = measures_plugins_ ? read_stopwatch() : Instant();
}

void SchedulerMetrics::plugin_ends(ExtensionPoint point, Symbol plugin, Symbol profile, Code code, std::size_t nodes) {
  observe_plugin(point, plugin, code, since(plugin_began_[index(point)]));
  count_evaluations(point, plugin, profile, code, nodes);
  // Only if it is asked: a plugin before it may end the point.
  if (point == ExtensionPoint::kPostFilter && plugin == plugins::name::kDefaultPreemption) preemption_attempts_.add(1);
  if (code == Code::kError) count_volume_error(point, plugin);
}

void SchedulerMetrics::lookup_begins() {
  lookup_began_ = read_stopwatch();
}

void SchedulerMetrics::lookup_ends(Symbol profile, bool is_known) {
  lookups_.at(profile, labels_.batched[index(is_known)]).add(1);
  observe(lookup_duration_, since(lookup_began_), labels_.hinted[index(is_known)], profile);
}

void SchedulerMetrics::build_begins() {
  build_began_ = read_stopwatch();
}

void SchedulerMetrics::build_ends(Symbol profile) {
  observe(build_duration_, since(build_began_), profile);
}

void SchedulerMetrics::class_forgotten(Symbol profile) {
  forgotten_classes_.at(profile, labels_.made_room).add(1);
}

void SchedulerMetrics::observe_point(ExtensionPoint point, Symbol profile, Code code, Took took) {
  observe(point_duration_, took, labels_.points[index(point)], profile, labels_.codes[index(code)]);
}

void SchedulerMetrics::observe_plugin(ExtensionPoint point, Symbol plugin, Code code, Took took) {
  observe(plugin_duration_, took, labels_.points[index(point)], plugin, labels_.codes[index(code)]);
}

void SchedulerMetrics::count_evaluations(ExtensionPoint point, Symbol plugin, Symbol profile, Code code,
                                         std::size_t nodes) {
  std::size_t times = 0;
  switch (point) {
    case ExtensionPoint::kPreFilter:
    case ExtensionPoint::kPreScore: times = code == Code::kSkip ? 0 : 1; break;
    case ExtensionPoint::kFilter:
    case ExtensionPoint::kScore: times = nodes; break;
    default: break;  // the metric is about these four only
  }
  if (times == 0) return;
  plugin_evaluations_.at(labels_.points[index(point)], plugin, profile).add(static_cast<std::int64_t>(times));
}

// VolumeBinding's stages are extension points here: it finds volumes at Filter, assumes them at Reserve and binds them
// at PreBind.
void SchedulerMetrics::count_volume_error(ExtensionPoint point, Symbol plugin) {
  if (plugin != plugins::name::kVolumeBinding) return;
  switch (point) {
    case ExtensionPoint::kPreFilter:
    case ExtensionPoint::kFilter: volume_errors_.at(Symbol("predicate")).add(1); break;
    case ExtensionPoint::kReserve: volume_errors_.at(Symbol("assume")).add(1); break;
    case ExtensionPoint::kPreBind: volume_errors_.at(Symbol("bind")).add(1); break;
    default: break;
  }
}

// --- Reading ---------------------------------------------------------------------------------------------------------

std::vector<const MetricFamily*> SchedulerMetrics::families() const {
  std::vector<const MetricFamily*> all;
  for (const auto& [name, family] : families_) all.push_back(&family);
  return all;
}

const MetricFamily* SchedulerMetrics::find(std::string_view name) const {
  const auto known = families_.find(name);
  return known == families_.end() ? nullptr : &known->second;
}

std::string SchedulerMetrics::to_text() const {
  return prometheus_text(families());
}

}  // namespace berth::engine
