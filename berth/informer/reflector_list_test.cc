// How all objects are got, and what happens where they cannot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "berth/client/testing.h"
#include "berth/codec/protobuf.h"
#include "berth/informer/reflector.h"
#include "berth/informer/reflector_testing.h"
#include "berth/informer/testing.h"

namespace berth::informer {
namespace {

using testing::contains;
using testing::pod;
using testing::pods;
using testing::ReflectorTest;
using testing::Texts;

// --- Getting all -----------------------------------------------------------------------------------------------------

TEST_F(ReflectorTest, GetsAllObjectsByWatchListAndFollowsChangesOnTheSameStream) {
  server.create(pod("a"));
  server.create(pod("b"));
  start();
  EXPECT_FALSE(reflector->is_synced());
  advance(1);
  EXPECT_TRUE(reflector->is_synced());
  EXPECT_EQ(heard.take(), Texts({"all: a b"}));
  server.create(pod("c"));
  server.update(pod("a"));
  server.remove<api::Pod>("shop/b");
  advance(1);
  EXPECT_EQ(heard.take(), Texts({"+c", "+a", "-b"}));
  expect_same_as_server();
  EXPECT_EQ(server.log().size(), 1u);
  EXPECT_EQ(reflector->resource_version(), fmt::format("{}", server.version()));
}

TEST_F(ReflectorTest, AsksForTheMostRecentStateAndNothingElse) {
  start_synced();
  const std::string request = server.log().at(0);
  EXPECT_TRUE(contains(request,
                       "watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                       "&resourceVersionMatch=NotOlderThan&timeoutSeconds="))
      << request;
  EXPECT_FALSE(contains(request, "resourceVersion=")) << request;
}

TEST_F(ReflectorTest, TakesChangesIntoAccountThatComeBeforeTheEndOfAWatchList) {
  client::FakeTransport transport(loop);
  Reflector other(pods(), loop, transport, heard, Rng(1));
  other.start();
  using Type = codec::WatchEvent::Type;
  std::string frames;
  const auto add = [&](Type type, api::Pod object) {
    frames += codec::watch_event_to_protobuf_frame(
        {type, api::AnyObject(std::make_shared<const api::Pod>(std::move(object)))});
  };
  add(Type::kAdded, pod("a"));
  add(Type::kAdded, pod("b"));
  add(Type::kModified, pod("b"));
  add(Type::kAdded, pod("c"));
  add(Type::kDeleted, pod("a"));
  api::Pod end;
  end.metadata.resource_version = "9";
  end.metadata.annotations = api::Annotations{{"k8s.io/initial-events-end", "true"}};
  add(Type::kBookmark, end);
  transport.begin(transport.last().id);
  transport.piece(transport.last().id, frames);
  loop.run();
  EXPECT_EQ(heard.take(), Texts({"all: b c"}));
  EXPECT_EQ(other.resource_version(), "9");
}

TEST_F(ReflectorTest, AcceptsOnlyProtobuf) {
  client::FakeTransport transport(loop);
  Reflector other(pods(), loop, transport, heard, Rng(1));
  other.start();
  EXPECT_EQ(transport.last().request.accept, "application/vnd.kubernetes.protobuf;stream=watch");
  EXPECT_EQ(transport.last().request.timeout, Duration());
  EXPECT_EQ(transport.last().request.idle_timeout, Duration::seconds(90));
}

TEST_F(ReflectorTest, ListsInPagesWhereWatchListsAreRefused) {
  server.behaviour.watch_lists = ApiBehaviour::WatchLists::kRefused;
  for (int i = 0; i < 7; ++i) server.create(pod(fmt::format("p{}", i)));
  start_synced({.page_size = 3});
  const Texts asked = requests();
  ASSERT_EQ(asked.size(), 5u);
  EXPECT_TRUE(contains(asked[0], "sendInitialEvents=true"));
  EXPECT_EQ(asked[1], "GET /api/v1/pods?limit=3");
  EXPECT_TRUE(contains(asked[2], "limit=3&continue="));
  EXPECT_TRUE(contains(asked[3], "limit=3&continue="));
  EXPECT_TRUE(contains(asked[4], "watch=true&allowWatchBookmarks=true&resourceVersion=8&timeoutSeconds=")) << asked[4];
  expect_same_as_server();
  EXPECT_EQ(reflector->stats().errors, 0u);
}

TEST_F(ReflectorTest, NeverAsksAgainForAWatchListThatWasRefused) {
  server.behaviour.watch_lists = ApiBehaviour::WatchLists::kRefused;
  start_synced();
  server.create(pod("a"));
  advance(1);
  server.forget_history();
  server.break_streams();
  server.create(pod("b"));
  server.forget_history();
  advance(60);
  EXPECT_EQ(reflector->stats().relists, 1u);
  EXPECT_EQ(server.count_requests("sendInitialEvents"), 1u);
  expect_same_as_server();
}

TEST_F(ReflectorTest, ListsWhereAWatchListSendsObjectsButNoEnd) {
  server.behaviour.watch_lists = ApiBehaviour::WatchLists::kUnknown;
  server.create(pod("a"));
  start();
  advance(9);
  EXPECT_FALSE(reflector->is_synced());
  advance(2);
  EXPECT_TRUE(reflector->is_synced());
  EXPECT_EQ(heard.take(), Texts({"all: a"}));
}

TEST_F(ReflectorTest, TimeBeforeTheAnswerBeginsSaysNothingAboutWatchLists) {
  client::FakeTransport transport(loop);
  Reflector other(pods(), loop, transport, heard, Rng(1));
  other.start();
  advance(60);  // connecting, or a plugin that waits for the user
  ASSERT_EQ(transport.log().size(), 1u);
  transport.begin(transport.last().id);
  advance(9);
  EXPECT_EQ(transport.log().size(), 1u);
  advance(1);
  ASSERT_EQ(transport.log().size(), 2u);
  EXPECT_TRUE(contains(transport.log().back(), "limit=")) << transport.log().back();
}

TEST_F(ReflectorTest, TakesABookmarkThatIsNotTheEndForASignOfAnOldServer) {
  server.behaviour.watch_lists = ApiBehaviour::WatchLists::kUnknown;
  server.behaviour.bookmark_period = Duration::seconds(5);
  start();
  advance(7);
  EXPECT_TRUE(reflector->is_synced());
  EXPECT_EQ(logged("Watch-list is not supported"), 1u);
}

TEST_F(ReflectorTest, AsksAgainForAWatchListAfterATransientError) {
  server.behaviour.is_up = false;
  start();
  advance(5);
  server.behaviour.is_up = true;
  server.faults.too_many_requests = 1000;
  advance(20);
  server.faults = {};
  advance(40);
  EXPECT_TRUE(reflector->is_synced());
  EXPECT_EQ(reflector->stats().lists, 0u);
  EXPECT_GT(reflector->stats().watch_lists, 2u);
}

TEST_F(ReflectorTest, ListsOnceWhereAWatchListBroke) {
  server.create(pod("a"));
  server.faults.cut_streams = 1000;
  start();
  advance(5);
  server.faults = {};
  server.break_streams();
  advance(10);
  EXPECT_EQ(reflector->stats().lists, 1u);
  expect_same_as_server();
  server.create(pod("b"));
  server.forget_history();
  server.break_streams();
  server.create(pod("c"));
  server.forget_history();
  advance(70);
  EXPECT_EQ(reflector->stats().watch_lists, 2u) << "the next time it is tried again";
  expect_same_as_server();
}

TEST_F(ReflectorTest, ListsWithoutPagesWhereATokenHasExpired) {
  server.behaviour.watch_lists = ApiBehaviour::WatchLists::kRefused;
  for (int i = 0; i < 7; ++i) server.create(pod(fmt::format("p{}", i)));
  server.behaviour.latency = Duration::milliseconds(100);
  start({.page_size = 3});
  loop.advance(Duration::milliseconds(350));  // the first page has come
  server.create(pod("late"));
  server.forget_history();
  advance(5);
  const Texts asked = requests();
  EXPECT_EQ(std::ranges::count(asked, "GET /api/v1/pods"), 1);
  EXPECT_TRUE(reflector->is_synced());
  expect_same_as_server();
}

TEST_F(ReflectorTest, ReadsAPageAgainThatCannotBeRead) {
  server.behaviour.watch_lists = ApiBehaviour::WatchLists::kRefused;
  for (int i = 0; i < 7; ++i) server.create(pod(fmt::format("p{}", i)));
  server.faults.unreadable_answers = 500;
  start({.page_size = 2});
  advance(900);
  EXPECT_TRUE(reflector->is_synced());
  EXPECT_GT(reflector->stats().errors, 0u);
  EXPECT_EQ(reflector->stats().unreadable, 0u);
  expect_same_as_server();
}

TEST_F(ReflectorTest, SelectsByField) {
  server.create(pod("a"));
  api::Pod done = pod("done");
  done.status.phase = Symbol("Succeeded");
  server.create(done);
  start_synced({.field_selector = "status.phase!=Succeeded,status.phase!=Failed"});
  EXPECT_TRUE(contains(server.log().at(0), "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"));
  EXPECT_EQ(heard.store.size(pods()), 1u);
  api::Pod ends = pod("a");
  ends.status.phase = Symbol("Failed");
  server.update(ends);
  advance(1);
  EXPECT_EQ(heard.take(), Texts({"-a"}));
}

// --- What is not there, or not allowed -------------------------------------------------------------------------------

TEST_F(ReflectorTest, TakesAnOptionalKindThatTheServerDoesNotHaveForEmptyAndLooksAgain) {
  server.behaviour.not_served = {&pods()};
  start({.is_optional = true});
  advance(1);
  EXPECT_TRUE(reflector->is_synced());
  EXPECT_TRUE(reflector->is_not_served());
  EXPECT_EQ(heard.take(), Texts({"all:"}));
  advance(600);
  EXPECT_LE(server.log().size(), 4u);
  EXPECT_EQ(heard.take(), Texts());
  server.behaviour.not_served.clear();
  server.create(pod("a"));
  advance(200);
  EXPECT_EQ(heard.take(), Texts({"all: a"}));
  EXPECT_FALSE(reflector->is_not_served());
}

TEST_F(ReflectorTest, KeepsAnOptionalKindForAWhileThatWasThereBefore) {
  server.create(pod("a"));
  start_synced({.is_optional = true});
  server.behaviour.not_served = {&pods()};
  advance(2);
  server.break_streams();
  advance(240);
  EXPECT_EQ(heard.take(), Texts());
  advance(180);
  EXPECT_EQ(heard.take(), Texts({"all:"}));
}

TEST_F(ReflectorTest, WaitsForARequiredKindThatTheServerDoesNotHave) {
  server.behaviour.not_served = {&pods()};
  start();
  advance(60);
  EXPECT_FALSE(reflector->is_synced());
  server.behaviour.not_served.clear();
  advance(61);
  EXPECT_TRUE(reflector->is_synced());
}

TEST_F(ReflectorTest, SaysOnceWhichRightsAreMissingAndKeepsTrying) {
  server.behaviour.forbidden = {&pods()};
  start();
  advance(300);
  EXPECT_FALSE(reflector->is_synced());
  EXPECT_EQ(logged("the account needs the verbs list and watch on pods of API group \"\""), 1u);
  server.behaviour.forbidden.clear();
  advance(61);
  EXPECT_TRUE(reflector->is_synced());
}

}  // namespace
}  // namespace berth::informer
