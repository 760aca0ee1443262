#include "berth/api/watched_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/api/kinds.h"

namespace berth::api {
namespace {

const WatchedKind* find(const ObjectKind& kind) {
  const auto found = std::ranges::find(watched_kinds(), &kind, &WatchedKind::kind);
  return found == watched_kinds().end() ? nullptr : &*found;
}

TEST(WatchedKinds, HaveNodesAndThenPodsLast) {
  const auto kinds = watched_kinds();
  EXPECT_EQ(kinds[kinds.size() - 2].kind, &kind_of<Node>());
  EXPECT_EQ(kinds.back().kind, &kind_of<Pod>());
}

TEST(WatchedKinds, AreThoseThatTheTableSays) {
  ASSERT_NE(find(kind_of<Service>()), nullptr);
  EXPECT_EQ(find(kind_of<Service>())->reading, KindReading::kWatched);
  ASSERT_NE(find(kind_of<ResourceSlice>()), nullptr);
  EXPECT_EQ(find(kind_of<ResourceSlice>())->reading, KindReading::kWatchedIfServed);
  ASSERT_NE(find(kind_of<PriorityClass>()), nullptr);
  EXPECT_EQ(find(kind_of<PriorityClass>())->reading, KindReading::kSimulated);
  EXPECT_EQ(find(kind_of<Lease>()), nullptr);
}

TEST(WatchedKinds, NameTheResourceOfTheirEvents) {
  EXPECT_EQ(event_resource(kind_of<Namespace>()), Symbol("Namespace"));
  EXPECT_EQ(event_resource(kind_of<CsiNode>()), Symbol("storage.k8s.io/CSINode"));
  EXPECT_EQ(event_resource(kind_of<ResourceSlice>()), Symbol("resource.k8s.io/ResourceSlice"));
  EXPECT_TRUE(event_resource(kind_of<Service>()).empty()) << "no plugin waits for services";
  EXPECT_TRUE(event_resource(kind_of<Lease>()).empty()) << "not read at all";
}

}  // namespace
}  // namespace berth::api
