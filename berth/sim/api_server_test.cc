#include "berth/sim/api_server.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/sim/testing.h"

namespace berth::sim {
namespace {

using testing::any;
using testing::node;
using testing::NodeBuilder;
using testing::pod;
using testing::PodBuilder;
using Kind = engine::Outcome::Kind;

const Instant kNow = Instant::from_unix_seconds(1000);
const Symbol kDefault("default");

class ApiServerTest : public ::testing::Test {
 protected:
  ApiServerTest() {
    api_.listen([this](const Change& change) { changes_.push_back(change); });
    must_create(node("n1"));
    must_create(pod("a"));
    changes_.clear();
  }

  api::AnyObject must_create(api::AnyObject object) {
    auto made = api_.create(std::move(object), kNow);
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return made.value_or(api::AnyObject());
  }
  api::PodPtr a() { return api_.get<api::Pod>(kDefault, "a"); }
  api::Binding binding(std::string_view pod, std::string_view to, std::string_view uid = "") {
    api::Binding binding;
    binding.metadata.name = pod;
    binding.metadata.name_space = kDefault;
    binding.metadata.uid = uid;
    binding.target.name = to;
    return binding;
  }
  void expect_error(const ApiResult<void>& result, Kind kind, std::string_view message) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, kind);
    EXPECT_EQ(result.error().message, message);
  }

  ApiServer api_;
  std::vector<Change> changes_;
};

TEST_F(ApiServerTest, GivesWhatIsCreatedAnIdentity) {
  const auto made = must_create(pod("b"));
  EXPECT_EQ(made.metadata().uid, "uid-3");
  EXPECT_EQ(made.metadata().resource_version, "3");
  EXPECT_EQ(made.metadata().creation_timestamp, kNow);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].kind, Change::Kind::kAdded);
  EXPECT_FALSE(changes_[0].before);
  EXPECT_EQ(changes_[0].version, 3u);
}

TEST_F(ApiServerTest, RefusesANameThatIsTaken) {
  const auto again = api_.create(pod("a"), kNow);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().kind, Kind::kConflict);
  EXPECT_EQ(again.error().message, "pods \"a\" already exists");
  EXPECT_TRUE(changes_.empty());
}

TEST_F(ApiServerTest, MakesANameFromGenerateName) {
  api::Pod unnamed = *pod("x").as<api::Pod>();
  unnamed.metadata.name.clear();
  unnamed.metadata.generate_name = Symbol("web-");
  const auto first = must_create(any(std::make_shared<const api::Pod>(unnamed)));
  const auto second = must_create(any(std::make_shared<const api::Pod>(unnamed)));
  EXPECT_EQ(first.metadata().name.size(), 9u);
  EXPECT_TRUE(first.metadata().name.starts_with("web-"));
  EXPECT_NE(first.metadata().name, second.metadata().name);
}

TEST_F(ApiServerTest, FillsInWhatASchedulerNeeds) {
  EXPECT_EQ(a()->spec->scheduler_name, "default-scheduler");
  EXPECT_EQ(a()->spec->priority, 0);
  EXPECT_EQ(a()->status.phase, "Pending");

  const api::NodePtr n1 = api_.get<api::Node>(Symbol(), "n1");
  EXPECT_EQ(*n1->metadata.labels->find(Symbol("kubernetes.io/hostname")), "n1");
  EXPECT_EQ(n1->status.capacity.find(Symbol("cpu"))->str(), "4");
  EXPECT_EQ(api::find_condition(*n1, Symbol("Ready"))->status, "True");
}

TEST_F(ApiServerTest, ANodeHasRoomForAHundredAndTenPodsUnlessItSaysOtherwise) {
  api::Node bare;
  bare.metadata.name = "n2";
  bare.status.capacity[Symbol("cpu")] = api::Quantity::from_units(2);
  const auto made = must_create(any(std::make_shared<const api::Node>(bare)));
  EXPECT_EQ(made.as<api::Node>()->status.allocatable.find(Symbol("pods"))->str(), "110");
  EXPECT_EQ(made.as<api::Node>()->status.allocatable.find(Symbol("cpu"))->str(), "2");
}

