#include "berth/sim/disruption_controller.h"

#include <gtest/gtest.h>

#include "berth/sim/controllers_testing.h"

namespace berth::sim {
namespace {

using testing::Cluster;

constexpr std::string_view kDeployment = R"({apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec:
  {replicas: 7, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}})";

void add_budget(Cluster& cluster, std::string_view bound) {
  cluster.apply(
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {selector: "
      "{matchLabels: {app: web}}, " +
      std::string(bound) + "}}");
}

TEST(DisruptionController, CountsHealthyPodsAgainstTheBudget) {
  struct Case {
    std::string_view bound;
    std::int32_t desired, allowed;
  };
  for (const Case& each : {
           Case{"minAvailable: 5", 5, 2},
           Case{"minAvailable: 9", 9, 0},
           Case{"minAvailable: 50%", 4, 3},
           Case{"maxUnavailable: 1", 6, 1},
           Case{"maxUnavailable: 30%", 4, 3},  // 2.1 is rounded up
           Case{"maxUnavailable: 0", 7, 0},
           Case{"maxUnavailable: 100%", 0, 7},
       }) {
    Cluster cluster;
    cluster.add_node("n1");
    cluster.apply(kDeployment);
    add_budget(cluster, each.bound);
    cluster.agenda.run_until_idle();
    const auto budget = cluster.get<api::PodDisruptionBudget>("web");
    EXPECT_EQ(budget->status.current_healthy, 7) << each.bound;
    EXPECT_EQ(budget->status.expected_pods, 7) << each.bound;
    EXPECT_EQ(budget->status.desired_healthy, each.desired) << each.bound;
    EXPECT_EQ(budget->status.disruptions_allowed, each.allowed) << each.bound;
    EXPECT_EQ(budget->status.observed_generation, budget->metadata.generation) << each.bound;
  }
}

TEST(DisruptionController, FollowsPodsThatComeAndGo) {
  Cluster cluster;
  cluster.add_node("n1");
  add_budget(cluster, "minAvailable: 1");
  for (const std::string_view name : {"a", "b"}) {
    cluster.apply("{apiVersion: v1, kind: Pod, metadata: {name: " + std::string(name) + ", labels: {app: web}}}");
  }
  cluster.apply("{apiVersion: v1, kind: Pod, metadata: {name: other, labels: {app: other}}}");
  const auto allowed = [&] { return cluster.get<api::PodDisruptionBudget>("web")->status.disruptions_allowed; };
  cluster.agenda.run_until_idle();
  EXPECT_EQ(allowed(), 1);
  cluster.remove<api::Pod>("a");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(allowed(), 0);
  EXPECT_EQ(cluster.get<api::PodDisruptionBudget>("web")->status.expected_pods, 1);
}

TEST(DisruptionController, CountsPodsThatWereThereBeforeTheBudget) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(kDeployment);
  cluster.agenda.run_until_idle();
  add_budget(cluster, "minAvailable: 5");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<api::PodDisruptionBudget>("web")->status.disruptions_allowed, 2);
  cluster.controllers.fail_node(Symbol("n1"));
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<api::PodDisruptionBudget>("web")->status.current_healthy, 0);
}

TEST(DisruptionController, FollowsTheScaleOfTheWorkload) {
  Cluster cluster;
  cluster.binds = false;
  cluster.apply(kDeployment);
  add_budget(cluster, "maxUnavailable: 1");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<api::PodDisruptionBudget>("web")->status.desired_healthy, 6);
  cluster.edit<api::Deployment>("web", [](api::Deployment& web) { web.spec.replicas = 3; });
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<api::PodDisruptionBudget>("web")->status.desired_healthy, 2);
}

}  // namespace
}  // namespace berth::sim
