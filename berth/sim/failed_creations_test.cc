#include "berth/sim/failed_creations.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/sim/virtual_time.h"

namespace berth::sim {
namespace {

const Instant kStart = Instant::from_unix_seconds(1'000'000);

// A ReplicaSet whose pods are refused whenever it tries.
class FailedCreationsTest : public ::testing::Test {
 protected:
  FailedCreationsTest() : time(kStart), failed(time, history) {
    set.name = "web-5d4f8";
    set.name_space = Symbol("shop");
    set.uid = "u-1";
    set.owner_references = std::vector{api::OwnerReference{.api_version = Symbol("apps/v1"),
                                                           .kind = Symbol("Deployment"),
                                                           .name = "web",
                                                           .uid = "u-0",
                                                           .controller = true,
                                                           .block_owner_deletion = true}};
  }

  void refuse() {
    failed.failed(kind, set, 3, 2, "pods \"web-x\" is forbidden: no", [this] {
      tries.push_back(time.now() - kStart);
      refuse();
    });
  }
  void run_until(Duration when) {
    while (time.next_at().is_set() && time.next_at() <= kStart + when) time.step();
  }
  static Change deleted_pod(std::string_view name_space) {
    auto pod = std::make_shared<api::Pod>();
    pod->metadata.name = "old";
    pod->metadata.name_space = Symbol(name_space);
    const api::AnyObject object{std::shared_ptr<const api::Pod>(pod)};
    return {.kind = Change::Kind::kDeleted, .object = object, .before = object, .version = 1};
  }

  const api::ObjectKind& kind = api::kind_of<api::ReplicaSet>();
  VirtualTime time;
  History history;
  FailedCreations failed;
  api::ObjectMeta set;
  std::vector<Duration> tries;
};

TEST_F(FailedCreationsTest, TriesAgainAfterABackoffThatDoublesAndKeepsNobodyWaiting) {
  refuse();
  EXPECT_EQ(time.work(), 0U);
  run_until(Duration::milliseconds(40));
  ASSERT_EQ(tries.size(), 3U);
  EXPECT_EQ(tries[0], Duration::milliseconds(5));
  EXPECT_EQ(tries[1], Duration::milliseconds(15));
  EXPECT_EQ(tries[2], Duration::milliseconds(35));
  EXPECT_EQ(time.work(), 0U);
}

TEST_F(FailedCreationsTest, IsWaitedForOnceSomethingHasLeftRoom) {
  refuse();
  failed.on_change(deleted_pod("other"));
  EXPECT_EQ(time.work(), 0U);
  failed.on_change(deleted_pod("shop"));
  EXPECT_EQ(time.work(), 1U);
  failed.on_change(deleted_pod("shop"));
  EXPECT_EQ(time.work(), 1U);
  run_until(Duration::milliseconds(5));
  EXPECT_EQ(tries.size(), 1U);
  EXPECT_EQ(time.work(), 0U);
}

TEST_F(FailedCreationsTest, NamesTheWorkloadAndForgetsItWhenItHasItsPods) {
  refuse();
  ASSERT_EQ(failed.list().size(), 1U);
  EXPECT_EQ(to_text(failed.list()[0]),
            "Deployment/web in shop could not create 2 of its 3 pods: pods \"web-x\" is forbidden: no");
  ASSERT_EQ(history.events().size(), 1U);
  EXPECT_EQ(history.events()[0].about, "ReplicaSet shop/web-5d4f8");
  EXPECT_EQ(history.events()[0].reason, "FailedCreate");
  EXPECT_EQ(history.events()[0].note, "Error creating: pods \"web-x\" is forbidden: no");
  run_until(Duration::seconds(1));
  EXPECT_EQ(history.events().size(), 1U);  // the same again is no news
  failed.succeeded(kind, set);
  EXPECT_TRUE(failed.empty());
  const std::size_t before = tries.size();
  run_until(Duration::minutes(1));
  EXPECT_EQ(tries.size(), before);
}

TEST_F(FailedCreationsTest, ForgetsAControllerThatIsGone) {
  refuse();
  auto gone = std::make_shared<api::ReplicaSet>();
  gone->metadata = set;
  const api::AnyObject object{std::shared_ptr<const api::ReplicaSet>(gone)};
  failed.on_change({.kind = Change::Kind::kDeleted, .object = object, .before = object, .version = 1});
  EXPECT_TRUE(failed.empty());
}

}  // namespace
}  // namespace berth::sim
