#include "berth/daemon/dispatcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/client/testing.h"
#include "berth/codec/json.h"

namespace berth::daemon {
namespace {

using client::FakeLoop;
using client::FakeTransport;
using client::Response;
using Kind = engine::Outcome::Kind;
using Log = std::vector<std::string>;

constexpr int kOk = 200;

// A dispatcher and an API server that answers when the test says so.
class DispatcherTest : public ::testing::Test {
 protected:
  void TearDown() override { dispatcher_.reset(); }

  Dispatcher& dispatcher() {
    if (!dispatcher_) {
      dispatcher_.emplace(loop, api, options, [this](engine::CommandId id, const engine::Outcome& outcome) {
        EXPECT_FALSE(outcomes.contains(id)) << "a second outcome";
        outcomes.emplace(id, outcome);
        if (on_outcome) on_outcome(id);
      });
    }
    return *dispatcher_;
  }

  // What is under way, oldest first: "POST /api/v1/namespaces/shop/pods/a/binding".
  Log open() const {
    Log result;
    for (const auto* started : api.open()) {
      result.push_back(fmt::format("{} {}", client::to_string(started->request.method), started->request.path));
    }
    return result;
  }
  std::size_t open_with(std::string_view in_path) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        open(), [&](const std::string& line) { return line.find(in_path) != std::string::npos; }));
  }

  void answer(std::string_view in_path, int status, std::string body = {}, std::vector<client::Header> headers = {}) {
    const auto* started = api.find(in_path);
    ASSERT_NE(started, nullptr) << in_path;
    api.answer(started->id, status, std::move(body), std::move(headers));
    loop.run();
  }
  void break_off(std::string_view in_path, Response::Transfer how) {
    const auto* started = api.find(in_path);
    ASSERT_NE(started, nullptr) << in_path;
    api.break_off(started->id, how);
    loop.run();
  }
  // Until nothing is under way.
  void answer_all(int status) {
    while (!api.open().empty()) {
      for (const auto* started : api.open()) api.answer(started->id, status);
      loop.run();
    }
  }
  std::optional<Kind> outcome(engine::CommandId id) const {
    const auto it = outcomes.find(id);
    return it == outcomes.end() ? std::nullopt : std::optional(it->second.kind);
  }
  const Dispatcher::Statistics& statistics(Lane lane) { return dispatcher().statistics(lane); }

  static api::PodPtr pod(std::string_view name, std::string version = "1") {
    auto result = std::make_shared<api::Pod>();
    result->metadata.name = name;
    result->metadata.name_space = Symbol("shop");
    result->metadata.uid = fmt::format("uid-{}", name);
    result->metadata.resource_version = std::move(version);
    return result;
  }
  engine::Command bind(std::string_view name) {
    api::Binding binding;
    binding.metadata = pod(name)->metadata;
    binding.target.kind = Symbol("Node");
    binding.target.name = "n1";
    return {++last_id, engine::BindPod{std::make_shared<const api::Binding>(binding)}};
  }
  engine::Command patch(std::string_view name, std::string message = "no", std::string version = "1") {
    api::PodCondition condition;
    condition.type = Symbol("PodScheduled");
    condition.status = Symbol("False");
    condition.message = std::move(message);
    return {++last_id, engine::PatchPodStatus{
                           .base = pod(name, std::move(version)), .condition = condition, .nominated_node_name = {}}};
  }
  engine::Command nominate(std::string_view name, std::string_view node = "n1") {
    return {++last_id, engine::PatchPodStatus{.base = pod(name), .condition = {}, .nominated_node_name = Symbol(node)}};
  }
  engine::Command remove(std::string_view name) { return {++last_id, engine::DeletePod{engine::PodRef(*pod(name))}}; }
  engine::Command read(std::string_view name) { return {++last_id, engine::ReadPod{engine::PodRef(*pod(name))}}; }
  engine::Command call_extender(std::size_t extender) {
    return {++last_id, engine::CallExtender{.extender = extender,
                                            .verb = engine::ExtenderVerb::kBind,
                                            .request = engine::ExtenderBind{pod("x"), Symbol("n1")}}};
  }

  template <typename... Commands>
  void submit(Commands... commands) {
    std::vector<engine::Command> all;
    (all.push_back(std::move(commands)), ...);
    dispatcher().submit(std::move(all));
  }

  FakeLoop loop;
  FakeTransport api{loop};
  FakeTransport first_extender{loop};
  FakeTransport second_extender{loop};
  Dispatcher::Options options;
  std::map<engine::CommandId, engine::Outcome> outcomes;
  std::function<void(engine::CommandId)> on_outcome;
  engine::CommandId last_id = 0;

 private:
  std::optional<Dispatcher> dispatcher_;
};

