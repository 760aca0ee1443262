#include "berth/engine/handlers.h"

#include <gtest/gtest.h>

#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using testing::EventLog;
using testing::node;
using testing::NodeBuilder;
using testing::pod;
using testing::Texts;
using testing::World;

Options watched_by(EventLog& log) {
  Options options;
  options.observer = &log;
  return options;
}

// What happens to one node "n1" and one pod "a", and what the queue is told of it.
struct RoutingCase {
  std::string_view what;
  std::function<void(World&)> before;
  std::function<void(World&)> then;
  Texts events;
  std::string_view place;  // of the pod "a" afterwards
};

void nothing(World&) {}

const std::function<void(World&)> kAssigned = [](World& world) { world.add(pod("a").on("n1").build()); };
const std::function<void(World&)> kPending = [](World& world) { world.add(pod("a").build()); };
const std::function<void(World&)> kNominated = [](World& world) {
  auto nominated = pod("a");
  nominated.pod().status.nominated_node_name = Symbol("n1");
  world.add(nominated.build());
};
const std::function<void(World&)> kUnderWay = [](World& world) {
  world.add(pod("a").build());
  world.run();
  ASSERT_EQ(world.place("a"), "binding");
};

const std::vector<RoutingCase>& routing_cases() {
  static const std::vector<RoutingCase> kCases = {
      {"node added", nothing, [](World& world) { world.add(node("n2", "1")); }, {"NodeAdd"}, "unknown"},
      {"node relabelled",
       nothing,
       [](World& world) { world.add(NodeBuilder("n1").allocatable("cpu", "4").label("a", "b").build()); },
       {"NodeUpdateNodeLabel"},
       "unknown"},
      {"node has more room and a taint",
       nothing,
       [](World& world) { world.add(NodeBuilder("n1").allocatable("cpu", "8").taint("a", "", "NoSchedule").build()); },
       {"NodeUpdateNodeAllocatable", "NodeUpdateNodeTaint"},
       "unknown"},
      {"node reported again", nothing, [](World& world) { world.add(node("n1", "4")); }, {}, "unknown"},
      {"node deleted", nothing, [](World& world) { world.remove(node("n1", "4")); }, {"NodeDelete"}, "unknown"},
      {"unknown node deleted", nothing, [](World& world) { world.remove(node("n9", "4")); }, {}, "unknown"},

      {"assigned pod added", nothing, kAssigned, {"AssignedPodAdd"}, "bound"},
      {"assigned pod of another scheduler added",
       nothing,
       [](World& world) {
         auto foreign = pod("a");
         foreign.spec().scheduler_name = Symbol("other");
         world.add(foreign.on("n1").build());
       },
       {"AssignedPodAdd"},
       "bound"},
      {"pending pod added", nothing, kPending, {}, "active"},
      {"pending pod of another scheduler added",
       nothing,
       [](World& world) {
         auto foreign = pod("a");
         foreign.spec().scheduler_name = Symbol("other");
         world.add(foreign.build());
       },
       {},
       "foreign"},
      {"finished pod added",
       nothing,
       [](World& world) {
         auto finished = pod("a");
         finished.pod().status.phase = Symbol("Failed");
         world.add(finished.on("n1").build());
       },
       {},
       "unknown"},

      {"assigned pod relabelled",
       kAssigned,
       [](World& world) {
         world.change("a", [](api::Pod& changed) {
           api::Labels labels;
           labels[Symbol("a")] = Symbol("b");
           changed.metadata.labels = labels;
         });
       },
       {"AssignedPodUpdatePodLabel"},
       "bound"},
      {"assigned pod changed in no interesting way",
       kAssigned,
       [](World& world) {
         world.change("a", [](api::Pod& changed) { changed.status.start_time = Instant::from_unix_seconds(5); });
       },
       {"AssignedPodUpdate"},
       "bound"},
      {"pending pod bound by somebody",
       kPending,
       [](World& world) { world.change("a", [](api::Pod& changed) { changed.spec.node_name = Symbol("n1"); }); },
       {"AssignedPodAdd"},
       "bound"},
      {"assigned pod reported once more without its node",
       kAssigned,
       [](World& world) { world.scheduler().observe(api::AnyObject(pod("a").build()), world.now()); },
       {},
       "bound"},
      {"pending pod reported again",
       kPending,
       [](World& world) { world.scheduler().observe(api::AnyObject(world.find("a")), world.now()); },
       {},
       "active"},
      {"nomination changed",
       kNominated,
       [](World& world) {
         world.change("a", [](api::Pod& changed) { changed.status.nominated_node_name = Symbol("n2"); });
       },
       {"AssignedPodDelete"},
       "active"},
      {"nomination taken away",
       kNominated,
       [](World& world) {
         world.change("a", [](api::Pod& changed) { changed.status.nominated_node_name = Symbol(); });
       },
       {"AssignedPodDelete"},
       "active"},
      {"nominated pod relabelled",
       kNominated,
       [](World& world) {
         world.change("a", [](api::Pod& changed) {
           api::Labels labels;
           labels[Symbol("a")] = Symbol("b");
           changed.metadata.labels = labels;
         });
       },
       {"UnschedulablePodUpdatePodLabel"},
       "active"},
      {"nominated pod bound by somebody where it was to go",
       kNominated,
       [](World& world) { world.change("a", [](api::Pod& changed) { changed.spec.node_name = Symbol("n1"); }); },
       {"AssignedPodAdd"},
       "bound"},
      {"nominated pod bound by somebody elsewhere",
       kNominated,
       [](World& world) { world.change("a", [](api::Pod& changed) { changed.spec.node_name = Symbol("n2"); }); },
       {"AssignedPodAdd", "AssignedPodDelete"},
       "bound"},
      {"pod on its way arrives as it was",
       kUnderWay,
       [](World& world) { world.change("a", [](api::Pod& changed) { changed.spec.node_name = Symbol("n1"); }); },
       {"AssignedPodAdd"},
       "bound"},
      {"pod on its way arrives with another label",
       kUnderWay,
       [](World& world) {
         world.change("a", [](api::Pod& changed) {
           api::Labels labels;
           labels[Symbol("a")] = Symbol("b");
           changed.metadata.labels = labels;
           changed.spec.node_name = Symbol("n1");
         });
       },
       {"AssignedPodAdd", "AssignedPodUpdatePodLabel"},
       "bound"},
      {"pod on its way arrives elsewhere",
       kUnderWay,
       [](World& world) { world.change("a", [](api::Pod& changed) { changed.spec.node_name = Symbol("n2"); }); },
       {"AssignedPodAdd", "AssignedPodDelete"},
       "bound"},
      {"nomination given",
       kPending,
       [](World& world) {
         world.change("a", [](api::Pod& changed) { changed.status.nominated_node_name = Symbol("n2"); });
       },
       {},
       "active"},

      {"assigned pod deleted", kAssigned, [](World& world) { world.remove("a"); }, {"AssignedPodDelete"}, "unknown"},
      {"assigned pod finished",
       kAssigned,
       [](World& world) { world.change("a", [](api::Pod& ended) { ended.status.phase = Symbol("Succeeded"); }); },
       {"AssignedPodDelete"},
       "unknown"},
      {"pending pod deleted", kPending, [](World& world) { world.remove("a"); }, {}, "unknown"},
      {"nominated pod deleted", kNominated, [](World& world) { world.remove("a"); }, {"AssignedPodDelete"}, "unknown"},
      {"deleted, with an old last state",
       kAssigned,
       [](World& world) { world.scheduler().observe_deleted(api::AnyObject(pod("a").build()), world.now()); },
       {"AssignedPodDelete"},
       "unknown"},
      {"deleted, with a last state that has no UID",
       kAssigned,
       [](World& world) { world.scheduler().observe_deleted(api::AnyObject(pod("a").uid("").build()), world.now()); },
       {"AssignedPodDelete"},
       "unknown"},
      {"deletion of a predecessor seen late",
       kPending,
       [](World& world) {
         world.scheduler().observe_deleted(api::AnyObject(pod("a").uid("old").build()), world.now());
       },
       {},
       "active"},
      {"unknown pod deleted",
       nothing,
       [](World& world) { world.scheduler().observe_deleted(api::AnyObject(pod("a").build()), world.now()); },
       {},
       "unknown"},

      {"assigned pod replaced by a pending one of its name",
       kAssigned,
       [](World& world) { world.add(pod("a").uid("new").build()); },
       {"AssignedPodDelete"},
       "active"},
      {"pending pod replaced by an assigned one of its name",
       kPending,
       [](World& world) { world.add(pod("a").uid("new").on("n1").build()); },
       {"AssignedPodAdd"},
       "bound"},
      {"pending pod replaced by a finished one of its name",
       kPending,
       [](World& world) {
         auto finished = pod("a").uid("new");
         finished.pod().status.phase = Symbol("Succeeded");
         world.add(finished.on("n1").build());
       },
       {},
       "unknown"},
      {"assigned pod of another UID on the same node",
       kAssigned,
       [](World& world) { world.add(pod("a").uid("new").on("n1").build()); },
       {"AssignedPodDelete", "AssignedPodAdd"},
       "bound"},
  };
  return kCases;
}

