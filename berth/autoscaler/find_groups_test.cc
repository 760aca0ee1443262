#include "berth/autoscaler/find_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "berth/autoscaler/new_node.h"
#include "berth/autoscaler/node_facts.h"
#include "berth/codec/documents.h"

namespace berth::autoscaler {
namespace {

std::vector<api::AnyObject> objects_in(const std::string& yaml) {
  codec::Documents documents;
  codec::read_documents(yaml, "test", codec::DecodeOptions{}, documents);
  for (const Error& error : documents.errors) ADD_FAILURE() << error.message();
  return std::move(documents.objects);
}

// A node with these labels, "key: value, key: value".
std::string node(const std::string& name, const std::string& labels, const std::string& more = "") {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n" + more +
         "status:\n  capacity: {cpu: \"4\", memory: 16Gi, pods: \"58\"}\n"
         "  allocatable: {cpu: 3900m, memory: 15Gi, pods: \"58\"}\n";
}

std::string pool(const std::string& name, const std::string& spec, const std::string& rest = "") {
  return "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: " + name +
         "}\nspec:\n  template:\n    spec:\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: "
         "default}\n" +
         spec + rest;
}

TEST(FindGroups, FindsNothingWhereNobodyResizesNodes) {
  EXPECT_TRUE(find_groups(objects_in(node("n1", "eks.amazonaws.com/nodegroup: web"))).empty());
}

TEST(FindGroups, TakesTheMachinesOfANodePoolFromItsNodesAndFromOthersThatItAdmits) {
  const auto groups = find_groups(
      objects_in(pool("general",
                      "      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge, "
                      "c5.xlarge]}]\n") +
                 node("a",
                      "karpenter.sh/nodepool: general, node.kubernetes.io/instance-type: m5.xlarge, "
                      "topology.kubernetes.io/zone: eu-1a, team: x") +
                 node("b", "node.kubernetes.io/instance-type: c5.xlarge, topology.kubernetes.io/zone: eu-1b") +
                 node("c", "node.kubernetes.io/instance-type: r5.xlarge")));
  ASSERT_EQ(groups.size(), 1U);
  const NodeGroup& group = groups[0];
  EXPECT_EQ(title_of(group), "Karpenter's NodePool general");
  EXPECT_EQ(group.nodes, 1);
  ASSERT_EQ(group.shapes.size(), 2U);
  EXPECT_EQ(group.shapes[0].name, "c5.xlarge");
  EXPECT_EQ(group.shapes[1].name, "m5.xlarge");
  // Labels that others gave to its node are not known before it is there.
  EXPECT_FALSE(group.shapes[1].model->metadata.labels->contains(Symbol("team")));
  EXPECT_EQ(group.zones, (std::vector<Symbol>{Symbol("eu-1a"), Symbol("eu-1b")}));
}

TEST(FindGroups, KnowsTheFamilyOfAnInstanceTypeByItsName) {
  const auto machine = objects_in(node("n0", "node.kubernetes.io/instance-type: c5n.4xlarge"))[0].as<api::Node>();
  const auto label = [&](std::string_view key) {
    return machine_label(*machine, Symbol(key)).value_or(Symbol()).str();
  };
  EXPECT_EQ(label("karpenter.k8s.aws/instance-family"), "c5n");
  EXPECT_EQ(label("karpenter.k8s.aws/instance-category"), "c");
  EXPECT_EQ(label("karpenter.k8s.aws/instance-generation"), "5");
  EXPECT_EQ(label("karpenter.k8s.aws/instance-size"), "4xlarge");
  EXPECT_EQ(label("karpenter.k8s.aws/instance-cpu"), "4");
  EXPECT_EQ(label("karpenter.k8s.aws/instance-hypervisor"), "");
}

TEST(FindGroups, ReadsRequirementsAsKarpenterDoes) {
  const auto requirement = [](std::string_view op, std::vector<Symbol> values) {
    return api::NodePoolRequirement{Symbol("k"), Symbol(op), std::move(values), {}};
  };
  const Symbol a("a"), b("b"), five("5"), nine("9");
  EXPECT_TRUE(admits(requirement("In", {a, b}), &a));
  EXPECT_FALSE(admits(requirement("In", {a}), &b));
  EXPECT_FALSE(admits(requirement("In", {a}), nullptr));
  EXPECT_TRUE(admits(requirement("NotIn", {a}), &b));
  EXPECT_TRUE(admits(requirement("NotIn", {a}), nullptr));
  EXPECT_TRUE(admits(requirement("Exists", {}), &a));
  EXPECT_FALSE(admits(requirement("DoesNotExist", {}), &a));
  EXPECT_TRUE(admits(requirement("Gt", {five}), &nine));
  EXPECT_FALSE(admits(requirement("Gt", {five}), &five));
  EXPECT_TRUE(admits(requirement("Lt", {nine}), &five));
  EXPECT_FALSE(admits(requirement("Lt", {nine}), &a));
}

TEST(FindGroups, SaysWhyANodePoolAddsNoNodes) {
  const auto obstacle = [](const std::string& yaml) {
    const auto groups = find_groups(objects_in(yaml));
    return groups.size() == 1 && !groups[0].obstacles.empty() ? groups[0].obstacles[0] : std::string();
  };
  EXPECT_EQ(obstacle(pool("p", "      requirements: []\n")), "");
  EXPECT_EQ(obstacle(pool("p", "      requirements: []\n", "  replicas: 3\n")),
            "it has a fixed number of nodes (replicas: 3)");
  EXPECT_EQ(obstacle(pool("p", "      requirements: []\n",
                          "status: {conditions: [{type: Ready, status: \"False\", message: no subnets}]}\n")),
            "it is not ready: no subnets");
  // Whether its class is there can only be said if classes were read.
  EXPECT_EQ(obstacle(pool("p", "      requirements: []\n") +
                     "---\napiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: other}\n"),
            "its EC2NodeClass default does not exist");
}

TEST(FindGroups, ComparesLimitsWithWhatIsInUse) {
  const auto groups = find_groups(
      objects_in(pool("p", "      requirements: []\n", "  limits: {cpu: \"10\"}\nstatus: {resources: {cpu: \"8\"}}\n") +
                 node("a", "karpenter.sh/nodepool: p, node.kubernetes.io/instance-type: m5.xlarge")));
  ASSERT_EQ(groups[0].shapes.size(), 1U);
  EXPECT_EQ(excess_of(groups[0], groups[0].shapes[0]),
            "its limit of 10 cpu leaves no room for a node like m5.xlarge, which has 4: 8 in use");
  NodeGroup larger = groups[0];
  larger.limits[0].limit = api::Quantity::from_units(16);
  EXPECT_EQ(excess_of(larger, larger.shapes[0]), std::nullopt);
  EXPECT_EQ(excess_of(larger, larger.shapes[0], {&larger.shapes[0], &larger.shapes[0]}),
            "its limit of 16 cpu is reached: 16 in use");
}

TEST(FindGroups, TakesSizesFromTheStatusOfClusterAutoscaler) {
  const auto groups = find_groups(
      objects_in(node("n1", "eks.amazonaws.com/nodegroup: web, topology.kubernetes.io/zone: a") +
                 node("n2", "eks.amazonaws.com/nodegroup: web, topology.kubernetes.io/zone: b") +
                 node("n3", "eks.amazonaws.com/nodegroup: web-2") + node("n4", "eks.amazonaws.com/nodegroup: fixed") +
                 R"(---
apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-autoscaler-status, namespace: kube-system}
data:
  status: |
    nodeGroups:
    - name: eks-web-11111111-aaaa
      health: {status: Healthy, minSize: 1, maxSize: 4}
    - name: eks-web-2-22222222-bbbb
      health: {status: Healthy, minSize: 1, maxSize: 9}
    - name: eks-empty-33333333-cccc
      health: {status: Healthy, maxSize: 2}
)"));
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "eks-empty-33333333-cccc");
  EXPECT_TRUE(groups[0].shapes.empty());
  EXPECT_EQ(groups[1].name, "web");
  EXPECT_EQ(groups[1].nodes, 2);
  EXPECT_EQ(groups[1].max_nodes, 4);
  EXPECT_EQ(groups[1].shapes.size(), 2U);  // one per zone
  EXPECT_EQ(groups[2].name, "web-2");
  EXPECT_EQ(groups[2].max_nodes, 9);
}

TEST(FindGroups, CountsLabelledPoolsWhereClusterAutoscalerRuns) {
  const std::string nodes = node("n1", "cloud.google.com/gke-nodepool: web") + node("n2", "pool: own");
  const std::string pod =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: cluster-autoscaler-abc, namespace: kube-system}\nspec: "
      "{containers: [{name: c}]}\n";
  const auto groups = find_groups(objects_in(nodes + pod));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].name, "web");
  EXPECT_EQ(groups[0].max_nodes, std::nullopt);
  EXPECT_EQ(find_groups(objects_in(nodes), {.assume_autoscaler = true}).size(), 2U);
}

