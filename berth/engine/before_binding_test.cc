// What a pod goes through between the choice of its node and its binding: Reserve, Permit, PreBind.
#include <gtest/gtest.h>

#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using framework::Code;
using framework::Status;
using testing::node;
using testing::outcome_of;
using testing::pod;
using testing::refused;
using testing::Script;
using testing::scripted;
using testing::ScriptedWork;
using testing::Texts;
using testing::World;
using Kind = Outcome::Kind;

// --- Reserve and Permit ----------------------------------------------------------------------------------------------

struct RefusalCase {
  std::string_view what;
  std::function<void(Script&)> say;
  std::string condition;
  std::string_view place;
  Texts calls;
};

TEST(BindingCycle, UndoesEverythingIfAPluginRefusesAtOnce) {
  const std::vector<RefusalCase> cases = {
      {"Reserve rejects",
       [](Script& script) { script.reserve = [] { return Status::unschedulable("no slot"); }; },
       "False Unschedulable 0/1 nodes are available: 1 no slot.",
       "unschedulable",
       {"reserve a", "unreserve a"}},
      {"Reserve fails",
       [](Script& script) { script.reserve = [] { return Status::error("boom"); }; },
       "False SchedulerError running Reserve plugin \"Scripted\": boom",
       "backoff",
       {"reserve a", "unreserve a"}},
      {"Permit rejects",
       [](Script& script) {
         script.permit = [] { return framework::Permitted{Status::unresolvable("not today"), {}}; };
       },
       "False Unschedulable 0/1 nodes are available: 1 not today.",
       "unschedulable",
       {"reserve a", "permit a", "unreserve a"}},
      {"Permit fails",
       [](Script& script) { script.permit = [] { return framework::Permitted{Status::error("boom"), {}}; }; },
       "False SchedulerError running Permit plugin \"Scripted\": boom",
       "backoff",
       {"reserve a", "permit a", "unreserve a"}},
      {"PreBind's preflight fails",
       [](Script& script) { script.pre_bind = [] { return framework::PreBinding{Status::error("boom"), {}, true}; }; },
       "False SchedulerError running PreBindPreFlight \"Scripted\": boom",
       "backoff",
       {"reserve a", "permit a", "pre_bind a", "unreserve a"}},
  };
  for (const RefusalCase& each : cases) {
    SCOPED_TRACE(each.what);
    Script script;
    each.say(script);
    World world(scripted(script));
    world.add(node("n1", "4"));
    auto nominated = pod("a");
    nominated.pod().status.nominated_node_name = Symbol("n1");
    world.add(nominated.build());
    world.answer_all();
    EXPECT_EQ(world.condition("a"), each.condition);
    EXPECT_EQ(world.place("a"), each.place);
    EXPECT_EQ(script.calls, each.calls);
    EXPECT_EQ(world.scheduler().cache().pod_count(), 0u);
    EXPECT_EQ(world.scheduler().bindings(), 0u);
    EXPECT_EQ(world.find("a")->status.nominated_node_name, "");
    EXPECT_EQ(world.nominated_node("a"), "");
    EXPECT_TRUE(world.scheduler().queue().in_flight().empty());
  }
}

TEST(BindingCycle, WakesARejectedPodOnlyByWhatItsPluginWaitsFor) {
  Script script;
  script.permit = [] { return framework::Permitted{Status::unschedulable("not today"), {}}; };
  World world(scripted(script));
  world.add(node("n1", "4"));
  world.add(pod("a").build());
  world.answer_all();
  ASSERT_EQ(world.place("a"), "unschedulable");
  script.permit = {};
  world.change("a", [](api::Pod& changed) { changed.status.start_time = Instant::from_unix_seconds(5); });
  world.run_for(Duration::seconds(3));
  EXPECT_EQ(world.place("a"), "unschedulable");
  EXPECT_EQ(world.attempts("a"), 1);
  world.add(node("n2", "4"));
  world.run_for(Duration::seconds(3));
  world.answer_all();
  EXPECT_EQ(world.place("a"), "bound");
}

// --- Waiting at Permit -----------------------------------------------------------------------------------------------

class WaitingAtPermit : public ::testing::Test {
 protected:
  void start(Duration timeout = Duration::seconds(10)) {
    script.permit = [timeout] { return framework::Permitted{Status(Code::kWait), timeout}; };
    world.emplace(scripted(script));
    world->add(node("n1", "1"));
    world->add(pod("a").build());
    world->run();
  }
  Script script;
  std::optional<World> world;
  const Symbol plugin{"Scripted"};
};

