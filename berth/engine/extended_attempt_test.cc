#include "berth/engine/extended_attempt.h"

#include <gtest/gtest.h>

#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using testing::configured;
using testing::node;
using testing::outcome_of;
using testing::pod;
using testing::refused;
using testing::Texts;
using testing::World;
using Kind = Outcome::Kind;

Options with_extender(std::string_view verbs, bool ignorable = false, std::string_view more = "") {
  Options options;
  std::string text = "extenders:\n";
  for (const std::string_view url : {"http://first", "http://second"}) {
    text += "- urlPrefix: " + std::string(url) + "\n  weight: 1\n";
    if (ignorable) text += "  ignorable: true\n";
    std::string_view left = verbs;
    while (!left.empty()) {
      const std::string_view verb = left.substr(0, left.find(' '));
      text += "  " + std::string(verb) + "Verb: " + std::string(verb) + "\n";
      left.remove_prefix(std::min(left.size(), verb.size() + 1));
    }
    if (verbs.find("bind") != std::string_view::npos) break;  // at most one may bind
  }
  options.config = configured(text + std::string(more));
  return options;
}

Outcome answering(ExtenderReply reply) {
  Outcome outcome;
  outcome.extender_reply = std::move(reply);
  return outcome;
}

ExtenderFiltered passing(std::vector<std::string_view> names) {
  ExtenderFiltered reply;
  for (const std::string_view name : names) reply.nodes.emplace_back(name);
  return reply;
}

const CallExtender& call_of(const Command& command) {
  return std::get<CallExtender>(command.what);
}
Texts nodes_in(const Command& command) {
  Texts names;
  for (const api::NodePtr& each : std::get<ExtenderNodes>(call_of(command).request).nodes) {
    names.push_back(each->metadata.name);
  }
  return names;
}

void add_nodes(World& world, int count, std::string_view cpu = "4") {
  for (int i = 1; i <= count; ++i) world.add(node("n" + std::to_string(i), cpu));
}

// --- Filter ----------------------------------------------------------------------------------------------------------

TEST(ExtendedAttempt, AsksOneExtenderAfterTheOtherAboutTheNodesThatAreLeft) {
  World world(with_extender("filter"));
  add_nodes(world, 3);
  world.add(node("small", "100m"));
  world.add(pod("a").build());
  world.add(pod("b").build());
  world.run();
  EXPECT_EQ(world.place("a"), "attempted");
  EXPECT_EQ(world.place("b"), "active") << "no other pod is tried meanwhile";
  EXPECT_FALSE(world.scheduler().has_work());
  EXPECT_EQ(world.scheduler().broken_invariants(), Texts());
  const Command first = world.take<CallExtender>();
  EXPECT_EQ(call_of(first).extender, 0u);
  EXPECT_EQ(nodes_in(first), (Texts{"n1", "n2", "n3"}));
  world.answer(first, answering(passing({"n1", "n3"})));
  const Command second = world.take<CallExtender>();
  EXPECT_EQ(call_of(second).extender, 1u);
  EXPECT_EQ(nodes_in(second), (Texts{"n1", "n3"}));
  world.answer(second, answering(passing({"n3"})));
  EXPECT_EQ(world.place("a"), "binding");
  world.obey(world.take<BindPod>());
  EXPECT_EQ(world.node_of("a"), "n3");
  EXPECT_EQ(world.place("b"), "attempted");
  world.answer(world.take<CallExtender>(), answering(passing({"n2"})));
  world.answer(world.take<CallExtender>(), answering(passing({"n2"})));
  world.answer_all();
  EXPECT_EQ(world.node_of("b"), "n2");
}

