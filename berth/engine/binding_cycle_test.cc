#include "berth/engine/binding_cycle.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using testing::node;
using testing::outcome_of;
using testing::pod;
using testing::refused;
using testing::Script;
using testing::scripted;
using testing::Texts;
using testing::World;
using Kind = Outcome::Kind;

TEST(BindingCycle, TakesAPodThroughAllItsSteps) {
  Script script;
  World world(scripted(script));
  world.add(node("n1", "4"));
  world.add(pod("a").build());
  world.run();
  EXPECT_EQ(world.place("a"), "binding");
  EXPECT_EQ(world.scheduler().bindings(), 1u);
  EXPECT_EQ(world.scheduler().commands_under_way(), 1u);
  const Command bind = world.take<BindPod>();
  const api::Binding& binding = *std::get<BindPod>(bind.what).binding;
  EXPECT_EQ(binding.metadata.name, "a");
  EXPECT_EQ(binding.metadata.uid, "a-uid");
  EXPECT_EQ(binding.target.name, "n1");
  world.obey(bind);
  EXPECT_EQ(world.place("a"), "bound");
  EXPECT_EQ(world.events(), (Texts{"Scheduled a: Successfully assigned default/a to n1"}));
  EXPECT_EQ(world.last_event().type, "Normal");
  EXPECT_EQ(world.last_event().action, "Binding");
  EXPECT_EQ(script.calls, (Texts{"reserve a", "permit a", "pre_bind a", "post_bind a"}));
  EXPECT_EQ(world.scheduler().bindings(), 0u);
  EXPECT_FALSE(world.scheduler().cache().is_assumed("a-uid"));
}

TEST(BindingCycle, IsCountedAsABindOnlyFromTheCommandToItsResult) {
  Script script;
  script.permit = [] { return framework::Permitted{framework::Status(framework::Code::kWait), Duration::minutes(1)}; };
  World world(scripted(script));
  world.add(node("n1", "4"));
  world.add(pod("a").build());
  world.run();
  EXPECT_EQ(world.place("a"), "waiting");
  EXPECT_EQ(world.scheduler().binds_under_way(), 0u);
  world.answer_all();  // its status is patched
  world.scheduler().allow("a-uid", Symbol("Scripted"), world.now());
  world.run();
  EXPECT_EQ(world.scheduler().binds_under_way(), 1u);
  // It is read until somebody says what became of it, which may take long.
  world.answer(world.take<BindPod>(), outcome_of(Kind::kUnknown, "timeout"));
  EXPECT_EQ(world.scheduler().bindings(), 1u);
  EXPECT_EQ(world.scheduler().binds_under_way(), 0u);
  world.obey(world.take<ReadPod>());
  EXPECT_EQ(world.scheduler().bindings(), 0u);
}

TEST(BindingCycle, StaysAssumedUntilTheBoundPodIsReported) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a").build());
  world.run();
  world.answer(world.take<BindPod>(), {});
  EXPECT_EQ(world.place("a"), "binding");
  EXPECT_TRUE(world.scheduler().cache().is_assumed("a-uid"));
  world.add(pod("b").build());
  world.run_for(Duration::minutes(1));
  EXPECT_EQ(world.place("b"), "unschedulable");
  world.change("a", [](api::Pod& bound) { bound.spec.node_name = Symbol("n1"); });
  EXPECT_EQ(world.place("a"), "bound");
}

TEST(BindingCycle, ExpiresAfter30SecondsUnderTheRulesOfV1_17AndV1_20Only) {
  using queue::Release;
  for (const Release release : {Release::kV1_17, Release::kV1_20, Release::kV1_28, Release::kV1_36}) {
    SCOPED_TRACE(to_string(release));
    const bool expires = release == Release::kV1_17 || release == Release::kV1_20;
    Options options;
    options.compatibility = release;
    World world(std::move(options));
    world.add(node("n1", "1"));
    world.add(pod("a").request("cpu", "1").build());
    world.run();
    world.add(pod("b").request("cpu", "1").build());
    world.run();
    // Bound, but the watch is late.
    api::Pod bound = *world.find("a");
    bound.spec.node_name = Symbol("n1");
    world.store(bound);
    world.answer(world.take<BindPod>(), outcome_of(Kind::kDone));
    world.run_for(Duration::seconds(30));
    EXPECT_TRUE(world.scheduler().cache().is_assumed("a-uid"));
    EXPECT_EQ(world.place("b"), "unschedulable");
    world.run_for(Duration::milliseconds(1));
    EXPECT_EQ(world.scheduler().cache().is_assumed("a-uid"), !expires);
    EXPECT_EQ(world.place("b"), expires ? "binding" : "unschedulable");
    // It is seen on its node after all.
    world.add(world.find("a"));
    EXPECT_EQ(world.place("a"), "bound");
    EXPECT_NE(world.scheduler().cache().find("a-uid"), nullptr);
    EXPECT_FALSE(world.scheduler().cache().is_assumed("a-uid"));
    EXPECT_FALSE(world.scheduler().cache().next_expiry().is_set() && !expires);
  }
}

