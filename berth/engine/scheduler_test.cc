#include "berth/engine/scheduler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "berth/base/rng.h"
#include "berth/engine/invariants.h"
#include "berth/engine/metrics.h"
#include "berth/engine/preemptions.h"
#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using testing::configured;
using testing::node;
using testing::pod;
using testing::refused;
using testing::Script;
using testing::scripted;
using testing::Texts;
using testing::World;

TEST(Scheduler, SaysWhichProfileCannotBeBuilt) {
  Options options;
  options.config.config.profiles.at(0).plugins.emplace().multi_point.enabled.push_back({"NoSuchPlugin", 0});
  const auto made = Scheduler::make(std::move(options));
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().message().starts_with("creating profile for scheduler name default-scheduler: "))
      << made.error().message();
}

TEST(Scheduler, PassesOnWhyAPluginCouldNotBeAdded) {
  Options options;
  options.add_plugins = [](framework::PluginRegistry&) -> Result<void> { return fail("no room"); };
  const auto made = Scheduler::make(std::move(options));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(), "no room");
}

TEST(Scheduler, KnowsWhereEachPodIs) {
  World world;
  world.add(node("n1", "1"));
  EXPECT_EQ(world.place("a"), "unknown");
  auto gated = pod("gated");
  gated.spec().scheduling_gates.push_back({Symbol("wait")});
  world.add(gated.build());
  world.add(pod("a").build());
  world.add(pod("b").build());
  EXPECT_EQ(world.place("gated"), "gated");
  EXPECT_EQ(world.place("a"), "active");
  world.run();
  EXPECT_EQ(world.place("a"), "binding");
  EXPECT_EQ(world.place("b"), "unschedulable");
  world.answer_all();
  EXPECT_EQ(world.place("a"), "bound");
  EXPECT_EQ(world.scheduler().find_pod(Symbol("default"), "a")->spec.node_name, "n1");
  EXPECT_EQ(world.scheduler().find_pod(Symbol("default"), "zzz"), nullptr);
  EXPECT_NE(world.scheduler().profile(Symbol("default-scheduler")), nullptr);
  EXPECT_EQ(world.scheduler().profile(Symbol("other")), nullptr);
}

TEST(Scheduler, SaysWhenItHasToBeCalledNext) {
  World world;
  EXPECT_FALSE(world.scheduler().next_due().is_set());
  EXPECT_FALSE(world.scheduler().has_work());
  world.add(node("n1", "1"));
  world.add(pod("a", "2").build());
  EXPECT_TRUE(world.scheduler().has_work());
  world.run();
  EXPECT_FALSE(world.scheduler().has_work());
  EXPECT_GT(world.scheduler().next_due(), world.now() + Duration::minutes(5) - Duration::seconds(1));
  world.run_for(Duration::minutes(5) + Duration::seconds(1));
  EXPECT_EQ(world.attempts("a"), 2);
  EXPECT_EQ(world.last_attempt("a").woken_by, "UnschedulableTimeout");
}

TEST(Scheduler, MakesPodsActiveThatAPluginStashed) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a", "2").build());
  world.answer_all();
  ASSERT_EQ(world.place("a"), "unschedulable");
  world.scheduler().activate({world.find("a")}, world.now());
  EXPECT_EQ(world.place("a"), "active");
  world.answer_all();
  EXPECT_EQ(world.last_attempt("a").woken_by, "ForceActivate");
}

TEST(Scheduler, MakesPodsActiveAtTheEndOfTheCycleInWhichAPluginStashedThem) {
  Script script;
  World world(scripted(script));
  world.add(node("n1", "1"));
  world.add(pod("a", "2").build());
  world.answer_all();
  ASSERT_EQ(world.place("a"), "unschedulable");
  std::string during;
  script.reserve = [&] {
    world.scheduler().activate({world.find("a")}, world.now());
    during = world.place("a");
    return framework::Status();
  };
  world.scheduler().observe(api::AnyObject(pod("b").build()), world.now());
  ASSERT_TRUE(world.scheduler().try_next(world.now()));
  EXPECT_EQ(during, "unschedulable");
  EXPECT_EQ(world.place("a"), "active");
}

TEST(Scheduler, DoesNotNameAnEventForATryThatOnlyTimeHasCaused) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("holder").on("n1").build());
  world.add(pod("a").build());
  world.answer_all();
  world.remove("holder");
  world.run();
  ASSERT_EQ(world.last_attempt("a").woken_by, "AssignedPodDelete");
  world.answer(world.take<BindPod>(), refused("no"));
  world.run_for(Duration::seconds(3));
  EXPECT_EQ(world.attempts("a"), 3);
  EXPECT_EQ(world.last_attempt("a").woken_by, "");
  world.answer_all();
}

