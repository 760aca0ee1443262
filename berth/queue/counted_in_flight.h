// The record of pods in flight as v1.28.1 kept it, with its bug (PR 120413): a list of events alone. An event carries
// the number of pods that were in flight when it happened and is dropped when as many flights have ended. A pod
// remembers the last event before it was popped and is asked about those behind that one.
//
// The bug: when the remembered event is dropped meanwhile, the place is forgotten. The pod is then asked about nothing,
// and the end of its flight counts against events that it never was in flight with, which can drop those too early for
// others. Berth keeps this record only where Quirks::in_flight_events_get_lost asks for it.
//
// Not thread safe. A pod that is popped twice is in flight once, from its last pop on.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/queue/in_flight.h"

namespace berth::queue {

class CountedInFlight final : public InFlight {
 public:
  bool begin(const api::PodPtr& pod) override;
  bool end(std::string_view uid) override;
  void clear() override;
  bool contains(std::string_view uid) const override { return pods_.contains(std::string(uid)); }
  api::PodPtr find(std::string_view uid) const override;
  std::size_t size() const override { return pods_.size(); }
  std::size_t event_count() const override { return events_.size(); }
  void record(const HintTable::Match& match, EventObjects objects) override;
  void for_each_event_since(std::string_view uid, FunctionRef<bool(const Event&)> fn) const override;
  // Never: that events are missed goes unnoticed here.
  bool missed_events(std::string_view) const override { return false; }
  std::vector<api::PodPtr> pods() const override;
  // Events with the number of flights they are kept for: "event:NodeAdd*2".
  std::vector<std::string> log() const override;

  // Whether the place from which on this pod is asked about events is forgotten.
  bool has_lost_its_place(std::string_view uid) const;

 private:
  struct CountedEvent {
    Event event;
    std::size_t flights;
  };
  struct Pod {
    api::PodPtr pod;
    std::uint64_t last_event_before;  // its sequence; 0 if there was none
    std::uint64_t popped;             // for the order of pods()
  };
  std::deque<CountedEvent>::const_iterator find_event(std::uint64_t sequence) const;

  std::unordered_map<std::string, Pod> pods_;  // by UID
  std::deque<CountedEvent> events_;
  std::uint64_t next_sequence_ = 1;
};

}  // namespace berth::queue