TEST(BindingCycle, HasManyPodsUnderWayAtOnce) {
  World world;
  world.add(node("n1", "4"));
  for (int i = 0; i < 5; ++i) world.add(pod("p" + std::to_string(i)).build());
  world.run();
  EXPECT_EQ(world.count<BindPod>(), 4u);
  EXPECT_EQ(world.scheduler().cache().assumed_count(), 4u);
  const Command first = world.take<BindPod>();
  const Command second = world.take<BindPod>();
  world.obey(second);
  world.obey(first);
  world.answer_all();
  EXPECT_EQ(world.scheduler().cache().assumed_count(), 0u);
  // Who of equals comes last is the queue's business.
  std::map<std::string, int> places;
  for (int i = 0; i < 5; ++i) ++places[world.place("p" + std::to_string(i))];
  EXPECT_EQ(places, (std::map<std::string, int>{{"bound", 4}, {"unschedulable", 1}}));
}

// --- Bind ------------------------------------------------------------------------------------------------------------

struct BindCase {
  std::string_view what;
  Kind bind;
  // What the API server has when the pod is read back.
  std::function<void(World&)> truth;
  bool is_read_back;
  std::string_view place;
  std::string last_event;
};

TEST(BindingCycle, EndsAsTheApiServerSays) {
  const std::string failed = "FailedScheduling a: running Bind plugin \"DefaultBinder\": the API server's words";
  const auto as_it_was = [](World&) {};
  const auto bound_to = [](std::string_view where) {
    return [where](World& world) {
      api::Pod bound = *world.find("a");
      bound.spec.node_name = Symbol(where);
      world.store(bound);
    };
  };
  const auto gone = [](World& world) { world.store(*pod("a").uid("another").build()); };
  const std::vector<BindCase> cases = {
      {"done", Kind::kDone, as_it_was, false, "binding", "Scheduled a: Successfully assigned default/a to n1"},
      {"refused", Kind::kRefused, as_it_was, false, "backoff", failed},
      {"not found", Kind::kNotFound, as_it_was, false, "backoff", failed},
      {"conflict, bound here by an earlier try", Kind::kConflict, bound_to("n1"), true, "binding",
       "Scheduled a: Successfully assigned default/a to n1"},
      {"conflict, bound elsewhere", Kind::kConflict, bound_to("n2"), true, "backoff", failed},
      {"conflict, not bound", Kind::kConflict, as_it_was, true, "backoff", failed},
      {"unknown, and done", Kind::kUnknown, bound_to("n1"), true, "binding",
       "Scheduled a: Successfully assigned default/a to n1"},
      {"unknown, and not done", Kind::kUnknown, as_it_was, true, "backoff", failed},
      {"unknown, and another pod has its name", Kind::kUnknown, gone, true, "backoff",
       "FailedScheduling a: pods \"a\" not found"},
  };
  for (const BindCase& each : cases) {
    SCOPED_TRACE(each.what);
    World world;
    world.add(node("n1", "4"));
    world.add(pod("a").build());
    world.run();
    const Command bind = world.take<BindPod>();
    each.truth(world);
    world.answer(bind, outcome_of(each.bind, "the API server's words"));
    ASSERT_EQ(world.count<ReadPod>(), each.is_read_back ? 1u : 0u);
    if (each.is_read_back) {
      EXPECT_EQ(world.place("a"), "binding");
      world.obey(world.take<ReadPod>());
    }
    EXPECT_EQ(world.place("a"), each.place);
    EXPECT_EQ(world.scheduler().cache().assumed_count(), each.place == "binding" ? 1u : 0u);
    EXPECT_EQ(world.events().back(), each.last_event);
    EXPECT_EQ(world.scheduler().bindings(), 0u);
  }
}

TEST(BindingCycle, ReadsThePodUntilItKnows) {
  World world;
  world.add(node("n1", "4"));
  world.add(pod("a").build());
  world.run();
  world.answer(world.take<BindPod>(), outcome_of(Kind::kUnknown, "timeout"));
  for (const int seconds : {1, 2, 4, 8, 10, 10}) {
    world.answer(world.take<ReadPod>(), outcome_of(Kind::kUnknown));
    world.run_for(Duration::milliseconds(seconds * 1000 - 1));
    EXPECT_EQ(world.count<ReadPod>(), 0u);
    EXPECT_EQ(world.place("a"), "binding");
    world.run_for(Duration::milliseconds(1));
    ASSERT_EQ(world.count<ReadPod>(), 1u);
  }
  world.answer(world.take<ReadPod>(), outcome_of(Kind::kNotFound));
  EXPECT_EQ(world.place("a"), "backoff");
}