TEST_F(WaitingAtPermit, ShowsWhereThePodIsGoing) {
  start();
  EXPECT_EQ(world->place("a"), "waiting");
  world->obey(world->take<PatchPodStatus>());
  EXPECT_EQ(world->find("a")->status.nominated_node_name, "n1");
  EXPECT_EQ(world->place("a"), "waiting");
  EXPECT_EQ(world->count<BindPod>(), 0u);
  EXPECT_TRUE(world->scheduler().allow("a-uid", plugin, world->now()));
  world->answer_all();
  EXPECT_EQ(world->place("a"), "bound");
}

TEST_F(WaitingAtPermit, DoesNotMindThatThisCannotBeShown) {
  start();
  world->answer(world->take<PatchPodStatus>(), refused("no"));
  EXPECT_EQ(world->place("a"), "waiting");
  EXPECT_TRUE(world->scheduler().allow("a-uid", plugin, world->now()));
  world->answer_all();
  EXPECT_EQ(world->place("a"), "bound");
}

TEST_F(WaitingAtPermit, MayBeAllowedBeforeItHasBeenShown) {
  start();
  EXPECT_TRUE(world->scheduler().allow("a-uid", plugin, world->now()));
  EXPECT_EQ(world->count<BindPod>(), 0u);
  world->answer_all();
  EXPECT_EQ(world->place("a"), "bound");
}

TEST_F(WaitingAtPermit, IsNotShownWhereTheGateIsOff) {
  script.permit = [] { return framework::Permitted{Status(Code::kWait), Duration::seconds(10)}; };
  Options options = scripted(script);
  options.gates = options.gates.with(config::Feature::kNominatedNodeNameForExpectation, false);
  world.emplace(std::move(options));
  world->add(node("n1", "1"));
  world->add(pod("a").build());
  world->run();
  EXPECT_EQ(world->count<PatchPodStatus>(), 0u);
  EXPECT_TRUE(world->scheduler().allow("a-uid", plugin, world->now()));
  world->answer_all();
  EXPECT_EQ(world->place("a"), "bound");
}

TEST_F(WaitingAtPermit, AnswersOnlyToThePluginThatItWaitsFor) {
  start();
  EXPECT_FALSE(world->scheduler().allow("a-uid", Symbol("Other"), world->now()));
  EXPECT_FALSE(world->scheduler().allow("b-uid", plugin, world->now()));
  EXPECT_FALSE(world->scheduler().reject("a-uid", Symbol("Other"), "not mine", world->now()));
  EXPECT_TRUE(world->scheduler().allow("a-uid", plugin, world->now()));
  EXPECT_FALSE(world->scheduler().allow("a-uid", plugin, world->now()));
  EXPECT_FALSE(world->scheduler().reject("a-uid", plugin, "late", world->now()));
  world->answer_all();
}

TEST_F(WaitingAtPermit, GoesBackWhenItIsRejected) {
  start();
  world->answer_all();
  EXPECT_TRUE(world->scheduler().reject("a-uid", plugin, "quorum lost", world->now()));
  world->answer_all();
  EXPECT_EQ(world->condition("a"), "False Unschedulable 0/1 nodes are available: 1 quorum lost.");
  EXPECT_EQ(world->place("a"), "unschedulable");
  EXPECT_EQ(world->find("a")->status.nominated_node_name, "");
  EXPECT_EQ(script.calls.back(), "unreserve a");
}

TEST_F(WaitingAtPermit, GoesBackWhenItHasWaitedTooLong) {
  start(Duration::seconds(10));
  world->answer_all();
  world->run_for(Duration::seconds(9));
  EXPECT_EQ(world->place("a"), "waiting");
  world->run_for(Duration::seconds(1));
  world->answer_all();
  EXPECT_EQ(
      world->condition("a"),
      "False Unschedulable 0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Scripted.");
  EXPECT_EQ(world->place("a"), "unschedulable");
}

TEST_F(WaitingAtPermit, WaitsForAQuarterOfAnHourAtMost) {
  start(Duration::hours(1));
  world->answer_all();
  world->run_for(Duration::minutes(15));
  world->answer_all();
  EXPECT_EQ(world->condition("a"),
            "False Unschedulable 0/1 nodes are available: 1 rejected due to timeout after waiting 15m0s at plugin "
            "Scripted.");
}