// --- Invariants ------------------------------------------------------------------------------------------------------

// A state that no sequence of reports can lead to, made by hand.
TEST(Invariants, TellWhatIsWrong) {
  State state{Options{}};
  Preemptions preemptions(state);
  ASSERT_TRUE(state.build_profiles(preemptions));
  const Extenders extenders;
  BindingCycles bindings(state, extenders);
  state.now = testing::kStart;
  state.cache.set_node(node("n1", "4"));
  EXPECT_EQ(broken_invariants(state, bindings, ""), Texts());

  state.pods.set(pod("nowhere").build());
  state.pods.set(pod("uncached").on("n1").build());
  const api::PodPtr both = pod("both").build();
  state.pods.set(both);
  ASSERT_TRUE(state.queue->add(both, state.now));
  ASSERT_TRUE(state.cache.assume(pod("both").on("n1").build()));
  ASSERT_TRUE(state.cache.add(pod("ghost").on("n1").build()));
  state.pods.set(pod("moved").on("n2").build());
  ASSERT_TRUE(state.cache.add(pod("moved").on("n1").build()));
  auto foreign = pod("foreign");
  foreign.spec().scheduler_name = Symbol("other");
  state.pods.set(foreign.build());
  ASSERT_TRUE(state.queue->add(foreign.build(), state.now));
  auto nominee = pod("nominee");
  nominee.pod().status.nominated_node_name = Symbol("n1");
  state.pods.set(nominee.build());
  ASSERT_TRUE(state.queue->add(nominee.build(), state.now));
  state.pods.remove(*nominee.build());
  EXPECT_EQ(broken_invariants(state, bindings, ""),
            (Texts{
                "node n1: pod default/nominee is nominated to it and is not pending",
                "pod default/both: in 2 places (queued true, being bound true, being tried false)",
                "pod default/foreign: belongs to another scheduler, and is held here",
                "pod default/ghost: takes up room on n1 and does not exist",
                "pod default/moved: counted on n1 and bound to n2",
                "pod default/nowhere: in 0 places (queued false, being bound false, being tried false)",
                "pod default/uncached: has a node and is not in the cache",
            }));
}

// --- Determinism -----------------------------------------------------------------------------------------------------

// A history of some length, by chance but for the seed; everything that the scheduler said, as text.
std::string history(std::uint64_t seed, SchedulerMetrics* metrics) {
  Options options;
  options.seed = seed;
  options.metrics = metrics;
  World world(std::move(options));
  Rng rng(seed);
  for (int i = 0; i < 6; ++i) world.add(node(fmt::format("n{}", i), "4"));
  int pods = 0;
  std::string said;
  for (int step = 0; step < 200; ++step) {
    const std::string some = fmt::format("p{}", rng.below(static_cast<std::uint64_t>(pods) + 1));
    switch (rng.below(6)) {
      case 0:
      case 1:
        world.add(pod(fmt::format("p{}", pods), rng.below(2) == 0 ? "1" : "2")
                      .priority(static_cast<std::int32_t>(rng.below(3)) * 10)
                      .build());
        ++pods;
        break;
      case 2:
        if (world.find(some) != nullptr) world.remove(some);
        break;
      case 3:
        if (world.find(some) != nullptr) world.terminate(some);
        break;
      case 4: world.run_for(Duration::milliseconds(static_cast<std::int64_t>(rng.below(3000)))); break;
      case 5:
        world.run();
        if (world.count<BindPod>() > 0) {
          const Command bind = world.take<BindPod>();
          switch (rng.below(4)) {
            case 0: world.answer(bind, refused("no")); break;
            case 1: world.answer(bind, testing::outcome_of(Outcome::Kind::kUnknown, "timeout")); break;
            default: world.obey(bind);
          }
        }
        break;
    }
    world.run();
    if (rng.below(3) == 0) world.answer_all();
    for (const std::string& broken : world.scheduler().broken_invariants()) {
      ADD_FAILURE() << "seed " << seed << ", step " << step << ": " << broken;
    }
  }
  world.answer_all();
  for (const std::string& event : world.events()) said += event + "\n";
  for (int i = 0; i < pods; ++i) {
    said += fmt::format("p{} {} {}\n", i, world.place(fmt::format("p{}", i)), world.node_of(fmt::format("p{}", i)));
  }
  return said;
}

