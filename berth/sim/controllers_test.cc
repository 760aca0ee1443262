// What the controllers of workloads do: pods are made, replaced, rolled and deleted.
#include "berth/sim/controllers.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "berth/sim/controllers_testing.h"

namespace berth::sim {
namespace {

using testing::Cluster;

constexpr std::string_view kDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, resources: {requests: {cpu: 1}}}]}
)";

void set_image(api::PodTemplateSpec& pod_template, std::string_view image) {
  api::PodTemplate spec = *pod_template.spec;
  spec.containers[0].image = Symbol(image);
  pod_template.spec.shared = std::move(spec);
}

void annotate(api::PodTemplateSpec& pod_template, std::string_view key, std::string_view value) {
  api::Annotations annotations = *pod_template.metadata.annotations;
  annotations[Symbol(key)] = std::string(value);
  pod_template.metadata.annotations = std::move(annotations);
}

// --- Deployments and ReplicaSets -------------------------------------------------------------------------------------

TEST(Controllers, MakeThePodsOfADeploymentWithNamesAsInARealCluster) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  const auto pods = cluster.pods();
  ASSERT_EQ(pods.size(), 4u);
  for (const api::PodPtr& pod : pods) {
    EXPECT_TRUE(std::regex_match(pod->metadata.name, std::regex("web-[0-9a-f]{10}-[bcdfghjklmnpqrstvwxz2456789]{5}")))
        << pod->metadata.name;
    EXPECT_EQ(cluster.controllers.group_of(*pod), "Deployment/web");
    EXPECT_TRUE(pod->metadata.labels->contains(Symbol("pod-template-hash")));
    EXPECT_EQ(api::controller_of(pod->metadata)->kind, "ReplicaSet");
    EXPECT_EQ(pod->status.phase, "Running");
  }
  const auto deployment = cluster.get<api::Deployment>("web");
  EXPECT_EQ(deployment->status.ready_replicas, 4);
  EXPECT_EQ(deployment->status.updated_replicas, 4);
}

TEST(Controllers, LetThePodsOfOneTemplateShareWhatTheyHaveInCommon) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  const auto pods = cluster.pods();
  ASSERT_EQ(pods.size(), 4u);
  for (const api::PodPtr& pod : pods) {
    EXPECT_TRUE(pod->spec.shared.same_as(pods[0]->spec.shared));
    EXPECT_TRUE(pod->metadata.labels.same_as(pods[0]->metadata.labels));
    EXPECT_TRUE(pod->metadata.owner_references.same_as(pods[0]->metadata.owner_references));
  }
}

TEST(Controllers, ReplaceAPodThatWasDeletedWhileItIsStillTerminating) {
  Cluster cluster;
  cluster.faults.termination = Latency::fixed(Duration::seconds(30));
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  cluster.remove<api::Pod>(cluster.pod_names()[0]);
  cluster.agenda.run_until(Duration::seconds(5));
  EXPECT_EQ(cluster.count(PodState::kTerminating), 1);
  EXPECT_EQ(cluster.count(PodState::kReady), 4);
  cluster.agenda.run_until(Duration::seconds(40));
  EXPECT_EQ(cluster.pods().size(), 4u);
}

TEST(Controllers, ReplaceAPodThatEnded) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(R"({apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: solo}, spec: {replicas: 1, selector:
    {matchLabels: {app: solo}}, template: {metadata: {labels: {app: solo}, annotations: {berth.dev/runs: 10s}}}}})");
  cluster.agenda.run_until(Duration::seconds(15));
  EXPECT_EQ(cluster.count(PodState::kSucceeded), 1);
  EXPECT_EQ(cluster.count(PodState::kReady), 1);
  EXPECT_EQ(cluster.controllers.group_of(*cluster.pods()[0]), "ReplicaSet/solo");
}

