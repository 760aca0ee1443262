// Rollouts and drains that are under way, and what the history tells of them.
#include "berth/sim/rollouts.h"

#include <gtest/gtest.h>

#include <memory>

#include "berth/codec/yaml.h"
#include "berth/sim/controllers_testing.h"
#include "berth/sim/evictions.h"

namespace berth::sim {
namespace {

using testing::Cluster;

constexpr std::string_view kDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  progressDeadlineSeconds: 60
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, resources: {requests: {cpu: 1}}}]}
)";

std::vector<std::string> told(const History& history) {
  std::vector<std::string> labels;
  for (const HistoryEvent& history_event : history.history_events()) {
    if (history_event.kind == HistoryEvent::Kind::kRollout) labels.push_back(history_event.label.str());
  }
  return labels;
}

void change_image(Cluster& cluster) {
  cluster.edit<api::Deployment>("web", [](api::Deployment& deployment) {
    api::PodTemplate spec = *deployment.spec.pod_template.spec;
    spec.containers[0].image = Symbol("new");
    deployment.spec.pod_template.spec.shared = std::move(spec);
    ++deployment.metadata.generation;
  });
}

TEST(Rollouts, BeginWithANewTemplateAndEndWhenAllPodsAreReady) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  EXPECT_TRUE(told(cluster.history).empty());
  change_image(cluster);
  cluster.agenda.run_until_idle();
  const std::vector<std::string> labels = told(cluster.history);
  ASSERT_GE(labels.size(), 2u);
  EXPECT_EQ(labels.front(), "started");
  EXPECT_EQ(labels.back(), "complete");
  EXPECT_TRUE(cluster.controllers.rollouts().empty());
}

TEST(Rollouts, AreStuckWhenTheProgressDeadlineIsOver) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  cluster.binds = false;
  change_image(cluster);
  cluster.agenda.run_until(Duration::seconds(30));
  ASSERT_EQ(cluster.controllers.rollouts().size(), 1u);
  EXPECT_FALSE(cluster.controllers.rollouts()[0].is_stuck);
  cluster.agenda.run_until(Duration::seconds(120));
  ASSERT_EQ(cluster.controllers.rollouts().size(), 1u);
  const Rollout rollout = cluster.controllers.rollouts()[0];
  EXPECT_TRUE(rollout.is_stuck);
  EXPECT_EQ(rollout.deployment, "web");
  EXPECT_EQ(rollout.progress.ready, 0);
  EXPECT_EQ(rollout.progress.wanted, 4);
  EXPECT_EQ(told(cluster.history).back(), "stuck");
}

class Drains : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster.add_node("n1");
    cluster.apply(kDeployment);
    cluster.agenda.run_until_idle();
  }
  void add_budget(const std::string& rule) {
    cluster.apply("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {" + rule +
                  ", selector: {matchLabels: {app: web}}}}");
    cluster.agenda.run_until_idle();
  }

  Cluster cluster;
  Evictions evictions{cluster.api, cluster.agenda, cluster.history};
};

TEST_F(Drains, AreOpenWhileABudgetHoldsPods) {
  add_budget("minAvailable: 4");
  evictions.drain(Symbol("n1"), cluster.pods());
  cluster.agenda.run_until_idle();
  const std::vector<Drain> open = evictions.open_drains();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].node, "n1");
  EXPECT_EQ(open[0].pods, 4u);
  ASSERT_EQ(open[0].held.size(), 4u);
  EXPECT_EQ(open[0].held[0].by.str(),
            "the budget default/web (0 disruptions allowed: 4 pods are healthy, and 4 have to be)");
}

TEST_F(Drains, EndWhenTheLastPodIsEvicted) {
  add_budget("maxUnavailable: 1");
  evictions.drain(Symbol("n1"), cluster.pods());
  cluster.agenda.run_until_idle();
  EXPECT_TRUE(evictions.open_drains().empty());
  bool is_told = false;
  for (const HistoryEvent& history_event : cluster.history.history_events()) {
    is_told |= history_event.kind == HistoryEvent::Kind::kDrained && history_event.node == "n1";
  }
  EXPECT_TRUE(is_told);
}

TEST_F(Drains, ABudgetLetsPodsGoThatAreNotHealthyAnyway) {
  add_budget("minAvailable: 4, unhealthyPodEvictionPolicy: AlwaysAllow");
  const api::PodPtr pod = cluster.pods().front();
  auto sick = std::make_shared<api::Pod>(*pod);
  for (api::PodCondition& condition : sick->status.conditions) {
    if (condition.type == "Ready") condition.status = Symbol("False");
  }
  ASSERT_TRUE(cluster.api.update(api::AnyObject(api::PodPtr(std::move(sick)))));
  evictions.drain(Symbol("n1"), {cluster.api.get<api::Pod>(Symbol("default"), pod->metadata.name)});
  EXPECT_TRUE(evictions.open_drains().empty());
}

}  // namespace
}  // namespace berth::sim
