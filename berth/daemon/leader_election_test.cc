#include "berth/daemon/leader_election.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/rng.h"
#include "berth/client/testing.h"
#include "berth/codec/json.h"
#include "berth/daemon/leader_election_testing.h"

namespace berth::daemon {
namespace {

using client::FakeLoop;
using client::Response;

constexpr Duration kSecond = Duration::seconds(1);

TEST(LeaderElection, CreatesTheLeaseIfThereIsNone) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  EXPECT_TRUE(a.started);
  EXPECT_TRUE(a.elector->is_leading());
  EXPECT_TRUE(a.elector->is_master());
  EXPECT_EQ(a.network.log, (std::vector<std::string>{"GET", "POST"}));
  EXPECT_EQ(server.lease().metadata.name, "kube-scheduler");
  EXPECT_EQ(server.lease().metadata.name_space, "kube-system");
  const api::LeaseSpec spec = server.spec();
  EXPECT_EQ(spec.holder_identity, "a");
  EXPECT_EQ(spec.lease_duration_seconds, 15);
  EXPECT_EQ(spec.lease_transitions, 0);
  EXPECT_EQ(spec.acquire_time.at, loop.wall_now());
  EXPECT_EQ(spec.renew_time.at, loop.wall_now());
}

TEST(LeaderElection, RenewsEveryRetryPeriodWithOneWrite) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  const Instant acquired_at = loop.wall_now();
  a.network.log.clear();
  loop.advance(kSecond * 6);
  EXPECT_EQ(a.network.log, (std::vector<std::string>{"PUT", "PUT", "PUT"}));
  EXPECT_EQ(server.spec().acquire_time.at, acquired_at);
  EXPECT_EQ(server.spec().renew_time.at, loop.wall_now());
  EXPECT_EQ(server.spec().lease_transitions, 0);
  EXPECT_EQ(a.elector->slowpath_total(), 0u);
}

TEST(LeaderElection, ReportsOnTheLeaseInEvents) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  a.network.is_cut = true;
  loop.advance(kSecond * 20);
  ASSERT_EQ(a.events.size(), 2u);
  EXPECT_EQ(a.events[0].note, "a became leader");
  EXPECT_EQ(a.events[1].note, "a stopped leading");
  EXPECT_EQ(a.events[0].reason, "LeaderElection");
  EXPECT_EQ(a.events[0].type, "Normal");
  EXPECT_EQ(a.events[0].reporting_controller, "default-scheduler");
  EXPECT_EQ(a.events[0].regarding.kind, "Lease");
  EXPECT_EQ(a.events[0].regarding.name, "kube-scheduler");
}

TEST(LeaderElection, WaitsWhileAnotherHoldsTheLease) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  Candidate b(loop, server, "b", 2);
  loop.advance(Duration::minutes(10));
  EXPECT_FALSE(b.started);
  EXPECT_EQ(b.leaders, std::vector<std::string>{"a"});
  EXPECT_EQ(b.elector->leader(), "a");
  EXPECT_FALSE(b.elector->is_leading());
}

TEST(LeaderElection, TakesOverWhenTheLeaderDies) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    FakeLoop loop;
    LeaseServer server;
    Candidate a(loop, server, "a", seed);
    loop.run();
    Candidate b(loop, server, "b", seed + 1000);
    loop.advance(kSecond * 30);
    a.elector.reset();
    const Instant died_at = loop.now();
    while (!b.started) loop.advance(Duration::milliseconds(10));
    // It was seen to change at most one wait of b after the last renewal, and is found expired within another wait.
    EXPECT_GE(loop.now() - died_at, kSecond * 13);
    EXPECT_LE(loop.now() - died_at, Duration::milliseconds(15'000 + 2 * 4'400 + 10));
    EXPECT_EQ(server.spec().lease_transitions, 1);
    EXPECT_EQ(server.holder(), "b");
    EXPECT_EQ(b.leaders, (std::vector<std::string>{"a", "b"}));
  }
}

