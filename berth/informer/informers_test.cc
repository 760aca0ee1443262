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

TEST(SchedulerKinds, EndWithPods) {
  const auto kinds = scheduler_kinds();
  EXPECT_EQ(kinds.back().kind, &api::kind_of<api::Pod>());
  EXPECT_EQ(kinds.back().field_selector, "status.phase!=Succeeded,status.phase!=Failed");
}

}  // namespace
}  // namespace berth::informer
