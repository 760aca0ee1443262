// Following changes, what cannot be read, and life. reflector_list_test.cc has how all objects are got.
#include "berth/informer/reflector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/client/testing.h"
#include "berth/codec/protobuf.h"
#include "berth/informer/reflector_testing.h"
#include "berth/informer/testing.h"

namespace berth::informer {
namespace {

using client::FakeLoop;
using testing::contains;
using testing::list_at;
using testing::node;
using testing::pod;
using testing::pods;
using testing::ReflectorTest;
using testing::Texts;
using testing::unreadable_frame;

// --- Following -------------------------------------------------------------------------------------------------------

TEST_F(ReflectorTest, ResumesFromTheLastEventWhereTheConnectionBreaks) {
  start_synced();
  server.create(pod("a"));
  advance(2);
  requests();
  server.break_streams();
  server.create(pod("b"));
  advance(2);
  const Texts asked = requests();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(contains(asked[0], "watch=true&allowWatchBookmarks=true&resourceVersion=2&")) << asked[0];
  EXPECT_EQ(heard.take(), Texts({"+a", "+b"}));
}

TEST_F(ReflectorTest, ResumesFromABookmarkAfterAQuietTime) {
  start_synced();
  for (int i = 0; i < 5; ++i) server.create(node(fmt::format("n{}", i)));
  server.forget_history();
  advance(61);
  EXPECT_EQ(reflector->resource_version(), "6");
  requests();
  server.break_streams();
  advance(2);
  const Texts asked = requests();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(contains(asked[0], "resourceVersion=6&"));
  EXPECT_EQ(reflector->stats().relists, 0u);
}

TEST_F(ReflectorTest, ResumesAtOnceWhenTheServerEndsTheWatch) {
  start_synced();
  advance(11 * 60);
  EXPECT_GE(reflector->stats().watches, 1u);
  EXPECT_EQ(reflector->stats().errors, 0u);
  EXPECT_EQ(reflector->stats().relists, 0u);
}

TEST_F(ReflectorTest, AsksForWatchesOfFiveToTenMinutes) {
  start_synced();
  advance(3600);
  const auto watches = static_cast<std::int64_t>(server.log().size());
  EXPECT_GE(watches, 6);
  EXPECT_LE(watches, 13);
}

TEST_F(ReflectorTest, HandsOverAllObjectsAnewWhereHistoryIsGone) {
  server.create(pod("a"));
  start_synced();
  advance(2);
  server.behaviour.is_up = false;
  server.break_streams();
  server.remove<api::Pod>("shop/a");
  server.create(pod("b"));
  server.forget_history();
  advance(2);
  server.behaviour.is_up = true;
  advance(60);
  EXPECT_EQ(heard.take(), Texts({"all: b"}));
  EXPECT_EQ(reflector->stats().relists, 1u);
}

TEST_F(ReflectorTest, GetsAllAnewForEachWayInWhichServersSayThatHistoryIsGone) {
  // By HTTP status or by an event, drawn by the server.
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    FakeLoop own_loop;
    FakeApiServer own_server(own_loop, Rng(seed));
    ObjectStore store;
    Reflector own(pods(), own_loop, own_server, store, Rng(seed));
    own.start();
    own_loop.advance(Duration::seconds(2));
    own_server.break_streams();
    own_server.create(pod("a"));
    own_server.forget_history();
    own_loop.advance(Duration::seconds(1));
    EXPECT_EQ(own.stats().relists, 1u) << seed;
    EXPECT_EQ(store.size(pods()), 1u) << seed;
  }
}

TEST_F(ReflectorTest, DoesNotGetAllInALoopWhereHistoryIsAlwaysGone) {
  server.create(pod("a"));
  server.faults.expired = 1000;
  server.behaviour.watch_lists = ApiBehaviour::WatchLists::kRefused;
  start();
  advance(600);
  EXPECT_LT(reflector->stats().relists, 40u);
  EXPECT_GT(reflector->stats().relists, 5u);
}

TEST_F(ReflectorTest, GetsAllAnewAtOnceFromAServerThatIsRestartedAgainAndAgain) {
  start_synced();
  for (int restart = 0; restart < 5; ++restart) {
    advance(3);
    server.behaviour.is_up = false;
    server.break_streams();
    advance(2);
    server.create(pod(fmt::format("p{}", restart)));
    server.forget_history();
    server.behaviour.is_up = true;
    advance(8);
    expect_same_as_server();
  }
  EXPECT_EQ(reflector->stats().relists, 5u);
}

TEST_F(ReflectorTest, TriesAtOnceWhenToldThatTheServerIsBack) {
  start_synced();
  server.behaviour.is_up = false;
  server.break_streams();
  advance(300);
  server.create(pod("a"));
  server.behaviour.is_up = true;
  requests();
  EXPECT_TRUE(reflector->try_now());
  EXPECT_FALSE(reflector->try_now()) << "it waits no more";
  EXPECT_EQ(requests().size(), 1u);
  advance(1);
  EXPECT_EQ(heard.take(), Texts({"+a"}));
}

TEST_F(ReflectorTest, WaitsWhereTheServerRefusesAlthoughToldThatItIsBack) {
  server.behaviour.forbidden = {&pods()};
  start();
  advance(60);
  EXPECT_FALSE(reflector->try_now());
}

TEST_F(ReflectorTest, RetriesTheWatchAndNotTheListWhereConnectionsAreRefused) {
  start_synced();
  advance(2);
  requests();
  server.behaviour.is_up = false;
  server.break_streams();
  advance(300);
  for (const std::string& request : requests()) EXPECT_TRUE(contains(request, "resourceVersion=1&")) << request;
  server.behaviour.is_up = true;
  server.create(pod("a"));
  advance(61);
  EXPECT_EQ(heard.take(), Texts({"+a"}));
  EXPECT_EQ(reflector->stats().relists, 0u);
}

TEST_F(ReflectorTest, WaitsLongerFromFailureToFailureAndStartsOverAfterAHealthyTime) {
  start_synced();
  advance(2);
  server.behaviour.is_up = false;
  server.break_streams();
  advance(10);
  requests();
  advance(600);
  const std::size_t tries = requests().size();
  EXPECT_GE(tries, 9u);   // 60 s at most
  EXPECT_LE(tries, 22u);  // 30 s at least, once it has grown
  server.behaviour.is_up = true;
  advance(200);
  server.break_streams();
  server.behaviour.is_up = false;
  requests();
  advance(4);
  EXPECT_GE(requests().size(), 2u);
  EXPECT_EQ(logged("connection refused"), 2u) << "once per outage";
  EXPECT_EQ(logged("Watch recovered"), 1u);
}

TEST_F(ReflectorTest, WaitsAsLongAsTheServerAsks) {
  client::FakeTransport transport(loop);
  Reflector other(pods(), loop, transport, heard, Rng(3));
  other.start();
  transport.answer(transport.last().id, 429, "", {{"Retry-After", "20"}});
  loop.run();
  ASSERT_TRUE(transport.open().empty());
  loop.advance(Duration::milliseconds(19'900));
  EXPECT_TRUE(transport.open().empty());
  loop.advance(Duration::milliseconds(2'200));
  EXPECT_EQ(transport.open().size(), 1u);
}

TEST_F(ReflectorTest, NoticesAConnectionThatDiedSilently) {
  start_synced();
  advance(2);
  server.freeze_streams();
  server.create(pod("a"));
  advance(80);
  EXPECT_EQ(heard.take(), Texts());
  advance(15);
  EXPECT_EQ(heard.take(), Texts({"+a"}));
  EXPECT_EQ(reflector->stats().relists, 0u);
}

TEST_F(ReflectorTest, ResumesBehindGarbageWithoutLosingOrRepeatingAnEvent) {
  start_synced();
  server.create(pod("a"));
  advance(2);
  server.inject(pods(), "<html>502 Bad Gateway</html>");
  server.create(pod("b"));
  advance(5);
  EXPECT_EQ(heard.take(), Texts({"+a", "+b"}));
  EXPECT_EQ(reflector->stats().relists, 0u);
  EXPECT_EQ(reflector->stats().errors, 1u);
}

TEST_F(ReflectorTest, GivesUpOnAFrameThatDoesNotEnd) {
  server.behaviour.bookmark_period = Duration::seconds(20);
  start_synced();
  advance(2);
  server.inject(pods(), std::string_view("\x00\xff\xff\xff", 4));
  server.create(pod("a"));
  advance(80);
  EXPECT_EQ(heard.take(), Texts());
  advance(45);
  EXPECT_EQ(heard.take(), Texts({"+a"}));
}

TEST_F(ReflectorTest, LeavesOutEventsThatCameBefore) {
  server.faults.repeated_events = 1000;
  start_synced();
  for (int i = 0; i < 5; ++i) server.update(*server.create(pod(fmt::format("p{}", i))));
  advance(2);
  heard.take();
  server.break_streams();
  advance(5);
  server.break_streams();
  advance(5);
  EXPECT_EQ(heard.take(), Texts());
  EXPECT_GT(reflector->stats().stale_events, 0u);
}

TEST_F(ReflectorTest, DoesNotAskInALoopWhereWatchesEndAtOnce) {
  client::FakeTransport transport(loop);
  Reflector other(pods(), loop, transport, heard, Rng(3), {.use_watch_list = false});
  other.start();
  transport.answer(transport.last().id, 200, codec::list_to_protobuf(pods(), list_at("5")));
  loop.run();
  for (int i = 0; i < 600; ++i) {
    for (const auto* open : transport.open()) transport.answer(open->id, 200);
    advance(1);
  }
  EXPECT_LT(transport.log().size(), 40u);
  EXPECT_EQ(other.stats().lists, 1u);
}

TEST_F(ReflectorTest, GetsAllAnewWhereTheServerHasLostHistoryThatWasSeen) {
  start_synced();
  server.create(pod("a"));
  advance(2);
  // As after a restore from a backup: the server is at an older version, and stays there.
  api::Pod old;
  old.metadata.resource_version = "1";
  const std::string bookmark = codec::watch_event_to_protobuf_frame(
      {codec::WatchEvent::Type::kBookmark, api::AnyObject(std::make_shared<const api::Pod>(old))});
  server.inject(pods(), bookmark);
  server.inject(pods(), bookmark);
  advance(5);
  EXPECT_EQ(reflector->stats().relists, 0u);
  server.inject(pods(), bookmark);
  advance(5);
  EXPECT_EQ(reflector->stats().relists, 1u);
}

TEST_F(ReflectorTest, GetsAllAnewWhereTheServerWillNotOpenTheWatch) {
  client::FakeTransport transport(loop);
  Reflector other(pods(), loop, transport, heard, Rng(3), {.use_watch_list = false});
  other.start();
  const std::string empty = codec::list_to_protobuf(pods(), list_at("5"));
  transport.answer(transport.last().id, 200, empty);
  loop.run();
  transport.answer(transport.last().id, 400, "invalid resource version");
  advance(5);
  EXPECT_EQ(other.stats().lists, 2u);
}

// --- What cannot be read ---------------------------------------------------------------------------------------------

TEST_F(ReflectorTest, ListsOnceAndThenLeavesOutWhatTheServerSendsThatCannotBeRead) {
  client::FakeTransport transport(loop);
  Texts errors;
  ReflectorOptions options{.use_watch_list = false};
  options.log = [&](const LogLine& line) {
    if (line.severity == Severity::kError) errors.emplace_back(line.message);
  };
  Reflector other(pods(), loop, transport, heard, Rng(3), std::move(options));
  const std::string empty = codec::list_to_protobuf(pods(), list_at("5"));
  api::Pod good = pod("good");
  good.metadata.resource_version = "7";
  const std::string good_frame = codec::watch_event_to_protobuf_frame(
      {codec::WatchEvent::Type::kAdded, api::AnyObject(std::make_shared<const api::Pod>(good))});
  other.start();
  for (int i = 0; i < 60; ++i) {
    for (const auto* open : transport.open()) {
      if (!open->is_stream) {
        transport.answer(open->id, 200, empty);
      } else if (i % 5 == 0) {
        transport.piece(open->id, unreadable_frame() + good_frame);
      }
    }
    advance(1);
  }
  EXPECT_EQ(other.stats().lists, 2u);
  EXPECT_GT(other.stats().unreadable, 0u);
  EXPECT_EQ(errors.size(), other.stats().unreadable);
  EXPECT_EQ(heard.take(), Texts({"all:", "all:", "+good"}));
  EXPECT_LT(transport.log().size(), 10u);
}

TEST_F(ReflectorTest, TakesTheReadablePartOfAListThatCannotBeReadTwice) {
  client::FakeTransport transport(loop);
  Reflector other(pods(), loop, transport, heard, Rng(3), {.use_watch_list = false});
  api::ObjectList list = list_at("5");
  for (const char* name : {"aaaaaa", "broken", "cccccc"}) {
    list.items.emplace_back(std::make_shared<const api::Pod>(pod(name)));
  }
  std::string body = codec::list_to_protobuf(pods(), list);
  body.replace(body.find("broken") - 2, 2, "\x0f\x0f");
  other.start();
  transport.answer(transport.last().id, 200, body);
  advance(3);
  EXPECT_FALSE(other.is_synced());
  transport.answer(transport.last().id, 200, body);
  advance(3);
  EXPECT_TRUE(other.is_synced());
  EXPECT_EQ(heard.take(), Texts({"all: aaaaaa cccccc"}));
  EXPECT_EQ(other.stats().unreadable, 1u);
}

// --- Life and numbers ------------------------------------------------------------------------------------------------

TEST_F(ReflectorTest, CallsBackOnceWhenSynced) {
  int calls = 0;
  ReflectorOptions options;
  options.on_synced = [&] { ++calls; };
  start_synced(std::move(options));
  server.break_streams();
  server.create(pod("a"));
  server.forget_history();
  advance(60);
  EXPECT_EQ(reflector->stats().relists, 1u);
  EXPECT_EQ(calls, 1);
}

TEST_F(ReflectorTest, SaysNothingMoreOnceStopped) {
  start_synced();
  reflector->stop();
  server.create(pod("a"));
  advance(600);
  EXPECT_EQ(heard.take(), Texts());
  EXPECT_EQ(server.open_requests(), 0u);
}

TEST_F(ReflectorTest, MayBeStoppedFromWithinACallToTheSink) {
  server.create(pod("a"));
  heard.on_call = [this] { reflector->stop(); };
  start();
  advance(600);
  EXPECT_EQ(heard.take(), Texts({"all: a"}));
  EXPECT_EQ(server.log().size(), 1u);
}

TEST_F(ReflectorTest, StopsWhileItWaits) {
  server.behaviour.is_up = false;
  start();
  loop.advance(Duration::milliseconds(100));
  reflector.reset();
  advance(600);
  EXPECT_EQ(server.log().size(), 1u);
}

TEST_F(ReflectorTest, KeepsNumbersForReadinessAndMetrics) {
  start_synced();
  server.create(pod("a"));
  advance(2);
  const Instant event_at = reflector->stats().last_contact;
  EXPECT_GT(event_at, loop.now() - Duration::seconds(3));
  server.behaviour.is_up = false;
  server.break_streams();
  advance(300);
  const ReflectorStats& stats = reflector->stats();
  EXPECT_EQ(stats.last_contact, event_at);
  EXPECT_EQ(stats.last_error, "connection refused");
  EXPECT_EQ(stats.watch_lists, 1u);
  EXPECT_EQ(stats.events, 1u);
  EXPECT_EQ(stats.replacements, 1u);
  EXPECT_GT(stats.errors, 5u);
}

TEST_F(ReflectorTest, SharesEqualPartsOfObjects) {
  InternPool pool;
  api::Pod first = pod("a");
  first.metadata.labels = api::Labels{{"app", Symbol("web")}};
  api::Pod second = first;
  second.metadata.name = "b";
  api::Pod third = first;
  third.metadata.name = "c";
  server.create(first);
  server.create(second);
  start_synced({.pool = &pool});
  server.create(third);
  advance(1);
  const auto labels_of = [&](std::string_view name) { return heard.store.find<api::Pod>(name)->metadata.labels; };
  EXPECT_TRUE(labels_of("shop/a").same_as(labels_of("shop/b")));
  EXPECT_TRUE(labels_of("shop/a").same_as(labels_of("shop/c")));
  reflector.reset();  // before the pool
}

}  // namespace
}  // namespace berth::informer