TEST_F(WaitingAtPermit, HoldsItsRoomAndGivesItBackToOthers) {
  start();
  world->answer_all();
  script.permit = {};
  world->add(pod("b").build());
  world->answer_all();
  ASSERT_EQ(world->place("b"), "unschedulable");
  world->scheduler().reject("a-uid", plugin, "no", world->now());
  EXPECT_EQ(world->place("b"), "backoff");
  EXPECT_EQ(world->place("a"), "unschedulable") << "a rejected pod is not woken by its own going";
  world->run_for(Duration::seconds(2));
  world->answer_all();
  EXPECT_EQ(world->node_of("b"), "n1");
}

TEST_F(WaitingAtPermit, CountsEventsThatCameMeanwhile) {
  start();
  world->answer_all();
  world->add(node("n2", "1"));
  world->scheduler().reject("a-uid", plugin, "no", world->now());
  EXPECT_EQ(world->place("a"), "backoff");
}

TEST_F(WaitingAtPermit, IsDroppedWhenThePodGoes) {
  start();
  world->answer_all();
  world->remove("a");
  EXPECT_EQ(world->place("a"), "unknown");
  EXPECT_EQ(world->scheduler().cache().pod_count(), 0u);
  EXPECT_EQ(world->scheduler().bindings(), 0u);
  EXPECT_EQ(script.calls.back(), "unreserve a");
  EXPECT_FALSE(world->scheduler().allow("a-uid", plugin, world->now()));
}

TEST_F(WaitingAtPermit, IsDroppedWhenThePodBeginsToGo) {
  start();
  world->answer_all();
  world->terminate("a");
  EXPECT_EQ(world->scheduler().cache().pod_count(), 0u);
  EXPECT_EQ(world->scheduler().bindings(), 0u);
  EXPECT_EQ(world->place("a"), "backoff") << "nobody's rejection: it is looked at again by time, and skipped then";
  world->run_for(Duration::seconds(10));
  world->answer_all();
  EXPECT_EQ(world->place("a"), "unknown");
  EXPECT_EQ(world->events().back(), "FailedScheduling a: skip schedule deleting pod: default/a");
  world->remove("a");
}

// --- PreBind ---------------------------------------------------------------------------------------------------------

class InPreBind : public ::testing::Test {
 protected:
  // Starts a pod whose PreBind work is shaped by the test.
  void start(const std::function<void(ScriptedWork&)>& shape) {
    script.pre_bind = [shape] {
      auto work = std::make_unique<ScriptedWork>();
      shape(*work);
      return framework::PreBinding{Status(), std::move(work), true};
    };
    world.emplace(scripted(script));
    world->add(node("n1", "1"));
    world->add(pod("a").build());
    world->run();
    ASSERT_EQ(world->count<PatchPodStatus>(), 1u);
    world->obey(world->take<PatchPodStatus>());
    EXPECT_EQ(world->find("a")->status.nominated_node_name, "n1");
  }
  static api::AnyObject volume(std::string_view name) {
    api::PersistentVolume made;
    made.metadata.name = std::string(name);
    return api::AnyObject(std::make_shared<const api::PersistentVolume>(made));
  }
  Script script;
  std::optional<World> world;
};

TEST_F(InPreBind, WritesOneObjectAfterTheOtherAndThenBinds) {
  std::vector<std::size_t> written;
  start([&](ScriptedWork& work) {
    work.to_update = {volume("v1"), volume("v2")};
    work.on_updated = [&](std::size_t index) { written.push_back(index); };
  });
  EXPECT_EQ(world->count<UpdateObject>(), 1u);
  EXPECT_EQ(world->count<BindPod>(), 0u);
  world->obey(world->take<UpdateObject>());
  EXPECT_EQ(written, (std::vector<std::size_t>{0}));
  world->obey(world->take<UpdateObject>());
  EXPECT_EQ(written, (std::vector<std::size_t>{0, 1}));
  world->answer_all();
  EXPECT_EQ(world->place("a"), "bound");
}

TEST_F(InPreBind, LooksEverySecondWhetherItCanGoOn) {
  int looks = 0;
  start([&](ScriptedWork& work) { work.on_poll = [&] { return ++looks < 4 ? Status(Code::kWait) : Status(); }; });
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(world->place("a"), "binding");
  world->run_for(Duration::milliseconds(999));
  EXPECT_EQ(looks, 1);
  world->run_for(Duration::milliseconds(1));
  EXPECT_EQ(looks, 2);
  world->run_for(Duration::seconds(2));
  EXPECT_EQ(looks, 4);
  EXPECT_EQ(world->count<BindPod>(), 1u);
  world->answer_all();
}

struct PreBindFailure {
  std::string_view what;
  std::function<void(ScriptedWork&)> shape;
  std::function<void(World&)> then;
  std::string condition;
};

