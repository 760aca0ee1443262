// The record of pods in flight as one list of pods and events in the order of their arrival: what happened since a pod
// was popped is what stands behind it.
//
// Events are kept only as far back as the oldest pod needs, and never more than `max_events`: beyond that the oldest
// are dropped, and a pod that was in flight by then counts as having missed something, which sends it to backoff as if
// everything had happened. So memory is bounded even under a pod that stays in flight for hours, and no wake-up is
// lost.
//
// Not thread safe. Invariant: without a pod in flight there are no events.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/hash.h"
#include "berth/base/object_pool.h"
#include "berth/queue/in_flight.h"

namespace berth::queue {

class QueueMetrics;

class OrderedInFlight final : public InFlight {
 public:
  OrderedInFlight(std::size_t max_events, QueueMetrics& metrics);
  ~OrderedInFlight() override;
  OrderedInFlight(const OrderedInFlight&) = delete;
  OrderedInFlight& operator=(const OrderedInFlight&) = delete;

  bool begin(const api::PodPtr& pod) override;
  bool end(std::string_view uid) override;
  void clear() override;
  bool contains(std::string_view uid) const override { return !pods_.empty() && pods_.contains(uid); }
  api::PodPtr find(std::string_view uid) const override;
  std::size_t size() const override { return pods_.size(); }
  std::size_t event_count() const override { return events_.size(); }
  void record(const HintTable::Match& match, EventObjects objects) override;
  void for_each_event_since(std::string_view uid, FunctionRef<bool(const Event&)> fn) const override;
  bool missed_events(std::string_view uid) const override;
  std::vector<api::PodPtr> pods() const override;
  // Pods ("pod:ns/name#uid") and events ("event:NodeAdd").
  std::vector<std::string> log() const override;

 private:
  struct Pod {
    api::PodPtr pod;
    std::uint64_t sequence;
    Pod* before;
    Pod* after;
  };
  struct UidHash {
    std::size_t operator()(std::string_view uid) const { return hash_bytes(uid); }
  };
  void drop_events_nobody_needs();
  void drop_oldest_event();

  const std::size_t max_events_;
  QueueMetrics& metrics_;
  absl::flat_hash_map<std::string_view, Pod*, UidHash> pods_;  // the UIDs are those of the pods held
  ObjectPool<Pod> pool_;
  Pod* oldest_ = nullptr;
  Pod* newest_ = nullptr;
  std::deque<Event> events_;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t dropped_through_ = 0;  // the sequence of the last event dropped for want of room
};

}  // namespace berth::queue