TEST(Controllers, KeepTheNumberOfAReplicationController) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(R"({apiVersion: v1, kind: ReplicationController, metadata: {name: old}, spec: {replicas: 3, selector:
    {app: old}, template: {metadata: {labels: {app: old}}}}})");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.count(PodState::kReady), 3);
  EXPECT_EQ(cluster.get<api::ReplicationController>("old")->status.ready_replicas, 3);
}

TEST(Controllers, GiveUpPendingPodsFirstWhenThereAreTooMany) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  const auto running = cluster.pod_names();
  cluster.binds = false;
  cluster.edit<api::Deployment>("web", [](api::Deployment& web) { web.spec.replicas = 6; });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.pods().size(), 6u);
  cluster.edit<api::Deployment>("web", [](api::Deployment& web) { web.spec.replicas = 4; });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.pod_names(), running);
}

TEST(Controllers, RollADeploymentWithinItsBounds) {
  Cluster cluster;
  cluster.faults.pod_start = Latency::fixed(Duration::seconds(1));
  cluster.faults.termination = Latency::fixed(Duration::seconds(2));
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  std::int64_t most = 0, fewest_ready = 100;
  cluster.api.listen([&](const Change&) {
    most = std::max(most, cluster.count(PodState::kReady) + cluster.count(PodState::kPending));
    fewest_ready = std::min(fewest_ready, cluster.count(PodState::kReady));
  });
  cluster.edit<api::Deployment>("web", [](api::Deployment& web) { set_image(web.spec.pod_template, "v2"); });
  cluster.agenda.run_until_idle();
  // 25 % of 4 in both directions.
  EXPECT_EQ(most, 5);
  EXPECT_EQ(fewest_ready, 3);
  const auto pods = cluster.pods();
  ASSERT_EQ(pods.size(), 4u);
  for (const api::PodPtr& pod : pods) EXPECT_EQ(pod->spec->containers[0].image, "v2");
  EXPECT_EQ(cluster.api.count(api::kind_of<api::ReplicaSet>()), 2u);
}

TEST(Controllers, RollBackToTheReplicaSetThatIsStillThere) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  const std::string first = api::controller_of(cluster.pods()[0]->metadata)->name;
  for (const std::string_view image : {"v2", ""}) {
    cluster.edit<api::Deployment>("web", [&](api::Deployment& web) { set_image(web.spec.pod_template, image); });
    cluster.agenda.run_until_idle();
  }
  EXPECT_EQ(api::controller_of(cluster.pods()[0]->metadata)->name, first);
  EXPECT_EQ(cluster.api.count(api::kind_of<api::ReplicaSet>()), 2u);
}

TEST(Controllers, LetNoPodOfTheNewTemplateStartBeforeTheOldAreGoneWhenRecreating) {
  Cluster cluster;
  cluster.faults.termination = Latency::fixed(Duration::seconds(2));
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.edit<api::Deployment>("web", [](api::Deployment& web) { web.spec.strategy.type = Symbol("Recreate"); });
  cluster.agenda.run_until_idle();
  std::int64_t most = 0;
  cluster.api.listen([&](const Change&) { most = std::max(most, static_cast<std::int64_t>(cluster.pods().size())); });
  cluster.edit<api::Deployment>("web", [](api::Deployment& web) { set_image(web.spec.pod_template, "v2"); });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(most, 4);
  EXPECT_EQ(cluster.count(PodState::kReady), 4);
  EXPECT_EQ(cluster.pods()[0]->spec->containers[0].image, "v2");
}

TEST(Controllers, DeleteEverythingThatBelongsToADeletedDeployment) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  cluster.remove<api::Deployment>("web");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.pods().size(), 0u);
  EXPECT_EQ(cluster.api.count(api::kind_of<api::ReplicaSet>()), 0u);
}

TEST(Controllers, KeepPodsWhoseOwnerWasNeverThere) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: web-77d8c5f9b6-x2x4z, labels: {pod-template-hash:
    77d8c5f9b6}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-77d8c5f9b6, uid: u1, controller:
    true}]}})");
  cluster.agenda.run_until_idle();
  ASSERT_EQ(cluster.pods().size(), 1u);
  EXPECT_EQ(cluster.controllers.group_of(*cluster.pods()[0]), "Deployment/web");
}