TEST(BindingCycle, DropsResultsThatComeTwiceOrLate) {
  World world;
  world.add(node("n1", "4"));
  world.add(pod("a").build());
  world.run();
  const Command bind = world.take<BindPod>();
  world.answer(bind, outcome_of(Kind::kUnknown, "timeout"));
  world.answer(bind, refused("no"));
  world.answer(bind, {});
  EXPECT_EQ(world.place("a"), "binding");
  const Command read = world.take<ReadPod>();
  world.obey(read);
  EXPECT_EQ(world.place("a"), "backoff");
  world.obey(read);
  world.answer(bind, {});
  EXPECT_EQ(world.place("a"), "backoff");
  world.scheduler().complete(4711, {}, world.now());
  world.run_for(Duration::seconds(3));
  world.answer_all();
  EXPECT_EQ(world.place("a"), "bound");
}

TEST(BindingCycle, WakesOthersWhenItGivesRoomBack) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a").build());
  world.add(pod("b").build());
  world.run();
  ASSERT_EQ(world.place("b"), "unschedulable");
  world.answer(world.take<BindPod>(), refused("no"));
  EXPECT_EQ(world.place("b"), "binding");  // taken out of backoff early, since nothing else is to be tried
  EXPECT_EQ(world.scheduler().woken_by("b-uid"), "AssignedPodDelete");
}

struct DeletionCase {
  std::string_view what;
  bool is_gone;  // else its deletion has only begun
  Kind bind;
};

TEST(BindingCycle, SurvivesThatThePodGoesWhileItIsBeingBound) {
  const std::vector<DeletionCase> cases = {
      {"gone, binding not found", true, Kind::kNotFound}, {"gone, binding done before", true, Kind::kDone},
      {"gone, binding unknown", true, Kind::kUnknown},    {"going, binding refused", false, Kind::kRefused},
      {"going, binding done", false, Kind::kDone},
  };
  for (const DeletionCase& each : cases) {
    SCOPED_TRACE(each.what);
    World world;
    world.add(node("n1", "1"));
    world.add(pod("a").build());
    world.run();
    const Command bind = world.take<BindPod>();
    if (each.is_gone) {
      world.remove("a");
    } else {
      world.terminate("a");
      world.change("a", [](api::Pod& changed) { changed.metadata.generation = 2; });  // not a reason to queue it
    }
    EXPECT_EQ(world.scheduler().cache().pod_count(), 0u);
    EXPECT_EQ(world.scheduler().broken_invariants(), Texts());
    world.add(pod("b").build());  // the room is free
    world.run();
    EXPECT_EQ(world.place("b"), "binding");
    world.answer(bind, outcome_of(each.bind, "no"));
    world.answer_all();
    EXPECT_EQ(world.place("b"), "bound");
    world.run_for(Duration::seconds(10));
    world.answer_all();
    EXPECT_EQ(world.place("a"), "unknown");
    EXPECT_EQ(world.scheduler().bindings(), 0u);
  }
}

TEST(BindingCycle, SurvivesThatThePodIsReplacedByAnotherOfItsName) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a").build());
  world.run();
  const Command bind = world.take<BindPod>();
  world.add(pod("a").uid("new").build());
  world.run();
  EXPECT_EQ(world.place("a"), "binding");
  EXPECT_EQ(world.scheduler().cache().pod_count(), 1u);
  world.answer(bind, outcome_of(Kind::kConflict, "another UID"));
  world.answer_all();
  EXPECT_EQ(world.place("a"), "bound");
  EXPECT_EQ(world.scheduler().bindings(), 0u);
}

TEST(BindingCycle, IsOverWhenThePodIsSeenBoundBeforeTheResultComes) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a").build());
  world.run();
  const Command bind = world.take<BindPod>();
  world.change("a", [](api::Pod& bound) { bound.spec.node_name = Symbol("n1"); });
  EXPECT_EQ(world.place("a"), "bound");
  world.answer(bind, {});
  EXPECT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.scheduler().cache().pod_count(), 1u);
}

TEST(BindingCycle, GivesWayToABindingBySomebodyElse) {
  World world;
  world.add(node("n1", "1"));
  world.add(node("n2", "1"));
  world.add(pod("a").build());
  world.run();
  const Command bind = world.take<BindPod>();
  const std::string chosen = world.last_attempt("a").node.str();
  const std::string other = chosen == "n1" ? "n2" : "n1";
  world.change("a", [&](api::Pod& bound) { bound.spec.node_name = Symbol(other); });
  world.obey(bind);  // a conflict
  world.answer_all();
  EXPECT_EQ(world.place("a"), "bound");
  world.add(pod("b").build());
  world.answer_all();
  EXPECT_EQ(world.node_of("b"), chosen);
}

}  // namespace
}  // namespace berth::engine
