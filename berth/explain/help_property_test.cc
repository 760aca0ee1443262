// Random clusters and pods over all plugins, and what has to hold for every answer about them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "berth/admission/admission.h"
#include "berth/base/rng.h"
#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/explain/explain.h"
#include "berth/explain/facts.h"
#include "berth/explain/json_patch_for_test.h"

namespace berth::explain {
namespace {

constexpr std::uint64_t kSeeds = 800;

// A cluster of a few nodes with something in the way of most pods, and one pending pod "d/x".
class World {
 public:
  explicit World(std::uint64_t seed) : rng_(seed) {
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
    if (chance(15)) taints.push_back("{key: dedicated, value: gpu, effect: NoSchedule}");
    if (chance(8)) taints.push_back("{key: node.kubernetes.io/not-ready, effect: NoExecute}");
    if (chance(8)) taints.push_back("{key: ToBeDeletedByClusterAutoscaler, value: \"17\", effect: NoSchedule}");
    if (chance(5)) taints.push_back("{key: example.com/agent-not-ready, effect: NoSchedule}");
    if (chance(8)) taints.push_back("{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}");
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
      affinity.push_back(
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
    if (waits_for_claim_) spec.push_back("volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]");
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

std::vector<api::AnyObject> objects_of(const std::string& text, InternPool& pool) {
  codec::DecodeOptions options;
  options.pool = &pool;
  codec::Documents documents;
  codec::read_documents(text, "test.yaml", options, documents);
  EXPECT_TRUE(documents.errors.empty()) << documents.errors.front().message() << text;
  return documents.objects;
}

// A pod that was made anew has its priority from its class.
Explanation explanation_of(const std::vector<api::AnyObject>& objects, bool is_new = false) {
  Cluster cluster(objects);
  const auto pod = cluster.find_pod("d/x");
  EXPECT_TRUE(pod.has_value());
  api::PodPtr made = *pod;
  if (is_new) {
    admission::Admission admission;
    for (const api::AnyObject& object : objects) (void)admission.add(object);
    const auto admitted = admission.admit(**pod, admission::Origin::kCluster);
    EXPECT_TRUE(admitted.has_value());
    made = std::make_shared<const api::Pod>(*admitted);
  }
  const auto result = explain(cluster, made, config::default_config());
  EXPECT_TRUE(result.has_value());
  return *result;
}

TEST(Help, EveryUnschedulablePodGetsASuggestionOrIsToldWhyThereIsNone) {
  std::map<std::string, std::size_t> kinds;
  std::size_t unschedulable = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    InternPool pool;
    const World world(seed);
    const Explanation e = explanation_of(objects_of(world.text(), pool));
    if (e.answer != answer::kUnschedulable) continue;
    ++unschedulable;
    EXPECT_NE(e.help.empty(), e.no_help.empty()) << e.sentence << e.no_help;
    // For a pod that may go anywhere, a node can always be made up.
    EXPECT_TRUE(world.is_pinned() || world.waits_for_claim() || !e.help.empty()) << e.sentence << "\n" << e.no_help;
    for (const Help& help : e.help) ++kinds[help.kind.str()];
  }
  EXPECT_GT(unschedulable, kSeeds / 3);
  for (const std::string kind : {"selector", "toleration", "uncordon", "request", "neighbours", "spread", "nodes",
                                 "affinity", "combination", "node", "label"}) {
    EXPECT_GT(kinds[kind], 0u) << kind;
  }
}

TEST(Help, EverySuggestionWorksWhenItsChangesAreMade) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    InternPool pool;
    const World world(seed);
    const std::vector<api::AnyObject> objects = objects_of(world.text(), pool);
    const Explanation e = explanation_of(objects);
    if (e.answer != answer::kUnschedulable) continue;
    for (const Help& help : e.help) {
      // A claim needs a volume, and what makes that is not in the dump.
      if (help.kind == "claim") continue;
      SCOPED_TRACE(fmt::format("seed {}: {}\n{}", seed, help.sentence, help.command));
      ASSERT_FALSE(help.changes.empty());
      const auto changed = with_changes(objects, help.changes, "d/x");
      ASSERT_TRUE(changed.has_value()) << changed.error().message();
      const Explanation then = explanation_of(*changed, true);
      EXPECT_EQ(then.answer, Symbol(help.kind == "priority" ? answer::kPreempts : answer::kFits))
          << then.sentence << world.text();
      ++checked;
    }
  }
  EXPECT_GT(checked, kSeeds);
}

TEST(Help, NothingIsSuggestedThatWouldHurt) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    InternPool pool;
    const World world(seed);
    const std::vector<api::AnyObject> objects = objects_of(world.text(), pool);
    const Cluster cluster(objects);
    const Explanation e = explanation_of(objects);
    for (const Help& help : e.help) {
      SCOPED_TRACE(fmt::format("seed {}: {}", seed, help.sentence));
      for (const FieldChange& change : help.changes) {
        if (change.path.find("/tolerations") != std::string::npos) {
          for (const std::string_view state : {"node.kubernetes.io", "ToBeDeleted", "agent-not-ready"}) {
            EXPECT_EQ(change.to->text.find(state), std::string::npos) << change.to->text;
          }
          const bool is_reserved = change.to->text.find("control-plane") != std::string::npos;
          EXPECT_TRUE(!is_reserved || e.help.size() == 1);
        }
        if (change.op == "delete") {
          EXPECT_NE(change.name_space.text(), "kube-system");
        }
        const bool is_node = change.kind == "Node" && change.op != "create";
        if (is_node && change.path.find("unschedulable") != std::string::npos) {
          const cache::RowId row = cluster.cache.nodes().row_of(Symbol(change.name));
          EXPECT_EQ(node_trouble(*cluster.cache.nodes().at(row).node), "");
        }
      }
    }
  }
}