TEST(Controllers, MakeNoPodsForADeploymentWhoseReplicaSetsTheDumpLeftOut) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(R"({apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 4, selector:
    {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}, status: {replicas: 4}})");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.pods().size(), 0u);
}

TEST(Controllers, DoTheSameForTheSameSeedAndOtherwiseNot) {
  const auto names_of = [](std::uint64_t seed) {
    Cluster cluster(seed);
    cluster.faults.controller = {Latency::Shape::kUniform, Duration(), Duration::seconds(1)};
    cluster.add_node("n1");
    cluster.apply(kDeployment);
    cluster.agenda.run_until_idle();
    return cluster.pod_names();
  };
  EXPECT_EQ(names_of(7), names_of(7));
  EXPECT_NE(names_of(7), names_of(8));
}

TEST(Controllers, MakeManyPodsOfOneOwnerInOneGo) {
  Cluster cluster;
  cluster.binds = false;
  cluster.apply(kDeployment);
  cluster.edit<api::Deployment>("web", [](api::Deployment& web) { web.spec.replicas = 20'000; });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.pods().size(), 20'000u);
  // A look at the Deployment, one at the ReplicaSet, and one more at both, for the status.
  EXPECT_EQ(cluster.agenda.elapsed(), cluster.faults.controller.low * 3);
}

// --- StatefulSets ----------------------------------------------------------------------------------------------------

constexpr std::string_view kStatefulSet = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)";

TEST(Controllers, StartThePodsOfAStatefulSetOneAfterTheOther) {
  Cluster cluster;
  cluster.faults.pod_start = Latency::fixed(Duration::seconds(10));
  cluster.add_node("n1");
  cluster.apply(kStatefulSet);
  cluster.agenda.run_until(Duration::seconds(5));
  EXPECT_EQ(cluster.pod_names(), std::vector<std::string>({"db-0"}));
  cluster.agenda.run_until(Duration::seconds(15));
  EXPECT_EQ(cluster.pod_names(), std::vector<std::string>({"db-0", "db-1"}));
  cluster.agenda.run_until(Duration::seconds(40));
  EXPECT_EQ(cluster.count(PodState::kReady), 3);
  const auto pod = cluster.get<api::Pod>("db-2");
  ASSERT_EQ(pod->spec->volumes.size(), 1u);
  EXPECT_EQ(pod->spec->volumes[0].source.persistent_volume_claim->claim_name, "data-db-2");
  EXPECT_NE(cluster.get<api::PersistentVolumeClaim>("data-db-2"), nullptr);
  EXPECT_EQ(*pod->metadata.labels->find(Symbol("apps.kubernetes.io/pod-index")), "2");
}

TEST(Controllers, StartAllPodsOfAParallelStatefulSetAtOnce) {
  Cluster cluster;
  cluster.binds = false;
  cluster.apply(kStatefulSet);
  cluster.edit<api::StatefulSet>("db",
                                 [](api::StatefulSet& db) { db.spec.pod_management_policy = Symbol("Parallel"); });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.pods().size(), 3u);
}

TEST(Controllers, ScaleAStatefulSetDownFromTheTopAndKeepItsClaims) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kStatefulSet);
  cluster.agenda.run_until_idle();
  cluster.edit<api::StatefulSet>("db", [](api::StatefulSet& db) { db.spec.replicas = 1; });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.pod_names(), std::vector<std::string>({"db-0"}));
  EXPECT_NE(cluster.get<api::PersistentVolumeClaim>("data-db-2"), nullptr);
}

