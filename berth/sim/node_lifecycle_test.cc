// Kubelets and lost nodes: how pods start, run, end and are evicted.
#include "berth/sim/node_lifecycle.h"

#include <gtest/gtest.h>

#include "berth/sim/controllers_testing.h"
#include "berth/sim/kubelet.h"

namespace berth::sim {
namespace {

using testing::Cluster;

void add_pod(Cluster& cluster, std::string_view name, std::string_view annotations = "") {
  cluster.apply("{apiVersion: v1, kind: Pod, metadata: {name: " + std::string(name) + ", annotations: {" +
                std::string(annotations) + "}}, spec: {containers: [{name: main}]}}");
}

Symbol phase(const Cluster& cluster, std::string_view name) {
  const auto pod = cluster.get<api::Pod>(name);
  return pod == nullptr ? Symbol("gone") : pod->status.phase;
}

TEST(Kubelet, StartsABoundPodAfterAWhile) {
  Cluster cluster;
  cluster.faults.pod_start = Latency::fixed(Duration::seconds(2));
  cluster.add_node("n1");
  add_pod(cluster, "p");
  cluster.agenda.run_until(Duration::seconds(1));
  EXPECT_EQ(phase(cluster, "p"), "Pending");
  cluster.agenda.run_until(Duration::seconds(3));
  EXPECT_EQ(phase(cluster, "p"), "Running");
  EXPECT_TRUE(is_ready(*cluster.get<api::Pod>("p")));
  EXPECT_TRUE(cluster.get<api::Pod>("p")->status.start_time.is_set());
}

TEST(Kubelet, EndsPodsThatSayHowLongTheyRun) {
  Cluster cluster;
  cluster.add_node("n1");
  add_pod(cluster, "good", "berth.dev/runs: 10s");
  add_pod(cluster, "bad", "berth.dev/runs: 10s, berth.dev/fails: 'true'");
  add_pod(cluster, "endless");
  cluster.agenda.run_until(Duration::seconds(9));
  EXPECT_EQ(phase(cluster, "good"), "Running");
  cluster.agenda.run_until(Duration::seconds(11));
  EXPECT_EQ(phase(cluster, "good"), "Succeeded");
  EXPECT_EQ(phase(cluster, "bad"), "Failed");
  EXPECT_EQ(phase(cluster, "endless"), "Running");
}

TEST(Kubelet, IsIdleWhilePodsRun) {
  Cluster cluster;
  cluster.add_node("n1");
  add_pod(cluster, "p", "berth.dev/runs: 10s");
  cluster.agenda.run_until_idle();
  EXPECT_LT(cluster.agenda.elapsed(), Duration::seconds(1));
}

TEST(Kubelet, TakesItsTimeToTerminateAPod) {
  Cluster cluster;
  cluster.add_node("n1");
  add_pod(cluster, "slow", "berth.dev/terminates-in: 30s");
  add_pod(cluster, "quick");
  cluster.agenda.run_until(Duration::seconds(1));
  cluster.remove<api::Pod>("slow");
  cluster.remove<api::Pod>("quick");
  cluster.agenda.run_until(Duration::seconds(30));
  EXPECT_EQ(phase(cluster, "slow"), "Running");
  EXPECT_EQ(phase(cluster, "quick"), "gone");
  cluster.agenda.run_until(Duration::seconds(32));
  EXPECT_EQ(phase(cluster, "slow"), "gone");
}

TEST(Kubelet, DoesNothingOnANodeThatIsDownAndWhatIsDueWhenItIsBack) {
  Cluster cluster;
  cluster.add_node("n1");
  add_pod(cluster, "ends", "berth.dev/runs: 5s");
  add_pod(cluster, "deleted");
  cluster.agenda.run_until(Duration::seconds(1));
  cluster.controllers.fail_node(Symbol("n1"));
  cluster.remove<api::Pod>("deleted");
  cluster.agenda.run_until(Duration::seconds(20));
  EXPECT_EQ(phase(cluster, "ends"), "Running");
  EXPECT_EQ(phase(cluster, "deleted"), "Running");
  cluster.controllers.recover_node(Symbol("n1"));
  cluster.agenda.run_until(Duration::seconds(21));
  EXPECT_EQ(phase(cluster, "ends"), "Succeeded");
  EXPECT_EQ(phase(cluster, "deleted"), "gone");
}

std::vector<std::string> taints_of(const Cluster& cluster, std::string_view node) {
  std::vector<std::string> taints;
  for (const api::Taint& taint : cluster.get<api::Node>(node)->spec.taints) {
    taints.push_back(taint.key.str() + ":" + taint.effect.str());
  }
  return taints;
}

TEST(NodeLifecycle, TaintsAFailedNodeAndEvictsItsPodsFiveMinutesLater) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(R"({apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 2, selector:
    {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}})");
  cluster.agenda.run_until(Duration::seconds(1));
  cluster.controllers.fail_node(Symbol("n1"));
  cluster.add_node("n2");
  const std::string no_schedule = "node.kubernetes.io/unreachable:NoSchedule";
  const std::string no_execute = "node.kubernetes.io/unreachable:NoExecute";
  EXPECT_EQ(taints_of(cluster, "n1"), std::vector<std::string>({no_schedule}));
  EXPECT_EQ(cluster.get<api::Node>("n1")->status.conditions[0].status, "Unknown");
  EXPECT_EQ(cluster.count(PodState::kReady), 0);
  cluster.agenda.run_until(Duration::seconds(42));
  EXPECT_EQ(taints_of(cluster, "n1"), std::vector<std::string>({no_schedule, no_execute}));
  cluster.agenda.run_until(Duration::seconds(340));
  EXPECT_EQ(cluster.count(PodState::kReady), 0);
  cluster.agenda.run_until(Duration::seconds(342));
  EXPECT_EQ(cluster.count(PodState::kReady), 2);
  for (const api::PodPtr& pod : cluster.pods()) EXPECT_EQ(pod->spec.node_name, "n2");
}

