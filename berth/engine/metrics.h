// What the scheduler counts, under kube-scheduler's names, so that dashboards and alerts for kube-scheduler show Berth.
// docs/metrics.md lists them.
//
// Durations of work are measured with a clock that the world hands in; without one they are not observed, and
// everything else still is. The engine itself never reads it for a decision. Durations that the engine knows from its
// own time (waiting at Permit, from first try to bound) come as parameters.
//
// Cheap enough to stay on: an observation is a table look-up by interned labels. Not thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/engine/attempt_log.h"
#include "berth/engine/metric_family.h"
#include "berth/framework/metrics.h"
#include "berth/framework/status.h"
#include "berth/queue/metrics.h"

namespace berth::engine {

class SchedulerMetrics final : public queue::QueueMetrics, public framework::FrameworkMetrics {
 public:
  using Stopwatch = std::function<Instant()>;

  // kube-scheduler measures single plugins in a tenth of its cycles, chosen by chance; here it is each tenth.
  static constexpr std::uint64_t kPluginSampleInterval = 10;
  // Attempts of this number and above share one label: "15+".
  static constexpr std::size_t kMaxAttemptsLabel = 15;

  explicit SchedulerMetrics(Stopwatch stopwatch = {});
  SchedulerMetrics(const SchedulerMetrics&) = delete;
  SchedulerMetrics& operator=(const SchedulerMetrics&) = delete;

  // --- For those who measure something -------------------------------------------------------------------------------

  // What the stopwatch says; unset if there is none.
  Instant read_stopwatch() const { return stopwatch_ ? stopwatch_() : Instant(); }
  // Nothing if there is no stopwatch now, or there was none at `began`.
  std::optional<Duration> since(Instant began) const;

  // --- What the engine counts ----------------------------------------------------------------------------------------

  using Took = std::optional<Duration>;

  // An attempt is over; a placed pod's when it is bound. Skipped ones do not count.
  void attempt(AttemptResult result, Symbol profile, Took took = std::nullopt);
  // The choice of a node alone.
  void scheduling_algorithm(Took took);
  // Bound, at the n-th attempt; `since_first_attempt` without the time in which it was gated.
  void pod_scheduled(std::int32_t attempts, Took since_first_attempt);
  // The leftover timeout, and no event, had brought it back before it was bound.
  void pod_scheduled_after_flush();

  void preemption_victims(std::size_t victims);
  // Evicting all victims of one preemptor.
  void preemption_execution(bool succeeded, Took took = std::nullopt);
  void permit_wait(framework::Code result, Duration waited);

  enum class CacheContent : std::uint8_t { kNodes, kPods, kAssumedPods };
  void cache_size(CacheContent content, std::size_t size);
  void event_handled(Symbol label, Took took);

  // What goes on at the same time: goroutines upstream, unfinished state machines here.
  enum class Activity : std::uint8_t { kBinding, kPrioritizingExtender };
  void add_under_way(Activity activity, int delta);

  enum class ApiCall : std::uint8_t { kPodStatusPatch, kPodBinding };
  // A command was given to the world, and its result came.
  void api_call_begins(ApiCall call);
  void api_call_ends(ApiCall call, bool succeeded, Took took = std::nullopt);

  // A run of plugins that waits for the world, so that several go on at once: PreBind and Bind. `took` is engine time.
  void point_took(framework::ExtensionPoint point, Symbol profile, framework::Code code, Duration took);
  void plugin_took(framework::ExtensionPoint point, Symbol plugin, framework::Code code, Duration took);

  // --- What the queue and the framework count ------------------------------------------------------------------------

  void count_incoming(queue::QueueName queue, Symbol event_label, const queue::QueuedPod& pod) override;
  void add_pending(queue::QueueName queue, int delta) override;
  void add_unschedulable(Symbol plugin, Symbol profile, int delta) override;
  void add_in_flight_events(Symbol event_label, std::int64_t delta) override;
  void hint_begins() override;
  void hint_ends(Symbol plugin, Symbol event_label, queue::HintAnswer answer) override;
  void gating_begins() override;
  void gating_ends(Symbol profile, bool admitted) override;
  void pre_enqueue_begins() override;
  void pre_enqueue_ends(Symbol plugin, Symbol profile, bool admitted) override;

