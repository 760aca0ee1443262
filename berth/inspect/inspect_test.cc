#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/inspect/cluster_summary.h"
#include "berth/inspect/render.h"

namespace berth::inspect {
namespace {

using ::testing::Test;

class Inspect : public Test {
 protected:
  ClusterSummary read(std::string_view text) {
    codec::DecodeOptions options;
    options.pool = &pool_;
    codec::read_documents(text, "test.yaml", options, documents_);
    return summarize(documents_.objects);
  }

  InternPool pool_;
  codec::Documents documents_;
};

constexpr std::string_view kTwoNodes = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: a}}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "10"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {pool: a}}
spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}]}
status:
  allocatable: {cpu: "2", memory: 8Gi, pods: "10", example.com/gpu: "2"}
  conditions: [{type: Ready, status: Unknown}]
---
)";

std::string pod(std::string_view name, std::string_view node, std::string_view phase, std::string_view cpu) {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: d}}\n"
      "spec:\n  nodeName: \"{}\"\n  containers:\n  - name: c\n    resources: {{requests: {{cpu: {}}}}}\n"
      "status: {{phase: {}}}\n---\n",
      name, node, cpu, phase);
}

TEST_F(Inspect, AddsUpWhatAPoolOffersAndWhatItsPodsAskFor) {
  const ClusterSummary summary =
      read(std::string(kTwoNodes) + pod("p1", "n1", "Running", "1500m") + pod("p2", "n2", "Running", "500m"));
  ASSERT_EQ(summary.pools.size(), 1u);
  const PoolSummary& pool = summary.pools[0];
  EXPECT_EQ(pool.name, "a");
  EXPECT_EQ(pool.nodes, 2);
  EXPECT_EQ(pool.ready, 1);
  EXPECT_EQ(pool.cordoned, 1);
  EXPECT_EQ(pool.tainted, 1);
  EXPECT_EQ(pool.pods, 2);
  ASSERT_EQ(pool.resources.size(), 4u);
  EXPECT_EQ(pool.resources[0].allocatable.str(), "6");
  EXPECT_EQ(pool.resources[0].requested.str(), "2");
  EXPECT_EQ(pool.resources[3].name, Symbol("example.com/gpu"));
}

TEST_F(Inspect, APodThatHasEndedHoldsNothing) {
  const ClusterSummary summary = read(std::string(kTwoNodes) + pod("p1", "n1", "Succeeded", "1"));
  EXPECT_EQ(summary.pools[0].pods, 0);
  EXPECT_TRUE(summary.pools[0].resources[0].requested.is_zero());
  EXPECT_TRUE(summary.pending.empty());
}

TEST_F(Inspect, PodsOfOneTemplateAreOneClass) {
  const ClusterSummary summary =
      read(pod("a", "", "Pending", "1") + pod("b", "", "Pending", "1") + pod("c", "", "Pending", "2"));
  // Without a controller each pod is a class of its own, named after the pod.
  EXPECT_EQ(summary.classes.size(), 3u);
  EXPECT_EQ(summary.pending.size(), 3u);
  EXPECT_EQ(summary.pending[0].pod, "d/a");
}

TEST_F(Inspect, ANodeThatSaysNothingIsReady) {
  const ClusterSummary summary = read("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
  EXPECT_EQ(summary.pools[0].ready, 1);
}

TEST_F(Inspect, PodsThatEveryNodeHasAreOneClass) {
  std::string text;
  for (const std::string_view node : {"n1", "n2"}) {
    text += fmt::format(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: agent-{0}, namespace: d, ownerReferences: [{{apiVersion: "
        "apps/v1, "
        "kind: DaemonSet, name: agent, uid: u, controller: true}}]}}\nspec: {{nodeName: {0}, affinity: {{nodeAffinity: "
        "{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, "
        "operator: In, values: [{0}]}}]}}]}}}}}}}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: proxy-{0}, namespace: d, ownerReferences: [{{apiVersion: v1, "
        "kind: "
        "Node, name: {0}, uid: {0}, controller: true}}]}}\nspec: {{nodeName: {0}}}\n---\n",
        node);
  }
  const ClusterSummary summary = read(text);
  ASSERT_EQ(summary.classes.size(), 2u);
  EXPECT_EQ(summary.classes[0].owner, "DaemonSet agent");
  EXPECT_EQ(summary.classes[0].pods, 2);
  EXPECT_EQ(summary.classes[1].owner, "static pod proxy");
  EXPECT_EQ(summary.classes[1].pods, 2);
}

TEST_F(Inspect, NamesADeploymentsPodsAfterTheDeployment) {
  const ClusterSummary summary = read(R"(
apiVersion: v1
kind: Pod
metadata:
  name: web-abc-1
  namespace: d
  labels: {pod-template-hash: abc}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-abc, uid: u, controller: true}]
spec: {containers: []}
)");
  ASSERT_EQ(summary.classes.size(), 1u);
  EXPECT_EQ(summary.classes[0].owner, "Deployment web");
}

TEST_F(Inspect, SaysWhichPodsAreOnNodesThatAreNotThere) {
  const ClusterSummary summary = read(pod("p", "gone", "Running", "1"));
  ASSERT_EQ(summary.dangling.size(), 1u);
  EXPECT_EQ(summary.dangling[0], "d/p on gone");
}

TEST_F(Inspect, TellsWhatAPendingPodWaitsFor) {
  const ClusterSummary summary = read(R"(
apiVersion: v1
kind: Pod
metadata: {name: gated, namespace: d}
spec: {schedulingGates: [{name: g1}, {name: g2}], containers: []}
---
apiVersion: v1
kind: Pod
metadata: {name: stuck, namespace: d}
spec: {containers: []}
status: {conditions: [{type: PodScheduled, status: "False", message: "0/1 nodes are available"}]}
)");
  ASSERT_EQ(summary.pending.size(), 2u);
  EXPECT_EQ(summary.pending[0].waits_for, "scheduling gates: g1 g2");
  EXPECT_EQ(summary.pending[1].waits_for, "0/1 nodes are available");
}

TEST_F(Inspect, ShowsWhatCouldNotBeReadBesideTheRest) {
  const ClusterSummary summary =
      read(std::string(kTwoNodes) + "apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\n---\nkind: Nothing\n");
  const std::string text = render(summary, documents_);
  EXPECT_NE(text.find("2 nodes in 1 pool"), std::string::npos) << text;
  EXPECT_NE(text.find("Could not be read: 2 documents"), std::string::npos) << text;
  EXPECT_NE(text.find("test.yaml"), std::string::npos) << text;
  EXPECT_NE(text.find("metadata.name"), std::string::npos) << text;
}

TEST_F(Inspect, LongListsAreCutWithACount) {
  std::string many;
  for (int i = 0; i < 40; ++i) many += pod(fmt::format("p{:02}", i), "", "Pending", "1");
  const ClusterSummary summary = read(many);
  EXPECT_NE(render(summary, documents_).find("... and 25 more pending pods"), std::string::npos);
  EXPECT_EQ(render(summary, documents_, {.all_rows = true}).find("more pending"), std::string::npos);
}

TEST_F(Inspect, TheJsonFormHasTheSameNumbers) {
  const ClusterSummary summary = read(std::string(kTwoNodes) + pod("p1", "n1", "Running", "1500m"));
  const std::string json = codec::to_json(summary);
  EXPECT_NE(json.find(R"("name":"cpu","allocatable":"6","requested":"1500m")"), std::string::npos) << json;
}

}  // namespace
}  // namespace berth::inspect
