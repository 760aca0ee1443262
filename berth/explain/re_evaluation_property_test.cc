// What explain says, against every node looked at by itself with rules as plain as they can be written down: no
// plugins, no snapshots, nothing remembered. Both have to come to the same nodes, reasons and counts.
//
// The rules cover what RandomCluster makes: no tolerations, one container, one term of each kind, one constraint.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/explain/explain.h"
#include "berth/explain/random_cluster_for_test.h"

namespace berth::explain {
namespace {

constexpr std::uint64_t kSeeds = 800;

struct Rejection {
  std::string plugin;
  std::vector<std::string> reasons;
};

class PlainRules {
 public:
  explicit PlainRules(const std::vector<api::AnyObject>& objects) {
    for (const api::AnyObject& object : objects) {
      if (const auto node = object.as<api::Node>()) nodes_.push_back(node);
      if (const auto pod = object.as<api::Pod>()) {
        if (pod->spec.node_name == "") {
          pod_ = pod;
        } else {
          placed_.push_back(pod);
        }
      }
    }
  }

  const std::vector<api::NodePtr>& nodes() const { return nodes_; }

  // In the order of the default profile's filters; empty if the node can take the pod.
  std::vector<Rejection> rejections(const api::Node& node) const {
    std::vector<Rejection> all;
    const auto reject = [&](const char* plugin, std::vector<std::string> reasons) {
      if (!reasons.empty()) all.push_back({plugin, std::move(reasons)});
    };
    if (node.spec.unschedulable) reject("NodeUnschedulable", {"node(s) were unschedulable"});
    if (!node.spec.taints.empty()) reject("TaintToleration", {"node(s) had untolerated taint(s)"});
    if (!matches_affinity(node)) reject("NodeAffinity", {"node(s) didn't match Pod's node affinity/selector"});
    if (has_port(*pod_) && std::ranges::any_of(pods_on(node), [](const auto& pod) { return has_port(*pod); })) {
      reject("NodePorts", {"node(s) didn't have free ports for the requested pod ports"});
    }
    reject("NodeResourcesFit", lacking(node));
    reject("PodTopologySpread", spread(node));
    reject("InterPodAffinity", neighbours(node));
    return all;
  }

  // As kube-scheduler counts: a node by the reasons of the first filter that rejects it.
  std::string message() const {
    std::map<std::string, int> counts;
    for (const api::NodePtr& node : nodes_) {
      const std::vector<Rejection> all = rejections(*node);
      if (all.empty()) continue;
      for (const std::string& reason : all.front().reasons) ++counts[reason];
    }
    std::vector<std::string> parts;
    for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
    std::ranges::sort(parts);
    return fmt::format("0/{} nodes are available: {}.", nodes_.size(), fmt::join(parts, ", "));
  }

 private:
  static bool has_port(const api::Pod& pod) { return !pod.spec->containers.at(0).ports.empty(); }

  static std::string label(const api::Labels& labels, Symbol key) {
    const Symbol* found = labels.find(key);
    return found == nullptr ? "" : found->str();
  }

  std::vector<api::PodPtr> pods_on(const api::Node& node) const {
    std::vector<api::PodPtr> pods;
    for (const api::PodPtr& pod : placed_) {
      if (pod->spec.node_name == Symbol(node.metadata.name)) pods.push_back(pod);
    }
    return pods;
  }

  static bool meets(const api::NodeSelectorRequirement& requirement, const std::string& value) {
    const bool is_there = !value.empty();
    const bool is_listed = std::ranges::find(requirement.values, Symbol(value)) != requirement.values.end();
    if (requirement.op == "In") return is_there && is_listed;
    if (requirement.op == "NotIn") return !is_listed;
    return is_there == (requirement.op == "Exists");
  }

  bool matches_affinity(const api::Node& node) const {
    for (const auto& wanted : pod_->spec->node_selector) {
      if (label(*node.metadata.labels, wanted.key) != wanted.value.str()) return false;
    }
    const api::Affinity* affinity = pod_->spec->affinity.get();
    if (affinity == nullptr || !affinity->node_affinity || !affinity->node_affinity->required) return true;
    return std::ranges::any_of(affinity->node_affinity->required->node_selector_terms, [&](const auto& term) {
      return std::ranges::all_of(
                 term.match_expressions,
                 [&](const auto& each) { return meets(each, label(*node.metadata.labels, each.key)); }) &&
             std::ranges::all_of(term.match_fields, [&](const auto& each) { return meets(each, node.metadata.name); });
    });
  }

  static std::int64_t amount(const api::ResourceList& resources, std::string_view name) {
    const auto* found = resources.find(Symbol(name));
    return found == nullptr ? 0 : found->milli_value();
  }

