#include "berth/daemon/thread_policy.h"

#include <gtest/gtest.h>

#include <thread>

namespace berth::daemon {
namespace {

TEST(ThreadPolicy, IsInheritedAndCanBeReset) {
  std::thread([] {
    use_batch_scheduling();
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH);
    std::thread([] {
      EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH) << "as the thread that started it";
      use_normal_scheduling();
      EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
    }).join();
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH);
  }).join();
}

}  // namespace
}  // namespace berth::daemon