std::string path(std::string_view pod, std::string_view subresource) {
  return fmt::format("/api/v1/namespaces/shop/pods/{}/{}", pod, subresource);
}

// --- Lanes -----------------------------------------------------------------------------------------------------------

TEST_F(DispatcherTest, BindsAPodAndSaysSo) {
  submit(bind("a"));
  EXPECT_EQ(open(), Log{"POST " + path("a", "binding")});
  EXPECT_FALSE(dispatcher().is_idle());
  answer("/a/binding", 201);
  EXPECT_EQ(outcome(1), Kind::kDone);
  EXPECT_TRUE(dispatcher().is_idle());
  EXPECT_EQ(statistics(Lane::kBind).done, 1u);
}

TEST_F(DispatcherTest, SendsABindBeforePatchesThatWereGivenBeforeIt) {
  submit(patch("a"), patch("b"), remove("v"), nominate("n"), bind("c"));
  EXPECT_EQ(open(), (Log{"POST " + path("c", "binding"), "PATCH " + path("n", "status"),
                         "DELETE /api/v1/namespaces/shop/pods/v", "PATCH " + path("a", "status"),
                         "PATCH " + path("b", "status")}));
}

TEST_F(DispatcherTest, DoesNotLetAStormOfFailuresSlowBinds) {
  for (int i = 0; i < 1000; ++i) submit(patch(fmt::format("failing-{}", i)));
  EXPECT_EQ(open_with("/status"), options.statuses);
  EXPECT_EQ(statistics(Lane::kStatus).waiting, 1000 - options.statuses);
  for (int i = 0; i < 100; ++i) submit(bind(fmt::format("good-{}", i)));
  EXPECT_EQ(open_with("/binding"), options.binds) << "their places are not taken";
  EXPECT_TRUE(dispatcher().has_waiting_binds());
  EXPECT_EQ(statistics(Lane::kBind).waiting, 100 - options.binds);

  // One bind ends: the next begins at once.
  answer("/binding", 201);
  EXPECT_EQ(open_with("/binding"), options.binds);
  answer_all(kOk);
  EXPECT_EQ(outcomes.size(), 1100u);
  EXPECT_EQ(statistics(Lane::kStatus).done, 1000u);
  EXPECT_TRUE(dispatcher().is_idle());
}

TEST_F(DispatcherTest, DoesNotLetABindWaitBehindThePatchOfItsOwnPod) {
  for (int i = 0; i < 1000; ++i) submit(patch(fmt::format("failing-{}", i)));
  submit(bind("failing-999"));
  EXPECT_EQ(open_with("/failing-999/status"), 1u) << "it must come before the bind, so it goes with it";
  EXPECT_EQ(open_with("/binding"), 0u);
  answer("/failing-999/status", kOk);
  EXPECT_EQ(open_with("/failing-999/binding"), 1u);
  answer_all(kOk);
  EXPECT_EQ(outcomes.size(), 1001u);
  EXPECT_EQ(statistics(Lane::kStatus).waiting, 0u);
  EXPECT_EQ(statistics(Lane::kBind).waiting, 0u);
}