TEST(Controllers, GiveThePodOfAStatefulSetItsNameAgainWhenTheOldOneIsGone) {
  Cluster cluster;
  cluster.faults.termination = Latency::fixed(Duration::seconds(5));
  cluster.add_node("n1");
  cluster.apply(kStatefulSet);
  cluster.agenda.run_until_idle();
  const std::string uid = cluster.get<api::Pod>("db-1")->metadata.uid;
  cluster.remove<api::Pod>("db-1");
  cluster.agenda.run_until_idle();
  ASSERT_NE(cluster.get<api::Pod>("db-1"), nullptr);
  EXPECT_NE(cluster.get<api::Pod>("db-1")->metadata.uid, uid);
  EXPECT_EQ(cluster.count(PodState::kReady), 3);
}

TEST(Controllers, UpdateAStatefulSetFromTheTopOneAtATime) {
  Cluster cluster;
  cluster.faults.pod_start = Latency::fixed(Duration::seconds(1));
  cluster.add_node("n1");
  cluster.apply(kStatefulSet);
  cluster.agenda.run_until_idle();
  std::vector<std::string> deleted;
  std::int64_t fewest_ready = 100;
  cluster.api.listen([&](const Change& change) {
    const auto pod = change.object.as<api::Pod>();
    if (pod == nullptr) return;
    if (change.kind == Change::Kind::kDeleted) deleted.push_back(pod->metadata.name);
    fewest_ready = std::min(fewest_ready, cluster.count(PodState::kReady));
  });
  cluster.edit<api::StatefulSet>("db", [](api::StatefulSet& db) { set_image(db.spec.pod_template, "v2"); });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(deleted, std::vector<std::string>({"db-2", "db-1", "db-0"}));
  EXPECT_EQ(fewest_ready, 2);
  EXPECT_EQ(cluster.get<api::Pod>("db-0")->spec->containers[0].image, "v2");
}

// --- Jobs ------------------------------------------------------------------------------------------------------------

constexpr std::string_view kJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: sum}
spec:
  completions: 5
  parallelism: 2
  backoffLimit: 2
  template:
    metadata: {annotations: {berth.dev/runs: 10s}}
    spec: {restartPolicy: Never, containers: [{name: main}]}
)";

TEST(Controllers, RunAJobToItsEndAFewPodsAtATime) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kJob);
  cluster.agenda.run_until(Duration::seconds(5));
  EXPECT_EQ(cluster.count(PodState::kReady), 2);
  cluster.agenda.run_until(Duration::seconds(60));
  EXPECT_EQ(cluster.count(PodState::kSucceeded), 5);
  EXPECT_EQ(cluster.pods().size(), 5u);
  const auto job = cluster.get<api::Job>("sum");
  EXPECT_EQ(job->status.succeeded, 5);
  ASSERT_EQ(job->status.conditions.size(), 1u);
  EXPECT_EQ(job->status.conditions[0].type, "Complete");
  EXPECT_EQ(cluster.controllers.group_of(*cluster.pods()[0]), "Job/sum");
}

TEST(Controllers, ReplaceFailedPodsOfAJobAfterPausesUntilItIsTooMany) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kJob);
  cluster.edit<api::Job>("sum", [](api::Job& job) {
    job.spec.parallelism = 1;
    annotate(job.spec.pod_template, "berth.dev/fails", "true");
  });
  cluster.agenda.run_until(Duration::seconds(15));
  EXPECT_EQ(cluster.pods().size(), 1u);  // failed at 10 s, tried again at 20 s
  cluster.agenda.run_until(Duration::seconds(25));
  EXPECT_EQ(cluster.pods().size(), 2u);
  cluster.agenda.run_until(Duration::minutes(10));
  EXPECT_EQ(cluster.count(PodState::kFailed), 3);
  EXPECT_EQ(cluster.get<api::Job>("sum")->status.conditions[0].type, "Failed");
}

TEST(Controllers, ReplaceAPreemptedPodOfAJobAtOnce) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kJob);
  cluster.agenda.run_until(Duration::seconds(5));
  cluster.remove<api::Pod>(cluster.pod_names()[0]);
  cluster.agenda.run_until(Duration::seconds(6));
  EXPECT_EQ(cluster.count(PodState::kReady), 2);
  EXPECT_EQ(cluster.get<api::Job>("sum")->status.failed, 0);
}

