// What the tests of PodTopologySpread and InterPodAffinity share: a small cluster, a plugin that is asked about it, and
// the check that the fast ways to an answer give the same answers as the plain one. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"
#include "berth/cache/testing.h"
#include "berth/config/feature_gates.h"
#include "berth/config/scheduler_config.h"
#include "berth/framework/plugin.h"
#include "berth/framework/registry.h"

namespace berth::plugins::testing {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;

inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kHost = "kubernetes.io/hostname";

struct Cluster {
  cache::NodeTable table;
  cache::ClusterObjects objects;
  api::CompiledPods compiled;

  framework::ClusterView view() const { return {table, objects}; }
  void node(const NodeBuilder& node) { table.set_node(node.build()); }
  void node(std::string_view name, std::string_view zone) {
    node(NodeBuilder(name).label(kHost, name).label(kZone, zone));
  }
  void place(const PodBuilder& pod) {
    const api::PodPtr built = pod.build();
    table.add_pod(built, compiled.get(built->spec.shared));
  }
  framework::PodToPlace incoming(const PodBuilder& pod) {
    const api::PodPtr built = pod.build();
    return {built, compiled.get(built->spec.shared)};
  }
  cache::PlacedPod dry_run_pod(const PodBuilder& pod) {
    const api::PodPtr built = pod.build();
    return {built, compiled.get(built->spec.shared), nullptr};
  }
  const cache::NodeState& at(std::string_view node) const { return table.at(table.row_of(Symbol(node))); }
  void name_space(std::string_view name, const api::Labels& labels) {
    api::Namespace made;
    made.metadata.name = name;
    made.metadata.labels = labels;
    objects.namespaces.set(std::make_shared<const api::Namespace>(made));
  }
};

// "n1: ok", or what keeps the pod off: "U:" or "UU:" and the reason without what all reasons begin with.
inline std::string text_of(const framework::PodFilter& filter, framework::Verdict verdict) {
  if (verdict.is_success()) return "ok";
  const framework::Status status = framework::status_of(filter, verdict, Symbol("plugin"));
  return (status.code() == framework::Code::kUnschedulable ? "U: " : "UU: ") + status.message();
}

inline std::vector<framework::Verdict> narrowed(const framework::PodFilter& filter, const cache::NodeTable& table) {
  std::vector<framework::Verdict> verdicts(table.rows());
  Bitset rows = table.nodes();
  filter.narrow(table, rows, [&](cache::RowId row, framework::Verdict verdict) {
    EXPECT_FALSE(rows.size() <= row);
    EXPECT_FALSE(verdict.is_success());
    verdicts[row] = verdict;
  });
  table.nodes().for_each([&](std::size_t row) { EXPECT_EQ(rows.test(row), verdicts[row].is_success()) << row; });
  return verdicts;
}

inline std::vector<framework::Verdict> checked(const framework::PodFilter& filter, const cache::NodeTable& table) {
  std::vector<framework::Verdict> verdicts(table.rows());
  table.nodes().for_each(
      [&](std::size_t row) { verdicts[row] = filter.check(table.at(static_cast<cache::RowId>(row))); });
  return verdicts;
}

// By node.
inline std::map<std::string, std::string> verdicts_of(const framework::PodFilter& filter,
                                                      const cache::NodeTable& table) {
  const std::vector<framework::Verdict> all = checked(filter, table);
  EXPECT_EQ(all, narrowed(filter, table));
  std::map<std::string, std::string> verdicts;
  table.nodes().for_each([&](std::size_t row) {
    verdicts[table.at(static_cast<cache::RowId>(row)).name.str()] = text_of(filter, all[row]);
  });
  return verdicts;
}

inline std::vector<std::int64_t> scores_of(const framework::PodScorer& scorer, const cache::NodeTable& table,
                                           const Bitset& feasible) {
  std::vector<std::int64_t> scores(table.rows());
  scorer.score_rows(table, feasible, scores);
  feasible.for_each(
      [&](std::size_t row) { EXPECT_EQ(scores[row], scorer.score(table.at(static_cast<cache::RowId>(row)))) << row; });
  return scores;
}

struct NodeScore {
  std::int64_t raw = 0;
  std::int64_t normalized = 0;
  bool operator==(const NodeScore&) const = default;
};
inline void PrintTo(const NodeScore& score, std::ostream* out) {
  *out << "{" << score.raw << ", " << score.normalized << "}";
}

inline std::map<std::string, NodeScore> node_scores_of(const framework::PodScorer& scorer,
                                                       const cache::NodeTable& table, const Bitset& feasible) {
  const std::vector<std::int64_t> raw = scores_of(scorer, table, feasible);
  std::vector<std::int64_t> normalized = raw;
  scorer.normalize(table, feasible, normalized);
  std::map<std::string, NodeScore> scores;
  feasible.for_each([&](std::size_t row) {
    scores[table.at(static_cast<cache::RowId>(row)).name.str()] = {raw[row], normalized[row]};
  });
  return scores;
}

inline std::vector<cache::Change> changes_since(const cache::NodeTable& table, std::uint64_t since) {
  std::vector<cache::Change> changes;
  EXPECT_TRUE(table.journal().read(since, [&](const cache::Change& change) { changes.push_back(change); }));
  return changes;
}

}  // namespace berth::plugins::testing