TEST(Handlers, RouteWhatHappensToTheCacheAndTheQueue) {
  for (const RoutingCase& each : routing_cases()) {
    SCOPED_TRACE(each.what);
    EventLog log;
    World world(watched_by(log));
    world.add(node("n1", "4"));
    each.before(world);
    log.labels.clear();
    each.then(world);
    EXPECT_EQ(log.labels, each.events);
    EXPECT_EQ(world.place("a"), each.place);
    EXPECT_EQ(world.scheduler().cache().pod_count(), each.place == "bound" ? 1u : 0u);
  }
}

template <typename T>
T named(std::string_view name) {
  T object;
  object.metadata.name = std::string(name);
  return object;
}

TEST(Handlers, TellTheQueueOfOtherKindsThatPluginsWaitFor) {
  EventLog log;
  World world(watched_by(log));
  world.add_object(named<api::PersistentVolume>("v"));
  world.add_object(named<api::PersistentVolume>("v"));
  world.add_object(named<api::StorageClass>("s"));
  world.add_object(named<api::CsiNode>("n1"));
  world.add_object(named<api::ResourceSlice>("slice"));
  world.add_object(named<api::Service>("service"));  // nobody waits for these two
  world.add_object(named<api::PodDisruptionBudget>("budget"));
  world.scheduler().observe_deleted(
      api::AnyObject(std::make_shared<const api::PersistentVolume>(named<api::PersistentVolume>("v"))), world.now());
  world.scheduler().observe_deleted(
      api::AnyObject(std::make_shared<const api::PersistentVolume>(named<api::PersistentVolume>("v"))), world.now());
  EXPECT_EQ(log.labels,
            (Texts{"PersistentVolumeAdd", "PersistentVolumeUpdate", "storage.k8s.io/StorageClassAdd",
                   "storage.k8s.io/CSINodeAdd", "resource.k8s.io/ResourceSliceAdd", "PersistentVolumeDelete"}));
}