TEST(Controllers, NumberThePodsOfAnIndexedJob) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kJob);
  cluster.edit<api::Job>("sum", [](api::Job& job) { job.spec.completion_mode = Symbol("Indexed"); });
  cluster.agenda.run_until(Duration::seconds(60));
  std::set<std::string> indexes;
  for (const api::PodPtr& pod : cluster.pods()) {
    indexes.insert(*pod->metadata.annotations->find(Symbol("batch.kubernetes.io/job-completion-index")));
  }
  EXPECT_EQ(indexes, std::set<std::string>({"0", "1", "2", "3", "4"}));
  EXPECT_EQ(cluster.pods().size(), 5u);
}

// --- DaemonSets ------------------------------------------------------------------------------------------------------

constexpr std::string_view kDaemonSet = R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main}]}
)";

std::vector<std::string> nodes_with_pods(const Cluster& cluster) {
  std::vector<std::string> nodes;
  for (const api::PodPtr& pod : cluster.pods()) nodes.push_back(pod->spec.node_name.str());
  std::ranges::sort(nodes);
  return nodes;
}

TEST(Controllers, GiveEachNodeOnePodOfADaemonSet) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.add_node("n2");
  cluster.apply(kDaemonSet);
  cluster.agenda.run_until_idle();
  EXPECT_EQ(nodes_with_pods(cluster), std::vector<std::string>({"n1", "n2"}));
  cluster.add_node("n3");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(nodes_with_pods(cluster), std::vector<std::string>({"n1", "n2", "n3"}));
  cluster.remove<api::Node>("n2");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(nodes_with_pods(cluster), std::vector<std::string>({"n1", "n3"}));
  const auto pod = cluster.pods()[0];
  const api::NodeSelectorTerm& term = pod->spec->affinity->node_affinity->required->node_selector_terms[0];
  EXPECT_EQ(term.match_fields[0].key, "metadata.name");
  EXPECT_EQ(pod->spec->tolerations.size(), 6u);
}

TEST(Controllers, KeepADaemonSetOffNodesThatItDoesNotMatchOrTolerate) {
  Cluster cluster;
  cluster.add_node("n1", "a");
  cluster.add_node("n2", "b");
  cluster.add_node("n3", "a");
  cluster.edit<api::Node>("n3", [](api::Node& node) {
    node.spec.taints.push_back(
        {.key = Symbol("dedicated"), .value = {}, .effect = Symbol("NoSchedule"), .time_added = {}});
  });
  cluster.apply(kDaemonSet);
  cluster.edit<api::DaemonSet>("agent", [](api::DaemonSet& agent) {
    api::PodTemplate spec = *agent.spec.pod_template.spec;
    spec.node_selector = api::Labels{{"topology.kubernetes.io/zone", Symbol("a")}};
    agent.spec.pod_template.spec.shared = std::move(spec);
  });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(nodes_with_pods(cluster), std::vector<std::string>({"n1"}));
}

TEST(Controllers, UpdateADaemonSetOneNodeAtATime) {
  Cluster cluster;
  cluster.faults.pod_start = Latency::fixed(Duration::seconds(1));
  for (const std::string_view node : {"n1", "n2", "n3"}) cluster.add_node(node);
  cluster.apply(kDaemonSet);
  cluster.agenda.run_until_idle();
  std::int64_t fewest_ready = 100;
  cluster.api.listen([&](const Change&) { fewest_ready = std::min(fewest_ready, cluster.count(PodState::kReady)); });
  cluster.edit<api::DaemonSet>("agent", [](api::DaemonSet& agent) { set_image(agent.spec.pod_template, "v2"); });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(fewest_ready, 2);
  ASSERT_EQ(cluster.count(PodState::kReady), 3);
  for (const api::PodPtr& pod : cluster.pods()) EXPECT_EQ(pod->spec->containers[0].image, "v2");
}

}  // namespace
}  // namespace berth::sim
