#include "berth/report/waiting_times.h"

#include <algorithm>
#include <array>
#include <vector>

namespace berth::report {

namespace {

// The upper ends of the histogram's buckets, in milliseconds: about three to a factor of ten.
constexpr std::array<std::int64_t, 18> kBucketEnds = {
    1,      3,      10,      30,      100,       300,       1'000,      3'000,      10'000,
    30'000, 60'000, 180'000, 600'000, 1'800'000, 3'600'000, 10'800'000, 36'000'000, 86'400'000};

std::vector<WaitingBucket> histogram_of(const std::vector<Duration>& sorted) {
  std::vector<WaitingBucket> buckets;
  std::size_t counted = 0;
  for (const std::int64_t end : kBucketEnds) {
    const Duration below = Duration::milliseconds(end);
    const auto upper = std::ranges::lower_bound(sorted, below);
    const auto up_to = static_cast<std::size_t>(upper - sorted.begin());
    buckets.push_back({below.in_seconds(), static_cast<std::int64_t>(up_to - counted)});
    counted = up_to;
  }
  if (counted < sorted.size()) buckets.push_back({0, static_cast<std::int64_t>(sorted.size() - counted)});
  // Empty ends say nothing.
  while (buckets.back().pods == 0) buckets.pop_back();
  const auto first = std::ranges::find_if(buckets, [](const WaitingBucket& bucket) { return bucket.pods > 0; });
  buckets.erase(buckets.begin(), first);
  return buckets;
}

}  // namespace

std::optional<WaitingTimes> waiting_times_of(const std::deque<sim::PodTimeline>& pod_timelines) {
  std::vector<Duration> waits;
  const sim::PodTimeline* longest = nullptr;
  for (const sim::PodTimeline& pod_timeline : pod_timelines) {
    // A pod that came with a node never waited for one.
    if (!pod_timeline.bound_at.is_set() || pod_timeline.attempts == 0) continue;
    const Duration wait = pod_timeline.bound_at - pod_timeline.created_at;
    waits.push_back(wait);
    if (longest == nullptr || wait > longest->bound_at - longest->created_at) longest = &pod_timeline;
  }
  if (waits.empty()) return std::nullopt;
  std::ranges::sort(waits);
  const auto percentile = [&](std::size_t percent) {
    const std::size_t rank = (waits.size() * percent + 99) / 100;
    return waits[rank - 1].in_seconds();
  };
  WaitingTimes result;
  result.pods = std::ssize(waits);
  result.p50_seconds = percentile(50);
  result.p90_seconds = percentile(90);
  result.p99_seconds = percentile(99);
  result.max_seconds = waits.back().in_seconds();
  result.longest = longest->name;
  result.histogram = histogram_of(waits);
  return result;
}

}  // namespace berth::report
