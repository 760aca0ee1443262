// `berth explain --pod-file` and `berth capacity --pod` give the same answer about the same manifest: at least one fits
// if and only if the pod fits, with preemption if and only if it fits or preempts, and what the API server refuses it
// refuses for both, in the same words. Tried on every pair of some clusters and manifests, and on random ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/base/rng.h"
#include "berth/explain/explain.h"
#include "berth/explain/probe.h"
#include "berth/whatif/capacity.h"
#include "berth/whatif/testing.h"

namespace berth::whatif {
namespace {

using testing::node;
using testing::objects_in;
using testing::pod;

struct Answer {
  std::string word;     // of explain
  std::string refusal;  // of both
};

Answer explained(const std::string& dump, const std::string& manifest) {
  const std::vector<api::AnyObject> objects = objects_in(dump);
  explain::Cluster cluster(objects);
  auto probe = explain::Probe::make(objects_in(manifest), objects);
  if (!probe) return {"", probe.error().what()};
  const auto made = probe->make_pod(cluster);
  if (!made) return {"", made.error().what()};
  const report::Settings settings;
  const auto explanation = explain::explain(cluster, *made, settings.config, settings.gates);
  if (!explanation) return {"", explanation.error().what()};
  return {explanation->answer.str(), ""};
}

// How many fit, up to one.
struct Room {
  std::int64_t instances = 0;
  std::string refusal;
};

Room capacity(const std::string& dump, const std::string& manifest, bool preemption) {
  const std::vector<api::AnyObject> objects = objects_in(dump);
  explain::Cluster cluster(objects);
  auto pods = new_pods(objects_in(manifest), objects);
  if (!pods) return {0, pods.error().what()};
  const auto found = capacity_of(cluster, *pods, {}, {.limit = 1, .preemption = preemption});
  if (!found) return {0, found.error().what()};
  return {found->instances, ""};
}

void expect_agreement(const std::string& dump, const std::string& manifest) {
  const Answer answer = explained(dump, manifest);
  const Room as_it_is = capacity(dump, manifest, false), with_preemption = capacity(dump, manifest, true);
  SCOPED_TRACE("explain: " + answer.word + answer.refusal);
  SCOPED_TRACE(dump + "\n=== and ===\n" + manifest);
  EXPECT_EQ(as_it_is.refusal, answer.refusal);
  EXPECT_EQ(with_preemption.refusal, answer.refusal);
  EXPECT_EQ(as_it_is.instances >= 1, answer.word == explain::answer::kFits);
  EXPECT_EQ(with_preemption.instances >= 1,
            answer.word == explain::answer::kFits || answer.word == explain::answer::kPreempts);
}

std::string storage_class(std::string_view name, std::string_view mode) {
  return fmt::format(
      "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {}}}\nprovisioner: x.example\n"
      "volumeBindingMode: {}\n",
      name, mode);
}

std::string priority_class(std::string_view name, int value) {
  return fmt::format("---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: {}}}\nvalue: {}\n",
                     name, value);
}

std::string csi_node(std::string_view name, int volumes) {
  return fmt::format(
      "---\napiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {{name: {}}}\n"
      "spec: {{drivers: [{{name: x.example, nodeID: a, allocatable: {{count: {}}}}}]}}\n",
      name, volumes);
}

std::string quota(std::string_view hard) {
  return fmt::format(
      "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q, namespace: default}}\nspec: {{hard: {{{}}}}}\n",
      hard);
}

std::string limit_range(std::string_view item) {
  return fmt::format(
      "---\napiVersion: v1\nkind: LimitRange\nmetadata: {{name: l, namespace: default}}\nspec: {{limits: [{{{}}}]}}\n",
      item);
}

std::string workload(std::string_view kind, std::string_view spec, std::string_view more = "") {
  const std::string_view group = kind == "Job" ? "batch/v1" : "apps/v1";
  return fmt::format(
      "---\napiVersion: {}\nkind: {}\nmetadata: {{name: w}}\nspec:\n  selector: {{matchLabels: {{app: w}}}}\n"
      "  template:\n    metadata: {{labels: {{app: w}}}}\n    spec: {{{}}}\n{}",
      group, kind, spec, more);
}

std::string container(std::string_view resources) {
  return fmt::format("containers: [{{name: a, image: x, resources: {{{}}}}}]", resources);
}

std::string claims(std::string_view storage_class_name) {
  return fmt::format(
      "  volumeClaimTemplates:\n  - metadata: {{name: data}}\n    spec: {{accessModes: [ReadWriteOnce], {}resources: "
      "{{requests: {{storage: 1Gi}}}}}}\n",
      storage_class_name.empty() ? "" : fmt::format("storageClassName: {}, ", storage_class_name));
}

const std::vector<std::string>& clusters() {
  static const std::string classes = priority_class("high", 1000) + priority_class("low", 1) +
                                     storage_class("late", "WaitForFirstConsumer") + storage_class("now", "Immediate");
  static const std::string full = pod("old-1", {.node = "n-1", .cpu = "3", .more = "priority: 0"}) +
                                  pod("old-2", {.node = "n-2", .cpu = "2", .more = "priority: 0"});
  static const std::vector<std::string> all = {
      "",
      classes,
      node("n-1", "4"),
      classes + node("n-1", "4") + node("n-2", "2", "general", "b"),
      classes + node("n-1", "4") + node("n-2", "2", "general", "b") + full,
      classes + node("n-1", "4") + csi_node("n-1", 0),
      classes + node("n-1", "4") + csi_node("n-1", 1),
      classes + node("n-1", "4") + quota("pods: 0"),
      classes + node("n-1", "4") + node("n-2", "2") + full + quota("pods: 3, requests.cpu: 6"),
      classes + node("n-1", "4") + quota("persistentvolumeclaims: 0"),
      classes + node("n-1", "4") + limit_range("type: Container, max: {cpu: 1}"),
      classes + node("n-1", "4") + limit_range("type: Container, defaultRequest: {cpu: 5}"),
      classes + node("n-1", "4") + limit_range("type: PersistentVolumeClaim, max: {storage: 500Mi}"),
  };
  return all;
}

const std::vector<std::string>& manifests() {
  const std::string ephemeral =
      "volumes: [{name: s, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: late, resources: {requests: "
      "{storage: 1Gi}}}}}}], ";
  static const std::vector<std::string> all = {
      pod("p", {.cpu = "1"}),
      pod("p", {.cpu = "3"}),
      pod("p", {.cpu = "3", .more = "priorityClassName: high"}),
      pod("p", {.cpu = "1", .more = "priorityClassName: nope"}),
      pod("p", {.cpu = "1", .more = "priority: 7"}),
      pod("p", {.cpu = "100"}),
      pod("p", {.cpu = "1", .more = "nodeSelector: {topology.kubernetes.io/zone: b}"}),
      workload("Deployment", container("requests: {cpu: 1}")),
      workload("Deployment", "priorityClassName: high, " + container("requests: {cpu: 2}")),
      workload("Deployment", container("limits: {cpu: 2}")),
      workload("Deployment", container("")),
      workload("ReplicaSet", container("requests: {cpu: 4}")),
      workload("Job", "restartPolicy: Never, priorityClassName: low, " + container("requests: {cpu: 3}")),
      workload("Deployment", ephemeral + container("requests: {cpu: 1}")),
      workload("StatefulSet", container("requests: {cpu: 1}")),
      workload("StatefulSet", container("requests: {cpu: 1}"), claims("late")),
      workload("StatefulSet", "priorityClassName: high, " + container("requests: {cpu: 3}"), claims("late")),
      workload("StatefulSet", container("requests: {cpu: 1}"), claims("now")),
      workload("StatefulSet", container("requests: {cpu: 1}"), claims("nope")),
      workload("StatefulSet", container("requests: {cpu: 1}"), claims("")),
  };
  return all;
}

TEST(ExplainAndCapacity, AgreeOnEveryPairOfClusterAndManifest) {
  for (const std::string& cluster : clusters()) {
    for (const std::string& manifest : manifests()) expect_agreement(cluster, manifest);
  }
}

// Nodes with pods on them, some tainted or in another zone, and perhaps a quota and a limit range.
std::string random_cluster(Rng& rng) {
  std::string dump =
      priority_class("high", 1000) + priority_class("low", 1) + storage_class("late", "WaitForFirstConsumer");
  const std::uint64_t nodes = rng.below(4);
  for (std::uint64_t i = 1; i <= nodes; ++i) {
    const std::string name = fmt::format("n-{}", i);
    dump += node(name, fmt::format("{}", 1 + rng.below(6)), "general", rng.below(2) == 0 ? "a" : "b");
    if (rng.below(3) == 0) dump += csi_node(name, static_cast<int>(rng.below(2)));
    for (std::uint64_t k = rng.below(3); k > 0; --k) {
      dump +=
          pod(fmt::format("old-{}-{}", i, k),
              {.node = name, .cpu = fmt::format("{}", 1 + rng.below(2)), .labels = "app: w", .more = "priority: 0"});
    }
  }
  if (rng.below(3) == 0) dump += quota(fmt::format("pods: {}", rng.below(6)));
  if (rng.below(4) == 0) dump += quota(fmt::format("requests.cpu: {}, requests.storage: 1Gi", 1 + rng.below(8)));
  if (rng.below(3) == 0) {
    dump +=
        limit_range(fmt::format("type: Container, max: {{cpu: {}}}, defaultRequest: {{cpu: 500m}}", 1 + rng.below(4)));
  }
  return dump;
}

std::string random_manifest(Rng& rng) {
  std::string spec;
  if (rng.below(3) == 0) spec += rng.below(2) == 0 ? "priorityClassName: high, " : "priorityClassName: low, ";
  if (rng.below(4) == 0) spec += "nodeSelector: {topology.kubernetes.io/zone: b}, ";
  if (rng.below(4) == 0) {
    spec +=
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
        "kubernetes.io/hostname, labelSelector: {matchLabels: {app: w}}}]}}, ";
  }
  if (rng.below(4) == 0) {
    spec +=
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {matchLabels: {app: w}}}], ";
  }
  const std::uint64_t cpu = rng.below(6);
  spec += container(cpu == 0 ? std::string()
                             : fmt::format("{}: {{cpu: {}}}", rng.below(3) == 0 ? "limits" : "requests", cpu));
  switch (rng.below(3)) {
    case 0: return workload("StatefulSet", spec, rng.below(2) == 0 ? claims("late") : "");
    case 1: return workload("ReplicaSet", spec);
    default: return workload("Deployment", spec);
  }
}

TEST(ExplainAndCapacity, AgreeOnRandomClustersAndManifests) {
  Rng rng(20);
  for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
    const std::string cluster = random_cluster(rng), manifest = random_manifest(rng);
    expect_agreement(cluster, manifest);
  }
}

}  // namespace
}  // namespace berth::whatif
