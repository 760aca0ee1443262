// A pod that NodeDeclaredFeatures rejected is woken by a node that is new or declares other features than before, and
// by its own update if it needs other features then.
#pragma once

#include <string_view>
#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct NodeDeclaredFeaturesHintOptions {
  bool enabled = true;  // feature gate NodeDeclaredFeatures
  HintQuirks quirks;
};

HintAnswer node_declared_features_after_node_change(const api::Pod& pod, const EventObjects& objects);
HintAnswer node_declared_features_after_pod_update(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> node_declared_features_hints(Symbol profile,
                                                           const NodeDeclaredFeaturesHintOptions& options);

// What a pod needs its node to declare, by name.
std::vector<std::string_view> needed_features(const api::PodTemplate& pod);

}  // namespace berth::plugins