  void point_begins(framework::ExtensionPoint point) override;
  void point_ends(framework::ExtensionPoint point, Symbol profile, framework::Code code) override;
  void plugin_begins(framework::ExtensionPoint point, Symbol plugin) override;
  void plugin_ends(framework::ExtensionPoint point, Symbol plugin, Symbol profile, framework::Code code,
                   std::size_t nodes) override;
  void lookup_begins() override;
  void lookup_ends(Symbol profile, bool is_known) override;
  void build_begins() override;
  void build_ends(Symbol profile) override;
  void class_forgotten(Symbol profile) override;

  // --- Reading -------------------------------------------------------------------------------------------------------

  // All, by name; also those of which nothing was counted yet.
  std::vector<const MetricFamily*> families() const;
  // Null if there is no such metric. With the prefix: "scheduler_pending_pods".
  const MetricFamily* find(std::string_view name) const;
  // The Prometheus text exposition format.
  std::string to_text() const;

 private:
  static constexpr std::size_t kPoints = config::kExtensionPointCount;
  static constexpr std::size_t kCodes = 7;

  // Symbols of labels that are enumerators or small numbers here, made once.
  struct Labels {
    Labels();
    std::array<Symbol, kPoints> points;  // "PreFilter"
    std::array<Symbol, kCodes> codes;    // "Success"
    std::array<Symbol, 4> hints;         // by queue::HintAnswer
    std::array<Symbol, 4> queues;
    std::array<Symbol, 4> attempt_results;
    std::array<Symbol, kMaxAttemptsLabel + 1> attempts;
    std::array<Symbol, 3> cache_contents;
    std::array<Symbol, 2> activities;
    std::array<Symbol, 2> api_calls;
    std::array<Symbol, 2> success;  // by bool
    std::array<Symbol, 2> hinted;   // by bool
    std::array<Symbol, 2> batched;  // by bool
    Symbol made_room;
  };

  MetricFamily& family(MetricDescriptor descriptor);
  void observe_point(framework::ExtensionPoint point, Symbol profile, framework::Code code, Took took);
  void observe_plugin(framework::ExtensionPoint point, Symbol plugin, framework::Code code, Took took);
  void count_evaluations(framework::ExtensionPoint point, Symbol plugin, Symbol profile, framework::Code code,
                         std::size_t nodes);
  void count_volume_error(framework::ExtensionPoint point, Symbol plugin);

  Stopwatch stopwatch_;
  Labels labels_;
  std::map<std::string_view, MetricFamily> families_;

  MetricFamily& attempts_;
  MetricFamily& attempt_duration_;
  MetricSeries& algorithm_duration_;
  MetricFamily& point_duration_;
  MetricFamily& plugin_duration_;
  MetricFamily& plugin_evaluations_;
  MetricFamily& pending_;
  MetricFamily& incoming_;
  MetricFamily& unschedulable_;
  MetricSeries& scheduling_attempts_;
  MetricFamily& sli_duration_;
  MetricSeries& scheduled_after_flush_;
  MetricSeries& preemption_attempts_;
  MetricSeries& preemption_victims_;
  MetricFamily& preemption_duration_;
  MetricFamily& preemption_executions_;
  MetricFamily& permit_wait_;
  MetricFamily& under_way_;
  MetricFamily& cache_size_;
  MetricFamily& event_duration_;
  MetricFamily& hint_duration_;
  MetricFamily& in_flight_events_;
  MetricFamily& api_calls_;
  MetricFamily& api_call_duration_;
  MetricFamily& pending_api_calls_;
  MetricFamily& volume_errors_;
  MetricFamily& lookups_;
  MetricFamily& lookup_duration_;
  MetricFamily& build_duration_;
  MetricFamily& forgotten_classes_;

  // When what is running now began; unset if it is not measured. Points and plugins nest (PostFilter runs filters), but
  // none within itself.
  std::array<Instant, kPoints> point_began_;
  std::array<Instant, kPoints> plugin_began_;
  Instant hint_began_;
  Instant pre_enqueue_began_;
  Instant lookup_began_;
  Instant build_began_;
  std::uint64_t cycles_ = 0;
  std::uint64_t pre_enqueue_runs_ = 0;
  std::uint64_t waiting_plugin_runs_ = 0;
  bool measures_plugins_ = false;
};

}  // namespace berth::engine