TEST(Scheduler, DoesTheSameOnceMoreAndKeepsItsInvariants) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SchedulerMetrics metrics;
    const std::string first = history(seed, nullptr);
    EXPECT_EQ(history(seed, nullptr), first);
    EXPECT_EQ(history(seed, &metrics), first) << "metrics change nothing";
  }
}

// --- Metrics ---------------------------------------------------------------------------------------------------------

std::int64_t value(const SchedulerMetrics& metrics, std::string_view name, std::string_view first = "",
                   std::string_view second = "") {
  const MetricSeries* series = metrics.find(name)->find(Symbol(first), Symbol(second));
  return series == nullptr ? -1 : series->value();
}
std::uint64_t count(const SchedulerMetrics& metrics, std::string_view name, std::string_view first = "",
                    std::string_view second = "", std::string_view third = "") {
  const MetricSeries* series = metrics.find(name)->find(Symbol(first), Symbol(second), Symbol(third));
  return series == nullptr ? 0 : series->count();
}

TEST(Scheduler, CountsWhatItDoes) {
  std::int64_t clock = 0;
  SchedulerMetrics metrics([&] { return Instant::from_unix_nanoseconds(clock += 1000); });
  Script script;
  Options options = scripted(script);
  options.metrics = &metrics;
  World world(std::move(options));
  world.add(node("n1", "1"));
  world.add(pod("a").build());
  world.add(pod("b").build());
  world.run();
  EXPECT_EQ(value(metrics, "scheduler_goroutines", "binding"), 1);
  EXPECT_EQ(value(metrics, "scheduler_pending_async_api_calls", "pod_binding"), 1);
  EXPECT_EQ(value(metrics, "scheduler_pending_async_api_calls", "pod_status_patch"), 1);
  EXPECT_EQ(count(metrics, "scheduler_scheduling_algorithm_duration_seconds"), 2u);
  world.answer_all();
  EXPECT_EQ(value(metrics, "scheduler_goroutines", "binding"), 0);
  EXPECT_EQ(value(metrics, "scheduler_pending_async_api_calls", "pod_binding"), 0);
  EXPECT_EQ(value(metrics, "scheduler_pending_async_api_calls", "pod_status_patch"), 0);
  EXPECT_EQ(value(metrics, "scheduler_async_api_call_execution_total", "pod_binding", "success"), 1);
  EXPECT_EQ(value(metrics, "scheduler_schedule_attempts_total", "default-scheduler", "scheduled"), 1);
  EXPECT_EQ(value(metrics, "scheduler_schedule_attempts_total", "default-scheduler", "unschedulable"), 1);
  EXPECT_EQ(count(metrics, "scheduler_scheduling_attempt_duration_seconds", "default-scheduler", "scheduled"), 1u);
  EXPECT_EQ(count(metrics, "scheduler_scheduling_attempt_duration_seconds", "default-scheduler", "unschedulable"), 1u);
  EXPECT_EQ(count(metrics, "scheduler_pod_scheduling_attempts"), 1u);
  EXPECT_EQ(count(metrics, "scheduler_event_handling_duration_seconds", "NodeAdd"), 1u);
  EXPECT_EQ(count(metrics, "scheduler_event_handling_duration_seconds", "AssignedPodAdd"), 1u);
  for (const std::string_view point : {"Reserve", "Permit", "PreBind", "Bind", "PostBind"}) {
    SCOPED_TRACE(point);
    EXPECT_EQ(
        count(metrics, "scheduler_framework_extension_point_duration_seconds", point, "default-scheduler", "Success"),
        1u);
  }
  world.run_for(Duration::seconds(1));
  EXPECT_EQ(value(metrics, "scheduler_cache_size", "nodes"), 1);
  EXPECT_EQ(value(metrics, "scheduler_cache_size", "pods"), 1);
  EXPECT_EQ(value(metrics, "scheduler_cache_size", "assumed_pods"), 0);
}

TEST(Scheduler, MeasuresTheCacheAtMostOnceASecond) {
  SchedulerMetrics metrics;
  Options options;
  options.metrics = &metrics;
  World world(std::move(options));
  world.run();
  world.add(node("n1", "1"));
  world.run();
  EXPECT_EQ(value(metrics, "scheduler_cache_size", "nodes"), 0);
  world.run_for(Duration::seconds(1));
  EXPECT_EQ(value(metrics, "scheduler_cache_size", "nodes"), 1);
}

}  // namespace
}  // namespace berth::engine