TEST_F(DispatcherTest, DoesNotLetEvictionsOrNominationsWaitBehindFailures) {
  for (int i = 0; i < 1000; ++i) submit(patch(fmt::format("failing-{}", i)));
  submit(nominate("preemptor"), remove("victim"));
  EXPECT_EQ(open_with("/preemptor/status"), 1u);
  EXPECT_EQ(open_with("DELETE"), 1u);
}

TEST_F(DispatcherTest, KeepsToTheBudgetAndGivesItToBindsFirst) {
  options.requests_per_second = 10;
  options.burst = 2;
  submit(patch("a"), patch("b"), patch("c"));
  EXPECT_EQ(open().size(), 2u);
  submit(bind("d"));
  EXPECT_EQ(open_with("/binding"), 0u);
  loop.advance(Duration::milliseconds(100));
  EXPECT_EQ(open_with("/binding"), 1u);
  EXPECT_EQ(open_with("/c/status"), 0u);
  loop.advance(Duration::milliseconds(100));
  EXPECT_EQ(open_with("/c/status"), 1u);
}

// --- Order -----------------------------------------------------------------------------------------------------------

TEST_F(DispatcherTest, DoesOneThingAtATimePerPodInTheOrderGiven) {
  submit(nominate("a"), bind("a"), remove("a"), bind("b"));
  EXPECT_EQ(open(), (Log{"PATCH " + path("a", "status"), "POST " + path("b", "binding")}));
  answer("/a/status", 500);
  EXPECT_EQ(open_with("/pods/a"), 0u) << "it backs off, and the others go on waiting for it";
  loop.advance(Duration::milliseconds(11));
  answer("/a/status", kOk);
  EXPECT_EQ(open_with("/a/binding"), 1u);
  EXPECT_EQ(open_with("DELETE"), 0u);
  answer("/a/binding", 409);
  EXPECT_EQ(open_with("DELETE"), 1u);
  EXPECT_EQ(outcome(2), Kind::kConflict);
}

TEST_F(DispatcherTest, LetsPodsOfTheSameNameInOtherNamespacesAlone) {
  const engine::Command here = bind("a");
  api::Binding elsewhere = *std::get<engine::BindPod>(here.what).binding;
  elsewhere.metadata.name_space = Symbol("other");
  submit(here, engine::Command{++last_id, engine::BindPod{std::make_shared<const api::Binding>(elsewhere)}});
  EXPECT_EQ(open().size(), 2u);
}

TEST_F(DispatcherTest, MergesPatchesThatHaveNotBeenSent) {
  options.statuses = 1;
  submit(patch("first"), patch("a", "old"), patch("a", "new"), nominate("a"));
  answer("/first/status", kOk);
  ASSERT_NE(api.find("/a/status"), nullptr);
  const std::string body = api.find("/a/status")->request.body;
  EXPECT_NE(body.find("new"), std::string::npos) << body;
  EXPECT_EQ(body.find("old"), std::string::npos) << body;
  EXPECT_NE(body.find("\"nominatedNodeName\":\"n1\""), std::string::npos) << body;
  EXPECT_EQ(outcome(2), Kind::kDone) << "nothing of it is left";
  answer("/a/status", 404);
  for (const engine::CommandId id : {3, 4}) EXPECT_EQ(outcome(id), Kind::kNotFound);
  EXPECT_TRUE(dispatcher().is_idle());
  EXPECT_EQ(api.log().size(), 2u);
}

TEST_F(DispatcherTest, DoesNotMergeWithAPatchUnderWay) {
  submit(patch("a", "old"));
  submit(patch("a", "new"));
  EXPECT_EQ(open().size(), 1u);
  answer("/a/status", kOk);
  EXPECT_EQ(open().size(), 1u);
  EXPECT_EQ(outcome(1), Kind::kDone);
  EXPECT_EQ(outcome(2), std::nullopt);
}

TEST_F(DispatcherTest, DoesNotMergeAcrossADeletion) {
  submit(patch("first"), patch("a"), remove("a"), patch("a"));
  answer_all(kOk);
  EXPECT_EQ(api.log().size(), 4u);
}

