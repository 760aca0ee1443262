#include "berth/explain/probe.h"

#include <gtest/gtest.h>

#include "berth/codec/documents.h"

namespace berth::explain {
namespace {

std::vector<api::AnyObject> objects_in(std::string_view text) {
  codec::Documents documents;
  codec::read_documents(text, "test.yaml", {}, documents);
  for (const Error& error : documents.errors) ADD_FAILURE() << error.message();
  return documents.objects;
}

// What becomes of the manifest in the cluster of the dump.
struct Asked {
  std::unique_ptr<Cluster> cluster;
  std::optional<Probe> probe;
  api::PodPtr pod;
  std::string error;
};

Asked ask(std::string_view dump, std::string_view manifest) {
  const std::vector<api::AnyObject> objects = objects_in(dump);
  Asked asked;
  asked.cluster = std::make_unique<Cluster>(objects);
  auto probe = Probe::make(objects_in(manifest), objects);
  if (!probe) {
    asked.error = probe.error().message();
    return asked;
  }
  asked.probe.emplace(*std::move(probe));
  if (auto pod = asked.probe->make_pod(*asked.cluster)) {
    asked.pod = *std::move(pod);
  } else {
    asked.error = pod.error().what();
  }
  return asked;
}

constexpr std::string_view kHigh =
    "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n"
    "preemptionPolicy: Never\n";

std::string deployment(std::string_view name, std::string_view spec) {
  return fmt::format(
      "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {}}}\nspec:\n  selector: {{matchLabels: {{a: "
      "b}}}}\n"
      "  template:\n    metadata: {{labels: {{a: b}}}}\n    spec: {{{}}}\n",
      name, spec);
}

TEST(Probe, GetsTheDefaultsOfTheApiServer) {
  const Asked asked = ask(kHigh, deployment("web",
                                            "priorityClassName: high, hostNetwork: true, containers: [{name: c, ports: "
                                            "[{containerPort: 80}], resources: {limits: {cpu: 2}}}]"));
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  EXPECT_EQ(api::full_name(asked.pod->metadata), "default/web");
  EXPECT_EQ(asked.pod->spec->priority, 100);
  EXPECT_EQ(asked.pod->spec->preemption_policy, Symbol("Never"));
  EXPECT_EQ(asked.pod->spec->scheduler_name, Symbol("default-scheduler"));
  EXPECT_EQ(asked.pod->spec->containers[0].ports[0].host_port, 80);
  EXPECT_EQ(asked.pod->spec->containers[0].resources.requests.find(Symbol("cpu"))->str(), "2");
}

TEST(Probe, SaysWhichWorkloadWouldBeRefusedItsPodsAndWhy) {
  const std::string quota =
      "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\nspec: {hard: {pods: 0}}\n";
  EXPECT_EQ(ask(kHigh, deployment("web", "priorityClassName: hihg, containers: [{name: c}]")).error,
            "Deployment/web could not create its pods: pods \"web-...\" is forbidden: no PriorityClass with name hihg "
            "was found");
  EXPECT_EQ(ask(quota, deployment("web", "containers: [{name: c}]")).error,
            "Deployment/web could not create its pods: pods \"web-...\" is forbidden: exceeded quota: none, requested: "
            "pods=1, used: pods=0, limited: pods=0");
  EXPECT_EQ(ask(quota, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n").error,
            "pods \"p\" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0");
}

TEST(Probe, CountsThePodsOfTheDumpInQuotas) {
  const std::string dump =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: old}\nspec: {nodeName: n1, containers: [{name: c}]}\n---\n"
      "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: one, namespace: default}\nspec: {hard: {pods: 1}}\n";
  EXPECT_EQ(ask(dump, deployment("web", "containers: [{name: c}]")).error,
            "Deployment/web could not create its pods: pods \"web-...\" is forbidden: exceeded quota: one, requested: "
            "pods=1, used: pods=1, limited: pods=1");
}

TEST(Probe, HeedsClassesQuotasAndLimitsThatComeWithTheManifest) {
  const Asked asked =
      ask("", std::string(kHigh) + deployment("web", "priorityClassName: high, containers: [{name: c}]"));
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  EXPECT_EQ(asked.pod->spec->priority, 100);
}

TEST(Probe, SaysWhichOfSeveralWorkloadsItTook) {
  const Asked asked =
      ask("", deployment("web", "containers: [{name: c}]") + deployment("api", "containers: [{name: c}]"));
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  ASSERT_EQ(asked.probe->notes().size(), 1u);
  EXPECT_EQ(
      asked.probe->notes()[0],
      "The manifest has 2 pods and workloads; this is about Deployment/web, the first. Left out: Deployment/api.");
}

constexpr std::string_view kSet =
    "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  selector: {matchLabels: {a: b}}\n"
    "  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: c}]}\n"
    "  volumeClaimTemplates:\n  - metadata: {name: data}\n"
    "    spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}\n";
constexpr std::string_view kWaits =
    "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: x\n"
    "volumeBindingMode: WaitForFirstConsumer\n";
constexpr std::string_view kImmediate =
    "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: x\n"
    "volumeBindingMode: Immediate\n";

TEST(Probe, MakesTheClaimsOfAStatefulSet) {
  const Asked asked = ask(kWaits, kSet);
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  EXPECT_EQ(asked.pod->metadata.name, "db-0");
  ASSERT_EQ(asked.pod->spec->volumes.size(), 1u);
  EXPECT_EQ(asked.pod->spec->volumes[0].source.persistent_volume_claim->claim_name, "data-db-0");
  EXPECT_NE(asked.cluster->objects.persistent_volume_claims.find(Symbol("default"), "data-db-0"), nullptr);
}

TEST(Probe, TakesTheNextNumberOfAStatefulSetAndItsClaimIfThatIsThere) {
  const std::string dump = std::string(kWaits) +
                           "---\napiVersion: v1\nkind: Pod\nmetadata: {name: db-0, namespace: default}\n"
                           "spec: {nodeName: n1, containers: [{name: c}]}\n"
                           "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data-db-1, namespace: "
                           "default, uid: u}\nspec: {storageClassName: fast, volumeName: pv-7}\n";
  const Asked asked = ask(dump, kSet);
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  EXPECT_EQ(asked.pod->metadata.name, "db-1");
  EXPECT_EQ(asked.cluster->objects.persistent_volume_claims.find(Symbol("default"), "data-db-1")->spec.volume_name,
            "pv-7");
}

TEST(Probe, LeavesClaimsOutWhoseVolumesAreMadeBeforehand) {
  const Asked asked = ask(kImmediate, kSet);
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  EXPECT_TRUE(asked.pod->spec->volumes.empty());
  ASSERT_EQ(asked.probe->notes().size(), 1u);
  EXPECT_EQ(asked.probe->notes()[0], "The claim data is left out: its volume is made before a node is chosen.");
}

TEST(Probe, RefusesAStatefulSetWhoseClaimsExceedAQuota) {
  const std::string dump = std::string(kWaits) +
                           "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: disk}\n"
                           "spec: {hard: {requests.storage: 500Mi}}\n";
  EXPECT_EQ(ask(dump, kSet).error,
            "StatefulSet/db could not create its pods: persistentvolumeclaims \"data-db-0\" is forbidden: exceeded "
            "quota: disk, requested: requests.storage=1Gi, used: requests.storage=0, limited: requests.storage=500Mi");
}

TEST(Probe, MakesTheClaimsOfEphemeralVolumes) {
  const Asked asked =
      ask(kWaits,
          "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c}]\n  volumes:\n"
          "  - name: scratch\n    ephemeral: {volumeClaimTemplate: {spec: {storageClassName: fast, "
          "resources: {requests: {storage: 1Gi}}}}}\n");
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  const auto* claim = asked.cluster->objects.persistent_volume_claims.find(Symbol("default"), "p-scratch");
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(claim->metadata.owner_references->front().uid, asked.pod->metadata.uid);
}

TEST(Probe, BringsTheClaimsThatStandBesideIt) {
  const std::string claim =
      "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
      "spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}\n";
  const std::string pod =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}], volumes: [{name: d, "
      "persistentVolumeClaim: {claimName: data}}]}\n";
  const Asked asked = ask("", std::string(kWaits) + claim + pod);
  ASSERT_NE(asked.pod, nullptr) << asked.error;
  EXPECT_NE(asked.cluster->objects.persistent_volume_claims.find(Symbol("default"), "data"), nullptr);
  EXPECT_NE(asked.cluster->objects.storage_classes.find("fast"), nullptr);
  const Asked early = ask("", std::string(kImmediate) + claim + pod);
  ASSERT_NE(early.pod, nullptr) << early.error;
  EXPECT_TRUE(early.pod->spec->volumes.empty());
}

TEST(Probe, IsAnErrorIfThereIsNoPod) {
  EXPECT_EQ(ask("", "").error, "there is no pod in it");
  EXPECT_EQ(ask("", kHigh).error, "a PriorityClass is no pod, nor does it have a template for pods");
}

}  // namespace
}  // namespace berth::explain