TEST(ExtendedAttempt, SaysWhatExtendersSaidAndIsWokenByAnyEvent) {
  World world(with_extender("filter"));
  add_nodes(world, 2);
  world.add(pod("a").build());
  world.run();
  ExtenderFiltered reply;
  reply.failed.emplace_back(Symbol("n1"), "no licence");
  reply.failed_and_unresolvable.emplace_back(Symbol("n2"), "wrong rack");
  world.answer(world.take<CallExtender>(), answering(reply));
  EXPECT_EQ(world.place("a"), "unschedulable");
  // Any event, also that the failure now stands in the pod's own status.
  world.obey(world.take<PatchPodStatus>());
  EXPECT_EQ(world.last_attempt("a").number, 1);
  EXPECT_EQ(world.place("a"), "attempted");
  world.answer(world.take<CallExtender>(), answering(reply));
  EXPECT_EQ(world.count<PatchPodStatus>(), 0u) << "nothing new, so it ends here";
  EXPECT_EQ(world.place("a"), "unschedulable");
  EXPECT_TRUE(
      world.condition("a").starts_with("False Unschedulable 0/2 nodes are available: 1 no licence, 1 wrong rack."))
      << world.condition("a");
  EXPECT_EQ(world.last_attempt("a").detail().rejecting_plugins, std::vector<Symbol>{Symbol("Extender")});
  api::StorageClass any;
  any.metadata.name = "any";
  world.add_object(any);
  EXPECT_EQ(world.place("a"), "backoff");
}

struct FilterErrorCase {
  std::string_view what;
  Outcome outcome;
  std::string error;
};

TEST(ExtendedAttempt, FailsWithTheErrorOfAnExtenderUnlessItIsIgnorable) {
  ExtenderFiltered broken;
  broken.error = "out of order";
  const std::vector<FilterErrorCase> cases = {
      {"it says so", answering(broken), "out of order"},
      {"the call was refused", refused("code 500"), "code 500"},
      {"nobody knows", outcome_of(Kind::kUnknown, "timeout"), "timeout"},
  };
  for (const FilterErrorCase& each : cases) {
    for (const bool ignorable : {false, true}) {
      SCOPED_TRACE(std::string(each.what) + (ignorable ? ", ignorable" : ""));
      World world(with_extender("filter", ignorable));
      add_nodes(world, 1);
      world.add(pod("a").build());
      world.run();
      world.answer(world.take<CallExtender>(), each.outcome);
      if (ignorable) {
        world.answer(world.take<CallExtender>(), each.outcome);
        world.answer_all();
        EXPECT_EQ(world.node_of("a"), "n1");
      } else {
        EXPECT_EQ(world.count<CallExtender>(), 0u);
        world.answer_all();
        EXPECT_EQ(world.condition("a"), "False SchedulerError " + each.error);
        EXPECT_EQ(world.place("a"), "backoff");
      }
    }
  }
}

TEST(ExtendedAttempt, DoesNotAskExtendersAboutResourcesThatThePodDoesNotWant) {
  World world(with_extender("filter", false, "  managedResources:\n  - name: example.com/gpu\n"));
  add_nodes(world, 1);
  world.add(pod("a").build());
  world.run();
  EXPECT_EQ(world.count<CallExtender>(), 1u) << "the second one manages that resource alone, the first one all pods";
  world.answer(world.take<CallExtender>(), answering(passing({"n1"})));
  EXPECT_EQ(world.count<CallExtender>(), 0u);
  world.answer_all();
  EXPECT_EQ(world.node_of("a"), "n1");
}

TEST(ExtendedAttempt, TriesTheNominatedNodeAloneFirst) {
  for (const bool passes : {true, false}) {
    SCOPED_TRACE(passes);
    World world(with_extender("filter"));
    add_nodes(world, 2);
    auto nominee = pod("a");
    nominee.pod().status.nominated_node_name = Symbol("n2");
    world.add(nominee.build());
    world.run();
    const Command alone = world.take<CallExtender>();
    EXPECT_EQ(nodes_in(alone), Texts{"n2"});
    world.answer(alone, answering(passes ? passing({"n2"}) : passing({})));
    const Command next = world.take<CallExtender>();
    EXPECT_EQ(nodes_in(next), passes ? Texts{"n2"} : (Texts{"n1", "n2"}));
    world.answer(next, answering(passes ? passing({"n2"}) : passing({"n1"})));
    if (!passes) world.answer(world.take<CallExtender>(), answering(passing({"n1"})));
    world.answer_all();
    EXPECT_EQ(world.node_of("a"), passes ? "n2" : "n1");
  }
}

TEST(ExtendedAttempt, AsksAboutASampleIfTheConfigurationWantsOne) {
  World world(with_extender("filter", false, "percentageOfNodesToScore: 50\n"));
  add_nodes(world, 300);
  world.add(pod("a").build());
  world.run();
  const Command call = world.take<CallExtender>();
  EXPECT_EQ(nodes_in(call).size(), 150u);
  EXPECT_EQ(nodes_in(call).front(), "n1");
  world.answer(call, refused("no"));
  world.add(pod("b").build());
  world.run();
  EXPECT_EQ(nodes_in(world.take<CallExtender>()).front(), "n151");
}

