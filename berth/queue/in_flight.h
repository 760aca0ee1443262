// Pods that are being tried, and the events that happened meanwhile.
//
// A pod that is being tried is in no queue, so an event cannot wake it; yet the event may be just what it will turn out
// to lack. So while anything is in flight, events are recorded, and a pod that comes back rejected is asked about those
// that happened since it was popped. How the record is kept differs by release: see ordered_in_flight.h and
// counted_in_flight.h.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/function_ref.h"
#include "berth/queue/hints.h"

namespace berth::queue {

class InFlight {
 public:
  struct Event {
    std::uint64_t sequence;
    const HintTable::Match* match;
    EventObjects objects;
  };

  virtual ~InFlight() = default;

  // False if a pod with this UID is in flight already, and the record cannot hold it twice.
  virtual bool begin(const api::PodPtr& pod) = 0;
  // False if it was not in flight.
  virtual bool end(std::string_view uid) = 0;
  // Ends all.
  virtual void clear() = 0;

  virtual bool contains(std::string_view uid) const = 0;
  // The pod as it was popped; null if not in flight.
  virtual api::PodPtr find(std::string_view uid) const = 0;
  virtual std::size_t size() const = 0;
  bool empty() const { return size() == 0; }
  virtual std::size_t event_count() const = 0;

  // Requires: a pod is in flight.
  virtual void record(const HintTable::Match& match, EventObjects objects) = 0;

  // What happened since the pod was popped, oldest first: calls fn until it returns false.
  virtual void for_each_event_since(std::string_view uid, FunctionRef<bool(const Event&)> fn) const = 0;
  // Whether events that happened since the pod was popped had to be dropped.
  virtual bool missed_events(std::string_view uid) const = 0;

  // In the order in which they were popped.
  virtual std::vector<api::PodPtr> pods() const = 0;
  // The record in the order of arrival, for conformance and debugging.
  virtual std::vector<std::string> log() const = 0;
};

}  // namespace berth::queue
