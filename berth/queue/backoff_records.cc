#include "berth/queue/backoff_records.h"

namespace berth::queue {

const BackoffRecords::Record* BackoffRecords::find(const api::Pod& pod) const {
  const auto found = records_.find(api::full_name(pod.metadata));
  return found == records_.end() ? nullptr : &found->second;
}

void BackoffRecords::add_failure(const api::Pod& pod, Instant now) {
  const auto at = records_.try_emplace(api::full_name(pod.metadata)).first;
  at->second.failures += 1;
  at->second.last_update = now;
  updates_.emplace_back(now, at->first);
}

void BackoffRecords::drop(const api::Pod& pod) {
  records_.erase(api::full_name(pod.metadata));
}

void BackoffRecords::drop_older_than(Instant limit) {
  for (; !updates_.empty() && updates_.front().first < limit; updates_.pop_front()) {
    const auto found = records_.find(updates_.front().second);
    if (found != records_.end() && found->second.last_update < limit) records_.erase(found);
  }
}

}  // namespace berth::queue
