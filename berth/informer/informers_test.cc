#include "berth/informer/informers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "berth/informer/testing.h"

namespace berth::informer {
namespace {

using testing::node;
using testing::pod;
using Texts = std::vector<std::string>;

class InformersTest : public ::testing::Test {
 protected:
  Informers& start() {
    Informers::Options options;
    options.on_all_synced = [this] { ++synced_calls; };
    informers = std::make_unique<Informers>(loop, server, store, Rng(2), std::move(options));
    informers->start();
    return *informers;
  }

  client::FakeLoop loop;
  FakeApiServer server{loop, Rng(1)};
  ObjectStore store;
  int synced_calls = 0;
  std::unique_ptr<Informers> informers;
};

TEST_F(InformersTest, AreSyncedWhenEveryKindIs) {
  server.create(pod("a"));
  server.create(node("n1"));
  start();
  EXPECT_FALSE(informers->all_synced());
  EXPECT_EQ(informers->unsynced().size(), scheduler_kinds().size());
  loop.advance(Duration::seconds(1));
  EXPECT_TRUE(informers->all_synced());
  EXPECT_EQ(informers->unsynced(), Texts());
  EXPECT_EQ(synced_calls, 1);
  EXPECT_NE(store.find<api::Pod>("shop/a"), nullptr);
  EXPECT_NE(store.find<api::Node>("n1"), nullptr);
}

TEST_F(InformersTest, NameTheKindsThatAreMissing) {
  server.behaviour.forbidden = {&api::kind_of<api::Pod>(), &api::kind_of<api::ReplicaSet>()};
  start();
  loop.advance(Duration::seconds(30));
  EXPECT_FALSE(informers->all_synced());
  EXPECT_EQ(informers->unsynced(), Texts({"replicasets.v1.apps", "pods.v1"}));
  EXPECT_EQ(synced_calls, 0);
  server.behaviour.forbidden.clear();
  loop.advance(Duration::seconds(61));
  EXPECT_EQ(synced_calls, 1);
}

TEST_F(InformersTest, DoNotWaitForDynamicResourcesThatTheServerDoesNotHave) {
  server.behaviour.not_served = {&api::kind_of<api::DeviceClass>(), &api::kind_of<api::ResourceSlice>(),
                                 &api::kind_of<api::ResourceClaim>()};
  start();
  loop.advance(Duration::seconds(1));
  EXPECT_TRUE(informers->all_synced());
  EXPECT_TRUE(informers->find(api::kind_of<api::ResourceClaim>())->is_not_served());
}

TEST_F(InformersTest, ReadOnlyPodsThatHaveNotEnded) {
  api::Pod done = pod("done");
  done.status.phase = Symbol("Failed");
  server.create(done);
  start();
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(store.size(api::kind_of<api::Pod>()), 0u);
}

TEST_F(InformersTest, FindAReflectorByKind) {
  start();
  EXPECT_EQ(&informers->find(api::kind_of<api::Node>())->kind(), &api::kind_of<api::Node>());
  EXPECT_EQ(informers->find(api::kind_of<api::Job>()), nullptr);
}

TEST_F(InformersTest, SayNothingMoreOnceStopped) {
  start();
  loop.advance(Duration::seconds(1));
  informers->stop();
  server.create(pod("a"));
  loop.advance(Duration::minutes(20));
  EXPECT_EQ(store.size(api::kind_of<api::Pod>()), 0u);
  EXPECT_EQ(server.open_requests(), 0u);
}

TEST_F(InformersTest, DoNotAskForTheirWatchesAllAtTheSameTimes) {
  start();
  loop.advance(Duration::hours(1));
  // Every watch has its own random length.
  Texts first_resumes;
  for (const std::string& line : server.log()) {
    const std::size_t at = line.find("timeoutSeconds=");
    if (at != std::string::npos) first_resumes.push_back(line.substr(at, 18));
  }
  std::ranges::sort(first_resumes);
  const auto repeated = std::ranges::unique(first_resumes);
  EXPECT_GT(first_resumes.size() - repeated.size(), 15u);
}

// --- Outages ---------------------------------------------------------------------------------------------------------

TEST_F(InformersTest, FollowARestartedServerWithinSecondsHoweverLongItWasAway) {
  start();
  for (const std::int64_t minutes : {0, 1, 30}) {
    loop.advance(Duration::seconds(5));
    server.behaviour.is_up = false;
    server.break_streams();
    loop.advance(Duration::minutes(minutes) + Duration::seconds(4));
    server.behaviour.is_up = true;
    server.forget_history();  // it begins with the state that etcd has
    const std::string name = "after-" + std::to_string(minutes);
    server.create(pod(name));
    server.create(node(name));
    loop.advance(Duration::seconds(4));
    EXPECT_NE(store.find<api::Pod>("shop/" + name), nullptr) << minutes;
    EXPECT_NE(store.find<api::Node>(name), nullptr) << minutes;
  }
}

TEST_F(InformersTest, AskASilentServerMoreSeldomTheLongerItIsAway) {
  start();
  loop.advance(Duration::seconds(5));
  server.behaviour.is_up = false;
  server.break_streams();
  loop.advance(Duration::minutes(1));
  const std::size_t before = server.log().size();
  loop.advance(Duration::minutes(10));
  const std::size_t tries = server.log().size() - before;
  EXPECT_LT(tries, 600 * 2) << "two per second, of all eighteen kinds together";
  EXPECT_GT(tries, 600 / 4) << "but often enough that nobody waits for long when it is back";
}

TEST_F(InformersTest, AreNotHeldUpByAServerThatRefusesUntilItHasReadItsOwnRules) {
  start();
  for (int restart = 0; restart < 4; ++restart) {
    loop.advance(Duration::seconds(5));
    server.behaviour.is_up = false;
    server.break_streams();
    loop.advance(Duration::seconds(4));
    server.behaviour.is_up = true;
    for (const InformedKind& informed : scheduler_kinds()) server.behaviour.forbidden.insert(informed.kind);
    loop.advance(Duration::seconds(10));
    server.behaviour.forbidden.clear();
    server.create(pod("after-" + std::to_string(restart)));
    loop.advance(Duration::seconds(3));
    EXPECT_EQ(store.size(api::kind_of<api::Pod>()), static_cast<std::size_t>(restart) + 1);
  }
}

TEST_F(InformersTest, DoNotProbeAServerThatAnswers) {
  start();
  loop.advance(Duration::seconds(5));
  server.behaviour.forbidden = {&api::kind_of<api::Pod>()};
  server.break_streams();
  loop.advance(Duration::minutes(5));
  const std::size_t before = server.log().size();
  loop.advance(Duration::minutes(5));
  EXPECT_LT(server.log().size() - before, 60u);
}

TEST(SchedulerKinds, EndWithPods) {
  const auto kinds = scheduler_kinds();
  EXPECT_EQ(kinds.back().kind, &api::kind_of<api::Pod>());
  EXPECT_EQ(kinds.back().field_selector, "status.phase!=Succeeded,status.phase!=Failed");
}

}  // namespace
}  // namespace berth::informer
