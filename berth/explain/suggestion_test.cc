#include "berth/explain/suggestion.h"

#include <gtest/gtest.h>

#include "berth/explain/facts.h"
#include "berth/explain/field_changes.h"

namespace berth::explain {
namespace {

std::string patch(const api::PodTemplate& before, const api::PodTemplate& after) {
  return json_patch(field_changes(before, after, "/spec"));
}

TEST(FieldChanges, OfEqualValuesAreNone) {
  api::PodTemplate pod;
  pod.node_selector[Symbol("a")] = Symbol("b");
  EXPECT_EQ(patch(pod, pod), "[]");
}

TEST(FieldChanges, AddAFieldThatWasNotThere) {
  api::PodTemplate before, after;
  after.node_selector[Symbol("example.com/disk~1")] = Symbol("ssd");
  EXPECT_EQ(patch(before, after), R"([{"op":"add","path":"/spec/nodeSelector","value":{"example.com/disk~1":"ssd"}}])");
}

TEST(FieldChanges, EscapeKeysInPaths) {
  api::PodTemplate before, after;
  before.node_selector[Symbol("example.com/disk~1")] = Symbol("hdd");
  after.node_selector[Symbol("example.com/disk~1")] = Symbol("ssd");
  EXPECT_EQ(patch(before, after),
            R"([{"op":"replace","path":"/spec/nodeSelector/example.com~1disk~01","value":"ssd"}])");
}

TEST(FieldChanges, AppendToAListThatGrew) {
  api::PodTemplate before, after;
  before.tolerations.emplace_back().key = Symbol("a");
  after = before;
  after.tolerations.emplace_back().key = Symbol("b");
  EXPECT_EQ(patch(before, after), R"([{"op":"add","path":"/spec/tolerations/-","value":{"key":"b"}}])");
}

TEST(FieldChanges, RemoveFromTheBackOfAListThatLostElements) {
  api::PodTemplate before, after;
  for (const char* key : {"a", "b", "c"}) before.tolerations.emplace_back().key = Symbol(key);
  after.tolerations.emplace_back().key = Symbol("b");
  EXPECT_EQ(patch(before, after),
            R"([{"op":"remove","path":"/spec/tolerations/2"},{"op":"remove","path":"/spec/tolerations/0"}])");
}

TEST(FieldChanges, ReplaceAListThatIsAnotherOne) {
  api::PodTemplate before, after;
  before.tolerations.emplace_back().key = Symbol("a");
  for (const char* key : {"b", "c"}) after.tolerations.emplace_back().key = Symbol(key);
  EXPECT_EQ(patch(before, after), R"([{"op":"replace","path":"/spec/tolerations","value":[{"key":"b"},{"key":"c"}]}])");
}

TEST(ShellWord, IsQuotedUnlessPlain) {
  EXPECT_EQ(shell_word("n-1.example/a=b"), "n-1.example/a=b");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word(""), "''");
}

std::string_view state(std::string_view key) {
  return node_state_of(api::Taint{.key = Symbol(key), .value = {}, .effect = Symbol("NoSchedule"), .time_added = {}});
}

TEST(NodeStates, AreToldFromTaintsThatKeepNodesForSomePods) {
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/something-new",
                          "ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/unregistered",
                          "karpenter.k8s.aws/whatever", "node.cilium.io/agent-not-ready",
                          "efs.csi.aws.com/agent-not-ready", "example.com/not-ready", "example.com/Unready",
                          "gardener.cloud/critical-components-not-ready", "cloud.google.com/impending-node-termination",
                          "aws-node-termination-handler/other", "node.cluster.x-k8s.io/uninitialized", "maintenance",
                          "example.com/node-maintenance", "startup-taint.cluster-autoscaler.kubernetes.io/x"}) {
    EXPECT_NE(state(key), "") << key;
  }
  for (const char* key : {"dedicated", "nvidia.com/gpu", "node-role.kubernetes.io/control-plane",
                          "kubernetes.azure.com/scalesetpriority", "cloud.google.com/gke-spot", "team", "already",
                          "node.ocs.openshift.io/storage", "CriticalAddonsOnly", "example.com/bedrain"}) {
    EXPECT_EQ(state(key), "") << key;
  }
}

}  // namespace
}  // namespace berth::explain