// Otherwise the reason of one attempt could stand beside the message of another one.
TEST_F(DispatcherTest, SendsTheWholeConditionWhileTheBaseIsOutdated) {
  auto known = std::make_shared<api::Pod>(*pod("a", "5"));
  const auto with_message = [&](std::string message) {
    engine::Command command = patch("a", std::move(message));
    std::get<engine::PatchPodStatus>(command.what).base = known;
    return command;
  };
  known->status.conditions = {*std::get<engine::PatchPodStatus>(patch("a", "0").what).condition};
  submit(with_message("1"));
  EXPECT_EQ(api.last().request.body.find("reason"), std::string::npos);
  EXPECT_NE(api.last().request.body.find("$setElementOrder"), std::string::npos);
  answer_all(kOk);
  submit(with_message("2"));
  EXPECT_NE(api.last().request.body.find("\"lastProbeTime\":null"), std::string::npos);
  answer_all(kOk);
  auto newer = std::make_shared<api::Pod>(*known);
  newer->metadata.resource_version = "6";
  known = newer;
  submit(with_message("3"));
  EXPECT_NE(api.last().request.body.find("$setElementOrder"), std::string::npos);
}

TEST_F(DispatcherTest, SendsNoPatchThatChangesNothing) {
  engine::Command empty = nominate("a");
  std::get<engine::PatchPodStatus>(empty.what).nominated_node_name.reset();
  submit(empty, bind("a"));
  EXPECT_EQ(outcome(1), std::nullopt) << "never from within submit";
  EXPECT_TRUE(open().empty());
  loop.run();
  EXPECT_EQ(outcome(1), Kind::kDone);
  EXPECT_EQ(open_with("/a/binding"), 1u);
}

TEST_F(DispatcherTest, RefusesToUpdateWhatNobodyUpdates) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = "n1";
  submit(engine::Command{1, engine::UpdateObject{api::AnyObject(std::shared_ptr<const api::Node>(node))}});
  loop.run();
  EXPECT_EQ(outcome(1), Kind::kRefused);
}

TEST_F(DispatcherTest, TakesCommandsFromWhoeverGetsAnOutcome) {
  on_outcome = [&](engine::CommandId id) {
    if (id == 1) submit(read("a"));
  };
  submit(bind("a"));
  break_off("/a/binding", Response::Transfer::kBroken);
  EXPECT_EQ(outcome(1), Kind::kUnknown);
  loop.advance(options.settling_time);
  EXPECT_EQ(open(), Log{"GET /api/v1/namespaces/shop/pods/a"});
  answer("/pods/a", kOk, codec::object_to_json(api::AnyObject(pod("a"))));
  EXPECT_EQ(outcome(2), Kind::kDone);
  EXPECT_EQ(outcomes.at(2).object.metadata().name, "a");
}

// --- Other tries -----------------------------------------------------------------------------------------------------

TEST_F(DispatcherTest, NeverSendsABindTwiceIfItMayHaveBeenMade) {
  submit(bind("a"), bind("b"), bind("c"));
  answer("/a/binding", 500);
  answer("/b/binding", 504);
  break_off("/c/binding", Response::Transfer::kBroken);
  loop.advance(Duration::minutes(10));
  EXPECT_EQ(api.log().size(), 3u);
  for (const engine::CommandId id : {1, 2, 3}) EXPECT_EQ(outcome(id), Kind::kUnknown);
}

TEST_F(DispatcherTest, ReadsAPodOnlyWhenABindWithoutAnAnswerCanBeOver) {
  submit(bind("a"), bind("b"));
  break_off("/a/binding", Response::Transfer::kBroken);
  submit(read("a"));
  loop.advance(options.settling_time - Duration::milliseconds(1));
  EXPECT_EQ(open(), Log{"POST " + path("b", "binding")});
  EXPECT_EQ(statistics(Lane::kBind).waiting, 1u);
  loop.advance(Duration::milliseconds(1));
  answer("/pods/a", kOk, codec::object_to_json(api::AnyObject(pod("a"))));
  EXPECT_EQ(outcome(3), Kind::kDone);
  // What the server has answered is over: nothing to wait for.
  answer("/b/binding", 409);
  submit(read("b"));
  EXPECT_EQ(open(), Log{"GET /api/v1/namespaces/shop/pods/b"});
}

