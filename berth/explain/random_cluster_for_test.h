// Random clusters with one pending pod, for tests of what has to hold for every answer about it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/interned.h"
#include "berth/base/rng.h"
#include "berth/codec/documents.h"

namespace berth::explain {

// A cluster of a few nodes with something in the way of most pods, and one pending pod "d/x".
class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t seed) : rng_(seed) {
    percent_ = std::vector<std::size_t>{25, 50, 100}[pick(3)];
    const std::size_t nodes = 1 + pick(6);
    for (std::size_t i = 1; i <= nodes; ++i) add_node(fmt::format("n-{}", i));
    const std::size_t pods = pick(12);
    for (std::size_t i = 0; i < pods; ++i) add_placed_pod(i, nodes);
    add_budgets();
    add_pending();
  }
  const std::string& text() const { return text_; }
  // It may go to n-1 alone.
  bool is_pinned() const { return is_pinned_; }
  // It has a claim that does not exist.
  bool waits_for_claim() const { return waits_for_claim_; }

 private:
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(rng_.below(n)); }
  // Of trouble: in some worlds there is much of it, in others so little that one thing decides.
  bool chance(std::size_t percent) { return pick(100) < percent * percent_ / 100; }
  template <typename... T>
  std::string one_of(T... options) {
    const std::vector<std::string> all = {options...};
    return all[pick(all.size())];
  }

  void add_node(const std::string& name) {
    std::string labels = "kubernetes.io/hostname: " + name;
    if (pick(10) < 8) labels += ", topology.kubernetes.io/zone: " + one_of("a", "b", "c");
    if (pick(2) == 0) labels += ", disktype: " + one_of("ssd", "hdd");
    if (chance(30)) labels += ", pool: " + one_of("blue", "green");
    std::vector<std::string> taints;
    if (chance(15)) taints.emplace_back("{key: dedicated, value: gpu, effect: NoSchedule}");
    if (chance(8)) taints.emplace_back("{key: node.kubernetes.io/not-ready, effect: NoExecute}");
    if (chance(8)) taints.emplace_back("{key: ToBeDeletedByClusterAutoscaler, value: \"17\", effect: NoSchedule}");
    if (chance(5)) taints.emplace_back("{key: example.com/agent-not-ready, effect: NoSchedule}");
    if (chance(8)) taints.emplace_back("{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}");
    const std::string extra = chance(25) ? ", example.com/gpu: \"2\"" : "";
    text_ += fmt::format(
        "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {}, labels: {{{}}}}}\nspec: {{taints: [{}]{}}}\n"
        "status: {{allocatable: {{cpu: \"{}\", memory: {}Gi, pods: \"{}\"{}}}}}\n",
        name, labels, fmt::join(taints, ", "), chance(12) ? ", unschedulable: true" : "", 1 + pick(8), 1 + pick(16),
        chance(10) ? 1 : 20, extra);
  }

  void add_placed_pod(std::size_t i, std::size_t nodes) {
    std::string more;
    if (chance(15)) {
      more = ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " +
             one_of("kubernetes.io/hostname", "topology.kubernetes.io/zone") +
             ", labelSelector: {matchLabels: {app: x}}}]}}";
    }
    const std::string port = chance(25) ? ", ports: [{containerPort: 80, hostPort: 80}]" : "";
    const std::string name_space = one_of("d", "d", "other", "kube-system");
    text_ += fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p-{}, namespace: {}, labels: {{app: {}}}}}\n"
        "spec: {{nodeName: n-{}, priority: {}, containers: [{{name: c, resources: {{requests: {{cpu: {}m, memory: "
        "{}Mi}}}}{}}}]{}}}\nstatus: {{phase: Running}}\n",
        i, name_space, one_of("x", "db", "web"), 1 + pick(nodes), pick(3) * 10, pick(3000), pick(4000), port, more);
  }

  void add_budgets() {
    if (!chance(40)) return;
    text_ +=
        "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: d}\n"
        "spec: {selector: {matchLabels: {app: " +
        one_of("x", "db") + "}}}\nstatus: {disruptionsAllowed: 0}\n";
    text_ += "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n";
  }

  void add_pending() {
    std::vector<std::string> spec;
    if (chance(25)) spec.push_back("nodeSelector: {disktype: " + one_of("ssd", "sdd", "nvme") + "}");
    std::vector<std::string> affinity;
    is_pinned_ = chance(10);
    if (is_pinned_) {
      // As the pods of a DaemonSet are.
      affinity.emplace_back(
          "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: "
          "metadata.name, operator: In, values: [n-1]}]}]}}");
    } else if (chance(15)) {
      affinity.push_back(
          "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
          "[{key: pool, operator: " +
          one_of("In, values: [blue]", "In, values: [red, green]", "Exists", "DoesNotExist", "NotIn, values: [blue]") +
          "}]}" + (chance(30) ? ", {matchExpressions: [{key: tier, operator: In, values: [gold]}]}" : "") + "]}}");
    }
    if (chance(20)) {
      affinity.push_back(
          "podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " +
          one_of("kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/zones") +
          ", labelSelector: {matchLabels: {app: " + one_of("db", "redis", "x") + "}}}]}");
    }
    if (chance(25)) {
      affinity.push_back("podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " +
                         one_of("kubernetes.io/hostname", "topology.kubernetes.io/zone") +
                         ", labelSelector: {matchLabels: {app: " + one_of("db", "web", "x") + "}}}]}");
    }
    if (!affinity.empty()) spec.push_back(fmt::format("affinity: {{{}}}", fmt::join(affinity, ", ")));
    if (chance(40)) {
      spec.push_back(
          fmt::format("topologySpreadConstraints: [{{maxSkew: 1, topologyKey: {}, whenUnsatisfiable: DoNotSchedule, "
                      "labelSelector: {{matchLabels: {{app: {}}}}}{}}}]",
                      one_of("topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"), one_of("x", "db"),
                      chance(20) ? ", minDomains: 4" : ""));
    }
    const std::string port = chance(25) ? ", ports: [{containerPort: 80, hostPort: 80}]" : "";
    const std::string gpu = chance(15) ? ", example.com/gpu: \"" + one_of("1", "4") + "\"" : "";
    const std::size_t cpu = chance(15) ? 48000 : pick(9000);
    const std::string requests =
        fmt::format("{{cpu: {}m, memory: {}Mi{}}}", cpu, chance(15) ? 600000 : pick(12000), gpu);
    waits_for_claim_ = chance(8);
    if (waits_for_claim_) spec.emplace_back("volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]");
    const std::string containers =
        fmt::format("containers: [{{name: c, resources: {{requests: {}}}{}}}]", requests, port);
    const std::string all = fmt::format("{}{}{}", fmt::join(spec, ", "), spec.empty() ? "" : ", ", containers);
    const bool is_owned = chance(40);
    if (is_owned) {
      text_ += fmt::format(
          "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: x, namespace: d}}\nspec: {{selector: "
          "{{matchLabels: {{app: x}}}}, template: {{metadata: {{labels: {{app: x}}}}, spec: {{{0}}}}}}}\n"
          "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: x-1, namespace: d, ownerReferences: "
          "[{{apiVersion: apps/v1, kind: Deployment, name: x, uid: u1, controller: true}}]}}\nspec: {{selector: "
          "{{matchLabels: {{app: x}}}}, template: {{metadata: {{labels: {{app: x}}}}, spec: {{{0}}}}}}}\n",
          all);
    }
    text_ += fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: x, namespace: d, labels: {{app: x}}{}}}\nspec: {{{}}}\n"
        "status: {{phase: Pending}}\n",
        is_owned ? ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: x-1, uid: u2, controller: true}]"
                 : "",
        all);
  }

  Rng rng_;
  std::size_t percent_ = 100;
  bool is_pinned_ = false;
  bool waits_for_claim_ = false;
  std::string text_;
};

inline std::vector<api::AnyObject> objects_of(const std::string& text, InternPool& pool) {
  codec::DecodeOptions options;
  options.pool = &pool;
  codec::Documents documents;
  codec::read_documents(text, "test.yaml", options, documents);
  EXPECT_TRUE(documents.errors.empty()) << documents.errors.front().message() << text;
  return documents.objects;
}

}  // namespace berth::explain
