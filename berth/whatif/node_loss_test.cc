#include "berth/whatif/node_loss.h"

#include <gtest/gtest.h>

#include "berth/codec/json.h"
#include "berth/whatif/testing.h"

namespace berth::whatif {
namespace {

using testing::node;
using testing::objects_in;
using testing::pod;

NodeLosses ask(const std::string& dump, const LossOptions& options = {}) {
  explain::Cluster cluster(objects_in(dump));
  const auto losses = node_losses(cluster, {}, options);
  if (!losses) {
    ADD_FAILURE() << losses.error().message();
    return {};
  }
  return *losses;
}

std::string web(const std::string& name, const std::string& where, const std::string& cpu = "1") {
  return pod(name, {.node = where, .cpu = cpu, .owner = "ReplicaSet web"});
}

TEST(NodeLoss, IsSurvivableIfThePodsFitOnTheOthers) {
  const NodeLosses losses = ask(node("n-1", "4") + node("n-2", "4") + web("a", "n-1") + web("b", "n-2"));
  EXPECT_TRUE(losses.ok);
  EXPECT_EQ(losses.domains, 2);
  EXPECT_EQ(losses.survivable, 2);
  EXPECT_TRUE(losses.losses.empty());
  EXPECT_EQ(losses.sentence, "The loss of any one node is survivable: all pods fit elsewhere.");
}

TEST(NodeLoss, CountsThePodsOfANodeTogether) {
  // Each of them would fit on n-2 by itself.
  const NodeLosses losses =
      ask(node("n-1", "4") + node("n-2", "2") + web("a", "n-1") + web("b", "n-1") + web("c", "n-1", "2"));
  ASSERT_EQ(losses.losses.size(), 1u);
  EXPECT_EQ(losses.losses[0].domain, "n-1");
  EXPECT_EQ(losses.losses[0].pods, 3);
  EXPECT_EQ(losses.losses[0].placed, 2);
  EXPECT_EQ(losses.losses[0].stranded, std::vector<std::string>{"default/c"});
  ASSERT_EQ(losses.losses[0].sentences.size(), 1u);
  EXPECT_TRUE(losses.losses[0].sentences[0].sentence.starts_with("default/c "))
      << losses.losses[0].sentences[0].sentence;
}

TEST(NodeLoss, NamesTheWorstNodeFirst) {
  const NodeLosses losses = ask(node("n-1", "4") + node("n-2", "4") + node("n-3", "4") + web("a", "n-1", "3") +
                                web("b", "n-2", "2") + web("c", "n-2", "2") + web("d", "n-3", "3"));
  ASSERT_EQ(losses.losses.size(), 3u);
  EXPECT_EQ(losses.losses[0].domain, "n-2");
  EXPECT_EQ(losses.losses[1].domain, "n-1");
  EXPECT_EQ(losses.losses[2].domain, "n-3");
}

TEST(NodeLoss, PlacesImportantPodsFirst) {
  const NodeLosses losses =
      ask(node("n-1", "2") + node("n-2", "1") + pod("a", {.node = "n-1", .owner = "ReplicaSet a"}) +
          pod("z", {.node = "n-1", .owner = "ReplicaSet z", .more = "priority: 10"}));
  ASSERT_EQ(losses.losses.size(), 1u);
  EXPECT_EQ(losses.losses[0].stranded, std::vector<std::string>{"default/a"});
}

TEST(NodeLoss, LeavesDaemonsAndEndedPodsOut) {
  const NodeLosses losses =
      ask(node("n-1", "2") + node("n-2", "1") + pod("agent", {.node = "n-1", .cpu = "2", .owner = "DaemonSet agent"}) +
          web("a", "n-1"));
  EXPECT_TRUE(losses.ok);
}

TEST(NodeLoss, LosesTheNodesOfALabelTogether) {
  const std::string dump = node("n-1", "2") + node("n-2", "2") + node("n-3", "3", "general", "b") + web("a", "n-1") +
                           web("b", "n-1") + web("c", "n-2") + web("d", "n-2");
  EXPECT_TRUE(ask(dump).ok);
  const NodeLosses losses = ask(dump, {.by = "topology.kubernetes.io/zone"});
  EXPECT_EQ(losses.domains, 2);
  ASSERT_EQ(losses.losses.size(), 1u);
  EXPECT_EQ(losses.losses[0].domain, "a");
  EXPECT_EQ(losses.losses[0].nodes, 2);
  EXPECT_EQ(losses.losses[0].stranded.size(), 1u);
}

TEST(NodeLoss, PutsTheClusterBack) {
  const std::string dump = node("n-1", "4") + node("n-2", "2") + web("a", "n-1", "3") + web("b", "n-2");
  explain::Cluster cluster(objects_in(dump));
  const auto once = node_losses(cluster, {});
  const auto twice = node_losses(cluster, {});
  ASSERT_TRUE(once && twice);
  EXPECT_EQ(codec::to_json(*once), codec::to_json(*twice));
  EXPECT_EQ(cluster.cache.nodes().node_count(), 2u);
  EXPECT_EQ(cluster.cache.pod_count(), 2u);
}

TEST(NodeLoss, WhatCannotBeAskedIsAnError) {
  const auto message = [](const std::string& dump, const LossOptions& options) {
    explain::Cluster cluster(objects_in(dump));
    const auto losses = node_losses(cluster, {}, options);
    return losses ? std::string() : losses.error().message();
  };
  EXPECT_EQ(message("", {}), "there is no node in what was read");
  EXPECT_EQ(message(node("n-1", "1"), {.by = "poool"}), "no node has the label poool (did you mean pool?)");
}

}  // namespace
}  // namespace berth::whatif