TEST_F(DispatcherTest, SendsABindAgainThatNeverLeft) {
  submit(bind("a"));
  break_off("/a/binding", Response::Transfer::kNotSent);
  EXPECT_EQ(outcome(1), std::nullopt);
  loop.advance(Duration::milliseconds(11));
  answer("/a/binding", 201);
  EXPECT_EQ(outcome(1), Kind::kDone);
  EXPECT_EQ(statistics(Lane::kBind).retried, 1u);
}

TEST_F(DispatcherTest, GivesABindUpThatCannotBeSent) {
  submit(bind("a"));
  for (int i = 0; i < 4; ++i) {
    break_off("/a/binding", Response::Transfer::kNotSent);
    loop.advance(Duration::seconds(1));
  }
  EXPECT_EQ(outcome(1), Kind::kRefused);
  EXPECT_EQ(outcomes.at(1).message, "connection reset by peer");
  EXPECT_EQ(api.log().size(), 4u);
}

TEST_F(DispatcherTest, ComesBackToABusyServerWhenTold) {
  submit(bind("a"));
  answer("/a/binding", 429, "", {{"Retry-After", "5"}});
  loop.advance(Duration::milliseconds(4999));
  EXPECT_TRUE(open().empty());
  loop.advance(Duration::milliseconds(502));  // a tenth more at most
  answer("/a/binding", 201);
  EXPECT_EQ(outcome(1), Kind::kDone);
}

TEST_F(DispatcherTest, GivesUpAServerThatIsAlwaysBusy) {
  submit(bind("a"));
  while (!outcome(1)) {
    answer("/a/binding", 429);
    loop.advance(Duration::seconds(2));
    ASSERT_LE(api.log().size(), 20u);
  }
  EXPECT_EQ(outcome(1), Kind::kRefused);
  EXPECT_EQ(api.log().size(), options.throttled_tries + 1);
}

TEST_F(DispatcherTest, TriesAPatchFourTimesWithGrowingDelays) {
  submit(patch("a"));
  for (const int delay_ms : {10, 50, 250}) {
    answer("/a/status", 409);
    loop.advance(Duration::microseconds(delay_ms * 1000 - 1));
    EXPECT_TRUE(open().empty()) << delay_ms;
    loop.advance(Duration::microseconds(delay_ms * 100 + 1));
    EXPECT_EQ(open().size(), 1u) << delay_ms;
  }
  answer("/a/status", 409);
  EXPECT_EQ(outcome(1), Kind::kConflict);
  EXPECT_EQ(api.log().size(), 4u);
}

TEST_F(DispatcherTest, SendsTheSamePatchAgain) {
  submit(patch("a"));
  const std::string first = api.last().request.body;
  answer("/a/status", 503);
  loop.advance(Duration::milliseconds(11));
  EXPECT_EQ(api.last().request.body, first);
}

TEST_F(DispatcherTest, PatchesAndEvictsThroughARestartOfTheServer) {
  submit(patch("a"), remove("b"));
  for (int i = 0; i < 8; ++i) {
    for (const auto* started : api.open()) api.break_off(started->id, Response::Transfer::kNotSent);
    loop.advance(Duration::milliseconds(2200));
  }
  EXPECT_TRUE(outcomes.empty());
  answer_all(kOk);
  EXPECT_EQ(outcome(1), Kind::kDone);
  EXPECT_EQ(outcome(2), Kind::kDone);
}

