#include "berth/engine/metrics.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/check.h"
#include "berth/queue/queued_pod.h"

namespace berth::engine {
namespace {

using framework::Code;
using framework::ExtensionPoint;
using queue::HintAnswer;
using queue::QueueName;

const Symbol kProfile("default-scheduler");
const Symbol kFit("NodeResourcesFit");

// A stopwatch that runs by itself: each reading is so much later than the one before.
SchedulerMetrics::Stopwatch ticking(Duration step) {
  return [step, now = Instant::from_unix_seconds(0)]() mutable { return now = now + step; };
}

const MetricFamily& family(const SchedulerMetrics& metrics, std::string_view name) {
  const MetricFamily* found = metrics.find("scheduler_" + std::string(name));
  BERTH_CHECK(found != nullptr, "no metric {}", name);
  return *found;
}

template <typename... Values>
std::int64_t value(const SchedulerMetrics& metrics, std::string_view name, Values... values) {
  const MetricSeries* series = family(metrics, name).find(Symbol(values)...);
  return series == nullptr ? -1 : series->value();
}

template <typename... Values>
std::int64_t observations(const SchedulerMetrics& metrics, std::string_view name, Values... values) {
  const MetricSeries* series = family(metrics, name).find(Symbol(values)...);
  return series == nullptr ? -1 : static_cast<std::int64_t>(series->count());
}

bool shows(const SchedulerMetrics& metrics, std::string_view lines) {
  return metrics.to_text().find(lines) != std::string::npos;
}

// --- Families --------------------------------------------------------------------------------------------------------

TEST(SchedulerMetrics, HaveKubeSchedulersNamesTypesLabelsAndBuckets) {
  struct Expected {
    std::string_view name;
    MetricType type;
    std::vector<std::string_view> labels;
    Stability stability;
    std::size_t bounds = 0;
    double first = 0;
    double last = 0;
  };
  using enum MetricType;
  using enum Stability;
  const std::vector<Expected> expected = {
      {"scheduler_async_api_call_execution_duration_seconds",
       kHistogram,
       {"call_type", "result"},
       kAlpha,
       15,
       .001,
       16.384},
      {"scheduler_async_api_call_execution_total", kCounter, {"call_type", "result"}, kAlpha},
      {"scheduler_batch_attempts_total", kCounter, {"profile", "result"}, kAlpha},
      {"scheduler_batch_cache_flushed_total", kCounter, {"profile", "reason"}, kAlpha},
      {"scheduler_cache_size", kGauge, {"type"}, kAlpha},
      {"scheduler_event_handling_duration_seconds", kHistogram, {"event"}, kAlpha, 12, .0001, .2048},
      {"scheduler_framework_extension_point_duration_seconds",
       kHistogram,
       {"extension_point", "profile", "status"},
       kStable,
       12,
       .0001,
       .2048},
      {"scheduler_get_node_hint_duration_seconds", kHistogram, {"hinted", "profile"}, kAlpha, 12, .00001, .02048},
      {"scheduler_goroutines", kGauge, {"operation"}, kBeta},
      {"scheduler_inflight_events", kGauge, {"event"}, kAlpha},
      {"scheduler_pending_async_api_calls", kGauge, {"call_type"}, kAlpha},
      {"scheduler_pending_pods", kGauge, {"queue"}, kStable},
      {"scheduler_permit_wait_duration_seconds", kHistogram, {"result"}, kBeta, 15, .001, 16.384},
      {"scheduler_plugin_evaluation_total", kCounter, {"extension_point", "plugin", "profile"}, kBeta},
      {"scheduler_plugin_execution_duration_seconds",
       kHistogram,
       {"extension_point", "plugin", "status"},
       kAlpha,
       20,
       .00001,
       .0221683},
      {"scheduler_pod_scheduled_after_flush_total", kCounter, {}, kAlpha},
      {"scheduler_pod_scheduling_attempts", kHistogram, {}, kStable, 5, 1, 16},
      {"scheduler_pod_scheduling_sli_duration_seconds", kHistogram, {"attempts"}, kBeta, 20, .01, 5242.88},
      {"scheduler_preemption_attempts_total", kCounter, {}, kStable},
      {"scheduler_preemption_goroutines_duration_seconds", kHistogram, {"result"}, kAlpha, 20, .01, 5242.88},
      {"scheduler_preemption_goroutines_execution_total", kCounter, {"result"}, kAlpha},
      {"scheduler_preemption_victims", kHistogram, {}, kStable, 7, 1, 64},
      {"scheduler_queue_incoming_pods_total", kCounter, {"event", "queue"}, kStable},
      {"scheduler_queueing_hint_execution_duration_seconds",
       kHistogram,
       {"event", "hint", "plugin"},
       kAlpha,
       20,
       .00001,
       .0221683},
      {"scheduler_schedule_attempts_total", kCounter, {"profile", "result"}, kStable},
      {"scheduler_scheduling_algorithm_duration_seconds", kHistogram, {}, kAlpha, 15, .001, 16.384},
      {"scheduler_scheduling_attempt_duration_seconds", kHistogram, {"profile", "result"}, kStable, 15, .001, 16.384},
      {"scheduler_store_schedule_results_duration_seconds", kHistogram, {"profile"}, kAlpha, 12, .00001, .02048},
      {"scheduler_unschedulable_pods", kGauge, {"plugin", "profile"}, kBeta},
      {"scheduler_volume_scheduling_stage_error_total", kCounter, {"operation"}, kAlpha},
  };
  const SchedulerMetrics metrics;
  const std::vector<const MetricFamily*> families = metrics.families();
  ASSERT_EQ(families.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(expected[i].name);
    const MetricDescriptor& descriptor = families[i]->descriptor();
    EXPECT_EQ(descriptor.name, expected[i].name);
    EXPECT_EQ(descriptor.type, expected[i].type);
    EXPECT_EQ(descriptor.stability, expected[i].stability);
    EXPECT_EQ(descriptor.labels, expected[i].labels);
    ASSERT_EQ(descriptor.bounds.size(), expected[i].bounds);
    if (expected[i].bounds > 0) {
      EXPECT_NEAR(descriptor.bounds.front(), expected[i].first, expected[i].first * 1e-5);
      EXPECT_NEAR(descriptor.bounds.back(), expected[i].last, expected[i].last * 1e-5);
    }
    EXPECT_TRUE(descriptor.help.ends_with('.'));
  }
  EXPECT_EQ(metrics.find("scheduler_unheard_of"), nullptr);
}

// --- The engine ------------------------------------------------------------------------------------------------------

TEST(SchedulerMetrics, CountAttemptsByResultAndProfile) {
  SchedulerMetrics metrics;
  metrics.attempt(AttemptResult::kPlaced, kProfile, Duration::milliseconds(3));
  metrics.attempt(AttemptResult::kPlaced, kProfile);
  metrics.attempt(AttemptResult::kUnschedulable, kProfile);
  metrics.attempt(AttemptResult::kError, Symbol("batch"));
  metrics.attempt(AttemptResult::kSkipped, kProfile);
  EXPECT_EQ(value(metrics, "schedule_attempts_total", "default-scheduler", "scheduled"), 2);
  EXPECT_EQ(value(metrics, "schedule_attempts_total", "default-scheduler", "unschedulable"), 1);
  EXPECT_EQ(value(metrics, "schedule_attempts_total", "batch", "error"), 1);
  EXPECT_EQ(family(metrics, "schedule_attempts_total").sorted().size(), 3u);
  EXPECT_EQ(observations(metrics, "scheduling_attempt_duration_seconds", "default-scheduler", "scheduled"), 1);
  EXPECT_EQ(observations(metrics, "scheduling_attempt_duration_seconds", "batch", "error"), -1);
}

TEST(SchedulerMetrics, LabelThePodsWaitByAttemptsUpToFifteen) {
  struct Case {
    std::int32_t attempts;
    std::string_view label;
  };
  for (const Case& c : std::vector<Case>{{1, "1"}, {14, "14"}, {15, "15+"}, {4000, "15+"}}) {
    SchedulerMetrics metrics;
    metrics.pod_scheduled(c.attempts, Duration::seconds(2));
    EXPECT_EQ(observations(metrics, "pod_scheduling_sli_duration_seconds", c.label), 1) << c.attempts;
    EXPECT_EQ(observations(metrics, "pod_scheduling_attempts"), 1);
    EXPECT_EQ(family(metrics, "pod_scheduling_attempts").find()->sum(), c.attempts);
  }
}

TEST(SchedulerMetrics, CountWhatPreemptionDoes) {
  SchedulerMetrics metrics;
  for (const std::string_view plugin : {"DefaultPreemption", "DynamicResources", "DefaultPreemption"}) {
    const framework::PluginRun run(&metrics, ExtensionPoint::kPostFilter, Symbol(plugin), kProfile);
  }
  metrics.preemption_victims(3);
  metrics.preemption_execution(true, Duration::seconds(1));
  metrics.preemption_execution(false);
  EXPECT_EQ(value(metrics, "preemption_attempts_total"), 2);
  EXPECT_EQ(family(metrics, "preemption_victims").find()->buckets(),
            (std::vector<std::uint64_t>{0, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(value(metrics, "preemption_goroutines_execution_total", "success"), 1);
  EXPECT_EQ(value(metrics, "preemption_goroutines_execution_total", "error"), 1);
  EXPECT_EQ(observations(metrics, "preemption_goroutines_duration_seconds", "success"), 1);
  EXPECT_EQ(observations(metrics, "preemption_goroutines_duration_seconds", "error"), -1);
}

TEST(SchedulerMetrics, ShowWhatGoesOnAtTheMoment) {
  using Metrics = SchedulerMetrics;
  Metrics metrics;
  EXPECT_EQ(value(metrics, "goroutines", "binding"), 0);
  metrics.add_under_way(Metrics::Activity::kBinding, 1);
  metrics.add_under_way(Metrics::Activity::kBinding, 1);
  metrics.add_under_way(Metrics::Activity::kBinding, -1);
  metrics.add_under_way(Metrics::Activity::kPrioritizingExtender, 4);
  EXPECT_EQ(value(metrics, "goroutines", "binding"), 1);
  EXPECT_EQ(value(metrics, "goroutines", "prioritizing_extender"), 4);

  metrics.cache_size(Metrics::CacheContent::kNodes, 5000);
  metrics.cache_size(Metrics::CacheContent::kPods, 9);
  metrics.cache_size(Metrics::CacheContent::kPods, 8);
  EXPECT_EQ(value(metrics, "cache_size", "nodes"), 5000);
  EXPECT_EQ(value(metrics, "cache_size", "pods"), 8);
  EXPECT_EQ(value(metrics, "cache_size", "assumed_pods"), 0);

  metrics.api_call_begins(Metrics::ApiCall::kPodBinding);
  metrics.api_call_begins(Metrics::ApiCall::kPodBinding);
  metrics.api_call_begins(Metrics::ApiCall::kPodStatusPatch);
  metrics.api_call_ends(Metrics::ApiCall::kPodBinding, true, Duration::milliseconds(5));
  metrics.api_call_ends(Metrics::ApiCall::kPodStatusPatch, false);
  EXPECT_EQ(value(metrics, "pending_async_api_calls", "pod_binding"), 1);
  EXPECT_EQ(value(metrics, "pending_async_api_calls", "pod_status_patch"), 0);
  EXPECT_EQ(value(metrics, "async_api_call_execution_total", "pod_binding", "success"), 1);
  EXPECT_EQ(value(metrics, "async_api_call_execution_total", "pod_status_patch", "error"), 1);
  EXPECT_EQ(observations(metrics, "async_api_call_execution_duration_seconds", "pod_binding", "success"), 1);
}

TEST(SchedulerMetrics, ObserveDurationsThatTheEngineKnows) {
  SchedulerMetrics metrics;
  metrics.permit_wait(Code::kUnschedulable, Duration::seconds(3));
  metrics.scheduling_algorithm(Duration::milliseconds(1));
  metrics.scheduling_algorithm(std::nullopt);
  metrics.event_handled(Symbol("NodeAdd"), Duration::seconds(-1));  // a clock was set back
  metrics.pod_scheduled_after_flush();
  EXPECT_EQ(observations(metrics, "permit_wait_duration_seconds", "Unschedulable"), 1);
  EXPECT_EQ(observations(metrics, "scheduling_algorithm_duration_seconds"), 1);
  EXPECT_EQ(observations(metrics, "event_handling_duration_seconds", "NodeAdd"), 1);
  EXPECT_EQ(family(metrics, "event_handling_duration_seconds").find(Symbol("NodeAdd"))->sum(), 0.0);
  EXPECT_EQ(value(metrics, "pod_scheduled_after_flush_total"), 1);
}

// --- The queue -------------------------------------------------------------------------------------------------------

TEST(SchedulerMetrics, CountWhatTheQueueSays) {
  SchedulerMetrics metrics;
  const queue::QueuedPod pod;
  metrics.count_incoming(QueueName::kActive, Symbol("PodAdd"), pod);
  metrics.count_incoming(QueueName::kActive, Symbol("PodAdd"), pod);
  metrics.count_incoming(QueueName::kBackoff, Symbol("NodeAdd"), pod);
  metrics.add_pending(QueueName::kGated, 3);
  metrics.add_pending(QueueName::kGated, -1);
  metrics.add_unschedulable(kFit, kProfile, 1);
  metrics.add_in_flight_events(Symbol("PodPopped"), 2);
  EXPECT_EQ(value(metrics, "queue_incoming_pods_total", "PodAdd", "active"), 2);
  EXPECT_EQ(value(metrics, "queue_incoming_pods_total", "NodeAdd", "backoff"), 1);
  EXPECT_EQ(value(metrics, "pending_pods", "gated"), 2);
  EXPECT_EQ(value(metrics, "pending_pods", "active"), 0);
  EXPECT_EQ(value(metrics, "unschedulable_pods", "NodeResourcesFit", "default-scheduler"), 1);
  EXPECT_EQ(value(metrics, "inflight_events", "PodPopped"), 2);
}

TEST(SchedulerMetrics, MeasureHintsAndGatesWithTheStopwatch) {
  SchedulerMetrics metrics(ticking(Duration::milliseconds(2)));
  for (const HintAnswer answer : {HintAnswer::kSkip, HintAnswer::kQueue, HintAnswer::kQueue, HintAnswer::kError}) {
    metrics.hint_begins();
    metrics.hint_ends(kFit, Symbol("NodeAdd"), answer);
  }
  const std::string_view hints = "queueing_hint_execution_duration_seconds";
  EXPECT_EQ(observations(metrics, hints, "NodeAdd", "QueueSkip", "NodeResourcesFit"), 1);
  EXPECT_EQ(observations(metrics, hints, "NodeAdd", "Queue", "NodeResourcesFit"), 2);
  EXPECT_EQ(observations(metrics, hints, "NodeAdd", "Error", "NodeResourcesFit"), 1);

  for (int i = 0; i < 20; ++i) {
    metrics.gating_begins();
    metrics.pre_enqueue_begins();
    metrics.pre_enqueue_ends(Symbol("SchedulingGates"), kProfile, i >= 10);
    metrics.gating_ends(kProfile, i >= 10);
  }
  const std::string_view points = "framework_extension_point_duration_seconds";
  EXPECT_EQ(observations(metrics, points, "PreEnqueue", "default-scheduler", "Success"), 10);
  EXPECT_EQ(observations(metrics, points, "PreEnqueue", "default-scheduler", "UnschedulableAndUnresolvable"), 10);
  EXPECT_EQ(observations(metrics, "plugin_execution_duration_seconds", "PreEnqueue", "SchedulingGates", "Success"), 1);
}

// --- The framework ---------------------------------------------------------------------------------------------------

// One attempt of a profile with one plugin that is asked about 30 nodes.
void run_attempt(SchedulerMetrics& metrics) {
  {
    const framework::PointRun point(&metrics, ExtensionPoint::kPreFilter, kProfile);
    const framework::PluginRun plugin(&metrics, ExtensionPoint::kPreFilter, kFit, kProfile);
  }
  const framework::PointRun point(&metrics, ExtensionPoint::kFilter, kProfile);
  framework::PluginRun plugin(&metrics, ExtensionPoint::kFilter, kFit, kProfile);
  plugin.nodes = 30;
}

TEST(SchedulerMetrics, CountWhatIsKnownOfClassesWhereUpstreamCountsBatches) {
  SchedulerMetrics metrics(ticking(Duration::milliseconds(2)));
  for (const bool is_known : {false, true, true}) {
    metrics.lookup_begins();
    metrics.lookup_ends(kProfile, is_known);
  }
  metrics.build_begins();
  metrics.build_ends(kProfile);
  metrics.class_forgotten(kProfile);
  EXPECT_EQ(value(metrics, "batch_attempts_total", "default-scheduler", "no_hint"), 1);
  EXPECT_EQ(value(metrics, "batch_attempts_total", "default-scheduler", "hint_used"), 2);
  EXPECT_EQ(observations(metrics, "get_node_hint_duration_seconds", "hint", "default-scheduler"), 2);
  EXPECT_EQ(observations(metrics, "get_node_hint_duration_seconds", "no_hint", "default-scheduler"), 1);
  EXPECT_EQ(observations(metrics, "store_schedule_results_duration_seconds", "default-scheduler"), 1);
  EXPECT_EQ(value(metrics, "batch_cache_flushed_total", "default-scheduler", "expired"), 1);
}

TEST(SchedulerMetrics, MeasurePointsAlwaysAndPluginsInOneOfTenCycles) {
  SchedulerMetrics metrics(ticking(Duration::milliseconds(1)));
  for (int i = 0; i < 21; ++i) run_attempt(metrics);
  const std::string_view points = "framework_extension_point_duration_seconds";
  EXPECT_EQ(observations(metrics, points, "PreFilter", "default-scheduler", "Success"), 21);
  EXPECT_EQ(observations(metrics, points, "Filter", "default-scheduler", "Success"), 21);
  EXPECT_EQ(observations(metrics, "plugin_execution_duration_seconds", "Filter", "NodeResourcesFit", "Success"), 3);
  EXPECT_EQ(value(metrics, "plugin_evaluation_total", "Filter", "NodeResourcesFit", "default-scheduler"), 21 * 30);
}

TEST(SchedulerMetrics, CountWithoutAStopwatchButObserveNoDurations) {
  SchedulerMetrics metrics;
  run_attempt(metrics);
  metrics.hint_begins();
  metrics.hint_ends(kFit, Symbol("NodeAdd"), HintAnswer::kQueue);
  EXPECT_EQ(value(metrics, "plugin_evaluation_total", "PreFilter", "NodeResourcesFit", "default-scheduler"), 1);
  EXPECT_EQ(value(metrics, "plugin_evaluation_total", "Filter", "NodeResourcesFit", "default-scheduler"), 30);
  for (const std::string_view name : {"framework_extension_point_duration_seconds", "plugin_execution_duration_seconds",
                                      "queueing_hint_execution_duration_seconds"}) {
    EXPECT_TRUE(family(metrics, name).sorted().empty()) << name;
  }
  EXPECT_FALSE(metrics.read_stopwatch().is_set());
  EXPECT_FALSE(metrics.since(Instant::from_unix_seconds(1)));
}

TEST(SchedulerMetrics, CountEvaluationsAsKubeSchedulerDoes) {
  struct Case {
    std::string_view what;
    ExtensionPoint point;
    Code code;
    std::size_t nodes;
    std::int64_t counted;  // -1: no series
  };
  const std::vector<Case> cases = {
      {"PreFilter once", ExtensionPoint::kPreFilter, Code::kSuccess, 0, 1},
      {"PreFilter that rejects", ExtensionPoint::kPreFilter, Code::kUnschedulable, 0, 1},
      {"PreFilter that skips", ExtensionPoint::kPreFilter, Code::kSkip, 0, -1},
      {"Filter per node", ExtensionPoint::kFilter, Code::kUnschedulable, 7, 7},
      {"Filter without nodes", ExtensionPoint::kFilter, Code::kSuccess, 0, -1},
      {"PreScore that skips", ExtensionPoint::kPreScore, Code::kSkip, 0, -1},
      {"Score per node", ExtensionPoint::kScore, Code::kSuccess, 5, 5},
      {"Reserve not at all", ExtensionPoint::kReserve, Code::kSuccess, 0, -1},
  };
  for (const Case& c : cases) {
    SchedulerMetrics metrics;
    metrics.plugin_begins(c.point, kFit);
    metrics.plugin_ends(c.point, kFit, kProfile, c.code, c.nodes);
    const std::vector<const MetricSeries*> series = family(metrics, "plugin_evaluation_total").sorted();
    EXPECT_EQ(series.empty() ? -1 : series[0]->value(), c.counted) << c.what;
  }
}

TEST(SchedulerMetrics, CountErrorsOfVolumeBindingByStage) {
  SchedulerMetrics metrics;
  const Symbol volume_binding("VolumeBinding");
  for (const ExtensionPoint point : {ExtensionPoint::kFilter, ExtensionPoint::kReserve, ExtensionPoint::kPreBind}) {
    metrics.plugin_ends(point, volume_binding, kProfile, Code::kError, 1);
    metrics.plugin_ends(point, volume_binding, kProfile, Code::kUnschedulable, 1);
    metrics.plugin_ends(point, kFit, kProfile, Code::kError, 1);
  }
  for (const std::string_view stage : {"predicate", "assume", "bind"}) {
    EXPECT_EQ(value(metrics, "volume_scheduling_stage_error_total", stage), 1) << stage;
  }
}

// --- The text --------------------------------------------------------------------------------------------------------

TEST(SchedulerMetrics, AreWrittenInThePrometheusTextFormat) {
  SchedulerMetrics metrics;
  metrics.attempt(AttemptResult::kUnschedulable, Symbol("z"));
  metrics.attempt(AttemptResult::kPlaced, Symbol("a\"b\\c\nd"));
  metrics.preemption_victims(2);
  metrics.preemption_victims(3);
  metrics.preemption_victims(1000);
  metrics.pod_scheduled(2, Duration::milliseconds(1500));

  EXPECT_TRUE(shows(metrics,
                    "# TYPE scheduler_schedule_attempts_total counter\n"
                    "scheduler_schedule_attempts_total{profile=\"a\\\"b\\\\c\\nd\",result=\"scheduled\"} 1\n"
                    "scheduler_schedule_attempts_total{profile=\"z\",result=\"unschedulable\"} 1\n"))
      << metrics.to_text();
  EXPECT_TRUE(shows(metrics,
                    "# HELP scheduler_preemption_victims [STABLE] Victims per preemption.\n"
                    "# TYPE scheduler_preemption_victims histogram\n"
                    "scheduler_preemption_victims_bucket{le=\"1\"} 0\n"
                    "scheduler_preemption_victims_bucket{le=\"2\"} 1\n"
                    "scheduler_preemption_victims_bucket{le=\"4\"} 2\n"
                    "scheduler_preemption_victims_bucket{le=\"8\"} 2\n"
                    "scheduler_preemption_victims_bucket{le=\"16\"} 2\n"
                    "scheduler_preemption_victims_bucket{le=\"32\"} 2\n"
                    "scheduler_preemption_victims_bucket{le=\"64\"} 2\n"
                    "scheduler_preemption_victims_bucket{le=\"+Inf\"} 3\n"
                    "scheduler_preemption_victims_sum 1005\n"
                    "scheduler_preemption_victims_count 3\n"))
      << metrics.to_text();
  EXPECT_TRUE(shows(metrics,
                    "scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts=\"2\",le=\"1.28\"} 0\n"
                    "scheduler_pod_scheduling_sli_duration_seconds_bucket{attempts=\"2\",le=\"2.56\"} 1\n"))
      << metrics.to_text();
  EXPECT_TRUE(shows(metrics, "scheduler_pod_scheduling_sli_duration_seconds_sum{attempts=\"2\"} 1.5\n"));
  EXPECT_TRUE(shows(metrics, "scheduler_pending_pods{queue=\"active\"} 0\n"));
}

TEST(SchedulerMetrics, LeaveOutOfTheTextWhatWasNeverCounted) {
  const SchedulerMetrics metrics;
  EXPECT_FALSE(shows(metrics, "scheduler_schedule_attempts_total"));
  EXPECT_TRUE(shows(metrics, "scheduler_preemption_attempts_total 0\n"));
}

TEST(SchedulerMetrics, PrintTheSameWhateverTheOrderOfCounting) {
  SchedulerMetrics one;
  SchedulerMetrics other;
  const std::vector<std::string_view> plugins = {"Zeta", "Alpha", "Mu"};
  for (const std::string_view plugin : plugins) one.add_unschedulable(Symbol(plugin), kProfile, 1);
  for (std::size_t i = plugins.size(); i > 0; --i) other.add_unschedulable(Symbol(plugins[i - 1]), kProfile, 1);
  EXPECT_EQ(one.to_text(), other.to_text());
  EXPECT_TRUE(shows(one,
                    "scheduler_unschedulable_pods{plugin=\"Alpha\",profile=\"default-scheduler\"} 1\n"
                    "scheduler_unschedulable_pods{plugin=\"Mu\",profile=\"default-scheduler\"} 1\n"
                    "scheduler_unschedulable_pods{plugin=\"Zeta\",profile=\"default-scheduler\"} 1\n"));
}

TEST(MetricFamily, PutsAValueThatIsABoundIntoThatBucket) {
  MetricFamily family({.name = "m", .type = MetricType::kHistogram, .labels = {}, .bounds = {1, 2, 4}, .help = "M."});
  for (const double value : {0.5, 1.0, 1.5, 4.0, 4.5}) family.at().observe(value);
  EXPECT_EQ(family.at().buckets(), (std::vector<std::uint64_t>{2, 1, 1, 1}));
  EXPECT_EQ(family.at().count(), 5u);
  EXPECT_EQ(family.at().sum(), 11.5);
}

TEST(MetricFamily, WritesSmallBoundsAsGoDoes) {
  MetricFamily family({.name = "m",
                       .type = MetricType::kHistogram,
                       .labels = {},
                       .bounds = exponential_bounds(0.00001, 1.5, 2),
                       .help = ""});
  const std::vector<const MetricFamily*> families = {&family};
  const std::string text = prometheus_text(families);
  EXPECT_NE(text.find("m_bucket{le=\"1e-05\"} 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("m_bucket{le=\"1.5000000000000002e-05\"} 0\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace berth::engine