TEST(LeaderElection, LosesWhenTheServerIsOutOfReach) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  a.network.is_cut = true;
  loop.advance(Duration::milliseconds(11'999));
  EXPECT_FALSE(a.lost);
  EXPECT_TRUE(a.elector->is_leading());
  loop.advance(Duration::milliseconds(1));
  EXPECT_TRUE(a.lost);
  EXPECT_FALSE(a.elector->is_leading());
  EXPECT_FALSE(a.elector->is_master());
  // For good.
  a.network.is_cut = false;
  const std::size_t requests = a.network.log.size();
  loop.advance(Duration::minutes(5));
  EXPECT_EQ(a.network.log.size(), requests);
}

TEST(LeaderElection, SurvivesAServerThatIsAwayForLessThanTheDeadline) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  Candidate b(loop, server, "b", 2);
  loop.run();
  for (int i = 0; i < 20; ++i) {
    a.network.is_cut = true;
    loop.advance(kSecond * 5);
    a.network.is_cut = false;
    loop.advance(kSecond * 7);
  }
  EXPECT_FALSE(a.lost);
  EXPECT_TRUE(a.elector->is_leading());
  EXPECT_FALSE(b.started);
}

TEST(LeaderElection, IsNotFooledByAnAnswerThatComesTooLate) {
  FakeLoop loop;
  client::FakeTransport transport(loop);
  QuietLog quiet;
  LeaseServer server;
  bool started = false;
  LeaderElectionOptions options;
  options.identity = "a";
  LeaderElector elector(
      loop, transport, quiet.log, Rng(1), options,
      {.on_started_leading = [&] { started = true; }, .on_stopped_leading = {}, .on_new_leader = {}, .publish = {}});
  elector.start();
  loop.run();
  transport.answer(transport.last().id, 404);
  loop.run();
  const Response created = server.handle(transport.last().request);
  loop.advance(kSecond * 14);
  transport.answer(transport.last().id, created.status, created.body);
  loop.run();
  EXPECT_FALSE(started);
  // It is the holder all the same, and says so again.
  loop.advance(kSecond * 5);
  const Response renewed = server.handle(transport.last().request);
  transport.answer(transport.last().id, renewed.status, renewed.body);
  loop.run();
  if (!started) {
    const Response written = server.handle(transport.last().request);
    transport.answer(transport.last().id, written.status, written.body);
    loop.run();
  }
  EXPECT_TRUE(started);
}

TEST(LeaderElection, StopsAtOnceWhenTheLeaseNamesAnother) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  server.put(R"({"metadata":{"name":"kube-scheduler"},"spec":{"holderIdentity":"z","leaseDurationSeconds":15}})");
  loop.advance(kSecond * 2);
  EXPECT_TRUE(a.lost);
  EXPECT_EQ(a.leaders, (std::vector<std::string>{"a", "z"}));
}

TEST(LeaderElection, GoesOnWhenSomebodyElseEditsTheLease) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  auto edited = codec::from_json<JsonFields>(server.json());
  (*edited)[Symbol("metadata")].text =
      R"({"name":"kube-scheduler","namespace":"kube-system","labels":{"team":"infra"},"future":[1,2]})";
  auto spec = codec::from_json<JsonFields>((*edited)[Symbol("spec")].text);
  (*spec)[Symbol("strategy")].text = R"("OldestEmulationVersion")";
  (*spec)[Symbol("unheardOf")].text = R"({"deep":{"value":1.5}})";
  (*edited)[Symbol("spec")].text = codec::to_json(*spec);
  server.put(codec::to_json(*edited));
  loop.advance(kSecond * 10);
  EXPECT_FALSE(a.lost);
  EXPECT_EQ(a.elector->slowpath_total(), 1u);
  for (const std::string_view kept :
       {R"("team":"infra")", R"("future":[1,2])", R"("strategy":"OldestEmulationVersion")",
        R"("unheardOf":{"deep":{"value":1.5}})", R"("holderIdentity":"a")"}) {
    EXPECT_NE(server.json().find(kept), std::string::npos) << kept << " in " << server.json();
  }
  EXPECT_EQ(server.spec().renew_time.at, loop.wall_now());
}

TEST(LeaderElection, CreatesTheLeaseAgainIfItWasDeleted) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  server.remove();
  loop.advance(kSecond * 2);
  EXPECT_FALSE(a.lost);
  EXPECT_EQ(server.holder(), "a");
}