TEST_F(DispatcherTest, GivesAPatchUpIfTheServerStaysAway) {
  submit(patch("a"));
  const Instant began = loop.now();
  while (!outcome(1)) {
    for (const auto* started : api.open()) api.break_off(started->id, Response::Transfer::kNotSent);
    loop.advance(Duration::milliseconds(10));
    ASSERT_LE(loop.now() - began, options.outage_patience + Duration::seconds(1));
  }
  EXPECT_GE(loop.now() - began, options.outage_patience - options.longest_delay * 2);
  EXPECT_EQ(outcome(1), Kind::kRefused);
}

TEST_F(DispatcherTest, HoldsNoPlaceWhileItBacksOff) {
  options.statuses = 1;
  submit(patch("a"), patch("b"));
  answer("/a/status", 500);
  EXPECT_EQ(open(), Log{"PATCH " + path("b", "status")});
  EXPECT_EQ(statistics(Lane::kStatus).waiting, 1u);
  EXPECT_EQ(statistics(Lane::kStatus).in_flight, 1u);
}

TEST_F(DispatcherTest, ReadsUntilItGetsAnAnswer) {
  submit(read("a"));
  answer("/pods/a", 500);
  loop.advance(Duration::milliseconds(11));
  answer("/pods/a", kOk, "garbage");
  loop.advance(Duration::milliseconds(56));
  break_off("/pods/a", Response::Transfer::kBroken);
  loop.advance(Duration::milliseconds(276));
  answer("/pods/a", 404);
  EXPECT_EQ(outcome(1), Kind::kNotFound);
}

TEST_F(DispatcherTest, DrawsTheSameDelaysFromTheSameSeed) {
  submit(patch("a"));
  answer("/a/status", 500);
  const Instant next = loop.next_timer();
  FakeLoop other_loop;
  FakeTransport other_api(other_loop);
  Dispatcher other(other_loop, other_api, options, [](engine::CommandId, const engine::Outcome&) {});
  std::vector<engine::Command> same;
  same.push_back(patch("a"));
  other.submit(std::move(same));
  other_api.answer(other_api.last().id, 500);
  other_loop.run();
  EXPECT_EQ(other_loop.next_timer(), next);
}

// --- Extenders -------------------------------------------------------------------------------------------------------

TEST_F(DispatcherTest, CallsEachExtenderOverItsOwnTransport) {
  config::Extender extender;
  extender.url_prefix = "http://extender.test";
  extender.bind_verb = "bind";
  options.configured_extenders = {extender, extender};
  options.extender_transport = [&](std::size_t index) { return index == 0 ? &first_extender : &second_extender; };
  options.requests_per_second = 1;
  options.burst = 1;
  submit(patch("a"), patch("b"), call_extender(1), call_extender(0), call_extender(1));
  EXPECT_EQ(open().size(), 1u) << "the budget is the API server's";
  EXPECT_EQ(first_extender.log(), Log{"POST /bind"});
  EXPECT_EQ(second_extender.log(), (Log{"POST /bind", "POST /bind"}));
  first_extender.answer(first_extender.last().id, kOk, R"({"Error":"no"})");
  loop.run();
  ASSERT_EQ(outcome(4), Kind::kDone);
  EXPECT_EQ(std::get<engine::ExtenderBound>(outcomes.at(4).extender_reply).error, "no");
}

TEST_F(DispatcherTest, RefusesToCallAnExtenderThatIsNotThere) {
  submit(call_extender(3));
  loop.run();
  EXPECT_EQ(outcome(1), Kind::kRefused);
}

// --- The end ---------------------------------------------------------------------------------------------------------