// --- The cluster changes while an extender thinks --------------------------------------------------------------------

TEST(ExtendedAttempt, DropsAPodThatGoesMeanwhile) {
  struct Case {
    std::string_view what;
    std::function<void(World&)> change;
    std::string_view place;
  };
  const std::vector<Case> cases = {
      {"gone", [](World& world) { world.remove("a"); }, "unknown"},
      {"going", [](World& world) { world.terminate("a"); }, "unknown"},
      {"bound by somebody",
       [](World& world) { world.change("a", [](api::Pod& bound) { bound.spec.node_name = Symbol("n1"); }); }, "bound"},
      {"replaced", [](World& world) { world.add(pod("a").uid("new").build()); }, "attempted"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    World world(with_extender("filter"));
    add_nodes(world, 1);
    world.add(pod("a").build());
    world.run();
    each.change(world);
    world.answer(world.take<CallExtender>(), answering(passing({"n1"})));
    world.answer(world.take<CallExtender>(), answering(passing({"n1"})));
    EXPECT_EQ(world.place("a"), each.place);
    EXPECT_EQ(world.count<BindPod>(), 0u);
    EXPECT_EQ(world.scheduler().cache().assumed_count(), 0u);
  }
}

TEST(ExtendedAttempt, FailsIfTheNodesThatWereLeftAreGone) {
  World world(with_extender("filter"));
  add_nodes(world, 2);
  world.add(pod("a").build());
  world.run();
  world.answer(world.take<CallExtender>(), answering(passing({"n1"})));
  const Command second = world.take<CallExtender>();
  world.remove(node("n1", "4"));
  world.answer(second, answering(passing({"n1"})));
  EXPECT_EQ(world.place("a"), "backoff");
  world.answer_all();
}

// --- Prioritize ------------------------------------------------------------------------------------------------------

TEST(ExtendedAttempt, AddsTheScoresOfExtenders) {
  World world(with_extender("prioritize"));
  add_nodes(world, 3);
  world.add(pod("a").build());
  world.run();
  ASSERT_EQ(world.count<CallExtender>(), 2u) << "all are asked at once";
  const Command first = world.take<CallExtender>();
  const Command second = world.take<CallExtender>();
  ExtenderPrioritized scores;
  scores.scores = {{Symbol("n1"), 1}, {Symbol("n2"), 10}, {Symbol("n3"), 2}};
  world.answer(second, answering(scores));
  EXPECT_EQ(world.place("a"), "attempted");
  world.answer(first, refused("no"));  // adds nothing
  world.answer_all();
  EXPECT_EQ(world.node_of("a"), "n2");
}

TEST(ExtendedAttempt, DoesNotAskForScoresOfASingleNode) {
  World world(with_extender("prioritize"));
  add_nodes(world, 1);
  world.add(pod("a").build());
  world.run();
  EXPECT_EQ(world.count<CallExtender>(), 0u);
  world.answer_all();
  EXPECT_EQ(world.node_of("a"), "n1");
}

// --- Preempt ---------------------------------------------------------------------------------------------------------

TEST(ExtendedAttempt, LetsExtendersChooseWhoIsPreempted) {
  World world(with_extender("preempt"));
  add_nodes(world, 2, "1");
  world.add(pod("v1").on("n1").build());
  world.add(pod("v2").priority(5).on("n2").build());
  world.add(pod("a").priority(10).build());
  world.run();
  const Command call = world.take<CallExtender>();
  EXPECT_EQ(call_of(call).verb, ExtenderVerb::kPreempt);
  EXPECT_EQ(std::get<ExtenderPreempt>(call_of(call).request).candidates.size(), 2u);
  ExtenderPreempted reply;
  reply.candidates.push_back({Symbol("n2"), {"v2-uid"}, 0});
  world.answer(call, answering(reply));
  world.answer(world.take<CallExtender>(), answering(reply));
  EXPECT_EQ(world.nominated_node("a"), "n2");
  while (world.count<PatchPodStatus>() > 0) world.obey(world.take<PatchPodStatus>());
  const Command evict = world.take<DeletePod>();
  EXPECT_EQ(std::get<DeletePod>(evict.what).pod.name, "v2");
  world.obey(evict);
  world.run_for(Duration::seconds(3));
  world.answer_all();
  EXPECT_EQ(world.node_of("a"), "n2");
}

TEST(ExtendedAttempt, PreemptsNobodyIfAnExtenderFailsOrLeavesNoCandidate) {
  struct Case {
    Outcome outcome;
    std::string end;
  };
  const std::vector<Case> cases = {
      {refused("code 500"), " preemption: code 500"},
      {answering(ExtenderPreempted{}), " preemption: no candidate node for preemption"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.end);
    World world(with_extender("preempt"));
    add_nodes(world, 1, "1");
    world.add(pod("v1").on("n1").build());
    world.add(pod("a").priority(10).build());
    world.run();
    world.answer(world.take<CallExtender>(), each.outcome);
    EXPECT_EQ(world.count<CallExtender>(), 0u);
    EXPECT_EQ(world.count<DeletePod>(), 0u);
    world.answer_all();
    EXPECT_EQ(world.condition("a"), "False Unschedulable 0/1 nodes are available: 1 Insufficient cpu." + each.end);
    EXPECT_EQ(world.nominated_node("a"), "");
  }
}

TEST(ExtendedAttempt, DoesWithoutIgnorableExtendersThatFailAtPreemption) {
  World world(with_extender("preempt", true));
  add_nodes(world, 1, "1");
  world.add(pod("v1").on("n1").build());
  world.add(pod("a").priority(10).build());
  world.run();
  world.answer(world.take<CallExtender>(), refused("no"));
  world.answer(world.take<CallExtender>(), refused("no"));
  EXPECT_EQ(world.scheduler().preemptions(), 1u);
  world.answer_all();
  EXPECT_EQ(world.find("v1"), nullptr);
}

// --- Bind ------------------------------------------------------------------------------------------------------------

struct ExtenderBindCase {
  std::string_view what;
  bool ignorable;
  Outcome outcome;
  std::string_view next;  // "bound", "plugin", "read", or the error
};

TEST(ExtendedAttempt, LetsAnExtenderBind) {
  ExtenderBound no;
  no.error = "not mine";
  const std::vector<ExtenderBindCase> cases = {
      {"done", false, answering(ExtenderBound{}), "bound"},
      {"it says no", false, answering(no), "FailedScheduling a: not mine"},
      {"the call is refused", false, refused("code 500"), "FailedScheduling a: code 500"},
      {"nobody knows", false, outcome_of(Kind::kUnknown, "timeout"), "read"},
      {"ignorable, done", true, answering(ExtenderBound{}), "bound"},
      {"ignorable, it says no", true, answering(no), "plugin"},
      {"ignorable, the call is refused", true, refused("code 500"), "plugin"},
      {"ignorable, not found", true, outcome_of(Kind::kNotFound, "404"), "plugin"},
      {"ignorable, nobody knows", true, outcome_of(Kind::kUnknown, "timeout"), "read"},
  };
  for (const ExtenderBindCase& each : cases) {
    SCOPED_TRACE(each.what);
    World world(with_extender("bind", each.ignorable));
    add_nodes(world, 1);
    world.add(pod("a").build());
    world.run();
    EXPECT_EQ(world.count<BindPod>(), 0u);
    const Command call = world.take<CallExtender>();
    EXPECT_EQ(std::get<ExtenderBind>(call_of(call).request).node_name, "n1");
    world.answer(call, each.outcome);
    if (each.next == "bound") {
      EXPECT_EQ(world.events().back(), "Scheduled a: Successfully assigned default/a to n1");
    } else if (each.next == "plugin") {
      EXPECT_EQ(world.count<BindPod>(), 1u);
      world.answer_all();
      EXPECT_EQ(world.node_of("a"), "n1");
    } else if (each.next == "read") {
      api::Pod bound = *world.find("a");
      bound.spec.node_name = Symbol("n1");
      world.store(bound);
      world.obey(world.take<ReadPod>());
      EXPECT_EQ(world.events().back(), "Scheduled a: Successfully assigned default/a to n1");
    } else {
      EXPECT_EQ(world.events().back(), each.next);
      EXPECT_EQ(world.place("a"), "backoff");
    }
  }
}

}  // namespace
}  // namespace berth::engine
