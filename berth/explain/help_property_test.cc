// Random clusters and pods over all plugins, and what has to hold for every answer about them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "berth/admission/admission.h"
#include "berth/codec/json.h"
#include "berth/explain/explain.h"
#include "berth/explain/facts.h"
#include "berth/explain/json_patch_for_test.h"
#include "berth/explain/random_cluster_for_test.h"

namespace berth::explain {
namespace {

constexpr std::uint64_t kSeeds = 800;

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
    const RandomCluster world(seed);
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
    const RandomCluster world(seed);
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
    const RandomCluster world(seed);
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
    const RandomCluster world(seed);
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
    const RandomCluster world(seed);
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
      const Symbol gpu("example.com/gpu");
      const std::int64_t* wanted = needed.scalars.find(gpu);
      const std::int64_t* there = node.allocatable.scalars.find(gpu);
      if (wanted != nullptr) expect_lack(gpu.text(), *wanted, there == nullptr ? 0 : *there);
      ++checked;
    }
  }
  EXPECT_GT(checked, kSeeds / 50);
}

}  // namespace
}  // namespace berth::explain