TEST(LeaderElection, TakesALeaseThatNobodyHolds) {
  FakeLoop loop;
  LeaseServer server;
  server.put(R"({"metadata":{"name":"kube-scheduler"},"spec":{"holderIdentity":"","leaseTransitions":4}})");
  Candidate a(loop, server, "a");
  loop.run();
  EXPECT_TRUE(a.started);
  EXPECT_EQ(server.spec().lease_transitions, 5);
}

TEST(LeaderElection, TakesALeaseWithoutASpec) {
  FakeLoop loop;
  LeaseServer server;
  server.put(R"({"metadata":{"name":"kube-scheduler"}})");
  Candidate a(loop, server, "a");
  loop.run();
  EXPECT_TRUE(a.started);
  EXPECT_EQ(server.holder(), "a");
}

TEST(LeaderElection, GivesTheLeaseBackWhenItStops) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  Candidate b(loop, server, "b", 2);
  loop.advance(kSecond * 31);
  bool done = false;
  a.elector->stop(kSecond * 5, [&] { done = true; });
  EXPECT_FALSE(a.elector->is_leading());
  loop.run();
  EXPECT_TRUE(done);
  EXPECT_FALSE(a.lost);
  EXPECT_EQ(server.spec().holder_identity, "");
  EXPECT_EQ(server.spec().lease_duration_seconds, 1);
  EXPECT_EQ(server.spec().lease_transitions, 0);
  EXPECT_EQ(a.events.back().note, "a stopped leading");
  loop.advance(Duration::milliseconds(4'400));
  EXPECT_TRUE(b.started);
  EXPECT_EQ(server.spec().lease_transitions, 1);
}

TEST(LeaderElection, GivesTheLeaseBackAlthoughARenewalIsUnderWay) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  a.network.max_delay_there = Duration::milliseconds(500);
  a.network.max_delay_back = Duration::milliseconds(500);
  // The renewal at two seconds is on its way, or its answer is.
  loop.advance(Duration::milliseconds(2'300));
  bool done = false;
  a.elector->stop(kSecond * 5, [&] { done = true; });
  loop.advance(kSecond * 5);
  EXPECT_TRUE(done);
  EXPECT_EQ(server.spec().holder_identity, "");
}

TEST(LeaderElection, StopsInTimeAlthoughTheServerDoesNotAnswer) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  a.network.is_cut = true;
  int done = 0;
  a.elector->stop(kSecond * 3, [&] { ++done; });
  loop.advance(Duration::milliseconds(2'999));
  EXPECT_EQ(done, 0);
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(a.lost);
}

TEST(LeaderElection, StopsSoonWhenItDoesNotLead) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  Candidate b(loop, server, "b", 2);
  loop.advance(kSecond * 10);
  int done = 0;
  b.elector->stop(kSecond * 5, [&] { ++done; });
  loop.run();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(server.holder(), "a");
}

TEST(LeaderElection, GivesBackALeaseThatItGetsWhileItStops) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  a.network.max_delay_there = kSecond;
  a.network.max_delay_back = kSecond;
  while (a.network.log.size() < 2) loop.advance(Duration::milliseconds(1));  // the POST is on its way
  int done = 0;
  a.elector->stop(kSecond * 10, [&] { ++done; });
  loop.advance(kSecond * 10);
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(a.started);
  EXPECT_EQ(server.spec().holder_identity, "");
}

TEST(LeaderElection, SpreadsTheAttemptsOfThoseThatWait) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  Candidate b(loop, server, "b", 2);
  loop.run();
  b.network.log.clear();
  loop.advance(kSecond * 320);
  // Every 2 to 4.4 seconds, 3.2 on average.
  EXPECT_GT(b.network.log.size(), 85u);
  EXPECT_LT(b.network.log.size(), 115u);
}

TEST(LeaderElection, IgnoresClocksThatJump) {
  FakeLoop loop;
  LeaseServer server;
  Candidate a(loop, server, "a");
  loop.run();
  Candidate b(loop, server, "b", 2);
  for (int i = 0; i < 20; ++i) {
    a.machine.wall_offset = Duration::hours(i % 2 == 0 ? -24 : 24);
    b.machine.wall_offset = Duration::hours(i % 3 == 0 ? 48 : -48);
    loop.advance(kSecond * 7);
  }
  EXPECT_FALSE(a.lost);
  EXPECT_FALSE(b.started);
}

}  // namespace
}  // namespace berth::daemon
