#include "berth/whatif/pod_sets.h"

#include <gtest/gtest.h>

#include "berth/whatif/testing.h"

namespace berth::whatif {
namespace {

using testing::node;
using testing::objects_in;
using testing::pod;

PodOfSet of(const std::string& name, const std::string& cpu, std::int64_t count) {
  return {.manifest = objects_in(pod(name, {.cpu = cpu})), .count = count};
}

SetCapacity ask(const std::string& dump, const std::vector<PodOfSet>& pods, const CapacityOptions& options = {}) {
  const auto capacity = capacity_of_sets(objects_in(dump), pods, {}, options);
  if (!capacity) {
    ADD_FAILURE() << capacity.error().message();
    return {};
  }
  return *capacity;
}

TEST(PodSets, OnlyWholeSetsCount) {
  // 7 cpu: two sets of 3, and a web pod that does not make a third.
  const SetCapacity capacity = ask(node("n-1", "7"), {of("web", "1", 1), of("db", "2", 1)});
  EXPECT_EQ(capacity.sets, 2);
  EXPECT_EQ(capacity.stopped_at, "default/db");
  ASSERT_EQ(capacity.placement.size(), 1u);
  EXPECT_EQ(capacity.placement[0].instances, 4);
  EXPECT_TRUE(capacity.sentence.starts_with("The next set does not fit: default/db ")) << capacity.sentence;
}

TEST(PodSets, EachPodIsPlacedAloneToo) {
  const SetCapacity capacity = ask(node("n-1", "7"), {of("web", "1", 3), of("db", "2", 1)});
  EXPECT_EQ(capacity.sets, 1);
  ASSERT_EQ(capacity.pods.size(), 2u);
  EXPECT_EQ(capacity.pods[0].alone, 7);
  EXPECT_EQ(capacity.pods[1].alone, 3);
  EXPECT_EQ(capacity.pods[0].count, 3);
}

TEST(PodSets, PodsOfTheSameNameAreToldApart) {
  const SetCapacity capacity = ask(node("n-1", "4"), {of("web", "1", 1), of("web", "1", 1)});
  EXPECT_EQ(capacity.sets, 2);
}

TEST(PodSets, AgreeWithTheCapacityOfOnePod) {
  const std::string dump = node("n-1", "7") + node("n-2", "5") + pod("a", {.node = "n-1"});
  const PodOfSet web = of("web", "1", 1);
  explain::Cluster cluster(objects_in(dump));
  auto pods = new_pods(web.manifest, objects_in(dump));
  ASSERT_TRUE(pods);
  const auto alone = capacity_of(cluster, *pods, {});
  ASSERT_TRUE(alone);
  const SetCapacity capacity = ask(dump, {web});
  EXPECT_EQ(capacity.sets, alone->instances);
  EXPECT_EQ(capacity.message, alone->message);
}

TEST(PodSets, TheLimitIsOneOfSets) {
  const SetCapacity capacity = ask(node("n-1", "7"), {of("web", "1", 2)}, {.limit = 2});
  EXPECT_EQ(capacity.sets, 2);
  EXPECT_EQ(capacity.stop, stop::kLimitReached);
}

}  // namespace
}  // namespace berth::whatif
