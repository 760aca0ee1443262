// What wakes the pods of a profile: the registrations and PreEnqueue checks of kube-scheduler's own plugins, ready for
// the options of a queue.
//
// What the plugins look into besides the event comes in as functions. They are kept by the registrations, so what they
// refer to must outlive the queue.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "berth/api/node_selector.h"
#include "berth/plugins/dynamic_resources_hints.h"
#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"
#include "berth/queue/pre_enqueue.h"
#include "berth/queue/queueing_hint.h"

namespace berth::plugins {

// Feature gates of the same names, at the defaults of v1.36.
struct HintFeatures {
  bool dra_extended_resource = true;
  bool dra_workload_resource_claims = false;
  bool dynamic_resource_allocation = true;
  bool in_place_pod_level_resources_vertical_scaling = true;
  bool in_place_pod_vertical_scaling = true;
  bool match_label_keys_in_pod_topology_spread = true;
  bool node_declared_features = true;
  bool scheduler_async_preemption = true;
  bool taint_toleration_comparison_operators = false;
};

struct HintOptions {
  HintFeatures features;
  HintQuirks quirks;

  // Plugin arguments.
  std::optional<api::NodeSelector> added_node_affinity;            // NodeAffinity: addedAffinity's required part
  std::vector<Symbol> ignored_resources;                           // NodeResourcesFit
  std::vector<Symbol> ignored_resource_groups;                     // NodeResourcesFit
  std::vector<api::TopologySpreadConstraint> default_constraints;  // PodTopologySpread; soft ones do no harm

  // What the plugins look into. Each may be empty where its plugin's header says what that means.
  CompilePod compile;            // empty: compile_once()
  FindResourceClaim find_claim;  // empty: there are no claims
  std::function<bool(Symbol resource)> has_device_class;
  std::function<const api::Labels*(Symbol name_space)> find_namespace_labels;
  std::function<bool(Symbol topology_key)> is_anti_affinity_key;
  std::function<api::LabelMatcher(const api::Pod&)> default_selector;  // empty: no pod belongs to a group
  std::function<bool(const api::Pod&)> is_preempting;
};

// The plugins that can reject a pod, in the order of the default profile.
std::span<const std::string_view> default_rejecting_plugins();

// What wakes the pods that the plugin rejected; nothing if it is not one of the above.
std::optional<std::vector<HintRegistration>> hints_of(std::string_view plugin, Symbol profile,
                                                      const HintOptions& options);
std::vector<HintRegistration> default_hints(Symbol profile, const HintOptions& options);

// For a plugin that does not say what it waits for: every event about every kind of object.
std::vector<HintRegistration> hints_for_everything(std::string_view plugin, Symbol profile, const HintQuirks& quirks);

// Nothing if the plugin does not hold pods back.
std::optional<queue::PreEnqueueCheck> pre_enqueue_of(std::string_view plugin, Symbol profile,
                                                     const HintOptions& options);
std::vector<queue::PreEnqueueCheck> default_pre_enqueue(Symbol profile, const HintOptions& options);

}  // namespace berth::plugins
