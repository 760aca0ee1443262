// A pod that NodeAffinity rejected is woken by a node that satisfies its node selector and required node affinity now
// and did not before, where what the configuration adds to every pod's affinity counts too.
#pragma once

#include <optional>
#include <vector>

#include "berth/api/node_selector.h"
#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct NodeAffinityHintOptions {
  std::optional<api::NodeMatcher> added;  // the required part of the plugin's addedAffinity
  CompilePod compile;
  HintQuirks quirks;
};

// kError if the pod's affinity has a term that does not parse and no other term matches.
HintAnswer node_affinity_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                           const NodeAffinityHintOptions& options);

std::vector<HintRegistration> node_affinity_hints(Symbol profile, const NodeAffinityHintOptions& options);

}  // namespace berth::plugins