TEST_F(ApiServerTest, TakesPrioritiesFromPriorityClasses) {
  api::PriorityClass gold;
  gold.metadata.name = "gold";
  gold.value = 1000;
  must_create(api::AnyObject(std::make_shared<const api::PriorityClass>(gold)));
  api::PriorityClass common = gold;
  common.metadata.name = "common";
  common.value = 5;
  common.global_default = true;
  must_create(api::AnyObject(std::make_shared<const api::PriorityClass>(common)));

  const auto priority_with = [&](std::string_view name, std::string_view class_name) {
    PodBuilder builder(name);
    builder.uid("").spec().priority_class_name = Symbol(class_name);
    return must_create(any(builder.build())).as<api::Pod>()->spec->priority;
  };
  EXPECT_EQ(priority_with("g", "gold"), 1000);
  EXPECT_EQ(priority_with("c", ""), 5);
  EXPECT_EQ(priority_with("s", "system-node-critical"), 2'000'001'000);

  PodBuilder unknown("u");
  unknown.spec().priority_class_name = Symbol("silver");
  const auto refused = api_.create(any(unknown.build()), kNow);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "pods \"u\" is forbidden: no PriorityClass with name silver was found");
}

TEST_F(ApiServerTest, KeepsPodsOfEqualTemplatesInOneClass) {
  const auto first = must_create(pod("x", "500m")).as<api::Pod>();
  const auto second = must_create(pod("y", "500m")).as<api::Pod>();
  const auto other = must_create(pod("z", "600m")).as<api::Pod>();
  EXPECT_TRUE(first->spec.shared.same_as(second->spec.shared));
  EXPECT_FALSE(first->spec.shared.same_as(other->spec.shared));
}

TEST_F(ApiServerTest, UpdatesOnlyTheVersionThatIsCurrent) {
  const api::PodPtr old = a();
  api::Pod changed = *old;
  changed.metadata.labels = api::Labels{{"app", Symbol("web")}};
  ASSERT_TRUE(api_.update(any(std::make_shared<const api::Pod>(changed))).has_value());
  EXPECT_EQ(a()->metadata.generation, old->metadata.generation + 1);
  EXPECT_EQ(a()->metadata.uid, old->metadata.uid);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].before.as<api::Pod>(), old);

  changed.metadata.labels = api::Labels{{"app", Symbol("other")}};
  const auto late = api_.update(any(std::make_shared<const api::Pod>(changed)));
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().kind, Kind::kConflict);
  EXPECT_EQ(late.error().message,
            "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes to "
            "the latest version and try again");
}

TEST_F(ApiServerTest, AnUpdateThatChangesNothingIsNoChange) {
  ASSERT_TRUE(api_.update(any(a())).has_value());
  EXPECT_TRUE(changes_.empty());
}

TEST_F(ApiServerTest, AStatusDoesNotRaiseTheGeneration) {
  api::Pod running = *a();
  running.status.phase = Symbol("Running");
  ASSERT_TRUE(api_.update(any(std::make_shared<const api::Pod>(running))).has_value());
  EXPECT_EQ(a()->metadata.generation, 1);
}

TEST_F(ApiServerTest, BindsAPod) {
  api::Pod nominated = *a();
  nominated.status.nominated_node_name = Symbol("n1");
  ASSERT_TRUE(api_.update(any(std::make_shared<const api::Pod>(nominated))).has_value());

  ASSERT_TRUE(api_.bind(binding("a", "n1", a()->metadata.uid), kNow).has_value());
  EXPECT_EQ(a()->spec.node_name, "n1");
  EXPECT_TRUE(a()->status.nominated_node_name.empty());
  const api::PodCondition* scheduled = api::find_condition(*a(), Symbol("PodScheduled"));
  ASSERT_NE(scheduled, nullptr);
  EXPECT_EQ(scheduled->status, "True");
  EXPECT_EQ(scheduled->last_transition_time, kNow);
}

