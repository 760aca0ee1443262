// What came of each attempt to place a pod: a small record per try, kept for the last few tries of each pod, so that
// "why was it tried again, and what stopped it" has an answer afterwards.
//
// Bounded: records per pod, pods that wait, and pods that have a node, which few ask about any more. Of each, the pod
// whose last try is longest ago goes first. Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/box.h"
#include "berth/base/hash.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"

namespace berth::engine {

enum class AttemptResult : std::uint8_t {
  kPlaced,         // a node was chosen; binding may still fail
  kUnschedulable,  // rejected, at whatever point
  kError,
  kSkipped,  // the pod is being deleted, or is placed already
};
std::string_view to_string(AttemptResult result);

struct AttemptRecord {
  struct Rejection {
    Symbol plugin;
    std::string reason;
    std::size_t nodes = 0;
  };
  struct Scored {
    Symbol node;
    std::int64_t total = 0;
  };

  std::int32_t number = 0;  // of the pod's tries, from 1
  Instant began_at;
  Instant ended_at;
  Symbol woken_by;  // label of the event that led to this try: "AssignedPodDelete"; "UnschedulablePodAdd" for the first
  AttemptResult result = AttemptResult::kPlaced;
  std::size_t nodes_evaluated = 0;
  std::size_t nodes_feasible = 0;
  Symbol node;  // chosen, or nominated by preemption

  // Most attempts place a pod, and have none of it.
  struct Detail {
    std::vector<Rejection> rejections;  // most nodes first
    std::vector<Symbol> rejecting_plugins;
    std::vector<Scored> top;           // best first; empty unless asked for: see Options::scores_to_record
    std::vector<std::string> victims;  // "namespace/name" of the pods evicted for it
    std::string message;               // of the condition
  };
  const Detail& detail() const;
  Detail& add_detail() { return detail_ ? *detail_ : detail_.emplace(); }

 private:
  Box<Detail> detail_;
};

class AttemptLog {
 public:
  struct Limits {
    std::size_t records_per_pod = 8;
    std::size_t waiting_pods = 20'000;
    std::size_t placed_pods = 1'000;
  };
  explicit AttemptLog(Limits limits) : limits_(limits) {}
  AttemptLog() : AttemptLog(Limits{}) {}

  // Returns the record as it is kept, until the next call.
  AttemptRecord& add(std::string_view uid, AttemptRecord record);
  // Oldest first; empty if nothing is known. Valid until the next change.
  const std::vector<AttemptRecord>& of(std::string_view uid) const;
  // The newest; null if there is none.
  const AttemptRecord* last(std::string_view uid) const;
  void forget(std::string_view uid);
  std::size_t pods() const { return by_uid_.size(); }

 private:
  struct Entry {
    std::string uid;
    bool is_placed = false;
    std::vector<AttemptRecord> records;
  };
  // The pod tried last comes first.
  std::list<Entry>& group(bool is_placed) { return is_placed ? placed_ : waiting_; }

  Limits limits_;
  std::list<Entry> waiting_;
  std::list<Entry> placed_;
  // The keys are the entries' own texts.
  absl::flat_hash_map<std::string_view, std::list<Entry>::iterator, TextHash, std::equal_to<>> by_uid_;
};

}  // namespace berth::engine