// The numbers at the front of the clauses of the headline.
std::vector<std::size_t> counts_in(const std::string& sentence) {
  std::vector<std::size_t> counts;
  int depth = 0;
  for (std::size_t i = sentence.find(": "); i + 2 < sentence.size(); ++i) {
    depth += sentence[i] == '(' ? 1 : sentence[i] == ')' ? -1 : 0;
    const bool begins = depth == 0 && (sentence.compare(i, 2, ": ") == 0 || sentence.compare(i, 2, ", ") == 0);
    // "48 cpu, 6.7Gi memory" is no count of nodes.
    const std::size_t end = sentence.find_first_not_of("0123456789", i + 2);
    if (begins && end != i + 2 && end != std::string::npos && sentence[end] == ' ') {
      counts.push_back(std::stoul(sentence.substr(i + 2)));
    }
  }
  return counts;
}

TEST(Headline, CountsEveryNodeOnceAndNamesTheReasonOfMostNodesFirst) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    InternPool pool;
    const World world(seed);
    const Explanation e = explanation_of(objects_of(world.text(), pool));
    if (e.answer != answer::kUnschedulable) continue;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, e.sentence));
    std::size_t grouped = 0, last = static_cast<std::size_t>(e.nodes);
    for (const NodeGroup& group : e.groups) {
      grouped += group.nodes.size();
      EXPECT_LE(group.nodes.size(), last);
      last = group.nodes.size();
    }
    EXPECT_EQ(grouped, world.waits_for_claim() ? 0u : static_cast<std::size_t>(e.nodes));
    if (e.sentence.find("fits on none of the ") == std::string::npos) continue;
    const std::vector<std::size_t> counts = counts_in(e.sentence);
    if (counts.empty()) continue;  // "all 3", "both"
    ++checked;
    std::size_t sum = 0;
    for (const std::size_t count : counts) sum += count;
    EXPECT_EQ(sum, static_cast<std::size_t>(e.nodes));
    EXPECT_TRUE(std::ranges::is_sorted(counts, std::ranges::greater()));
    // Groups of one plugin may be one clause.
    EXPECT_GE(counts.front(), e.groups.front().nodes.size());
  }
  EXPECT_GT(checked, kSeeds / 50);
}

TEST(Headline, TheNearestNodeIsTheOneWithTheSmallestLargestShortage) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    InternPool pool;
    const World world(seed);
    const std::vector<api::AnyObject> objects = objects_of(world.text(), pool);
    Cluster cluster(objects);
    const Explanation e = explanation_of(objects);
    const api::PodPtr pod = *cluster.find_pod("d/x");
    const auto needed = cluster.cache.compile(*pod)->usage.requested;
    for (const NodeGroup& group : e.groups) {
      const std::size_t at = group.sentence.find("nearest: ");
      if (at == std::string::npos) continue;
      SCOPED_TRACE(fmt::format("seed {}: {}", seed, group.sentence));
      const std::string rest = group.sentence.substr(at + 9);
      const std::string named = rest.substr(0, rest.find(','));
      // Worked out anew: the largest part of a request that is missing.
      const auto distance = [&](const std::string& name) {
        const cache::NodeState& node = cluster.cache.nodes().at(cluster.cache.nodes().row_of(Symbol(name)));
        double largest = 0;
        const auto add = [&](std::int64_t wants, std::int64_t free) {
          if (wants > free && wants > 0) {
            largest = std::max(largest, static_cast<double>(wants - free) / static_cast<double>(wants));
          }
        };
        add(needed.milli_cpu, node.allocatable.milli_cpu - node.requested.milli_cpu);
        add(needed.memory, node.allocatable.memory - node.requested.memory);
        add(1, node.allocatable.allowed_pods - std::ssize(node.pods));
        const Symbol gpu("example.com/gpu");
        const auto in = [&](const api::ResourceVector& vector) {
          const std::int64_t* found = vector.scalars.find(gpu);
          return found == nullptr ? 0 : *found;
        };
        if (in(needed) > 0) add(in(needed), in(node.allocatable) - in(node.requested));
        return largest;
      };
      for (const std::string& name : group.nodes) EXPECT_LE(distance(named), distance(name)) << name;
      const cache::NodeState& node = cluster.cache.nodes().at(cluster.cache.nodes().row_of(Symbol(named)));
      const auto expect_lack = [&](std::string_view resource, std::int64_t wants, std::int64_t free) {
        const std::string text = amount_of(Symbol(resource), wants - free, Round::kUp);
        EXPECT_EQ(rest.find(text) != std::string::npos, wants > 0 && wants > free) << text;
      };
      expect_lack("cpu", needed.milli_cpu, node.allocatable.milli_cpu - node.requested.milli_cpu);
      expect_lack("memory", needed.memory, node.allocatable.memory - node.requested.memory);
      ++checked;
    }
  }
  EXPECT_GT(checked, kSeeds / 50);
}

}  // namespace
}  // namespace berth::explain
