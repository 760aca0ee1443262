// A pod that NodeResourcesFit rejected is woken when a pod that had room on a node goes or asks for less of what it
// needs, when its own requests shrink, by a node that could hold it alone and has got more of what it needs, and by a
// device class that offers devices under the name of a resource it asks for.
#pragma once

#include <functional>
#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct NodeResourcesFitHintOptions {
  CompilePod compile;
  // Plugin arguments. Extended resources of these names, or with these words before the slash, are not looked at.
  std::vector<Symbol> ignored_resources;
  std::vector<Symbol> ignored_resource_groups;
  // Whether a device class offers devices under the name of a resource. Empty: none does.
  std::function<bool(Symbol resource)> has_device_class;
  // Feature gates of the same names.
  bool in_place_pod_vertical_scaling = true;
  bool in_place_pod_level_resources_vertical_scaling = true;
  bool dra_extended_resource = true;
  HintQuirks quirks;
};

HintAnswer node_resources_fit_after_pod_change(const api::Pod& pod, const EventObjects& objects,
                                               const NodeResourcesFitHintOptions& options);
HintAnswer node_resources_fit_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                                const NodeResourcesFitHintOptions& options);
HintAnswer node_resources_fit_after_device_class_change(const api::Pod& pod, const EventObjects& objects,
                                                        const NodeResourcesFitHintOptions& options);

std::vector<HintRegistration> node_resources_fit_hints(Symbol profile, const NodeResourcesFitHintOptions& options);

}  // namespace berth::plugins
