// Scheduler extenders: what is asked of them and what they answer, as values. The world turns them into HTTP requests
// (docs of kube-scheduler's extender API); the engine's side is in extenders.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/base/symbol.h"

namespace berth::engine {

// Also the request of prioritize. A world sends the nodes, or their names alone to an extender that is
// nodeCacheCapable.
struct ExtenderNodes {
  api::PodPtr pod;
  std::vector<api::NodePtr> nodes;
};
struct ExtenderVictims {
  Symbol node_name;
  std::vector<api::PodPtr> pods;
  std::int64_t pdb_violations = 0;
};
struct ExtenderPreempt {
  api::PodPtr pod;
  std::vector<ExtenderVictims> candidates;
};
struct ExtenderBind {
  api::PodPtr pod;
  Symbol node_name;
};

enum class ExtenderVerb : std::uint8_t { kFilter, kPrioritize, kPreempt, kBind };

struct CallExtender {
  std::size_t extender = 0;  // index in the configuration
  ExtenderVerb verb = ExtenderVerb::kFilter;
  std::variant<ExtenderNodes, ExtenderPreempt, ExtenderBind> request;
};

struct ExtenderFiltered {
  std::vector<Symbol> nodes;  // that passed
  std::vector<std::pair<Symbol, std::string>> failed;
  std::vector<std::pair<Symbol, std::string>> failed_and_unresolvable;
  std::string error;
};
struct ExtenderPrioritized {
  std::vector<std::pair<Symbol, std::int64_t>> scores;  // 0 to 10
};
struct ExtenderPreempted {
  struct Victims {
    Symbol node_name;
    std::vector<std::string> uids;
    std::int64_t pdb_violations = 0;
  };
  std::vector<Victims> candidates;
};
struct ExtenderBound {
  std::string error;
};
using ExtenderReply =
    std::variant<std::monostate, ExtenderFiltered, ExtenderPrioritized, ExtenderPreempted, ExtenderBound>;

}  // namespace berth::engine