  std::vector<std::string> lacking(const api::Node& node) const {
    std::vector<std::string> reasons;
    const std::vector<api::PodPtr> pods = pods_on(node);
    if (1000 * (std::ssize(pods) + 1) > amount(node.status.allocatable, "pods")) reasons.emplace_back("Too many pods");
    for (const std::string_view resource : {"cpu", "memory", "example.com/gpu"}) {
      const auto requested = [&](const api::Pod& pod) {
        return amount(pod.spec->containers.at(0).resources.requests, resource);
      };
      std::int64_t used = 0;
      for (const api::PodPtr& pod : pods) used += requested(*pod);
      const std::int64_t wanted = requested(*pod_);
      if (wanted > 0 && wanted + used > amount(node.status.allocatable, resource)) {
        reasons.push_back(fmt::format("Insufficient {}", resource));
      }
    }
    return reasons;
  }

  // Whether a pod is one that a selector of a pod in `name_space` means.
  static bool selects(const std::optional<api::LabelSelector>& selector, Symbol name_space, const api::Pod& pod) {
    return pod.metadata.name_space == name_space &&
           std::ranges::all_of(selector->match_labels, [&](const auto& wanted) {
             return label(*pod.metadata.labels, wanted.key) == wanted.value.str();
           });
  }

  const api::Node& node_of(const api::Pod& pod) const {
    return **std::ranges::find_if(
        nodes_, [&](const api::NodePtr& node) { return Symbol(node->metadata.name) == pod.spec.node_name; });
  }

  std::vector<std::string> spread(const api::Node& node) const {
    for (const api::TopologySpreadConstraint& constraint : pod_->spec->topology_spread_constraints) {
      const std::string here = label(*node.metadata.labels, constraint.topology_key);
      if (here.empty()) return {"node(s) didn't match pod topology spread constraints (missing required label)"};
      std::map<std::string, int> pods_by_domain;
      for (const api::NodePtr& each : nodes_) {
        const std::string domain = label(*each->metadata.labels, constraint.topology_key);
        if (!domain.empty() && matches_affinity(*each)) pods_by_domain[domain] += 0;
      }
      for (const api::PodPtr& pod : placed_) {
        const api::Node& its_node = node_of(*pod);
        if (!matches_affinity(its_node) || !selects(constraint.label_selector, pod_->metadata.name_space, *pod))
          continue;
        const std::string domain = label(*its_node.metadata.labels, constraint.topology_key);
        if (!domain.empty()) ++pods_by_domain[domain];
      }
      int fewest = std::numeric_limits<int>::max();
      for (const auto& [domain, pods] : pods_by_domain) fewest = std::min(fewest, pods);
      if (std::ssize(pods_by_domain) < constraint.min_domains.value_or(1)) fewest = 0;
      const int self = selects(constraint.label_selector, pod_->metadata.name_space, *pod_) ? 1 : 0;
      const auto found = pods_by_domain.find(here);
      const int count = found == pods_by_domain.end() ? 0 : found->second;
      if (fewest != std::numeric_limits<int>::max() && count + self - fewest > constraint.max_skew) {
        return {"node(s) didn't match pod topology spread constraints"};
      }
    }
    return {};
  }

  // Whether a placed pod that the term means is in the domain of the node.
  bool has_neighbour(const api::PodAffinityTerm& term, const std::string& domain) const {
    return std::ranges::any_of(placed_, [&](const api::PodPtr& pod) {
      return selects(term.label_selector, pod_->metadata.name_space, *pod) &&
             label(*node_of(*pod).metadata.labels, term.topology_key) == domain;
    });
  }

  std::vector<std::string> neighbours(const api::Node& node) const {
    const api::Affinity* affinity = pod_->spec->affinity.get();
    if (affinity != nullptr && affinity->pod_affinity) {
      for (const api::PodAffinityTerm& term : affinity->pod_affinity->required) {
        const std::string here = label(*node.metadata.labels, term.topology_key);
        // The first pod of a group that wants to be together goes anywhere with a domain.
        const bool is_first = selects(term.label_selector, pod_->metadata.name_space, *pod_) &&
                              std::ranges::none_of(nodes_, [&](const api::NodePtr& each) {
                                const std::string domain = label(*each->metadata.labels, term.topology_key);
                                return !domain.empty() && has_neighbour(term, domain);
                              });
        if (here.empty() || (!is_first && !has_neighbour(term, here))) {
          return {"node(s) didn't match pod affinity rules"};
        }
      }
    }
    if (affinity != nullptr && affinity->pod_anti_affinity) {
      for (const api::PodAffinityTerm& term : affinity->pod_anti_affinity->required) {
        const std::string here = label(*node.metadata.labels, term.topology_key);
        if (!here.empty() && has_neighbour(term, here)) return {"node(s) didn't match pod anti-affinity rules"};
      }
    }
    for (const api::PodPtr& pod : placed_) {
      const api::Affinity* others = pod->spec->affinity.get();
      if (others == nullptr || !others->pod_anti_affinity) continue;
      for (const api::PodAffinityTerm& term : others->pod_anti_affinity->required) {
        const std::string here = label(*node.metadata.labels, term.topology_key);
        if (!here.empty() && here == label(*node_of(*pod).metadata.labels, term.topology_key) &&
            selects(term.label_selector, pod->metadata.name_space, *pod_)) {
          return {"node(s) didn't satisfy existing pods anti-affinity rules"};
        }
      }
    }
    return {};
  }

