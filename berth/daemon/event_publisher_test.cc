#include "berth/daemon/event_publisher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/client/testing.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"

namespace berth::daemon {
namespace {

using client::FakeLoop;
using client::FakeTransport;
using client::Method;
using client::Request;
using Transfer = client::Response::Transfer;

class TextSink final : public LogSink {
 public:
  void write(std::string_view lines) override { text += lines; }
  std::string text;
};

struct Fixture {
  explicit Fixture(EventPublisherOptions options = {}) : publisher(make(std::move(options))) {}

  std::unique_ptr<EventPublisher> make(EventPublisherOptions options) {
    options.hostname = "host-1";
    options.is_busy_binding = [this] { return is_busy; };
    return std::make_unique<EventPublisher>(loop, transport, log, Rng(1), std::move(options));
  }

  void publish(std::string_view pod_name, std::string note = "0/3 nodes are available.",
               std::string_view resource_version = "7") {
    auto pod = std::make_shared<api::Pod>();
    pod->metadata.name = pod_name;
    pod->metadata.name_space = Symbol("shop");
    pod->metadata.uid = fmt::format("uid-{}", pod_name);
    pod->metadata.resource_version = resource_version;
    engine::PodEvent event;
    event.regarding = pod;
    event.reporting_controller = Symbol("default-scheduler");
    event.type = Symbol("Warning");
    event.reason = Symbol("FailedScheduling");
    event.action = Symbol("Scheduling");
    event.note = std::move(note);
    publisher->publish(event);
  }
  void publish_many(int count) {
    for (int i = 0; i < count; ++i) publish(fmt::format("pod-{}", i));
  }

  // The event that the oldest open request brings.
  api::Event sent() const {
    const auto object = codec::object_from_protobuf(transport.open().front()->request.body);
    EXPECT_TRUE(object.has_value());
    return *object->as<api::Event>();
  }
  const Request& oldest() const { return transport.open().front()->request; }
  void answer_oldest(int status, std::string_view reason = {}, std::vector<client::Header> headers = {}) {
    std::string body;
    if (status >= 300) {
      body = fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"{}","code":{}}})", reason,
                         status);
    }
    transport.answer(transport.open().front()->id, status, std::move(body), std::move(headers));
    loop.run();
  }
  void break_oldest() {
    transport.break_off(transport.open().front()->id, Transfer::kNotSent, "connection refused");
    loop.run();
  }
  // Accepts all, as long as there is something.
  int accept_all() {
    int accepted = 0;
    for (; !transport.open().empty(); ++accepted) answer_oldest(201);
    return accepted;
  }
  // Refuses all connections for so long.
  void be_dead_for(Duration how_long) {
    const Instant end = loop.now() + how_long;
    while (loop.now() < end) {
      while (!transport.open().empty()) break_oldest();
      loop.advance(Duration::milliseconds(100));
    }
  }

  FakeLoop loop;
  FakeTransport transport{loop};
  TextSink sink;
  Log log{{}, [this] { return loop.wall_now(); }, sink};
  bool is_busy = false;
  std::unique_ptr<EventPublisher> publisher;
};

TEST(EventPublisher, PostsAnEventAsUpstreamDoes) {
  Fixture f;
  f.publish("web");
  ASSERT_EQ(f.transport.open().size(), 1u);
  EXPECT_EQ(f.oldest().method, Method::kPost);
  EXPECT_EQ(f.oldest().path, "/apis/events.k8s.io/v1/namespaces/shop/events");
  EXPECT_EQ(f.oldest().content_type, "application/vnd.kubernetes.protobuf");
  const api::Event event = f.sent();
  EXPECT_EQ(event.metadata.name, fmt::format("web.{:x}", f.loop.wall_now().unix_nanoseconds()));
  EXPECT_EQ(event.metadata.name_space, "shop");
  EXPECT_EQ(event.event_time.at, f.loop.wall_now());
  EXPECT_FALSE(event.series.has_value());
  EXPECT_EQ(event.reporting_controller, "default-scheduler");
  EXPECT_EQ(event.reporting_instance, "default-scheduler-host-1");
  EXPECT_EQ(event.action, "Scheduling");
  EXPECT_EQ(event.reason, "FailedScheduling");
  EXPECT_EQ(event.type, "Warning");
  EXPECT_EQ(event.note, "0/3 nodes are available.");
  EXPECT_EQ(event.regarding.kind, "Pod");
  EXPECT_EQ(event.regarding.api_version, "v1");
  EXPECT_EQ(event.regarding.name_space, "shop");
  EXPECT_EQ(event.regarding.name, "web");
  EXPECT_EQ(event.regarding.uid, "uid-web");
  EXPECT_EQ(event.regarding.resource_version, "7");
  EXPECT_FALSE(event.related.has_value());
  f.answer_oldest(201);
  EXPECT_EQ(f.publisher->counts().written, 1u);
}

