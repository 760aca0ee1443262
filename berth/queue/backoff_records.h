// Backoff as v1.17 kept it: a record of failures by the name of the pod, apart from the queued pods.
//
// A record outlives its pod's stay in the queue, so that a pod that is popped and comes back is remembered, and is
// dropped once nothing was added to it for twice the maximum backoff. A failure while the recorded backoff still lasts
// is not added: retrying early does not make a pod wait longer.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "berth/api/pod.h"
#include "berth/base/time.h"

namespace berth::queue {

class BackoffRecords {
 public:
  struct Record {
    std::int32_t failures = 0;
    Instant last_update;
  };

  // Null if there is none.
  const Record* find(const api::Pod& pod) const;
  void add_failure(const api::Pod& pod, Instant now);
  void drop(const api::Pod& pod);
  // Drops the records that were last added to before `limit`.
  void drop_older_than(Instant limit);

  // By "namespace/name".
  const std::unordered_map<std::string, Record>& all() const { return records_; }

 private:
  std::unordered_map<std::string, Record> records_;
  // When which record was added to, oldest first, so that old ones are found without a walk. May name dropped ones.
  std::deque<std::pair<Instant, std::string>> updates_;
};

}  // namespace berth::queue