  std::vector<api::NodePtr> nodes_;
  std::vector<api::PodPtr> placed_;
  api::PodPtr pod_;
};

// Without pods whose PreFilter decides for all nodes: there is no node to look at by itself then.
template <typename Fn>
void for_each_case(Fn&& fn) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomCluster random(seed);
    if (random.waits_for_claim() || random.is_pinned()) continue;
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, random.text()));
    InternPool pool;
    const std::vector<api::AnyObject> objects = objects_of(random.text(), pool);
    Cluster cluster(objects);
    const auto explained = explain(cluster, *cluster.find_pod("d/x"), config::default_config());
    ASSERT_TRUE(explained.has_value());
    fn(PlainRules(objects), *explained);
    if (testing::Test::HasFailure()) return;  // one is enough to look at
  }
}

TEST(ReEvaluation, APodFitsOnTheNodesThatTakeIt) {
  std::size_t fitting = 0, unschedulable = 0;
  for_each_case([&](const PlainRules& rules, const Explanation& e) {
    std::vector<std::string> feasible;
    for (const api::NodePtr& node : rules.nodes()) {
      if (rules.rejections(*node).empty()) feasible.push_back(node->metadata.name);
    }
    EXPECT_EQ(e.feasible_nodes, std::ssize(feasible)) << e.sentence;
    EXPECT_EQ(e.nodes, std::ssize(rules.nodes())) << e.sentence;
    EXPECT_EQ(e.answer == answer::kFits, !feasible.empty()) << e.sentence;
    if (e.answer == answer::kFits) {
      EXPECT_NE(std::ranges::find(feasible, e.node), feasible.end()) << e.sentence;
      ++fitting;
    }
    unschedulable += e.answer == answer::kUnschedulable ? 1 : 0;
  });
  EXPECT_GT(fitting, kSeeds / 10);
  EXPECT_GT(unschedulable, kSeeds / 10);
}

TEST(ReEvaluation, EveryNodeIsInTheGroupOfAFilterThatRejectsIt) {
  std::map<std::string, std::size_t> nodes_by_plugin;
  for_each_case([&](const PlainRules& rules, const Explanation& e) {
    std::map<std::string, const NodeGroup*> group_of;
    std::map<const NodeGroup*, std::set<std::string>> reasons_of;
    for (const NodeGroup& group : e.groups) {
      for (const std::string& node : group.nodes) {
        EXPECT_TRUE(group_of.emplace(node, &group).second) << node << " is in two groups: " << e.sentence;
      }
    }
    for (const api::NodePtr& node : rules.nodes()) {
      const std::vector<Rejection> all = rules.rejections(*node);
      const auto found = group_of.find(node->metadata.name);
      EXPECT_EQ(found == group_of.end(), all.empty()) << node->metadata.name << ": " << e.sentence;
      if (found == group_of.end()) continue;
      const auto rejection = std::ranges::find(all, found->second->plugin.str(), &Rejection::plugin);
      ASSERT_NE(rejection, all.end()) << node->metadata.name << ": " << found->second->sentence;
      reasons_of[found->second].insert(fmt::format("{}", fmt::join(rejection->reasons, ", ")));
      ++nodes_by_plugin[found->second->plugin.str()];
    }
    // Nodes that are short of different resources are one group, with the reason of one of them.
    for (const NodeGroup& group : e.groups) EXPECT_TRUE(reasons_of[&group].contains(group.reason)) << group.reason;
  });
  for (const std::string plugin : {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
                                   "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity"}) {
    EXPECT_GT(nodes_by_plugin[plugin], 0u) << plugin;
  }
}

TEST(ReEvaluation, TheMessageCountsEveryNodeByTheFirstFilterThatRejectsIt) {
  std::size_t checked = 0;
  for_each_case([&](const PlainRules& rules, const Explanation& e) {
    if (e.answer != answer::kUnschedulable && e.answer != answer::kPreempts) return;
    EXPECT_TRUE(e.message.starts_with(rules.message())) << e.message << "\n" << rules.message();
    ++checked;
  });
  EXPECT_GT(checked, kSeeds / 10);
}

}  // namespace
}  // namespace berth::explain
