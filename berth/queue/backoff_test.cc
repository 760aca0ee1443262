#include "berth/queue/backoff.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::at;
using testing::at_ms;
using testing::make_pod;

constexpr PluginId kFit = 0;

QueuedPod failed_pod(std::string_view name, Instant when, std::int32_t rejections, std::int32_t errors = 0,
                     std::int32_t priority = 0) {
  QueuedPod pod;
  pod.pod = make_pod(name, priority);
  pod.timestamp = when;
  pod.unschedulable_count = rejections;
  pod.consecutive_errors = errors;
  if (errors == 0) pod.unschedulable_plugins.insert(kFit);
  return pod;
}

TEST(BackoffPolicy, DoublesUpToTheMaximum) {
  const BackoffPolicy policy;
  const std::int64_t seconds[] = {0, 1, 2, 4, 8, 10, 10, 10};
  for (std::int32_t failures = 0; failures < 8; ++failures) {
    EXPECT_EQ(policy.after(failures), Duration::seconds(seconds[failures])) << failures;
  }
}

TEST(BackoffPolicy, AnyNumberOfFailuresGivesTheMaximum) {
  for (const std::int32_t failures : {31, 32, 33, 62, 63, 64, 65, 1000, std::numeric_limits<std::int32_t>::max()}) {
    EXPECT_EQ(BackoffPolicy{}.after(failures), Duration::seconds(10)) << failures;
  }
  const BackoffPolicy longest{.initial = Duration::nanoseconds(1), .maximum = Duration::max()};
  EXPECT_EQ(longest.after(63), Duration::nanoseconds(std::int64_t{1} << 62));
  EXPECT_EQ(longest.after(64), Duration::max());
  EXPECT_EQ(longest.after(65), Duration::max());
}

TEST(BackoffPolicy, AnInitialBackoffBeyondTheMaximumIsTheMaximum) {
  const BackoffPolicy policy{.initial = Duration::seconds(20), .maximum = Duration::seconds(10)};
  EXPECT_EQ(policy.after(1), Duration::seconds(10));
}

TEST(BackoffPolicy, AMaximumOfZeroSwitchesBackoffOff) {
  const BackoffPolicy policy{.maximum = Duration()};
  QueuedPod pod = failed_pod("a", at(0), 3);
  EXPECT_FALSE(policy.ends_at(pod).is_set());
  EXPECT_FALSE(policy.is_backing_off(pod, at(0)));
}

TEST(BackoffPolicy, APodThatNeverFailedDoesNotBackOff) {
  QueuedPod pod = failed_pod("a", at(0), 0);
  EXPECT_FALSE(BackoffPolicy{}.ends_at(pod).is_set());
  EXPECT_FALSE(BackoffPolicy{}.is_backing_off(pod, at(0)));
}

TEST(BackoffPolicy, CountsErrorsApartFromRejections) {
  const BackoffPolicy policy{.windows = false};
  const struct {
    const char* what;
    std::int32_t rejections, errors;
    std::int64_t seconds;
  } cases[] = {
      {"rejected twice", 2, 0, 2},
      {"an error after many rejections starts again", 9, 1, 1},
      {"the third error in a row", 1, 3, 4},
      {"rejected again, after errors: all rejections count", 4, 0, 8},
  };
  for (const auto& [what, rejections, errors, seconds] : cases) {
    QueuedPod pod = failed_pod("a", at(0), rejections, errors);
    EXPECT_EQ(policy.ends_at(pod), at(seconds)) << what;
  }
}

TEST(BackoffPolicy, IsComputedOncePerFailure) {
  const BackoffPolicy policy{.windows = false};
  QueuedPod pod = failed_pod("a", at(0), 1);
  EXPECT_EQ(policy.ends_at(pod), at(1));
  pod.timestamp = at(100);
  pod.unschedulable_count = 5;
  EXPECT_EQ(policy.ends_at(pod), at(1));
  pod.backoff_ends_at = Instant();  // what a failure does
  EXPECT_EQ(policy.ends_at(pod), at(110));
}

// The table of queue.md 18.3: when a pod rejected once, at a fraction of a second, leaves its backoff of 1 s.
TEST(BackoffPolicy, WithWindowsAPodLeavesAtTheEndOfItsWindow) {
  const struct {
    std::int64_t fraction_ms, leaves_after_ms;
  } cases[] = {{0, 2000}, {300, 1700}, {999, 1001}};
  for (const auto& [fraction_ms, leaves_after_ms] : cases) {
    QueuedPod pod = failed_pod("a", at_ms(fraction_ms), 1);
    const Instant leaves = at_ms(fraction_ms + leaves_after_ms);
    EXPECT_TRUE(BackoffPolicy{}.is_backing_off(pod, leaves - Duration::nanoseconds(1))) << fraction_ms;
    EXPECT_FALSE(BackoffPolicy{}.is_backing_off(pod, leaves)) << fraction_ms;
  }
}

TEST(BackoffPolicy, WithoutWindowsAPodLeavesRightAfterItsBackoff) {
  const BackoffPolicy policy{.windows = false};
  for (const std::int64_t fraction_ms : {0, 300, 999}) {
    QueuedPod pod = failed_pod("a", at_ms(fraction_ms), 1);
    const Instant ends = at_ms(fraction_ms + 1000);
    EXPECT_TRUE(policy.is_backing_off(pod, ends)) << fraction_ms;
    EXPECT_FALSE(policy.is_backing_off(pod, ends + Duration::nanoseconds(1))) << fraction_ms;
  }
}

