// The lines of a timeline before they are words: events of one kind, about the pods of one workload, close together
// in time. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/sim/history.h"

namespace berth::report {

// In order of importance: what is left out first comes first.
enum class Topic : std::uint8_t {
  kWokenInVain,
  kDeleted,
  kEnded,
  kCreated,
  kRolloutProgress,
  kBindingFailed,
  kBoundAfterRejection,
  kEvicted,
  kErred,
  kNodeChanged,
  kNodesAdded,
  kRejected,
  kRollout,  // started, complete
  kDrained,
  kStatement,
  kAutoscaler,
  kPreemption,
  kFailedCreate,
  kNodesRemoved,
  kDrainBlocked,
  kRolloutStuck,
  kFault,
  kScheduler,
  kLostWakeUp,
};

// Pods that belong together: those of a workload, or single ones whose names differ in a number.
struct PodGroup {
  std::string name;  // "Deployment/web"; empty for single pods
  std::string name_space;
};

struct Entry {
  Topic topic = Topic::kCreated;
  std::uint32_t group = 0;  // kNoGroup if it is not about pods
  Symbol detail;            // label of an event, a node, or a statement's text: different ones are different lines
  Instant from;
  Instant to;
  std::int64_t count = 0;
  std::vector<std::string> names;    // the first few pods or nodes
  std::string text;                  // of the first
  std::vector<std::string> victims;  // of preemptions: the first few
  std::int64_t victim_count = 0;
  Symbol node;  // of the only one, or of the first
  // Of created pods: how many had a node already, how many were bound at their first try, and when the last of these.
  // Of pods that were bound after a rejection: the longest wait.
  std::int64_t placed_already = 0;
  std::int64_t bound_at_once = 0;
  Instant last_bound;
  Duration longest_wait;
};
inline constexpr std::uint32_t kNoGroup = UINT32_MAX;
// How many pods or nodes a line names.
inline constexpr std::size_t kNamesOfEntry = 3;

struct TimelineEntries {
  std::vector<PodGroup> groups;
  std::vector<Entry> entries;  // in order of `from`
};

// HistoryEvent of one kind that are at most `gap` apart are one entry.
TimelineEntries collect_entries(const sim::History& history, Duration gap);
// The same with a longer gap, from entries that were collected with a shorter one.
std::vector<Entry> merge_entries(std::vector<Entry> entries, Duration gap);

}  // namespace berth::report
