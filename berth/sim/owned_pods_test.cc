#include "berth/sim/owned_pods.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace berth::sim {
namespace {

api::PodPtr pod_of(std::string name, std::string owner, std::string_view node = "",
                   std::string_view phase = "Pending") {
  api::Pod pod;
  pod.metadata.uid = name;
  pod.metadata.name = std::move(name);
  if (!owner.empty()) {
    api::OwnerReference reference;
    reference.uid = std::move(owner);
    reference.controller = true;
    pod.metadata.owner_references = std::vector{reference};
  }
  pod.spec.node_name = Symbol(node);
  pod.status.phase = Symbol(phase);
  return std::make_shared<const api::Pod>(std::move(pod));
}

Change added(const api::PodPtr& pod) {
  return {.kind = Change::Kind::kAdded, .object = api::AnyObject(pod), .before = {}, .version = 0};
}
Change changed(const api::PodPtr& before, const api::PodPtr& now) {
  return {
      .kind = Change::Kind::kModified, .object = api::AnyObject(now), .before = api::AnyObject(before), .version = 0};
}
Change deleted(const api::PodPtr& pod) {
  return {.kind = Change::Kind::kDeleted, .object = api::AnyObject(pod), .before = api::AnyObject(pod), .version = 0};
}

TEST(OwnedPods, CountsByStateAndListsByName) {
  OwnedPods owned;
  const auto a = pod_of("a", "set"), b = pod_of("b", "set"), c = pod_of("c", "set"), loose = pod_of("d", "");
  for (const auto& pod : {c, a, b, loose}) owned.on_change(added(pod));
  EXPECT_EQ(owned.of("set").counts.active(), 3);
  const auto ended = pod_of("a", "set", "n1", "Succeeded");
  owned.on_change(changed(a, ended));
  EXPECT_EQ(owned.of("set").counts.active(), 2);
  EXPECT_EQ(owned.of("set").counts.of(PodState::kSucceeded), 1);
  owned.on_change(deleted(c));
  EXPECT_EQ(owned.list("set"), std::vector<api::PodPtr>({ended, b}));
  owned.on_change(deleted(b));
  owned.on_change(deleted(ended));
  EXPECT_EQ(owned.of("set").counts.total(), 0);
}

TEST(OwnedPods, FollowsAPodToAnotherOwner) {
  OwnedPods owned;
  const auto before = pod_of("a", "one"), now = pod_of("a", "two"), orphan = pod_of("a", "");
  owned.on_change(added(before));
  owned.on_change(changed(before, now));
  EXPECT_EQ(owned.of("one").counts.total(), 0);
  EXPECT_EQ(owned.of("two").counts.total(), 1);
  owned.on_change(changed(now, orphan));
  EXPECT_EQ(owned.of("two").counts.total(), 0);
}

TEST(NodePods, ListsThePodsOfANode) {
  NodePods on_nodes;
  const auto pending = pod_of("a", ""), bound = pod_of("a", "", "n1"), running = pod_of("a", "", "n1", "Running");
  const auto other = pod_of("b", "", "n1");
  on_nodes.on_change(added(pending));
  EXPECT_TRUE(on_nodes.list(Symbol("n1")).empty());
  on_nodes.on_change(added(other));
  on_nodes.on_change(changed(pending, bound));
  on_nodes.on_change(changed(bound, running));
  EXPECT_EQ(on_nodes.list(Symbol("n1")), std::vector<api::PodPtr>({other, running}));
  on_nodes.on_change(deleted(other));
  EXPECT_EQ(on_nodes.list(Symbol("n1")), std::vector<api::PodPtr>({running}));
}

}  // namespace
}  // namespace berth::sim