TEST(BackoffPolicy, SaysHowLongAfterTheEndAPodCanLeave) {
  EXPECT_EQ(BackoffPolicy{}.leaves_after_end(), Duration::seconds(1));
  EXPECT_EQ(BackoffPolicy{.windows = false}.leaves_after_end(), Duration::nanoseconds(1));
}

struct Backoffs {
  explicit Backoffs(bool windows = true) : queue(BackoffPolicy{.windows = windows}, order) {}
  void push(QueuedPod pod) { queue.push(pods.emplace_back(std::move(pod))); }
  std::vector<std::string> pop_completed(Instant now) {
    std::vector<std::string> names;
    while (const QueuedPod* pod = queue.pop_completed(now)) {
      names.push_back(pod->pod->metadata.name);
      EXPECT_EQ(pod->place, Place::kNone);
    }
    return names;
  }

  ActiveOrder order;
  std::deque<QueuedPod> pods;  // before the queue: they must outlive it
  BackoffQueue queue;
};

TEST(BackoffQueue, ReleasesPodsInOrderOfExpiry) {
  Backoffs backoffs;
  backoffs.push(failed_pod("long", at(0), 4));
  backoffs.push(failed_pod("short", at(0), 1));
  backoffs.push(failed_pod("middle", at(0), 2));
  EXPECT_EQ(backoffs.queue.next_completion(), at(1));
  EXPECT_EQ(backoffs.pop_completed(at(1)), std::vector<std::string>{});
  EXPECT_EQ(backoffs.pop_completed(at(3)), (std::vector<std::string>{"short", "middle"}));
  EXPECT_EQ(backoffs.queue.size(), 1u);
  EXPECT_EQ(backoffs.queue.next_completion(), at(8));
  EXPECT_EQ(backoffs.pop_completed(at(100)), std::vector<std::string>{"long"});
  EXPECT_FALSE(backoffs.queue.next_completion().is_set());
}

TEST(BackoffQueue, OrdersAWindowByPriority) {
  Backoffs backoffs;
  backoffs.push(failed_pod("low-earlier", at_ms(100), 1, 0, 1));
  backoffs.push(failed_pod("high-later", at_ms(900), 1, 0, 9));
  backoffs.push(failed_pod("high-next-window", at_ms(1000), 1, 0, 99));
  EXPECT_EQ(backoffs.pop_completed(at(10)),
            (std::vector<std::string>{"high-later", "low-earlier", "high-next-window"}));
}

TEST(BackoffQueue, WithoutWindowsTimeAloneOrders) {
  Backoffs backoffs(false);
  backoffs.push(failed_pod("high-later", at_ms(900), 1, 0, 9));
  backoffs.push(failed_pod("low-earlier", at_ms(100), 1, 0, 1));
  EXPECT_EQ(backoffs.pop_completed(at(10)), (std::vector<std::string>{"low-earlier", "high-later"}));
}

TEST(BackoffQueue, KeepsErrorsApartAndReleasesThemLast) {
  Backoffs backoffs;
  backoffs.push(failed_pod("errored", at(0), 0, 1, 9));
  backoffs.push(failed_pod("rejected", at(1), 1));
  EXPECT_EQ(backoffs.pods[0].place, Place::kErrorBackoff);
  EXPECT_EQ(backoffs.pods[1].place, Place::kBackoff);
  EXPECT_EQ(backoffs.queue.size(), 2u);
  EXPECT_EQ(backoffs.queue.rejected_count(), 1u);
  EXPECT_EQ(backoffs.queue.next_completion(), at(1)) << "that of the error";
  EXPECT_EQ(backoffs.pop_completed(at(10)), (std::vector<std::string>{"rejected", "errored"}));
}

TEST(BackoffQueue, ErrorsAreOrderedByTimeAloneEvenInAWindow) {
  Backoffs backoffs;
  backoffs.push(failed_pod("low", at_ms(100), 0, 1, 1));
  backoffs.push(failed_pod("high", at_ms(200), 0, 1, 9));
  EXPECT_EQ(backoffs.pop_completed(at(10)), (std::vector<std::string>{"low", "high"}));
}

TEST(BackoffQueue, OnlyRejectedPodsCanBePoppedEarly) {
  Backoffs backoffs;
  backoffs.push(failed_pod("errored", at(0), 0, 1));
  EXPECT_FALSE(backoffs.queue.has_rejected());
  backoffs.push(failed_pod("rejected", at(5), 3));
  ASSERT_TRUE(backoffs.queue.has_rejected());
  EXPECT_EQ(backoffs.queue.pop_rejected().pod->metadata.name, "rejected");
  EXPECT_FALSE(backoffs.queue.has_rejected());
  EXPECT_EQ(backoffs.queue.size(), 1u);
}

TEST(BackoffQueue, FindsAPodItsNewPlaceAfterAnUpdate) {
  Backoffs backoffs;
  backoffs.push(failed_pod("a", at(0), 1, 0, 1));
  backoffs.push(failed_pod("b", at(0), 1, 0, 2));
  backoffs.pods[0].pod = make_pod("a", 3);
  backoffs.queue.update(backoffs.pods[0]);
  EXPECT_EQ(backoffs.queue.pop_rejected().pod->metadata.name, "a");
}

TEST(BackoffQueue, ForgetsAnErasedPod) {
  Backoffs backoffs;
  backoffs.push(failed_pod("rejected", at(0), 1));
  backoffs.push(failed_pod("errored", at(0), 0, 1));
  for (QueuedPod& pod : backoffs.pods) {
    backoffs.queue.erase(pod);
    EXPECT_EQ(pod.place, Place::kNone);
  }
  EXPECT_EQ(backoffs.queue.size(), 0u);
}

}  // namespace
}  // namespace berth::queue
