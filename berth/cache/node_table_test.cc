#include "berth/cache/node_table.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/base/rng.h"
#include "berth/cache/comparer.h"
#include "berth/cache/testing.h"

namespace berth::cache {
namespace {

using testing::NodeBuilder;
using testing::PodBuilder;

void add(NodeTable& table, const api::PodPtr& pod) {
  static api::CompiledPods compiled;
  table.add_pod(pod, compiled.get(pod->spec.shared));
}

std::vector<std::string> names_in_order(const NodeTable& table) {
  std::vector<std::string> names;
  for (const RowId row : table.order()) names.push_back(table.at(row).name.str());
  return names;
}

TEST(NodeTable, VisitsZonesByTurns) {
  NodeTable table;
  for (const auto& [name, zone] : std::vector<std::pair<std::string, std::string>>{
           {"a1", "a"}, {"a2", "a"}, {"a3", "a"}, {"b1", "b"}, {"c1", "c"}, {"c2", "c"}}) {
    table.set_node(NodeBuilder(name).zone(zone).build());
  }
  EXPECT_EQ(names_in_order(table), (std::vector<std::string>{"a1", "b1", "c1", "a2", "c2", "a3"}));
  table.remove_node(Symbol("b1"));
  EXPECT_EQ(names_in_order(table), (std::vector<std::string>{"a1", "c1", "a2", "c2", "a3"}));
}

TEST(NodeTable, ANodeThatChangesItsZoneKeepsItsTurnUntilNodesComeOrGo) {
  NodeTable table;
  table.set_node(NodeBuilder("a1").zone("a").build());
  table.set_node(NodeBuilder("a2").zone("a").build());
  table.set_node(NodeBuilder("b1").zone("b").build());
  EXPECT_EQ(names_in_order(table), (std::vector<std::string>{"a1", "b1", "a2"}));
  table.set_node(NodeBuilder("a1").zone("b").build());
  EXPECT_EQ(names_in_order(table), (std::vector<std::string>{"a1", "b1", "a2"}));
  table.set_node(NodeBuilder("c1").zone("c").build());
  EXPECT_EQ(names_in_order(table), (std::vector<std::string>{"a2", "b1", "c1", "a1"}));
}

TEST(NodeTable, OlderZoneLabelsWinAndNodesWithoutZoneAreOneZone) {
  NodeTable table;
  table.set_node(NodeBuilder("x1").build());
  table.set_node(NodeBuilder("x2").build());
  table.set_node(NodeBuilder("a1").zone("b").label("failure-domain.beta.kubernetes.io/zone", "a").build());
  table.set_node(NodeBuilder("a2").zone("a").build());
  EXPECT_EQ(names_in_order(table), (std::vector<std::string>{"x1", "a1", "x2", "a2"}));
}

TEST(NodeTable, CountsTheNodesOfAnImageAndKeepsTheFirstSize) {
  NodeTable table;
  const Symbol image("nginx:1");
  table.set_node(NodeBuilder("n1").image("nginx:1", 100).image("nginx:1", 100).build());
  table.set_node(NodeBuilder("n2").image("nginx:1", 999).build());
  ASSERT_NE(table.image(image), nullptr);
  EXPECT_EQ(table.image(image)->nodes, 2u);
  EXPECT_EQ(table.image(image)->size_bytes, 100);
  table.set_node(NodeBuilder("n1").build());
  EXPECT_EQ(table.image(image)->nodes, 1u);
  table.remove_node(Symbol("n2"));
  EXPECT_EQ(table.image(image), nullptr);
}

TEST(NodeTable, NumbersTheDomainsOfALabel) {
  NodeTable table;
  const Symbol zone("topology.kubernetes.io/zone");
  const RowId n1 = table.set_node(NodeBuilder("n1").zone("a").build());
  const TopologyColumn& column = table.topology(zone);  // made now, kept up from here on
  const RowId n2 = table.set_node(NodeBuilder("n2").zone("a").build());
  const RowId n3 = table.set_node(NodeBuilder("n3").build());
  EXPECT_EQ(column.domain_of(n1), column.domain_of(n2));
  EXPECT_EQ(column.domain_of(n3), kNoDomain);
  EXPECT_EQ(column.value(column.domain_of(n1)), Symbol("a"));
  table.set_node(NodeBuilder("n2").zone("b").build());
  EXPECT_NE(column.domain_of(n1), column.domain_of(n2));
  table.remove_node(Symbol("n1"));
  EXPECT_EQ(column.domain_of(n1), kNoDomain);
}

TEST(NodeTable, NodesWithEqualTaintsShareAList) {
  NodeTable table;
  const RowId n1 = table.set_node(NodeBuilder("n1").taint("k", "v", "NoSchedule").build());
  const RowId n2 = table.set_node(NodeBuilder("n2").taint("k", "v", "NoSchedule").build());
  const RowId n3 = table.set_node(NodeBuilder("n3").build());
  EXPECT_EQ(table.columns().taints[n1], table.columns().taints[n2]);
  EXPECT_EQ(table.columns().taints[n3], 0u);
  EXPECT_EQ(table.taint_list(table.columns().taints[n1]).at(0).key, Symbol("k"));
}

TEST(NodeTable, PutsPodsThatNobodyCanTellApartInOneClass) {
  NodeTable table;
  table.set_node(NodeBuilder("n1").build());
  const api::PodPtr first = PodBuilder("a").on("n1").label("app", "web").build();
  add(table, first);
  add(table, PodBuilder("b", *first).on("n1").build());
  add(table, PodBuilder("c", *first).on("n2").build());
  add(table, PodBuilder("d", *first).on("n1").terminating().build());
  add(table, PodBuilder("e", *first).on("n1").name_space("other").build());
  std::map<std::uint32_t, std::size_t> pods;
  table.for_each_class([&](const PodClass& pod_class) { pods[pod_class.id] = pod_class.pods; });
  EXPECT_EQ(pods, (std::map<std::uint32_t, std::size_t>{{0, 3}, {1, 1}, {2, 1}}));
  std::size_t in_other = 0;
  table.for_each_class_in(Symbol("other"), [&](const PodClass& pod_class) { in_other += pod_class.pods; });
  EXPECT_EQ(in_other, 1u);
}

TEST(NodeTable, CountsTheUsersOfAClaimOnKnownNodesOnly) {
  NodeTable table;
  const Symbol name_space("default");
  add(table, PodBuilder("a").on("n1").claim("data").build());
  EXPECT_EQ(table.claim_users(name_space, "data"), 0u);
  table.set_node(NodeBuilder("n1").build());
  EXPECT_EQ(table.claim_users(name_space, "data"), 1u);
  add(table, PodBuilder("b").on("n1").claim("data").build());
  EXPECT_EQ(table.claim_users(name_space, "data"), 2u);
  EXPECT_EQ(table.claim_users(Symbol("other"), "data"), 0u);
  table.remove_node(Symbol("n1"));
  EXPECT_EQ(table.claim_users(name_space, "data"), 0u);
}

TEST(NodeTable, TheJournalSaysWhatChanged) {
  NodeTable table;
  const RowId row = table.set_node(NodeBuilder("n1").allocatable("cpu", "1").build());
  const std::uint64_t since = table.journal().end();
  table.set_node(NodeBuilder("n1").allocatable("cpu", "1").build());
  EXPECT_EQ(table.journal().end(), since) << "a version without a difference is no change";
  table.set_node(NodeBuilder("n1").allocatable("cpu", "2").label("x", "y").unschedulable().build());
  const api::PodPtr pod = PodBuilder("a").on("n1").build();
  add(table, pod);
  table.remove_pod(*pod);
  std::vector<Change::Kind> kinds;
  ASSERT_TRUE(table.journal().read(since, [&](const Change& change) {
    EXPECT_EQ(change.row, row);
    kinds.push_back(change.kind);
  }));
  EXPECT_EQ(kinds,
            (std::vector<Change::Kind>{Change::Kind::kNodeCapacity, Change::Kind::kNodeLabels,
                                       Change::Kind::kNodeTaints, Change::Kind::kPodAdded, Change::Kind::kPodRemoved}));
}

TEST(Journal, TellsAReaderThatWasAwayForTooLong) {
  Journal journal;
  for (std::size_t i = 0; i < Journal::kCapacity; ++i) journal.append({});
  std::size_t read = 0;
  const auto count = [&](const Change&) { ++read; };
  EXPECT_TRUE(journal.read(0, count));
  EXPECT_EQ(read, Journal::kCapacity);
  journal.append({});
  EXPECT_FALSE(journal.read(0, count));
  EXPECT_TRUE(journal.read(1, count));
  journal.reset();
  EXPECT_FALSE(journal.read(1, count));
  const std::uint64_t after_reset = journal.end();
  journal.append({Change::Kind::kNodeAdded, 7, nullptr});
  read = 0;
  EXPECT_TRUE(journal.read(after_reset, [&](const Change& change) { read += change.row; }));
  EXPECT_EQ(read, 7u);
}

TEST(NodeTable, SumsAndColumnsHoldAfterAnyHistory) {
  Rng rng(20261116);
  NodeTable table;
  std::map<std::string, api::PodPtr> pods;
  std::vector<api::PodPtr> kinds;
  for (int i = 0; i < 6; ++i) {
    PodBuilder builder("kind");
    builder.request("cpu", fmt::format("{}m", 100 * (i + 1)))
        .request("memory", "64Mi")
        .label("app", fmt::format("{}", i));
    if (i == 1) builder.request("example.com/gpu", "1");
    if (i == 2) builder.host_port(8080);
    if (i == 3) builder.claim("data");
    kinds.push_back(builder.build());
  }
  for (int step = 0; step < 4000; ++step) {
    const std::string node = fmt::format("n{}", rng.below(12));
    switch (rng.below(8)) {
      case 0: table.set_node(NodeBuilder(node).allocatable("cpu", fmt::format("{}", 1 + rng.below(8))).build()); break;
      case 1: {
        const RowId row = table.row_of(Symbol(node));
        if (row != kNoRow && table.at(row).node) table.remove_node(Symbol(node));
        break;
      }
      case 2:
      case 3:
        if (!pods.empty()) {
          const auto it = std::next(pods.begin(), static_cast<std::ptrdiff_t>(rng.below(pods.size())));
          table.remove_pod(*it->second);
          pods.erase(it);
        }
        break;
      default: {
        const std::string name = fmt::format("p{}", step);
        pods[name] = PodBuilder(name, *kinds[rng.below(kinds.size())]).on(node).build();
        add(table, pods[name]);
      }
    }
    if (step % 100 == 0) {
      ASSERT_EQ(compare_sums(table), std::vector<std::string>()) << "after step " << step;
    }
  }
  EXPECT_EQ(compare_sums(table), std::vector<std::string>());
}

TEST(NodeTable, DropsEmptyClassesAndTellsReadersToStartOver) {
  NodeTable table;
  table.set_node(NodeBuilder("n1").build());
  const std::uint64_t since = table.journal().end();
  for (int i = 0; i < 10'000; ++i) {
    const api::PodPtr pod = PodBuilder("a").on("n1").label("unique", fmt::format("{}", i)).build();
    add(table, pod);
    table.remove_pod(*pod);
  }
  EXPECT_FALSE(table.journal().read(since, [](const Change&) {}));
  std::size_t classes = 0;
  table.for_each_class([&](const PodClass&) { ++classes; });
  EXPECT_EQ(classes, 0u);
}

}  // namespace
}  // namespace berth::cache