TEST(EventPublisher, NamesTheRelatedPod) {
  Fixture f;
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = "victim";
  pod->metadata.name_space = Symbol("shop");
  engine::PodRef preemptor;
  preemptor.name_space = Symbol("shop");
  preemptor.name = "web";
  preemptor.uid = "u";
  f.publisher->publish(engine::PodEvent{.regarding = pod,
                                        .reporting_controller = Symbol("default-scheduler"),
                                        .type = Symbol("Normal"),
                                        .reason = Symbol("Preempted"),
                                        .action = Symbol("Preempting"),
                                        .note = "Preempted by pod u on node n1",
                                        .related = preemptor});
  const api::Event event = f.sent();
  ASSERT_TRUE(event.related.has_value());
  EXPECT_EQ(event.related->name, "web");
  EXPECT_EQ(event.related->kind, "Pod");
}

TEST(EventPublisher, PutsEventsAboutThingsWithoutANamespaceIntoDefault) {
  Fixture f;
  api::Event event;
  event.regarding.kind = Symbol("Node");
  event.regarding.name = "n1";
  f.publisher->publish(event);
  EXPECT_EQ(f.oldest().path, "/apis/events.k8s.io/v1/namespaces/default/events");
}

TEST(EventPublisher, CutsNotesThatAreTooLong) {
  Fixture f;
  f.publish("web", std::string(2000, 'x'));
  EXPECT_EQ(f.sent().note, std::string(1020, 'x') + " ...");
}

TEST(EventPublisher, GivesEventsOfOneInstantDifferentNames) {
  Fixture f;
  f.publish("web", "a", "1");
  f.publish("web", "b", "2");
  const std::string first = f.sent().metadata.name;
  f.answer_oldest(201);
  EXPECT_NE(f.sent().metadata.name, first);
}

TEST(EventPublisher, TakesTheTimeFromAClockThatWasSetBack) {
  Fixture f;
  f.publish("a");
  f.answer_oldest(201);
  f.loop.wall_clock_offset = Duration::hours(-5);
  f.publish("b");
  EXPECT_EQ(f.sent().event_time.at, f.loop.wall_now());
}

