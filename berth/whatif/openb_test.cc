#include "berth/whatif/openb.h"

#include <gtest/gtest.h>

#include "berth/api/kinds.h"
#include "berth/codec/json.h"
#include "berth/sim/api_server.h"

namespace berth::whatif {
namespace {

const std::string kNodes =
    "sn,cpu_milli,memory_mib,gpu,model\n"
    "n-1,32000,262144,2,T4\n"
    "n-2,32000,262144,1,G2\n"
    "n-3,64000,262144,0,\n";
const std::string kPodHead =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n";

OpenbTrace trace_of(const std::string& pods, std::size_t max_pods = 0) {
  const auto trace = read_openb({"nodes.csv", kNodes}, {"pods.csv", kPodHead + pods}, max_pods);
  if (!trace) {
    ADD_FAILURE() << trace.error().message();
    return {};
  }
  return *trace;
}

std::unique_ptr<sim::World> world_of(const OpenbTrace& trace) {
  auto world = simulate(trace);
  if (!world) {
    ADD_FAILURE() << world.error().message();
    return nullptr;
  }
  return *std::move(world);
}

const sim::PodTimeline& pod_timeline(const sim::World& world, const std::string& pod) {
  static const sim::PodTimeline none;
  const sim::PodTimeline* found = world.history().pod_timeline("default/" + pod);
  EXPECT_NE(found, nullptr) << pod;
  return found == nullptr ? none : *found;
}

TEST(Openb, ReadsNodesAndPods) {
  const OpenbTrace trace =
      trace_of("late,1000,2048,2,500,T4|G2,BE,Running,50,100,60\nearly,500,1024,0,0,,LS,Pending,10,90,\n");
  ASSERT_EQ(trace.nodes.size(), 3u);
  EXPECT_EQ(trace.nodes[0].gpus, 2);
  EXPECT_EQ(trace.nodes[0].model, "T4");
  ASSERT_EQ(trace.pods.size(), 2u);
  EXPECT_EQ(trace.pods[0].name, "early");
  EXPECT_FALSE(trace.pods[0].scheduled_at);
  EXPECT_EQ(trace.pods[1].gpu_milli, 1000);
  EXPECT_EQ(trace.pods[1].models, (std::vector<std::string>{"T4", "G2"}));
  EXPECT_EQ(trace.pods[1].scheduled_at, Duration::seconds(60));
  EXPECT_EQ(trace.end(), Duration::seconds(100));
  EXPECT_EQ(trace_of("b,1,1,0,0,,LS,Running,2,3,2\na,1,1,0,0,,LS,Running,1,3,1\n", 1).pods[0].name, "a");
}

TEST(Openb, SaysInWhichLineSomethingIsWrong) {
  const auto message = [](const std::string& pods) {
    const auto trace = read_openb({"nodes.csv", kNodes}, {"pods.csv", kPodHead + pods});
    return trace ? std::string() : trace.error().message();
  };
  EXPECT_EQ(message("a,1,1,0,0,,LS,Running,2,3,2\nb,x,1,0,0,,LS,Running,2,3,2\n"),
            "pods.csv:3: cpu_milli: expected a number that is not negative, found \"x\"");
  EXPECT_EQ(message("a,1,1,0,0,,LS,Running,5,3,5\n"),
            "pods.csv:2: deletion_time: the pod is deleted before it is created");
  EXPECT_EQ(message("a,1,1,0,0,,LS,Running,1,3,1\na,1,1,0,0,,LS,Running,1,3,1\n"),
            "pods.csv:3: there are two of the name a");
  EXPECT_EQ(read_openb({"nodes.csv", "sn,cpu_milli\n"}, {"pods.csv", kPodHead}).error().message(),
            "nodes.csv:1: there is no column memory_mib (expected a first line sn,cpu_milli,memory_mib,gpu,model)");
}

TEST(Openb, PodsRunFromTheirCreationToTheirDeletion) {
  const OpenbTrace trace = trace_of(
      "first,1000,1024,2,1000,,LS,Succeeded,10,60,10\n"
      "second,1000,1024,2,1000,,LS,Running,20,500,70\n"
      "last,1000,1024,0,0,,LS,Running,400,500,400\n");
  const auto world = world_of(trace);
  ASSERT_NE(world, nullptr);
  const Instant epoch = world->now() - world->elapsed();
  EXPECT_EQ(world->elapsed(), Duration::seconds(500));
  EXPECT_EQ(pod_timeline(*world, "first").node, "n-1");
  EXPECT_TRUE(pod_timeline(*world, "first").succeeded);
  EXPECT_EQ(pod_timeline(*world, "first").gone_at - epoch, Duration::seconds(60));
  // It needs both GPUs of n-1, which are free from then on.
  EXPECT_EQ(pod_timeline(*world, "second").node, "n-1");
  EXPECT_GE(pod_timeline(*world, "second").bound_at - epoch, Duration::seconds(60));
  EXPECT_LT(pod_timeline(*world, "second").bound_at - epoch, Duration::seconds(75));
  EXPECT_FALSE(pod_timeline(*world, "second").gone_at.is_set());
}

TEST(Openb, SharesOfGpusAreAddedUp) {
  const auto world =
      world_of(trace_of("a,1000,1024,1,600,G2,LS,Running,0,100,0\nb,1000,1024,1,400,G2,BE,Running,1,100,1\n"
                        "c,1000,1024,1,100,G2,BE,Running,2,100,2\nd,1000,1024,1,100,T4,BE,Running,2,100,2\n"));
  ASSERT_NE(world, nullptr);
  EXPECT_EQ(pod_timeline(*world, "a").node, "n-2");
  EXPECT_EQ(pod_timeline(*world, "b").node, "n-2");
  EXPECT_TRUE(pod_timeline(*world, "c").node.empty());
  EXPECT_EQ(pod_timeline(*world, "d").node, "n-1");
}

TEST(Openb, APodThatNeverGetsANodeIsGivenUpWhenItsTimeIsOver) {
  const OpenbTrace trace = trace_of("big,1000,1024,8,1000,,LS,Pending,0,50,\nx,1,1,0,0,,LS,Running,0,100,3\n");
  const auto world = world_of(trace);
  ASSERT_NE(world, nullptr);
  EXPECT_FALSE(pod_timeline(*world, "big").bound_at.is_set());
  EXPECT_TRUE(pod_timeline(*world, "big").gone_at.is_set());
  const OpenbReport report = report_on(trace, *world, report::summarize(*world, {}));
  EXPECT_EQ(report.trace.never, 1);
  EXPECT_EQ(report.trace.pods, 1);
  EXPECT_EQ(report.trace.p50_seconds, 3);
  EXPECT_EQ(report.simulated.never, 1);
  EXPECT_EQ(report.simulated.pods, 1);
  EXPECT_LT(report.simulated.max_seconds, 1);
}

TEST(Openb, TellsHowFullTheGpusWere) {
  const OpenbTrace trace =
      trace_of("a,1,1,1,1000,,LS,Running,0,50,0\nb,1,1,1,500,,LS,Running,50,100,50\nc,1,1,0,0,,LS,Running,0,100,0\n");
  const auto world = world_of(trace);
  ASSERT_NE(world, nullptr);
  const OpenbReport report = report_on(trace, *world, report::summarize(*world, {}));
  EXPECT_NEAR(report.peak_gpu_share, 1.0 / 3, 1e-9);
  EXPECT_NEAR(report.mean_gpu_share, (1000 * 0.5 + 500 * 0.5) / 3000, 1e-3);
}

TEST(Openb, IsTheSameEveryTime) {
  const OpenbTrace trace = trace_of("a,1,1,1,1000,,LS,Running,0,50,0\nb,1,1,1,500,,BE,Running,0,100,0\n");
  const auto once = world_of(trace), again = world_of(trace);
  ASSERT_TRUE(once != nullptr && again != nullptr);
  EXPECT_EQ(codec::to_json(report_on(trace, *once, report::summarize(*once, {}))),
            codec::to_json(report_on(trace, *again, report::summarize(*again, {}))));
}

}  // namespace
}  // namespace berth::whatif
