// What explain says about one pod. A value with a schema of its own, so that its JSON form is written by the same codec
// as everything else (docs/explain.md documents it); render.h gives the form for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/schema.h"

namespace berth::explain {

// Nodes that cannot take the pod for the same reason.
struct NodeGroup {
  Symbol plugin;         // whose verdict it is
  std::string reason;    // in kube-scheduler's words
  std::string sentence;  // "4 nodes are short of cpu (least on n-7: 300m)"
  std::vector<std::string> nodes;
  std::vector<std::string> also;  // what else is wrong with some of them
};

struct PluginScore {
  Symbol plugin;
  std::int64_t score = 0;  // weighted
};
struct NodeScore {
  std::string node;
  std::int64_t total = 0;
  std::vector<PluginScore> plugins;
};

struct Preemption {
  bool helps = false;
  std::string sentence;
  std::string node;
  std::vector<std::string> victims;
  std::int64_t budget_violations = 0;
};

struct WakeUp {
  Symbol plugin;
  std::string sentence;             // "a node is added or gets more allocatable resources"
  std::vector<std::string> events;  // kube-scheduler's labels
};

// Something that was tried out and makes the pod fit.
struct Help {
  Symbol kind;  // "toleration", "request", "nodes", ...: see docs/explain.md
  std::string sentence;
  std::string node;  // where the pod goes then
};

// The answer in one word.
namespace answer {
inline constexpr std::string_view kFits = "Fits";
inline constexpr std::string_view kPreempts = "Preempts";
inline constexpr std::string_view kUnschedulable = "Unschedulable";
inline constexpr std::string_view kGated = "Gated";
inline constexpr std::string_view kBound = "Bound";
inline constexpr std::string_view kEnded = "Ended";
inline constexpr std::string_view kDeleted = "BeingDeleted";
inline constexpr std::string_view kNoScheduler = "NoScheduler";
inline constexpr std::string_view kError = "Error";
}  // namespace answer

struct Explanation {
  std::string pod;
  std::string scheduler;
  Symbol answer;
  std::string sentence;
  std::string node;  // where it is or would go
  std::int64_t nodes = 0;
  std::int64_t feasible_nodes = 0;
  std::string message;  // what kube-scheduler would write into the pod's condition
  std::vector<std::string> notes;
  std::vector<NodeGroup> groups;  // the nearest to taking it first
  std::vector<NodeScore> scores;  // best first
  std::optional<Preemption> preemption;
  std::vector<Help> help;  // most useful first
  std::vector<WakeUp> wake_ups;
};

}  // namespace berth::explain

namespace berth::api {
template <>
const Schema& schema_of<explain::Explanation>();
}