TEST_F(ApiServerTest, RefusesABindingInTheWordsOfTheRealOne) {
  expect_error(api_.bind(binding("none", "n1"), kNow), Kind::kNotFound, "pods \"none\" not found");
  expect_error(api_.bind(binding("a", "n9"), kNow), Kind::kRefused, "nodes \"n9\" not found");
  expect_error(api_.bind(binding("a", "n1", "other"), kNow), Kind::kConflict,
               "Operation cannot be fulfilled on pods \"a\": StorageError: invalid object, Code: 4, Key: "
               "/registry/pods/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
               "precondition: other, UID in object meta: uid-2");
  ASSERT_TRUE(api_.bind(binding("a", "n1"), kNow).has_value());
  expect_error(api_.bind(binding("a", "n1"), kNow), Kind::kConflict,
               "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to node \"n1\"");
  ASSERT_TRUE(api_.remove(api::kind_of<api::Pod>(), kDefault, "a", kNow).has_value());
  expect_error(api_.bind(binding("a", "n1"), kNow), Kind::kConflict,
               "Operation cannot be fulfilled on pods/binding \"a\": pod a is being deleted, cannot be assigned to a "
               "host");
}

TEST_F(ApiServerTest, AGatedPodCannotBeBound) {
  PodBuilder gated("g");
  gated.spec().scheduling_gates.push_back({Symbol("wait")});
  must_create(any(gated.build()));
  expect_error(api_.bind(binding("g", "n1"), kNow), Kind::kConflict,
               "Operation cannot be fulfilled on pods/binding \"g\": pod g has non-empty .spec.schedulingGates");
}

TEST_F(ApiServerTest, APodWithoutANodeIsGoneAtOnce) {
  ASSERT_TRUE(api_.remove(api::kind_of<api::Pod>(), kDefault, "a", kNow).has_value());
  EXPECT_EQ(a(), nullptr);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].kind, Change::Kind::kDeleted);
  expect_error(api_.remove(api::kind_of<api::Pod>(), kDefault, "a", kNow), Kind::kNotFound, "pods \"a\" not found");
}

TEST_F(ApiServerTest, APodOnANodeIsMarkedUntilItsKubeletSaysThatItIsGone) {
  ASSERT_TRUE(api_.bind(binding("a", "n1"), kNow).has_value());
  ASSERT_TRUE(api_.remove(api::kind_of<api::Pod>(), kDefault, "a", kNow).has_value());
  EXPECT_EQ(a()->metadata.deletion_timestamp, kNow);
  const std::uint64_t version = api_.version();
  ASSERT_TRUE(api_.remove(api::kind_of<api::Pod>(), kDefault, "a", kNow + Duration::seconds(5)).has_value());
  EXPECT_EQ(api_.version(), version);

  api_.finish_deletion(kDefault, "a", "another");
  EXPECT_NE(a(), nullptr);
  api_.finish_deletion(kDefault, "a", a()->metadata.uid);
  EXPECT_EQ(a(), nullptr);
}

TEST_F(ApiServerTest, DeletesOnlyThePodThatIsMeant) {
  expect_error(
      api_.remove(api::kind_of<api::Pod>(), kDefault, "a", kNow, "other"), Kind::kConflict,
      "Operation cannot be fulfilled on pods \"a\": the UID in the precondition (other) does not match the UID "
      "in record (uid-2). The object might have been deleted and then recreated");
  EXPECT_NE(a(), nullptr);
}

TEST_F(ApiServerTest, PatchesAConditionAndKeepsWhenItTurned) {
  engine::PatchPodStatus patch;
  patch.base = a();
  patch.condition.emplace();
  patch.condition->type = Symbol("PodScheduled");
  patch.condition->status = Symbol("False");
  patch.condition->message = "first";
  patch.nominated_node_name = Symbol("n1");
  ASSERT_TRUE(api_.patch_status(patch, kNow).has_value());
  EXPECT_EQ(a()->status.nominated_node_name, "n1");

  patch.condition->message = "second";
  patch.nominated_node_name.reset();
  ASSERT_TRUE(api_.patch_status(patch, kNow + Duration::seconds(9)).has_value());
  const api::PodCondition* condition = api::find_condition(*a(), Symbol("PodScheduled"));
  EXPECT_EQ(condition->message, "second");
  EXPECT_EQ(condition->last_transition_time, kNow);
  EXPECT_EQ(a()->status.nominated_node_name, "n1");

  const std::size_t seen = changes_.size();
  ASSERT_TRUE(api_.patch_status(patch, kNow + Duration::seconds(10)).has_value());
  EXPECT_EQ(changes_.size(), seen);
}

}  // namespace
}  // namespace berth::sim