TEST(Handlers, TakeAListAsAllThereIs) {
  EventLog log;
  World world(watched_by(log));
  world.add(node("n1", "4"));
  world.add(node("n2", "4"));
  world.add(pod("gone").on("n1").build());
  world.add(pod("stays").on("n1").build());
  world.add(pod("replaced").on("n1").build());
  log.labels.clear();

  auto finished = pod("finished").on("n1");
  finished.pod().status.phase = Symbol("Succeeded");
  const std::vector<api::AnyObject> pods = {api::AnyObject(world.find("stays")),
                                            api::AnyObject(pod("replaced").uid("new").on("n1").build()),
                                            api::AnyObject(pod("pending").build()), api::AnyObject(finished.build())};
  world.scheduler().observe_list(api::kind_of<api::Pod>(), pods, world.now());
  EXPECT_EQ(world.place("gone"), "unknown");
  EXPECT_EQ(world.place("stays"), "bound");
  EXPECT_EQ(world.place("replaced"), "bound");
  EXPECT_EQ(world.place("pending"), "active");
  EXPECT_EQ(world.place("finished"), "unknown");
  EXPECT_EQ(world.scheduler().cache().pod_count(), 2u);

  const std::vector<api::AnyObject> nodes = {api::AnyObject(node("n1", "4"))};
  world.scheduler().observe_list(api::kind_of<api::Node>(), nodes, world.now());
  EXPECT_EQ(world.scheduler().cache().nodes().node_count(), 1u);
  EXPECT_EQ(log.labels.back(), "NodeDelete");

  world.add_object(named<api::PersistentVolume>("v"));
  world.scheduler().observe_list(api::kind_of<api::PersistentVolume>(), {}, world.now());
  EXPECT_EQ(world.scheduler().objects().persistent_volumes.size(), 0u);
  EXPECT_EQ(log.labels.back(), "PersistentVolumeDelete");
}

