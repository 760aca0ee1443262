#include "berth/report/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "berth/api/kinds.h"
#include "berth/cache/testing.h"
#include "berth/codec/json.h"
#include "berth/report/text.h"

namespace berth::report {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;

api::AnyObject node(const std::string& name, std::string_view cpu, std::string_view pool = "") {
  NodeBuilder builder(name);
  builder.allocatable("cpu", cpu).allocatable("memory", "8Gi");
  if (!pool.empty()) builder.label("pool", pool);
  return api::AnyObject(builder.build());
}
api::AnyObject pod(const std::string& name, std::string_view on, std::string_view cpu) {
  return api::AnyObject(PodBuilder(name).on(on).request("cpu", cpu).request("memory", "1Gi").build());
}

TEST(Occupancy, CountsWhatIsOnEachNode) {
  const std::vector<api::AnyObject> dump = {node("n2", "4"),         node("n1", "2"),     node("n10", "4"),
                                            pod("a", "n1", "1500m"), pod("b", "n2", "1"), pod("c", "n2", "1")};
  explain::Cluster cluster(dump);
  const Occupancy result = occupancy_of(cluster);
  EXPECT_EQ(result.by, "node");
  ASSERT_EQ(result.rows.size(), 3u);
  EXPECT_EQ(result.rows[0].name, "n1");
  EXPECT_EQ(result.rows[1].name, "n2");
  EXPECT_EQ(result.rows[2].name, "n10");
  EXPECT_EQ(result.rows[1].pods, 2);
  EXPECT_EQ(result.rows[1].resources[0].requested, 2000);
  EXPECT_EQ(result.rows[1].resources[0].allocatable, 4000);
  ASSERT_EQ(result.utilisation.size(), 3u);
  EXPECT_EQ(result.utilisation[0].total.requested, 3500);
  EXPECT_DOUBLE_EQ(result.utilisation[0].share, 0.35);
  EXPECT_DOUBLE_EQ(result.utilisation[0].least, 0);
  EXPECT_DOUBLE_EQ(result.utilisation[0].median, 0.5);
  EXPECT_DOUBLE_EQ(result.utilisation[0].most, 0.75);
  EXPECT_EQ(result.utilisation[2].total.resource, Symbol("pods"));
}

TEST(Occupancy, GoesByPoolIfThereAreManyNodes) {
  std::vector<api::AnyObject> dump;
  for (int i = 1; i <= 30; ++i) dump.push_back(node(fmt::format("n{}", i), "4", i <= 20 ? "general" : "gpu"));
  dump.push_back(pod("a", "n1", "1"));
  dump.push_back(pod("b", "n30", "1"));
  explain::Cluster cluster(dump);
  const Occupancy result = occupancy_of(cluster);
  EXPECT_EQ(result.by, "pool");
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[0].name, "general");
  EXPECT_EQ(result.rows[0].nodes, 20);
  EXPECT_EQ(result.rows[0].resources[0].allocatable, 80'000);
  EXPECT_EQ(result.rows[1].pods, 1);
}

TEST(Fragmentation, IsTheFreeCpuOnNodesWhereTheLargestPendingPodDoesNotFit) {
  const std::vector<api::AnyObject> dump = {node("n1", "2"),     node("n2", "4"),          pod("a", "n1", "1500m"),
                                            pod("b", "n2", "1"), pod("small", "", "500m"), pod("big", "", "3")};
  explain::Cluster cluster(dump);
  const Occupancy result = occupancy_of(cluster);
  ASSERT_TRUE(result.fragmentation.has_value());
  EXPECT_EQ(result.fragmentation->pod, "default/big");
  EXPECT_EQ(result.fragmentation->free_milli_cpu, 3500);
  EXPECT_EQ(result.fragmentation->stranded_milli_cpu, 500);
  EXPECT_EQ(result.fragmentation->nodes_that_fit, 1);
}

TEST(Fragmentation, IsMeasuredWithTheMedianPodIfNoneIsPending) {
  const std::vector<api::AnyObject> dump = {node("n1", "2"), pod("a", "n1", "100m"), pod("b", "n1", "300m"),
                                            pod("c", "n1", "1")};
  explain::Cluster cluster(dump);
  const Occupancy result = occupancy_of(cluster);
  ASSERT_TRUE(result.fragmentation.has_value());
  EXPECT_EQ(result.fragmentation->pod, "the median pod");
  EXPECT_EQ(result.fragmentation->milli_cpu, 300);
  EXPECT_EQ(result.fragmentation->stranded_milli_cpu, 0);
}

Summary example() {
  static const Symbol cpu("cpu"), memory("memory");
  Summary summary;
  summary.name = "demo.berth";
  summary.seed = 7;
  summary.virtual_seconds = 45;
  summary.nodes = 2;
  summary.pods = {.created = 3, .bound = 1, .pending = 1, .ended = 1};
  summary.scheduler = {.attempts = 5, .rejected = 3, .bindings = 2};
  summary.timeline.lines = {
      {0, 0, Symbol("node"), "node n1 added"},
      {1.001, 0, Symbol("rejected"),
       "waiter rejected: 0/1 nodes are available: 1 Insufficient cpu, and so many more words that "
       "the line has to be broken"}};
  summary.timeline.left_out = 2;
  summary.placement_by = "node";
  summary.placement = {{"n1", 0, 1, {{cpu, 1500, 2000}, {memory, 1 << 30, std::int64_t{8} << 30}}, ""},
                       {"n2", 0, 0, {{cpu, 0, 2000}, {memory, 0, std::int64_t{8} << 30}}, "cordoned"}};
  summary.utilisation = {{{cpu, 1500, 4000}, 0.375, 0, 0, 0.75}};
  summary.fragmentation = Fragmentation{"default/big", 1000, 0, 2500, 500, 0.2, 1};
  summary.waiting = WaitingTimes{
      12, 0.003, 39.003, 39.003, 39.003, "default/waiter", {{0.01, 8}, {0.03, 0}, {0.1, 0}, {0.3, 0}, {60, 4}}};
  summary.wake_ups = WakeUpCounts{1, 0, 0, 0, 2.5, {{"AssignedPodDelete", 1, 1, 0}}};
  summary.pending = {
      {{"default/big", "default/big2"},
       "unschedulable",
       44,
       2,
       0,
       "default/big fits on no node: it asks for 64 cpu and the largest of the 2 nodes, n1, has 2 in total.",
       "a node is added",
       344}};
  return summary;
}

TEST(ReportText, ReadsLikeAStory) {
  EXPECT_EQ(to_text(example(), {.width = 100}),
            "demo.berth: 45s of virtual time, 2 nodes, seed 7\n"
            "3 pods created: 1 is on a node, 1 has ended and 1 is pending. The scheduler tried 5 times and placed\n"
            "2 pods, 2.50 tries for each.\n"
            "\n"
            "What happened\n"
            "  0s  node n1 added\n"
            "  1s  waiter rejected: 0/1 nodes are available: 1 Insufficient cpu, and so many more words that the\n"
            "      line has to be broken\n"
            "  ... and 2 lines that mattered less\n"
            "\n"
            "Where the pods are\n"
            "  NODE  PODS             CPU            MEMORY\n"
            "  n1       1  1.5 of 2 (75%)  1Gi of 8Gi (13%)\n"
            "  n2       0     0 of 2 (0%)     0 of 8Gi (0%)  cordoned\n"
            "\n"
            "How full the nodes are\n"
            "       REQUESTED  OF  SHARE  LEAST  MEDIAN  MOST\n"
            "  cpu        1.5   4    38%     0%      0%   75%\n"
            "  Fragmentation: 500m of the 2.5 free cpu (20%) is on nodes without room for default/big (1 cpu);\n"
            "    1 of 2 nodes has room.\n"
            "\n"
            "How long pods waited, from creation to binding\n"
            "  12 pods: half of them at most 3ms, 90% at most 39s, 99% at most 39s; default/waiter longest: 39s\n"
            "  < 10ms  ######################################## 8\n"
            "     ...\n"
            "    < 1m  #################### 4\n"
            "\n"
            "What woke pods\n"
            "  EVENT              PODS  USEFUL  WASTED\n"
            "  AssignedPodDelete     1       1       0\n"
            "  1 wake-up, none in vain.\n"
            "\n"
            "Still pending: 1 pod\n"
            "  default/big fits on no node: it asks for 64 cpu and the largest of the 2 nodes, n1, has 2 in\n"
            "    total.\n"
            "      unschedulable, waits for 44s, 2 tries; looked at again when a node is added; tried anyway in\n"
            "      4m59s\n"
            "      the same for default/big2\n");
}

TEST(ReportText, HasNoEmptySections) {
  Summary summary;
  summary.name = "empty.berth";
  EXPECT_EQ(to_text(summary), "empty.berth: 0s of virtual time, 0 nodes, seed 0\nNo pods were created.\n");
}

TEST(ReportText, HasColoursOnlyIfAsked) {
  EXPECT_EQ(to_text(example()).find('\x1b'), std::string::npos);
  EXPECT_NE(to_text(example(), {.width = 100, .has_colour = true}).find("\x1b[33mwaiter rejected"), std::string::npos);
}

TEST(ReportJson, HasTheDocumentedMembers) {
  const std::string json = codec::to_json(example());
  for (const std::string_view part :
       {"{\"name\":\"demo.berth\",\"seed\":7,\"virtualSeconds\":45,\"nodes\":2,\"pods\":{\"created\":3,\"bound\":1,",
        "\"placement\":[{\"name\":\"n1\",\"pods\":1,\"resources\":[{\"resource\":\"cpu\",\"requested\":1500,",
        "\"waiting\":{\"pods\":12,\"p50Seconds\":0.003,", "\"byLabel\":[{\"label\":\"AssignedPodDelete\",",
        "\"pending\":[{\"pods\":[\"default/big\",\"default/big2\"],\"place\":\"unschedulable\",\"waitsSeconds\":44,"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

}  // namespace
}  // namespace berth::report
