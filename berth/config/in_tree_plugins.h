// The one table of kube-scheduler's own plugins, also of those that Berth does not have yet. A row says the plugin's
// name, its extension points, whether it takes arguments, the function in berth/plugins that makes it and the one that
// says which events may help a pod that it rejected. Everything that has to know a plugin is generated from its row:
//
//   config::in_tree_plugins(), config::PluginArgs and args_kinds()   berth/config, which may not include plugins
//   the constants in plugins::name                                   berth/plugins/names.h
//   add_default_plugins()                                            berth/plugins/default_plugins.cc
//   hints_of()                                                       berth/plugins/default_hints.cc
//
// It is a macro because the two folders want different parts of a row: here the names of functions are not looked up.
// A row whose function, arguments type, schema or validation is missing does not compile, nor does a plugin that can
// reject pods without saying what wakes them.
//
//   PLUGIN(NAME, (EXTENSION POINTS), MAKE, EVENTS)
//   PLUGIN_WITH_ARGS(...)   the same; its arguments are the struct NAMEArgs in scheduler_config.h
//
// `not_supported` in place of MAKE: the configuration may name the plugin, and is refused if it enables it.
// `no_events` in place of EVENTS: the plugin rejects no pod.
#pragma once

// clang-format off
#define BERTH_IN_TREE_PLUGINS(PLUGIN, PLUGIN_WITH_ARGS)                                                              \
  PLUGIN(DefaultBinder, (kBind), make_default_binder, no_events)                                                     \
  PLUGIN_WITH_ARGS(DefaultPreemption, (kPostFilter, kPreEnqueue),                                                    \
                   make_default_preemption, default_preemption_events)                                               \
  PLUGIN_WITH_ARGS(DynamicResources, (kPreEnqueue, kPreFilter, kFilter, kPostFilter, kScore, kReserve, kPreBind),    \
                   make_dynamic_resources, dynamic_resources_events)                                                 \
  PLUGIN(GangScheduling, (kPreEnqueue, kPermit), not_supported, no_events)                                           \
  PLUGIN(ImageLocality, (kScore), make_image_locality, no_events)                                                    \
  PLUGIN_WITH_ARGS(InterPodAffinity, (kPreFilter, kFilter, kPreScore, kScore),                                       \
                   make_inter_pod_affinity, inter_pod_affinity_events)                                               \
  PLUGIN_WITH_ARGS(NodeAffinity, (kPreFilter, kFilter, kPreScore, kScore),                                           \
                   make_node_affinity, node_affinity_events)                                                         \
  PLUGIN(NodeDeclaredFeatures, (kPreFilter, kFilter), make_node_declared_features, node_declared_features_events)    \
  PLUGIN(NodeName, (kFilter), make_node_name, node_name_events)                                                      \
  PLUGIN(NodePorts, (kPreFilter, kFilter), make_node_ports, node_ports_events)                                       \
  PLUGIN_WITH_ARGS(NodeResourcesBalancedAllocation, (kPreScore, kScore),                                             \
                   make_node_resources_balanced_allocation, no_events)                                               \
  PLUGIN_WITH_ARGS(NodeResourcesFit, (kPreFilter, kFilter, kPreScore, kScore, kPlacementScore),                      \
                   make_node_resources_fit, node_resources_fit_events)                                               \
  PLUGIN(NodeUnschedulable, (kFilter), make_node_unschedulable, node_unschedulable_events)                           \
  PLUGIN(NodeVolumeLimits, (kPreFilter, kFilter), make_node_volume_limits, node_volume_limits_events)                \
  PLUGIN(PodGroupPodsCount, (kPlacementScore), not_supported, no_events)                                             \
  PLUGIN_WITH_ARGS(PodTopologySpread, (kPreFilter, kFilter, kPreScore, kScore),                                      \
                   make_pod_topology_spread, pod_topology_spread_events)                                             \
  PLUGIN(PrioritySort, (kQueueSort), make_priority_sort, no_events)                                                  \
  PLUGIN(SchedulingGates, (kPreEnqueue), make_scheduling_gates, scheduling_gates_events)                             \
  PLUGIN(TaintToleration, (kFilter, kPreScore, kScore), make_taint_toleration, taint_toleration_events)              \
  PLUGIN(TopologyPlacementGenerator, (kPlacementGenerate), not_supported, no_events)                                 \
  PLUGIN_WITH_ARGS(VolumeBinding, (kPreFilter, kFilter, kReserve, kPreBind, kPreScore, kScore),                      \
                   make_volume_binding, volume_binding_events)                                                       \
  PLUGIN(VolumeRestrictions, (kPreFilter, kFilter), make_volume_restrictions, volume_restrictions_events)            \
  PLUGIN(VolumeZone, (kPreFilter, kFilter), make_volume_zone, volume_zone_events)
// clang-format on

// (kFilter, kScore) of a row as a braced list.
#define BERTH_POINTS_IN_BRACES(...) {__VA_ARGS__}
