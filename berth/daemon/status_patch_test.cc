#include "berth/daemon/status_patch.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::daemon {
namespace {

constexpr Instant kBefore = Instant::from_unix_seconds(1'767'322'800);  // 2026-01-02T03:00:00Z
constexpr Instant kNow = Instant::from_unix_nanoseconds(1'767'323'045'500'000'000);

api::PodCondition condition(std::string_view type, std::string_view status, std::string_view reason,
                            std::string message, Instant transition) {
  api::PodCondition result;
  result.type = Symbol(type);
  result.status = Symbol(status);
  result.reason = Symbol(reason);
  result.message = std::move(message);
  result.last_transition_time = transition;
  return result;
}

api::PodCondition unschedulable(std::string message, Instant transition = kNow) {
  return condition("PodScheduled", "False", "Unschedulable", std::move(message), transition);
}

api::PodPtr pod_with(std::vector<api::PodCondition> conditions, std::string_view nominated_node_name = "") {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = "web-1";
  pod->metadata.name_space = Symbol("shop");
  pod->metadata.uid = "u1";
  pod->status.conditions = std::move(conditions);
  pod->status.nominated_node_name = Symbol(nominated_node_name);
  return pod;
}

std::string body(api::PodPtr base, std::optional<api::PodCondition> to, std::optional<std::string_view> node = {},
                 StatusPatchForm form = {}) {
  engine::PatchPodStatus patch{.base = std::move(base), .condition = std::move(to), .nominated_node_name = {}};
  if (node) patch.nominated_node_name = Symbol(*node);
  return status_patch_body(patch, form);
}

TEST(StatusPatch, SendsTheFirstConditionWhole) {
  EXPECT_EQ(body(pod_with({}), unschedulable("0/1 nodes are available: 1 Insufficient cpu.")),
            R"({"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z",)"
            R"("message":"0/1 nodes are available: 1 Insufficient cpu.","reason":"Unschedulable",)"
            R"("status":"False","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, SendsTheGenerationThatTheConditionIsAbout) {
  api::PodCondition about = unschedulable("no");
  about.observed_generation = 3;
  EXPECT_EQ(body(pod_with({}), about),
            R"({"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z",)"
            R"("message":"no","observedGeneration":3,"reason":"Unschedulable","status":"False",)"
            R"("type":"PodScheduled"}]}})");
}

TEST(StatusPatch, SendsOnlyTheMessageIfOnlyThatChanged) {
  EXPECT_EQ(body(pod_with({unschedulable("old", kBefore)}), unschedulable("new", kBefore)),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"message":"new","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, SendsTheTimeOfAChangeOfStatus) {
  const api::PodCondition was = condition("PodScheduled", "True", "", "", kBefore);
  EXPECT_EQ(body(pod_with({was}), unschedulable("no")),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"lastTransitionTime":"2026-01-02T03:04:05Z","message":"no","reason":"Unschedulable",)"
            R"("status":"False","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, TakesAwayWhatIsEmptyNow) {
  EXPECT_EQ(body(pod_with({unschedulable("old", kBefore)}), condition("PodScheduled", "False", "", "", kBefore)),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"message":null,"reason":null,"type":"PodScheduled"}]}})");
}

TEST(StatusPatch, TakesAwayATimeOfProbing) {
  api::PodCondition was = unschedulable("no", kBefore);
  was.last_probe_time = kBefore;
  EXPECT_EQ(body(pod_with({was}), unschedulable("no", kBefore)),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"lastProbeTime":null,"type":"PodScheduled"}]}})");
}

TEST(StatusPatch, NamesAllConditionsInTheirOrder) {
  const std::vector<api::PodCondition> known = {condition("Ready", "False", "", "", kBefore),
                                                unschedulable("old", kBefore),
                                                condition("Initialized", "True", "", "", kBefore)};
  EXPECT_EQ(body(pod_with(known), unschedulable("new", kBefore)),
            R"({"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"PodScheduled"},)"
            R"({"type":"Initialized"}],"conditions":[{"message":"new","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, PutsANewConditionBehindTheKnownOnes) {
  const api::PodCondition victim =
      condition("DisruptionTarget", "True", "PreemptionByScheduler",
                "default-scheduler: preempting to accommodate a higher priority pod", kNow);
  EXPECT_EQ(body(pod_with({condition("PodScheduled", "True", "", "", kBefore)}), victim),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"},{"type":"DisruptionTarget"}],)"
            R"("conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z",)"
            R"("message":"default-scheduler: preempting to accommodate a higher priority pod",)"
            R"("reason":"PreemptionByScheduler","status":"True","type":"DisruptionTarget"}]}})");
}

