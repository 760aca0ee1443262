#include "berth/whatif/capacity.h"

#include <gtest/gtest.h>

#include "berth/codec/json.h"
#include "berth/whatif/testing.h"

namespace berth::whatif {
namespace {

using testing::node;
using testing::objects_in;
using testing::pod;

Capacity ask(const std::string& dump, const std::string& manifest, const CapacityOptions& options = {}) {
  const std::vector<api::AnyObject> objects = objects_in(dump);
  explain::Cluster cluster(objects);
  auto pods = new_pods(objects_in(manifest), objects);
  if (!pods) {
    ADD_FAILURE() << pods.error().message();
    return {};
  }
  const auto capacity = capacity_of(cluster, *pods, {}, options);
  if (!capacity) {
    ADD_FAILURE() << capacity.error().message();
    return {};
  }
  return *capacity;
}

const std::string kTwoNodes = node("n-1", "4") + node("n-2", "2");

TEST(Capacity, PlacesPodsUntilNoNodeCanTakeTheNext) {
  const Capacity capacity = ask(kTwoNodes, pod("web", {.cpu = "1"}));
  EXPECT_EQ(capacity.instances, 6);
  EXPECT_EQ(capacity.stop, stop::kUnschedulable);
  EXPECT_EQ(capacity.message, "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(capacity.sentence.substr(0, 12), "The next one") << capacity.sentence;
  ASSERT_EQ(capacity.placement.size(), 2u);
  EXPECT_EQ(capacity.placement[0].node, "n-1");
  EXPECT_EQ(capacity.placement[0].pool, "general");
  EXPECT_EQ(capacity.placement[0].instances, 4);
  EXPECT_EQ(capacity.placement[1].instances, 2);
}

TEST(Capacity, CountsWhatRunsAlreadyAndNotWhatIsPending) {
  const Capacity capacity =
      ask(kTwoNodes + pod("old", {.node = "n-1", .cpu = "3"}) + pod("waits", {.cpu = "2"}), pod("web", {.cpu = "1"}));
  EXPECT_EQ(capacity.instances, 3);
  ASSERT_EQ(capacity.notes.size(), 1u);
  EXPECT_EQ(capacity.notes[0], "1 pod is pending in what was read and takes up no room here.");
}

TEST(Capacity, StopsAtTheLimit) {
  const Capacity capacity = ask(kTwoNodes, pod("web", {.cpu = "1"}), {.limit = 2});
  EXPECT_EQ(capacity.instances, 2);
  EXPECT_EQ(capacity.stop, stop::kLimitReached);
  EXPECT_EQ(capacity.message, "");
}

TEST(Capacity, SaysWhyNotEvenOneFits) {
  const Capacity capacity = ask(kTwoNodes, pod("big", {.cpu = "64"}));
  EXPECT_EQ(capacity.instances, 0);
  EXPECT_TRUE(capacity.placement.empty());
  EXPECT_EQ(capacity.message, "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(capacity.sentence.substr(0, 7), "The pod");
  EXPECT_EQ(ask("", pod("big", {})).message, "no nodes available to schedule pods");
}

TEST(Capacity, FollowsRulesBetweenThePodsThemselves) {
  const std::string apart =
      pod("web", {.cpu = "100m",
                  .labels = "app: web",
                  .more = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                          "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}"});
  const Capacity capacity = ask(kTwoNodes, apart);
  EXPECT_EQ(capacity.instances, 2);
  EXPECT_EQ(capacity.message, "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
}

TEST(Capacity, EvictsOthersOnlyIfToldSo) {
  const std::string dump = node("n-1", "2") + pod("low", {.node = "n-1", .cpu = "1", .more = "priority: -5"});
  EXPECT_EQ(ask(dump, pod("web", {.cpu = "1"})).instances, 1);
  const Capacity capacity = ask(dump, pod("web", {.cpu = "1"}), {.preemption = true});
  EXPECT_EQ(capacity.instances, 2);
  EXPECT_EQ(capacity.victims, std::vector<std::string>{"default/low"});
}

TEST(Capacity, TakesTheTemplateOfAWorkload) {
  const std::string deployment =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    metadata: {labels: {app: "
      "web}}\n    spec: {containers: [{name: main, resources: {requests: {cpu: 500m}}}]}\n";
  const Capacity capacity = ask(kTwoNodes, "kind: Service\napiVersion: v1\nmetadata: {name: web}\n---\n" + deployment);
  EXPECT_EQ(capacity.pod, "default/web");
  EXPECT_EQ(capacity.requests, "500m cpu");
  EXPECT_EQ(capacity.instances, 12);
}

TEST(Capacity, LeavesOutWhatAPodFromAClusterHasGotThere) {
  const Capacity capacity = ask(kTwoNodes, pod("web-1", {.node = "n-9", .cpu = "1"}));
  EXPECT_EQ(capacity.instances, 6);
  ASSERT_EQ(capacity.notes.size(), 1u);
  EXPECT_EQ(capacity.notes[0], "The pod names a node (n-9); that is left out.");
}

TEST(Capacity, GivesEveryPodOfAStatefulSetItsOwnClaim) {
  const std::string classes =
      "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: zonal}\nprovisioner: disk.example.com\n"
      "volumeBindingMode: WaitForFirstConsumer\nallowedTopologies:\n- matchLabelExpressions:\n"
      "  - {key: topology.kubernetes.io/zone, values: [b]}\n";
  const std::string set =
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  template:\n    spec: {containers: "
      "[{name: "
      "main, resources: {requests: {cpu: 1}}}]}\n  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: "
      "{storageClassName: zonal, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
  const Capacity capacity = ask(node("n-1", "4", "general", "a") + node("n-2", "2", "general", "b") + classes, set);
  EXPECT_EQ(capacity.instances, 2);
  ASSERT_EQ(capacity.placement.size(), 1u);
  EXPECT_EQ(capacity.placement[0].node, "n-2");
}

TEST(Capacity, IsTheSameForTheSameSeed) {
  std::string dump;
  for (int i = 1; i <= 9; ++i) dump += node("n-" + std::to_string(i), "3");
  const auto once = codec::to_json(ask(dump, pod("web", {}), {.limit = 10, .seed = 7}));
  EXPECT_EQ(once, codec::to_json(ask(dump, pod("web", {}), {.limit = 10, .seed = 7})));
}

TEST(Capacity, SpeaksAsClusterCapacityDoes) {
  const std::string text = to_text(ask(kTwoNodes, pod("web", {.cpu = "1"})));
  EXPECT_NE(text.find("The cluster can schedule 6 instance(s) of the pod web.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Termination reason: Unschedulable: 0/2 nodes are available: 2 Insufficient cpu.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nPods per node\n"), std::string::npos) << text;
}

TEST(Capacity, IsAnErrorIfTheFirstPodWouldBeRefused) {
  const std::vector<api::AnyObject> dump = objects_in(kTwoNodes);
  EXPECT_FALSE(new_pods({}, dump));
  EXPECT_FALSE(new_pods(objects_in(node("n-1", "1")), dump));
  explain::Cluster cluster(dump);
  auto pods = new_pods(objects_in(pod("a", {.more = "priorityClassName: urgent"})), dump);
  ASSERT_TRUE(pods);
  const auto capacity = capacity_of(cluster, *pods, {});
  ASSERT_FALSE(capacity);
  EXPECT_EQ(capacity.error().what(), "pods \"a\" is forbidden: no PriorityClass with name urgent was found");
}

TEST(Capacity, StopsWhereAQuotaDoes) {
  const std::string quota =
      "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: three, namespace: default}\nspec: {hard: {pods: "
      "3}}\n";
  const Capacity capacity = ask(kTwoNodes + quota + pod("old", {.node = "n-1"}), pod("web", {.cpu = "1"}));
  EXPECT_EQ(capacity.instances, 2);
  EXPECT_EQ(capacity.stop, stop::kForbidden);
  EXPECT_EQ(capacity.message,
            "pods \"web\" is forbidden: exceeded quota: three, requested: pods=1, used: pods=3, limited: pods=3");
}

}  // namespace
}  // namespace berth::whatif