TEST_F(InPreBind, FailsWithAnErrorAndIsTriedAgainByTime) {
  const std::vector<PreBindFailure> cases = {
      {"an update is refused", [](ScriptedWork& work) { work.to_update = {volume("v1")}; },
       [](World& in) { in.answer(in.take<UpdateObject>(), outcome_of(Kind::kConflict, "changed meanwhile")); },
       "False SchedulerError running PreBind plugin \"Scripted\": changed meanwhile"},
      {"a look fails", [](ScriptedWork& work) { work.on_poll = [] { return Status::error("lost"); }; }, [](World&) {},
       "False SchedulerError running PreBind plugin \"Scripted\": lost"},
      {"it takes too long", [](ScriptedWork& work) { work.on_poll = [] { return Status(Code::kWait); }; },
       [](World& in) { in.run_for(Duration::seconds(30)); },
       "False SchedulerError running PreBind plugin \"Scripted\": context deadline exceeded"},
  };
  for (const PreBindFailure& each : cases) {
    SCOPED_TRACE(each.what);
    start(each.shape);
    script.pre_bind = {};
    each.then(*world);
    EXPECT_EQ(world->place("a"), "backoff");
    EXPECT_EQ(world->scheduler().cache().pod_count(), 0u);
    world->obey(world->take<PatchPodStatus>());
    EXPECT_EQ(world->condition("a"), each.condition);
    EXPECT_EQ(world->find("a")->status.nominated_node_name, "");
    world->run_for(Duration::seconds(3));
    world->answer_all();
    EXPECT_EQ(world->place("a"), "bound");
    EXPECT_EQ(world->attempts("a"), 2);
  }
}

TEST_F(InPreBind, GivesTheRoomBackWhenThePodGoes) {
  start([](ScriptedWork& work) { work.to_update = {volume("v1")}; });
  world->remove("a");
  EXPECT_EQ(world->scheduler().cache().pod_count(), 0u);
  world->obey(world->take<UpdateObject>());
  world->answer_all();  // the binding is refused
  EXPECT_EQ(world->scheduler().bindings(), 0u);
  EXPECT_EQ(world->place("a"), "unknown");
}

// A claim that waits for its first consumer, and a volume that fits it.
TEST(BindingCycleWithVolumes, WritesTheVolumeWaitsForTheClaimAndBinds) {
  World world;
  world.add(node("n1", "4"));
  api::StorageClass late;
  late.metadata.name = "late";
  late.provisioner = Symbol("kubernetes.io/no-provisioner");
  late.volume_binding_mode = Symbol("WaitForFirstConsumer");
  world.add_object(late);
  api::PersistentVolume volume;
  volume.metadata.name = "v";
  volume.metadata.resource_version = "1";
  volume.spec.storage_class_name = Symbol("late");
  volume.spec.access_modes = {Symbol("ReadWriteOnce")};
  volume.spec.capacity[Symbol("storage")] = cache::testing::quantity("10Gi");
  volume.status.phase = Symbol("Available");
  world.add_object(volume);
  api::PersistentVolumeClaim claim;
  claim.metadata.name = "c";
  claim.metadata.uid = "c-uid";
  claim.metadata.name_space = Symbol("default");
  claim.metadata.resource_version = "2";
  claim.spec.storage_class_name = Symbol("late");
  claim.spec.access_modes = {Symbol("ReadWriteOnce")};
  claim.spec.resources.requests[Symbol("storage")] = cache::testing::quantity("1Gi");
  world.add_object(claim);

  world.add(pod("a").claim("c").build());
  world.run();
  world.obey(world.take<PatchPodStatus>());
  const Command update = world.take<UpdateObject>();
  const auto written = std::get<UpdateObject>(update.what).object.as<api::PersistentVolume>();
  ASSERT_NE(written, nullptr);
  ASSERT_TRUE(written->spec.claim_ref.has_value());
  EXPECT_EQ(written->spec.claim_ref->name, "c");
  world.obey(update);
  world.run_for(Duration::seconds(5));
  EXPECT_EQ(world.count<BindPod>(), 0u);
  EXPECT_EQ(world.place("a"), "binding");

  claim.metadata.resource_version = "3";
  claim.spec.volume_name = "v";
  api::Annotations annotations;
  annotations[Symbol("pv.kubernetes.io/bind-completed")] = "yes";
  claim.metadata.annotations = annotations;
  world.add_object(claim);
  world.run_for(Duration::seconds(1));
  world.answer_all();
  EXPECT_EQ(world.place("a"), "bound");
}

}  // namespace
}  // namespace berth::engine