TEST(FindGroups, ReadsMachineDeploymentsAndWhatTheySayAboutNodesAtZero) {
  const auto groups = find_groups(objects_in(
      "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  annotations: {cluster.x-k8s.io/owner-name: md-0-abcde}\n"
      "status: {allocatable: {cpu: \"2\", memory: 4Gi, pods: \"110\"}}\n" +
      std::string(R"(---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata:
  name: md-0
  annotations:
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "1"
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "5"
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata:
  name: md-gpu
  annotations:
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "0"
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "2"
    capacity.cluster-autoscaler.kubernetes.io/cpu: "8"
    capacity.cluster-autoscaler.kubernetes.io/memory: 32Gi
    capacity.cluster-autoscaler.kubernetes.io/gpu-type: nvidia.com/gpu
    capacity.cluster-autoscaler.kubernetes.io/gpu-count: "1"
    capacity.cluster-autoscaler.kubernetes.io/labels: tier=gpu,zone=a
    capacity.cluster-autoscaler.kubernetes.io/taints: dedicated=gpu:NoSchedule
)")));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "md-0");
  EXPECT_EQ(groups[0].nodes, 1);
  EXPECT_EQ(groups[0].max_nodes, 5);
  ASSERT_EQ(groups[1].shapes.size(), 1U);
  const api::Node& at_zero = *groups[1].shapes[0].model;
  EXPECT_EQ(at_zero.status.allocatable.find(Symbol("nvidia.com/gpu"))->value(), 1);
  EXPECT_EQ(at_zero.metadata.labels->find(Symbol("tier"))->text(), "gpu");
  ASSERT_EQ(at_zero.spec.taints.size(), 1U);
  EXPECT_EQ(at_zero.spec.taints[0].value, "gpu");
}

TEST(NewNodes, GetTheLabelsThatThePodAsksForAndThePoolAdmits) {
  const auto groups = find_groups(objects_in(
      pool("p",
           "      taints: [{key: dedicated, value: web, effect: NoSchedule}]\n      startupTaints: [{key: "
           "example.com/starting, effect: NoSchedule}]\n      requirements:\n      - {key: "
           "karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}\n      - {key: tier, operator: "
           "Exists}\n      - {key: topology.kubernetes.io/zone, operator: In, values: [a, b]}\n") +
      node("n0", "karpenter.sh/nodepool: p, node.kubernetes.io/instance-type: m5.xlarge")));
  api::PodTemplate pod;
  pod.node_selector[Symbol("karpenter.sh/capacity-type")] = Symbol("on-demand");
  pod.node_selector[Symbol("tier")] = Symbol("front");
  const std::vector<NewNode> nodes = new_nodes(groups[0], pod, "new");
  // Each zone, and machines of unknown size at the end.
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].zone, "a");
  EXPECT_EQ(nodes[1].zone, "b");
  EXPECT_EQ(nodes[2].shape, nullptr);
  const api::Labels& labels = *nodes[0].node->metadata.labels;
  EXPECT_EQ(labels.find(Symbol("karpenter.sh/capacity-type"))->text(), "on-demand");
  EXPECT_EQ(labels.find(Symbol("tier"))->text(), "front");
  EXPECT_EQ(labels.find(Symbol("karpenter.sh/nodepool"))->text(), "p");
  ASSERT_EQ(nodes[0].node->spec.taints.size(), 1U);
  EXPECT_EQ(nodes[0].node->spec.taints[0].key, "dedicated");
}

}  // namespace
}  // namespace berth::autoscaler