TEST(StatusPatch, NamesTheNominatedNodeBesideTheConditions) {
  EXPECT_EQ(body(pod_with({unschedulable("old", kBefore)}), unschedulable("new", kBefore), "n1"),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"message":"new","type":"PodScheduled"}],"nominatedNodeName":"n1"}})");
}

TEST(StatusPatch, NamesTheNominatedNodeAlone) {
  EXPECT_EQ(body(pod_with({unschedulable("no", kBefore)}), {}, "n1"), R"({"status":{"nominatedNodeName":"n1"}})");
}

TEST(StatusPatch, TakesTheNominatedNodeAway) {
  EXPECT_EQ(body(pod_with({}, "n1"), {}, ""), R"({"status":{"nominatedNodeName":null}})");
}

// A patch that says otherwise may be under way.
TEST(StatusPatch, SaysWhatTheBaseSaysIfTheEngineWantsItSaid) {
  EXPECT_EQ(body(pod_with({}), {}, ""), R"({"status":{"nominatedNodeName":null}})");
}

TEST(StatusPatch, IsEmptyIfNothingChanges) {
  EXPECT_EQ(body(pod_with({unschedulable("no", kBefore)}), unschedulable("no", kBefore)), "");
  EXPECT_EQ(body(pod_with({}), {}), "");
}

TEST(StatusPatch, IsEmptyIfOnlyAFractionOfASecondChanges) {
  EXPECT_EQ(body(pod_with({unschedulable("no", kNow.floor_to_second())}), unschedulable("no", kNow)), "");
}

TEST(StatusPatch, EscapesAsGoDoes) {
  EXPECT_EQ(body(pod_with({unschedulable("", kBefore)}), unschedulable("a \"b\" <c> & d\n", kBefore)),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"message":"a \"b\" \u003cc\u003e \u0026 d\n","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, SendsTheWholeConditionIfTheBaseIsOutdated) {
  EXPECT_EQ(body(pod_with({unschedulable("old", kBefore)}), unschedulable("new", kBefore), {},
                 {.names_uid = false, .is_base_outdated = true}),
            R"({"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:00:00Z",)"
            R"("message":"new","reason":"Unschedulable","status":"False","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, NamesTheUidIfAsked) {
  EXPECT_EQ(body(pod_with({}), {}, "n1", {.names_uid = true, .is_base_outdated = false}),
            R"({"metadata":{"uid":"u1"},"status":{"nominatedNodeName":"n1"}})");
}

TEST(MergedStatusPatch, HasTheNewerOfWhatBothSay) {
  const engine::PatchPodStatus older{pod_with({}), unschedulable("old"), Symbol("n1")};
  const engine::PatchPodStatus newer{pod_with({}), unschedulable("new"), Symbol("")};
  const auto both = merge(older, newer);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->base, newer.base);
  EXPECT_EQ(both->condition->message, "new");
  EXPECT_EQ(both->nominated_node_name, Symbol());
}

TEST(MergedStatusPatch, KeepsWhatOnlyTheOlderSays) {
  const engine::PatchPodStatus condition_only{pod_with({}), unschedulable("old"), {}};
  const engine::PatchPodStatus node_only{pod_with({}), {}, Symbol("n1")};
  for (const auto& both : {merge(condition_only, node_only), merge(node_only, condition_only)}) {
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ(both->condition->message, "old");
    EXPECT_EQ(both->nominated_node_name, Symbol("n1"));
  }
}

TEST(MergedStatusPatch, IsNotMadeOfTwoConditionsOrTwoPods) {
  const engine::PatchPodStatus waiting{pod_with({}), unschedulable("old"), {}};
  const engine::PatchPodStatus victim{pod_with({}), condition("DisruptionTarget", "True", "", "", kNow), {}};
  EXPECT_FALSE(merge(waiting, victim).has_value());

  auto successor = std::make_shared<api::Pod>(*pod_with({}));
  successor->metadata.uid = "u2";
  EXPECT_FALSE(merge(waiting, {successor, unschedulable("new"), {}}).has_value());
}

}  // namespace
}  // namespace berth::daemon