TEST(Handlers, WakeOnlyPodsOfAtMostThePriorityOfANomineeThatGoes) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("holder").priority(100).on("n1").build());
  world.add(pod("high").priority(50).build());
  world.add(pod("low").priority(1).build());
  auto nominee = pod("nominee").priority(10);
  nominee.pod().status.nominated_node_name = Symbol("n1");
  world.add(nominee.build());
  world.run();
  ASSERT_EQ(world.place("high"), "unschedulable");
  ASSERT_EQ(world.place("low"), "unschedulable");
  world.remove("nominee");
  EXPECT_EQ(world.place("high"), "unschedulable");
  EXPECT_EQ(world.place("low"), "backoff");
  EXPECT_EQ(world.scheduler().woken_by("low-uid"), "AssignedPodDelete");
}

TEST(Handlers, TellOfANodeThatGoesWhileItIsStillThere) {
  class Looker final : public Observer {
   public:
    Scheduler* scheduler = nullptr;
    std::size_t nodes = 0;
    void event_happened(const queue::ClusterEvent& event, Instant) override {
      if (event.label() == "NodeDelete") nodes = scheduler->cache().nodes().node_count();
    }
  };
  Looker looker;
  Options options;
  options.observer = &looker;
  World world(std::move(options));
  looker.scheduler = &world.scheduler();
  world.add(node("n1", "1"));
  world.remove(node("n1", "1"));
  EXPECT_EQ(looker.nodes, 1u);
  EXPECT_EQ(world.scheduler().cache().nodes().node_count(), 0u);
}

TEST(Handlers, KeepPodsOfANodeThatIsGoneUntilTheyGoThemselves) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a").on("n1").build());
  world.remove(node("n1", "1"));
  EXPECT_EQ(world.scheduler().cache().pod_count(), 1u);
  EXPECT_EQ(world.place("a"), "bound");
  world.remove("a");
  EXPECT_EQ(world.scheduler().cache().pod_count(), 0u);
}

TEST(Handlers, DoNotTryPodsBeforeTheFirstListsAreComplete) {
  auto scheduler = Scheduler::make({}).value();
  scheduler->observe(api::AnyObject(node("n1", "4")), testing::kStart);
  scheduler->observe(api::AnyObject(pod("a").build()), testing::kStart);
  scheduler->run_until_idle(testing::kStart);
  EXPECT_FALSE(scheduler->has_work());
  EXPECT_TRUE(scheduler->take_commands().empty());
  scheduler->start(testing::kStart);
  EXPECT_TRUE(scheduler->has_work());
  scheduler->run_until_idle(testing::kStart);
  EXPECT_EQ(scheduler->take_commands().size(), 1u);
}

}  // namespace
}  // namespace berth::engine
