// Extenders as scenarios sketch them: HTTP services beside the scheduler that look at the labels of nodes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/api/pod.h"
#include "berth/config/scheduler_config.h"
#include "berth/engine/command.h"
#include "berth/engine/extender_protocol.h"

namespace berth::scenario {

struct ExtenderSketch {
  std::optional<api::NodeSelectorTerm> required;   // nodes that do not fit are refused
  std::optional<api::NodeSelectorTerm> preferred;  // nodes that fit get 10, others 0
  std::string managed_resource;                    // empty: it is asked about every pod
  bool is_ignorable = false;
  bool fails = false;  // never answers
};

// What the scheduler's configuration says about it.
config::Extender configured(const ExtenderSketch& sketch, std::size_t number);

engine::Outcome answer_of(const ExtenderSketch& sketch, const engine::CallExtender& call);

}  // namespace berth::scenario