TEST(NodeLifecycle, ForgetsEverythingWhenTheNodeRecoversInTime) {
  Cluster cluster;
  cluster.add_node("n1");
  add_pod(cluster, "p");
  cluster.agenda.run_until(Duration::seconds(1));
  cluster.controllers.fail_node(Symbol("n1"));
  cluster.agenda.run_until(Duration::seconds(100));
  cluster.controllers.recover_node(Symbol("n1"));
  EXPECT_TRUE(taints_of(cluster, "n1").empty());
  EXPECT_TRUE(is_ready(*cluster.get<api::Pod>("p")));
  cluster.agenda.run_until(Duration::seconds(1000));
  EXPECT_EQ(phase(cluster, "p"), "Running");
}

TEST(NodeLifecycle, LeavesPodsThatTolerateALostNode) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: forever}, spec: {tolerations: [{key:
    node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute}]}})");
  cluster.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: short}, spec: {tolerations: [{key:
    node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 10}]}})");
  cluster.agenda.run_until(Duration::seconds(1));
  cluster.controllers.fail_node(Symbol("n1"));
  cluster.agenda.run_until(Duration::seconds(52));
  EXPECT_EQ(phase(cluster, "short"), "gone");
  cluster.agenda.run_until(Duration::hours(1));
  EXPECT_EQ(phase(cluster, "forever"), "Running");
}

TEST(NodeLifecycle, EvictsPodsFromANodeThatIsTaintedWithNoExecute) {
  Cluster cluster;
  cluster.add_node("n1");
  add_pod(cluster, "p");
  cluster.agenda.run_until(Duration::seconds(1));
  cluster.edit<api::Node>("n1", [](api::Node& node) {
    node.spec.taints.push_back({.key = Symbol("broken"), .value = {}, .effect = Symbol("NoExecute"), .time_added = {}});
  });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(phase(cluster, "p"), "gone");
}

TEST(NodeLifecycle, DeletesThePodsOfANodeThatWasRemoved) {
  Cluster cluster;
  cluster.faults.termination = Latency::fixed(Duration::minutes(5));
  cluster.add_node("n1");
  add_pod(cluster, "p");
  cluster.agenda.run_until(Duration::seconds(1));
  cluster.remove<api::Node>("n1");
  cluster.agenda.run_until(Duration::seconds(2));
  EXPECT_EQ(phase(cluster, "p"), "gone");
}

}  // namespace
}  // namespace berth::sim
