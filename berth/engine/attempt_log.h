// What came of each attempt to place a pod: a small record per try, kept for the last few tries of each pod, so that
// "why was it tried again, and what stopped it" has an answer afterwards.
//
// Bounded twice: records per pod, and pods. The pod whose last try is longest ago goes first. Not thread safe.
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
  Symbol node;                        // chosen, or nominated by preemption
  std::vector<Rejection> rejections;  // most nodes first
  std::vector<Symbol> rejecting_plugins;
  std::vector<Scored> top;           // best first; empty unless asked for: see Options::scores_to_record
  std::vector<std::string> victims;  // "namespace/name" of the pods evicted for it
  std::string message;               // of the condition
};

class AttemptLog {
 public:
  struct Limits {
    std::size_t records_per_pod = 8;
    std::size_t pods = 20'000;
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
    std::vector<AttemptRecord> records;
  };

  Limits limits_;
  std::list<Entry> entries_;  // the one tried last comes first
  // The keys are the entries' own texts.
  absl::flat_hash_map<std::string_view, std::list<Entry>::iterator, TextHash, std::equal_to<>> by_uid_;
};

}  // namespace berth::engine