TEST_F(DispatcherTest, LetsBindsFinishAndRefusesTheRest) {
  options.binds = 1;
  options.statuses = 1;
  submit(bind("a"), bind("b"), patch("c"), patch("d"), remove("e"));
  submit(remove("c"));
  bool is_idle = false;
  dispatcher().begin_shutdown(Duration::seconds(10), [&] { is_idle = true; });
  EXPECT_TRUE(outcomes.empty()) << "never from within a call";
  loop.run();
  EXPECT_EQ(outcome(4), Kind::kRefused) << "was not under way";
  EXPECT_EQ(outcome(6), Kind::kRefused);
  EXPECT_EQ(outcome(5), std::nullopt) << "was under way";
  EXPECT_EQ(outcomes.at(4).message, "the scheduler is shutting down");

  submit(patch("f"), read("g"), bind("h"));
  loop.run();
  EXPECT_EQ(outcome(7), Kind::kRefused);
  EXPECT_FALSE(is_idle);
  for (const engine::CommandId id : {1, 2, 8, 9}) EXPECT_EQ(outcome(id), std::nullopt);
  answer_all(404);
  EXPECT_EQ(outcomes.size(), 9u);
  EXPECT_TRUE(is_idle);
}

TEST_F(DispatcherTest, TriesNothingAgainThatIsNotABindWhenItStops) {
  submit(patch("a"), bind("b"));
  dispatcher().begin_shutdown(Duration::seconds(10), [] {});
  answer("/a/status", 500);
  EXPECT_EQ(outcome(1), Kind::kUnknown);
  break_off("/b/binding", Response::Transfer::kNotSent);
  EXPECT_EQ(outcome(2), std::nullopt);
  loop.advance(Duration::milliseconds(11));
  answer("/b/binding", 201);
  EXPECT_EQ(outcome(2), Kind::kDone);
}

TEST_F(DispatcherTest, FinishesAPatchThatABindWaitsForWhenItStops) {
  options.statuses = 0;
  submit(patch("a"));
  submit(bind("a"));
  dispatcher().begin_shutdown(Duration::seconds(10), [] {});
  answer("/a/status", kOk);
  answer("/a/binding", 201);
  EXPECT_EQ(outcome(2), Kind::kDone);
}

TEST_F(DispatcherTest, EndsWhenTheGraceIsOver) {
  options.binds = 1;
  submit(bind("a"), bind("b"));
  bool is_idle = false;
  dispatcher().begin_shutdown(Duration::seconds(10), [&] { is_idle = true; });
  loop.advance(Duration::seconds(9));
  EXPECT_FALSE(is_idle);
  loop.advance(Duration::seconds(1));
  EXPECT_TRUE(is_idle);
  EXPECT_TRUE(open().empty());
  EXPECT_EQ(outcome(1), Kind::kUnknown);
  EXPECT_EQ(outcome(2), Kind::kRefused);
  submit(read("a"));
  loop.run();
  EXPECT_EQ(outcome(3), Kind::kRefused);
}

TEST_F(DispatcherTest, IsIdleAtOnceIfThereIsNothingToDo) {
  int idle = 0;
  dispatcher().begin_shutdown(Duration::seconds(10), [&] { ++idle; });
  EXPECT_EQ(idle, 0);
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(idle, 1);
}

TEST(Dispatcher, CancelsEverythingWhenItGoes) {
  FakeLoop loop;
  FakeTransport api(loop);
  bool was_called = false;
  {
    Dispatcher dispatcher(loop, api, {}, [&](engine::CommandId, const engine::Outcome&) { was_called = true; });
    std::vector<engine::Command> commands;
    commands.push_back({1, engine::ReadPod{}});
    std::get<engine::ReadPod>(commands.back().what).pod.name_space = Symbol("shop");
    std::get<engine::ReadPod>(commands.back().what).pod.name = "a";
    commands.push_back(commands.back());
    std::get<engine::ReadPod>(commands.back().what).pod.name = "b";
    dispatcher.submit(std::move(commands));
    api.answer(api.find("/a")->id, 500);
    loop.run();
    dispatcher.begin_shutdown(Duration::seconds(1), [&] { was_called = true; });
  }
  EXPECT_TRUE(api.open().empty());
  loop.advance(Duration::minutes(1));
  EXPECT_FALSE(was_called);
}

}  // namespace
}  // namespace berth::daemon