TEST(EventPublisher, PatchesTheSecondOccurrenceAndOnlyCountsLaterOnes) {
  Fixture f;
  f.publish("web");
  const std::string name = f.sent().metadata.name;
  f.answer_oldest(201);
  f.loop.advance(Duration::seconds(3));
  f.publish("web", "another note");
  ASSERT_EQ(f.transport.open().size(), 1u);
  EXPECT_EQ(f.oldest().method, Method::kPatch);
  EXPECT_EQ(f.oldest().path, "/apis/events.k8s.io/v1/namespaces/shop/events/" + name);
  EXPECT_EQ(f.oldest().content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(f.oldest().body,
            fmt::format(R"({{"series":{{"count":2,"lastObservedTime":"{}"}}}})", f.loop.wall_now().rfc3339_micro()));
  f.answer_oldest(200);
  for (int i = 0; i < 10; ++i) f.publish("web");
  EXPECT_TRUE(f.transport.open().empty());
  EXPECT_EQ(f.publisher->counts().counted, 10u);
  EXPECT_EQ(f.publisher->counts().published, 12u);
}

TEST(EventPublisher, StartsAnewWhenThePodHasChanged) {
  Fixture f;
  f.publish("web", "note", "7");
  f.answer_oldest(201);
  f.publish("web", "note", "8");
  EXPECT_EQ(f.oldest().method, Method::kPost);
}

TEST(EventPublisher, SendsTheCountAgainEveryHalfHour) {
  Fixture f;
  f.publish("web");
  f.publish("web");
  f.accept_all();
  for (int minute = 1; minute <= 29; ++minute) {
    f.loop.advance(Duration::minutes(1));
    f.publish("web");
    EXPECT_TRUE(f.transport.open().empty()) << minute;
  }
  f.loop.advance(Duration::minutes(1));
  ASSERT_EQ(f.transport.open().size(), 1u);
  EXPECT_EQ(f.oldest().method, Method::kPatch);
  EXPECT_TRUE(f.oldest().body.starts_with(R"({"series":{"count":31,)")) << f.oldest().body;
}

TEST(EventPublisher, SendsTheLastCountOfASeriesThatEnded) {
  Fixture f;
  for (int i = 0; i < 4; ++i) f.publish("web");
  f.accept_all();
  f.loop.advance(Duration::minutes(6));
  EXPECT_TRUE(f.transport.open().empty());
  f.loop.advance(Duration::minutes(6));
  ASSERT_EQ(f.transport.open().size(), 1u);
  EXPECT_TRUE(f.oldest().body.starts_with(R"({"series":{"count":4,)")) << f.oldest().body;
  f.accept_all();
  f.publish("web");
  EXPECT_EQ(f.oldest().method, Method::kPost);
}

TEST(EventPublisher, CreatesASeriesAnewWhoseObjectIsGone) {
  Fixture f;
  f.publish("web");
  const std::string name = f.sent().metadata.name;
  f.answer_oldest(201);
  f.publish("web");
  f.answer_oldest(404, "NotFound");
  ASSERT_EQ(f.transport.open().size(), 1u);
  EXPECT_EQ(f.oldest().method, Method::kPost);
  const api::Event event = f.sent();
  EXPECT_EQ(event.metadata.name, name);
  ASSERT_TRUE(event.series.has_value());
  EXPECT_EQ(event.series->count, 2);
  f.answer_oldest(201);
  EXPECT_EQ(f.publisher->backlog(), 0u);
  EXPECT_EQ(f.publisher->counts().written, 2u);
}

TEST(EventPublisher, PatchesAfterAllWhenTheFirstPostWasOnlySlow) {
  Fixture f;
  f.publish("web");
  f.publish("web");
  const auto open = f.transport.open();
  ASSERT_EQ(open.size(), 2u);
  // The patch overtakes the post; the new post then finds that the first has arrived.
  f.transport.answer(open[1]->id, 404, R"({"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404})");
  f.loop.run();
  f.answer_oldest(201);
  f.answer_oldest(409, "AlreadyExists");
  f.loop.advance(Duration::milliseconds(12'500));
  ASSERT_EQ(f.transport.open().size(), 1u);
  EXPECT_EQ(f.oldest().method, Method::kPatch);
}

TEST(EventPublisher, UsesFewRequestsWhileBindingsAreUnderWay) {
  Fixture f;
  f.is_busy = true;
  f.publish_many(100);
  EXPECT_EQ(f.publisher->in_flight(), 4u);
  EXPECT_EQ(f.publisher->backlog(), 96u);
  f.is_busy = false;
  f.answer_oldest(201);
  EXPECT_EQ(f.publisher->in_flight(), 16u);
  f.is_busy = true;
  f.answer_oldest(201);
  EXPECT_EQ(f.publisher->in_flight(), 15u);
  EXPECT_EQ(f.accept_all(), 98);
  EXPECT_EQ(f.publisher->counts().written, 100u);
}

TEST(EventPublisher, DropsTheOldestWhenTooManyWaitAndSaysHowMany) {
  EventPublisherOptions options;
  options.max_backlog = 50;
  Fixture f(options);
  f.publish_many(100);
  EXPECT_EQ(f.publisher->backlog(), 50u);
  EXPECT_EQ(f.publisher->counts().dropped, 34u);
  EXPECT_EQ(f.sink.text, "");
  f.loop.advance(EventPublisher::kReportInterval);
  EXPECT_NE(
      f.sink.text.find("\"Dropped oldest events because the event backlog is full\" dropped=34 droppedInTotal=34"),
      std::string::npos)
      << f.sink.text;
  f.sink.text.clear();
  f.loop.advance(Duration::minutes(1));
  EXPECT_EQ(f.sink.text, "");
  for (int i = 0; i < 16; ++i) f.answer_oldest(201);
  EXPECT_EQ(f.sent().regarding.name, "pod-50");
}

TEST(EventPublisher, LimitsTheBytesThatWait) {
  EventPublisherOptions options;
  options.max_backlog_bytes = 100'000;
  Fixture f(options);
  for (int i = 0; i < 1000; ++i) f.publish(fmt::format("pod-{}", i), std::string(1000, 'x'));
  EXPECT_LT(f.publisher->backlog(), 100u);
  EXPECT_GT(f.publisher->backlog(), 50u);
}

TEST(EventPublisher, TriesAgainAfterTenSecondsAndTwelveTimesInAll) {
  Fixture f;
  f.publish("web");
  for (int tries = 1; tries < EventPublisher::kMaxTries; ++tries) {
    f.break_oldest();
    EXPECT_EQ(f.publisher->backlog(), 1u);
    f.loop.advance(Duration::milliseconds(9'999));
    EXPECT_TRUE(f.transport.open().empty()) << tries;
    // The hold of a server that seems dead lasts no longer than the event waits.
    f.loop.advance(Duration::milliseconds(2'501));
    ASSERT_EQ(f.transport.open().size(), 1u) << tries;
  }
  f.break_oldest();
  EXPECT_EQ(f.publisher->backlog(), 0u);
  EXPECT_EQ(f.publisher->counts().given_up, 1u);
  f.loop.advance(Duration::minutes(1));
  EXPECT_NE(f.sink.text.find("retry limit exceeded"), std::string::npos);
  EXPECT_TRUE(f.transport.open().empty());
}

TEST(EventPublisher, HardlyBothersADeadServerAndLosesNothing) {
  Fixture f;
  f.publish_many(500);
  f.be_dead_for(Duration::minutes(2));
  EXPECT_EQ(f.publisher->backlog(), 500u);
  // 16 at first, then one after 0.25, 0.5, 1, ... and every 10 to 12.5 s.
  EXPECT_LT(f.transport.log().size(), 40u);
  EXPECT_EQ(f.publisher->counts().dropped, 0u);
  f.loop.advance(Duration::seconds(13));
  f.accept_all();
  f.loop.advance(Duration::seconds(13));
  f.accept_all();
  EXPECT_EQ(f.publisher->counts().written, 500u);
}

TEST(EventPublisher, KeepsItsLimitsWhileTheServerIsDead) {
  EventPublisherOptions options;
  options.max_backlog = 200;
  Fixture f(options);
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 50; ++i) f.publish(fmt::format("pod-{}-{}", round, i));
    f.be_dead_for(Duration::seconds(1));
    ASSERT_LE(f.publisher->backlog(), 200u);
  }
  EXPECT_GT(f.publisher->counts().dropped, 4'000u);
}

TEST(EventPublisher, GoesOnSoonAfterABrokenConnection) {
  Fixture f;
  f.publish("a");
  f.break_oldest();
  f.publish("b");
  EXPECT_TRUE(f.transport.open().empty());
  f.loop.advance(Duration::milliseconds(313));
  ASSERT_EQ(f.transport.open().size(), 1u);
  EXPECT_EQ(f.sent().regarding.name, "b");
}

TEST(EventPublisher, TakesANameThatExistsForItsOwnEarlierTry) {
  Fixture f;
  f.publish("web");
  f.transport.break_off(f.transport.last().id, Transfer::kBroken);
  f.loop.advance(Duration::seconds(13));
  f.answer_oldest(409, "AlreadyExists");
  EXPECT_EQ(f.publisher->counts().written, 1u);
  EXPECT_EQ(f.publisher->counts().refused, 0u);
}

TEST(EventPublisher, WaitsAsLongAsAnOverloadedServerAsks) {
  Fixture f;
  f.publish("a");
  f.answer_oldest(429, "TooManyRequests", {{"Retry-After", "20"}});
  f.publish("b");
  f.loop.advance(Duration::milliseconds(19'999));
  EXPECT_TRUE(f.transport.open().empty());
  f.loop.advance(Duration::seconds(6));
  EXPECT_FALSE(f.transport.open().empty());
}

TEST(EventPublisher, TriesAgainWhereAServerThatHasJustStartedDoesNotKnowUsYet) {
  Fixture f;
  f.publish("web");
  f.answer_oldest(403, "Forbidden");
  f.loop.advance(Duration::seconds(13));
  f.answer_oldest(201, "");
  EXPECT_EQ(f.publisher->counts().written, 1u);
  EXPECT_EQ(f.publisher->counts().refused, 0u);
}

TEST(EventPublisher, DoesNotRepeatWhatTheServerRefuses) {
  Fixture f;
  f.publish("web");
  f.answer_oldest(422, "Invalid");
  f.loop.advance(Duration::minutes(5));
  EXPECT_TRUE(f.transport.open().empty());
  EXPECT_EQ(f.publisher->counts().refused, 1u);
  EXPECT_NE(f.sink.text.find("\"Server rejected event (will not retry!)\""), std::string::npos);
  EXPECT_NE(f.sink.text.find("events=1"), std::string::npos);
}

TEST(EventPublisher, WritesWhatIsLeftBeforeItEnds) {
  Fixture f;
  f.is_busy = true;
  f.publish_many(30);
  for (int i = 0; i < 3; ++i) f.publish("series");
  bool done = false;
  f.publisher->begin_shutdown(Duration::seconds(5), [&] { done = true; });
  f.loop.run();
  EXPECT_FALSE(done);
  f.accept_all();
  EXPECT_TRUE(done);
  EXPECT_EQ(f.publisher->counts().dropped, 0u);
  f.publish("late");
  EXPECT_TRUE(f.transport.open().empty());
  EXPECT_EQ(f.publisher->counts().dropped, 1u);
}

TEST(EventPublisher, EndsInTimeWhateverTheServerDoes) {
  Fixture f;
  f.publish_many(30);
  int done = 0;
  f.publisher->begin_shutdown(Duration::seconds(5), [&] { ++done; });
  f.loop.advance(Duration::milliseconds(4'999));
  EXPECT_EQ(done, 0);
  f.loop.advance(Duration::minutes(10));
  EXPECT_EQ(done, 1);
  EXPECT_EQ(f.publisher->counts().dropped, 30u);
  EXPECT_TRUE(f.transport.open().empty());
  EXPECT_NE(f.sink.text.find("dropped=30"), std::string::npos);
}

TEST(EventPublisher, EndsAtOnceWhenNothingIsLeft) {
  Fixture f;
  bool done = false;
  f.publisher->begin_shutdown(Duration::seconds(5), [&] { done = true; });
  EXPECT_FALSE(done);
  f.loop.run();
  EXPECT_TRUE(done);
}

TEST(EventPublisher, LeavesNothingBehindWhenItIsDestroyed) {
  Fixture f;
  f.publish_many(30);
  f.break_oldest();
  f.publisher.reset();
  EXPECT_TRUE(f.transport.open().empty());
  f.loop.advance(Duration::hours(1));
}

// Whatever the server does, every event ends in exactly one way.
TEST(EventPublisher, AccountsForEveryEvent) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    EventPublisherOptions options;
    options.max_backlog = 40;
    Fixture f(options);
    Rng rng(seed);
    for (int step = 0; step < 600; ++step) {
      if (rng.chance(1, 2)) f.publish(fmt::format("pod-{}-{}", seed, step));
      if (rng.chance(1, 10)) f.is_busy = !f.is_busy;
      if (rng.chance(1, 4)) f.loop.advance(Duration::milliseconds(rng.in_range(1, 3'000)));
      if (f.transport.open().empty()) continue;
      switch (rng.below(8)) {
        case 0: f.break_oldest(); break;
        case 1: f.answer_oldest(503, "ServiceUnavailable"); break;
        case 2: f.answer_oldest(403, "Forbidden"); break;
        case 3: f.answer_oldest(409, "AlreadyExists"); break;
        case 4:
        case 5: f.answer_oldest(201); break;
        default: break;
      }
    }
    const EventCounts& counts = f.publisher->counts();
    EXPECT_EQ(counts.published, counts.written + counts.refused + counts.given_up + counts.dropped +
                                    f.publisher->backlog() + f.publisher->in_flight())
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::daemon
