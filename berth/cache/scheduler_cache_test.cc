#include "berth/cache/scheduler_cache.h"

#include <gtest/gtest.h>

#include <functional>

#include "berth/cache/comparer.h"
#include "berth/cache/testing.h"

namespace berth::cache {
namespace {

using testing::NodeBuilder;
using testing::PodBuilder;

Instant at(std::int64_t seconds) {
  return Instant::from_unix_seconds(1'800'000'000 + seconds);
}

api::PodPtr pod_on(std::string_view node) {
  return PodBuilder("a").on(node).request("cpu", "1").build();
}

std::int64_t requested_on(const SchedulerCache& cache, std::string_view node) {
  const RowId row = cache.nodes().row_of(Symbol(node));
  return row == kNoRow ? 0 : cache.nodes().at(row).requested.milli_cpu;
}

TEST(SchedulerCache, AnAssumedPodTakesUpRoomUntilItIsForgotten) {
  SchedulerCache cache;
  cache.set_node(NodeBuilder("n1").build());
  ASSERT_TRUE(cache.assume(pod_on("n1")));
  EXPECT_TRUE(cache.is_assumed("a-uid"));
  EXPECT_EQ(requested_on(cache, "n1"), 1000);
  ASSERT_TRUE(cache.forget(*pod_on("n1")));
  EXPECT_FALSE(cache.is_assumed("a-uid"));
  EXPECT_EQ(requested_on(cache, "n1"), 0);
  EXPECT_EQ(cache.pod_count(), 0u);
}

TEST(SchedulerCache, AConfirmedPodIsWhereTheApiServerSays) {
  SchedulerCache cache;
  cache.set_node(NodeBuilder("n1").build());
  cache.set_node(NodeBuilder("n2").build());
  ASSERT_TRUE(cache.assume(pod_on("n1")));
  ASSERT_TRUE(cache.add(pod_on("n2")));
  EXPECT_FALSE(cache.is_assumed("a-uid"));
  EXPECT_EQ(requested_on(cache, "n1"), 0);
  EXPECT_EQ(requested_on(cache, "n2"), 1000);
  EXPECT_EQ(cache.assumed_count(), 0u);
}

TEST(SchedulerCache, AnUpdateReplacesWhatThePodTakesUp) {
  SchedulerCache cache;
  cache.set_node(NodeBuilder("n1").build());
  const api::PodPtr bigger = PodBuilder("a").on("n1").request("cpu", "3").build();
  ASSERT_TRUE(cache.add(pod_on("n1")));
  ASSERT_TRUE(cache.update(*pod_on("n1"), bigger));
  EXPECT_EQ(requested_on(cache, "n1"), 3000);
  EXPECT_EQ(cache.find("a-uid"), bigger);
}

TEST(SchedulerCache, RefusesWhatDoesNotFitThePodsState) {
  struct Case {
    std::string_view what;
    bool is_assumed, is_added;
    Result<void> (*call)(SchedulerCache&);
    std::string_view error;
  };
  const Case cases[] = {
      {"assume an assumed pod", true, false, [](SchedulerCache& c) { return c.assume(pod_on("n1")); },
       "pod a-uid(default/a) is in the cache, so can't be assumed"},
      {"assume an added pod", false, true, [](SchedulerCache& c) { return c.assume(pod_on("n1")); },
       "pod a-uid(default/a) is in the cache, so can't be assumed"},
      {"forget an added pod", false, true, [](SchedulerCache& c) { return c.forget(*pod_on("n1")); },
       "pod a-uid(default/a) wasn't assumed so cannot be forgotten"},
      {"forget on another node", true, false, [](SchedulerCache& c) { return c.forget(*pod_on("n2")); },
       "pod a-uid(default/a) was assumed on n2 but assigned to n1"},
      {"add an added pod", false, true, [](SchedulerCache& c) { return c.add(pod_on("n1")); },
       "pod a-uid(default/a) was already in added state"},
      {"update an assumed pod", true, false, [](SchedulerCache& c) { return c.update(*pod_on("n1"), pod_on("n1")); },
       "assumed pod a-uid(default/a) should not be updated"},
      {"update an unknown pod", false, false, [](SchedulerCache& c) { return c.update(*pod_on("n1"), pod_on("n1")); },
       "pod a-uid(default/a) is not added to scheduler cache, so cannot be updated"},
      {"remove an unknown pod", false, false, [](SchedulerCache& c) { return c.remove(*pod_on("n1")); },
       "pod a-uid(default/a) is not found in scheduler cache, so cannot be removed from it"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.what);
    SchedulerCache cache;
    cache.set_node(NodeBuilder("n1").build());
    if (test.is_assumed) {
      ASSERT_TRUE(cache.assume(pod_on("n1")));
    }
    if (test.is_added) {
      ASSERT_TRUE(cache.add(pod_on("n1")));
    }
    const std::int64_t before = requested_on(cache, "n1");
    const Result<void> result = test.call(cache);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().what(), test.error);
    EXPECT_EQ(requested_on(cache, "n1"), before);
    EXPECT_EQ(cache.is_assumed("a-uid"), test.is_assumed);
  }
}

TEST(SchedulerCache, ForgettingAnUnknownPodIsNoError) {
  SchedulerCache cache;
  EXPECT_TRUE(cache.forget(*pod_on("n1")));
}

TEST(SchedulerCache, AssumedPodsExpireOnlyInOlderReleasesAndOnlyAfterTheirBinding) {
  SchedulerCache today;
  SchedulerCache older({.assumed_pod_ttl = Duration::seconds(30)});
  for (SchedulerCache* cache : {&today, &older}) {
    cache->set_node(NodeBuilder("n1").build());
    ASSERT_TRUE(cache->assume(pod_on("n1")));
    EXPECT_TRUE(cache->expire(at(1000)).empty());
    cache->finish_binding(*pod_on("n1"), at(1000));
    EXPECT_TRUE(cache->expire(at(1030)).empty());
  }
  EXPECT_TRUE(today.expire(at(9000)).empty());
  EXPECT_EQ(older.expire(at(1031)).size(), 1u);
  EXPECT_EQ(requested_on(older, "n1"), 0);
  EXPECT_EQ(requested_on(today, "n1"), 1000);
}

TEST(SchedulerCache, AConfirmedForgottenOrRemovedPodDoesNotExpire) {
  const std::function<Result<void>(SchedulerCache&)> ends[] = {
      [](SchedulerCache& cache) { return cache.add(pod_on("n1")); },
      [](SchedulerCache& cache) { return cache.add(pod_on("n2")); },
      [](SchedulerCache& cache) { return cache.forget(*pod_on("n1")); },
      [](SchedulerCache& cache) { return cache.remove(*pod_on("n1")); },
  };
  for (const auto& end : ends) {
    SchedulerCache cache({.assumed_pod_ttl = Duration::seconds(30)});
    ASSERT_TRUE(cache.assume(pod_on("n1")));
    EXPECT_FALSE(cache.next_expiry().is_set());
    cache.finish_binding(*pod_on("n1"), at(1000));
    EXPECT_EQ(cache.next_expiry(), at(1030) + Duration::nanoseconds(1));
    ASSERT_TRUE(end(cache));
    EXPECT_FALSE(cache.next_expiry().is_set());
    EXPECT_TRUE(cache.expire(at(9000)).empty());
  }
}

TEST(SchedulerCache, AnExpiredPodCanBeAddedAgain) {
  SchedulerCache cache({.assumed_pod_ttl = Duration::seconds(30)});
  ASSERT_TRUE(cache.assume(pod_on("n1")));
  cache.finish_binding(*pod_on("n1"), at(1000));
  ASSERT_EQ(cache.expire(at(1031)).size(), 1u);
  EXPECT_EQ(cache.find("a-uid"), nullptr);
  ASSERT_TRUE(cache.add(pod_on("n1")));
  EXPECT_FALSE(cache.is_assumed("a-uid"));
  EXPECT_EQ(requested_on(cache, "n1"), 1000);
}

TEST(SchedulerCache, PodsOfANodeThatVanishesStayKnown) {
  SchedulerCache cache;
  const api::NodePtr node = NodeBuilder("n1").build();
  cache.set_node(node);
  ASSERT_TRUE(cache.add(pod_on("n1")));
  ASSERT_TRUE(cache.remove_node(*node));
  EXPECT_FALSE(cache.remove_node(*node));
  EXPECT_EQ(cache.nodes().node_count(), 0u);
  EXPECT_EQ(cache.pod_count(), 1u);
  cache.set_node(node);  // it comes back, and its pod is there
  EXPECT_EQ(requested_on(cache, "n1"), 1000);
  ASSERT_TRUE(cache.remove_node(*node));
  ASSERT_TRUE(cache.remove(*pod_on("n1")));
  EXPECT_EQ(cache.nodes().row_of(Symbol("n1")), kNoRow);
}

TEST(SchedulerCache, AcceptsPodsBeforeTheirNode) {
  SchedulerCache cache;
  ASSERT_TRUE(cache.add(pod_on("n1")));
  EXPECT_EQ(cache.nodes().node_count(), 0u);
  cache.set_node(NodeBuilder("n1").build());
  EXPECT_EQ(requested_on(cache, "n1"), 1000);
  EXPECT_EQ(cache.nodes().columns().requested_milli_cpu[cache.nodes().row_of(Symbol("n1"))], 1000);
}

TEST(Comparer, NamesWhatIsMissingAndWhatIsTooMuch) {
  SchedulerCache cache;
  cache.set_node(NodeBuilder("n1").build());
  cache.set_node(NodeBuilder("n2").build());
  ASSERT_TRUE(cache.add(pod_on("n1")));
  ASSERT_TRUE(cache.assume(PodBuilder("assumed").on("n1").build()));
  const std::vector<api::NodePtr> nodes = {NodeBuilder("n1").build(), NodeBuilder("n3").build()};
  const std::vector<api::PodPtr> pods = {PodBuilder("b").on("n1").build(), PodBuilder("pending").build()};
  EXPECT_EQ(
      compare(cache, nodes, pods),
      (std::vector<std::string>{"node n3 is missing in the cache", "node n2 should not be in the cache",
                                "pod default/b is missing in the cache", "pod default/a should not be in the cache"}));
}

TEST(Comparer, IsContentWithACacheThatIsRight) {
  SchedulerCache cache;
  cache.set_node(NodeBuilder("n1").build());
  ASSERT_TRUE(cache.add(pod_on("n1")));
  const std::vector<api::NodePtr> nodes = {NodeBuilder("n1").build()};
  const std::vector<api::PodPtr> pods = {pod_on("n1")};
  EXPECT_TRUE(compare(cache, nodes, pods).empty());
  EXPECT_TRUE(compare_sums(cache.nodes()).empty());
}

TEST(Comparer, SeesAPodOnAnotherNode) {
  SchedulerCache cache;
  cache.set_node(NodeBuilder("n1").build());
  ASSERT_TRUE(cache.add(pod_on("n1")));
  const std::vector<api::NodePtr> nodes = {NodeBuilder("n1").build()};
  const std::vector<api::PodPtr> pods = {pod_on("n2")};
  EXPECT_EQ(compare(cache, nodes, pods), std::vector<std::string>{"pod default/a is on n2, the cache has it on n1"});
}

}  // namespace
}  // namespace berth::cache
