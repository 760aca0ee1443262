// Scenarios carried out: what statements do to the world, and what a failure says.
#include "berth/scenario/runner.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/api/kinds.h"
#include "berth/sim/api_server.h"

namespace berth::scenario {
namespace {

RunResult run_text(std::string_view text, const RunOptions& options = {}) {
  const auto scenario = parse(text, {.file = "t.berth"});
  if (!scenario) {
    for (const Error& error : scenario.error()) ADD_FAILURE() << error.message();
    return {};
  }
  auto result = run(*scenario, options);
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return {};
  }
  return *std::move(result);
}

// All expectations hold, and there are as many as the text has.
void expect_passes(std::string_view text, const RunOptions& options = {}) {
  const RunResult result = run_text(text, options);
  for (const Failure& failure : result.failures) ADD_FAILURE() << to_text(failure);
  EXPECT_GT(result.expectations, 0U);
}

api::PodPtr pod_of(const RunResult& result, std::string_view name) {
  return result.world->api().get<api::Pod>(Symbol("default"), name);
}

TEST(Runner, RunsTheFirstExample) {
  expect_passes(R"(
    node  n1 cpu=2 memory=8Gi
    pod   holder cpu=1500m runs=40s
    run   until idle
    expect pod holder on n1
    pod   waiter cpu=1
    run   1s
    expect pod waiter unschedulable by NodeResourcesFit
    run   until 45s
    expect pod waiter on n1 woken by AssignedPodDelete
  )");
}

TEST(Runner, SaysWhatWasExpectedWhatIsAndWhy) {
  RunOptions options;
  options.explain_pod = [](const sim::World&, const api::Pod& pod) { return "because " + pod.metadata.name; };
  const RunResult result = run_text("node n1 cpu=1\npod p cpu=2\nrun until idle\nexpect pod p on n1\n", options);
  ASSERT_EQ(result.failures.size(), 1U);
  const Failure& failure = result.failures.front();
  EXPECT_EQ(failure.kind, Failure::Kind::kExpectation);
  EXPECT_EQ(failure.line, 4);
  EXPECT_EQ(failure.expected, "pod p on n1");
  EXPECT_NE(failure.actual.find("rejected by NodeResourcesFit"), std::string::npos) << failure.actual;
  EXPECT_EQ(failure.explanation, "because p");
  const std::string text = to_text(failure);
  EXPECT_EQ(text.substr(0, text.find('\n')), "t.berth:4: expected pod p on n1");
  EXPECT_TRUE(text.ends_with("\n  because p\n")) << text;
}

TEST(Runner, RunsUntilIdleAtTheEndIfNothingElseIsSaid) {
  const RunResult result = run_text("node n1\npod p cpu=1\n");
  EXPECT_TRUE(result.passed());
  ASSERT_NE(pod_of(result, "p"), nullptr);
  EXPECT_EQ(pod_of(result, "p")->spec.node_name, "n1");
}

TEST(Runner, PointsOutThatNothingHasRun) {
  const RunResult result = run_text("node n1\npod p\nexpect pod p bound\n");
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_NE(result.failures[0].actual.find("nothing has run yet"), std::string::npos) << result.failures[0].actual;
}

TEST(Runner, SaysWhichStatementCannotBeDone) {
  const RunResult result = run_text("node n1\nrun 10s\ndelete pod ghost\nrun until 5s\nat 3s pod p\n");
  ASSERT_EQ(result.failures.size(), 3U);
  EXPECT_EQ(to_text(result.failures[0]), "t.berth:3: cannot do: delete pod ghost\n  at 10s: there is no pod ghost\n");
  EXPECT_EQ(to_text(result.failures[1]), "t.berth:4: cannot do: run until 5s\n  at 10s: it is 10s already\n");
  EXPECT_EQ(result.failures[2].line, 5);
}

TEST(Runner, DoesThingsAtTheirTime) {
  expect_passes(R"(
    node n1
    at 10s pod a cpu=100m
    run 5s
    after 3s pod b cpu=100m
    every 2s x3 pod tick-{n} cpu=100m
    at 9s expect pod tick-* bound
    expect pod a gone
    run until 8500ms
    expect pod b bound
    expect 1 pods tick-* bound
    run until idle
    expect 3 pods tick-* bound
    expect pod a bound
    expect time >= 11s
  )");
}

TEST(Runner, NumbersWhatManyThingsHave) {
  expect_passes(R"(
    nodes 3 n cpu=4 label.rack=r{n}
    storageclass fast
    pvc c1 class=fast
    pvc c2 class=fast
    pods 2 p claim=c{n} requires=rack=r{n}
    every 1s x3 pvc later-{n}
    every 1s x3 pod q-{n} node-selector.rack=r{n}
    every 1100ms x3 expect pod q-{n} on n-{n}
    run until 5s
    expect pod p-1 on n-1
    expect pod p-2 on n-2
    expect pvc c2 bound
    expect pvc later-3 pending
  )");
}

TEST(Runner, SaysWhichPodIsNotAsManyShouldBe) {
  const RunResult result = run_text(
      "node n1 cpu=1\npod a cpu=1\npod b cpu=1\npod shop/c\nrun until idle\n"
      "expect 2 pods bound\nexpect 2 pods * bound\nexpect 3 pods c* bound\nexpect pod c bound\nexpect 0 pods a* "
      "bound\n");
  ASSERT_EQ(result.failures.size(), 4U);
  EXPECT_TRUE(result.failures[0].actual.starts_with("1 of 2 pods are so; b: pending")) << result.failures[0].actual;
  EXPECT_EQ(result.failures[1].actual, "there is no pod c* (there is shop/c)");
  EXPECT_EQ(result.failures[2].actual, "c: there is no such pod (there is shop/c)");
  EXPECT_TRUE(result.failures[3].actual.starts_with("1 of 1 pods are so; a: on n1")) << result.failures[3].actual;
}

TEST(Runner, KnowsWhenAPodHasStarted) {
  expect_passes(R"(
    node n1
    latency start 5s
    pod p
    run 1s
    expect pod p bound not running
    run 5s
    expect pod p running
  )");
}

TEST(Runner, TakesLabelsOfEventsWithAndWithoutTheirGroup) {
  expect_passes(R"(
    node n1
    pvc c class=late
    pod p claim=c
    run 1s
    storageclass late
    run until pod p bound
    expect pod p woken by StorageClassAdd
    expect pod p woken by storage.k8s.io/StorageClassAdd
  )");
}

TEST(Runner, FailsIfAnExpectationsTimeNeverComes) {
  const RunResult result = run_text("node n1\nat 1m expect nodes = 1\nrun 5s\n");
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_NE(result.failures[0].actual.find("before the time of 1 of them came"), std::string::npos);
}

TEST(Runner, WaitsForConditions) {
  expect_passes(R"(
    node n1 cpu=1
    pod first cpu=1 runs=30s
    pod second cpu=1
    run until pod first bound within 5s
    expect for 20s pod second pending
    expect within 30s pod second on n1
    expect time < 45s
  )");
  const RunResult late = run_text(
      "node n1 cpu=1\npod p cpu=2\nexpect within 5s pod p bound\n"
      "run until pod p bound within 7s\nexpect for 1s pod p bound\n");
  ASSERT_EQ(late.failures.size(), 3U);
  EXPECT_EQ(late.failures[0].expected, "pod p bound within 5s");
  EXPECT_EQ(late.failures[1].expected, "pod p bound within 7s");
  EXPECT_EQ(late.failures[1].when, Duration::seconds(12));
  EXPECT_EQ(late.failures[2].expected, "pod p bound for 1s");
}

TEST(Runner, MakesNodesAndPoolsWithTheirFields) {
  const RunResult result = run_text(R"(
    node n1 cpu=2 gpu=1 zone=a label.disk=ssd taint=gpu=true:NoSchedule
    nodes 2 w
    pool big count=3 zones=a,b memory=1Gi
    run 1s
    expect nodes = 6
  )");
  EXPECT_TRUE(result.passed());
  const auto n1 = result.world->api().get<api::Node>(Symbol(), "n1");
  ASSERT_NE(n1, nullptr);
  EXPECT_EQ(n1->status.allocatable.find(Symbol("nvidia.com/gpu"))->value(), 1);
  EXPECT_EQ(n1->spec.taints.size(), 1U);
  EXPECT_EQ(*n1->metadata.labels->find(Symbol("kubernetes.io/hostname")), "n1");
  const auto big = result.world->api().get<api::Node>(Symbol(), "big-3");
  ASSERT_NE(big, nullptr);
  EXPECT_EQ(*big->metadata.labels->find(Symbol("topology.kubernetes.io/zone")), "a");
  EXPECT_EQ(*big->metadata.labels->find(Symbol("pool")), "big");
  EXPECT_NE(result.world->api().get<api::Node>(Symbol(), "w-2"), nullptr);
}

TEST(Runner, SharesOneTemplateAmongManyPods) {
  const RunResult result = run_text("node n1\npods 3 p cpu=100m\nrun until idle\nexpect 3 pods p-* bound\n");
  EXPECT_TRUE(result.passed());
  ASSERT_NE(pod_of(result, "p-1"), nullptr);
  EXPECT_TRUE(pod_of(result, "p-1")->spec.shared.same_as(pod_of(result, "p-3")->spec.shared));
}

TEST(Runner, MakesWorkloadsAndScalesThem) {
  expect_passes(R"(
    nodes 3 n cpu=8
    deployment web replicas=3 cpu=500m
    statefulset db replicas=2 cpu=500m
    daemonset agent cpu=100m
    job sum replicas=2 completions=4 cpu=100m runs=5s
    run until idle
    expect 3 pods web-* bound
    expect 2 pods db-* bound
    expect 3 pods agent-* bound
    scale deployment web 5
    run until idle
    expect 5 pods web-* bound
    run 30s
    expect 4 pods sum-* succeeded
    delete deployment web
    run until idle
    expect 0 pods web-* bound
  )");
}

TEST(Runner, KeepsPodsApartAndTogether) {
  expect_passes(R"(
    pool a count=2 zones=a,b
    pod web-1 label.app=web away=app=web@zone
    pod web-2 label.app=web away=app=web@zone
    pod web-3 label.app=web away=app=web@zone
    pod friend near=app=web@zone
    pod picky requires=topology.kubernetes.io/zone=b
    run until idle
    expect 2 pods web-* bound
    expect pod friend bound
    expect pod picky on a-2
    expect 1 pods web-* unschedulable by InterPodAffinity
  )");
}

TEST(Runner, TaintsLabelsAndCordons) {
  expect_passes(R"(
    node n1 taint=a:NoSchedule
    pod p cpu=100m
    run until idle
    expect pod p unschedulable by TaintToleration
    untaint node n1 a
    run until idle
    expect pod p on n1
    taint node n1 a=b:NoSchedule
    cordon n1
    run 1s
    expect node n1 tainted a cordoned
    uncordon n1
    pod t tolerates=a node-selector.disk=ssd
    run until idle
    expect pod t unschedulable by NodeAffinity
    label node n1 disk=ssd
    run until idle
    expect pod t on n1
    unlabel node n1 disk
    set node n1 cpu=8
    run until idle
    expect node n1 free cpu = 7900m
  )");
}

TEST(Runner, GatesAndUngates) {
  expect_passes(R"(
    node n1
    pod p gate=a gate=b
    run until idle
    expect pod p gated by SchedulingGates in gated
    expect gated = 1
    ungate p a
    run until idle
    expect pod p gated
    ungate p
    run until idle
    expect pod p on n1
  )");
}

TEST(Runner, HoldsAllowsRejectsAndFailsPods) {
  expect_passes(R"(
    node n1
    hold a at permit
    reject b at filter "not today"
    fail c at reserve times 1
    delay d at pre-bind 10s
    pod a
    pod b
    pod c
    pod d
    run 1s
    expect pod a in waiting
    expect pod b unschedulable by Script message contains "not today"
    expect pod c not bound in backoff
    expect pod d in binding
    allow a
    run 20s
    expect pod a on n1
    expect pod c on n1
    expect pod d on n1 waited >= 10s
  )");
}

TEST(Runner, RejectsAPodThatWaitsAlready) {
  expect_passes(R"(
    node n1
    hold a at permit
    pod a
    run 1s
    expect pod a in waiting
    reject a at permit "no more"
    run 1s
    expect pod a not in waiting not bound unschedulable by Script
  )");
}

TEST(Runner, CrashesAndRestartsTheScheduler) {
  expect_passes(R"(
    node n1
    crash scheduler
    pod p
    run 10s
    expect pod p pending
    start scheduler
    run until idle
    expect pod p on n1
    restart scheduler
    pod q
    run until idle
    expect pod q on n1
    expect restarts = 2
  )");
}

TEST(Runner, RecreatesFinishesAndBindsPods) {
  expect_passes(R"(
    node n1 cpu=1
    pod p cpu=1
    run until idle
    recreate pod p
    run until idle
    expect pod p on n1 attempts = 1
    finish pod p
    run until idle
    expect pod p succeeded
    pod other scheduler=nobody
    run 1s
    bind pod other to n1
    run 1s
    expect pod other on n1
  )");
}

TEST(Runner, PreemptsAndCounts) {
  expect_passes(R"(
    node n1 cpu=2 memory=4Gi
    priorityclass high value=1000
    pod small cpu=2 terminates-in=10s
    run until idle
    pod big cpu=2 class=high
    run 1s
    expect pod big nominated to n1 not bound
    expect pod small terminating preempted evictions = 1
    expect within 15s pod big on n1
    expect preemptions = 1
  )");
}

TEST(Runner, BindsVolumesWhenAPodNeedsThem) {
  expect_passes(R"(
    node n1 zone=a
    storageclass local wait provisioner=none
    pv v1 class=local node=n1
    pvc data class=local
    pod p claim=data
    run until idle
    expect pod p on n1
    expect pvc data bound to v1
  )");
}

TEST(Runner, AsksAnExtender) {
  expect_passes(R"(
    extender requires=disk=ssd
    nodes 2 n
    label node n-2 disk=ssd
    pod p
    run until idle
    expect pod p on n-2
  )");
}

TEST(Runner, AppliesManifestsAndTakesAConfiguration) {
  expect_passes(R"(config <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: mine}]
END
apply <<END
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: mine, containers: [{name: c}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {schedulerName: default-scheduler, containers: [{name: c}]}}
END
run until idle
expect pod p on n1
expect pod q pending
)");
}

TEST(Runner, DoesTheSameForTheSameSeed) {
  constexpr std::string_view kText = R"(
    nodes 4 n cpu=4
    latency bind 1ms..100ms
    faults errors=20%
    pods 30 p cpu=400m
    run until pending = 0 within 10m
    expect 30 pods bound
  )";
  const auto pod_timeline = [&](std::uint64_t seed) {
    RunOptions options;
    options.seed = seed;
    const RunResult result = run_text(kText, options);
    std::string text;
    for (const sim::PodTimeline& each : result.world->history().pod_timelines()) {
      text += each.name + " " + each.node.str() + " " + std::to_string(each.bound_at.unix_nanoseconds()) + "\n";
    }
    return text;
  };
  EXPECT_EQ(pod_timeline(1), pod_timeline(1));
  EXPECT_NE(pod_timeline(1), pod_timeline(2));
}

TEST(Runner, CallsBackAfterEveryStep) {
  std::size_t steps = 0;
  RunOptions options;
  options.on_step = [&](sim::World&) { ++steps; };
  (void)run_text("node n1\npod p\n", options);
  EXPECT_GT(steps, 0U);
}

TEST(Runner, ForgetsStatementsWhoseTimeComesAfterTheEnd) {
  RunResult result = run_text("node n1\nat 1m pod late\nrun 5s\n");
  result.world->run_until(result.world->now() + Duration::minutes(2));
  EXPECT_EQ(pod_of(result, "late"), nullptr);
}

}  // namespace
}  // namespace berth::scenario
