// KubeSchedulerConfiguration v1 as Berth keeps it: the completed form that the engine reads, and at the same time what
// the file decodes into.
//
// A member's initial value is its default when the file does not mention the field, so decoding over a fresh object is
// half of the defaulting; defaults.h does the rest (fields whose zero means "default", plugins, plugin arguments). The
// few fields whose default depends on another one are optional. See docs/configuration.md for what each field does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/api/pod.h"
#include "berth/api/schema.h"
#include "berth/config/in_tree_plugins.h"

namespace berth::config {

inline constexpr std::string_view kGroup = "kubescheduler.config.k8s.io";
inline constexpr std::string_view kApiVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr std::string_view kKind = "KubeSchedulerConfiguration";
inline constexpr std::string_view kDefaultSchedulerName = "default-scheduler";

// ---- Arguments of plugins ------------------------------------------------------------------------------------------

struct DefaultPreemptionArgs {
  std::int32_t min_candidate_nodes_percentage = 10;
  std::int32_t min_candidate_nodes_absolute = 100;
  bool operator==(const DefaultPreemptionArgs&) const = default;
};

struct InterPodAffinityArgs {
  std::int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
  bool operator==(const InterPodAffinityArgs&) const = default;
};

struct NodeAffinityArgs {
  std::optional<api::NodeAffinity> added_affinity;
  bool operator==(const NodeAffinityArgs&) const = default;
};

struct ResourceSpec {
  std::string name;
  std::int64_t weight = 0;
  bool operator==(const ResourceSpec&) const = default;
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceSpec> resources;
  bool operator==(const NodeResourcesBalancedAllocationArgs&) const = default;
};

struct UtilizationShapePoint {
  std::int32_t utilization = 0;
  std::int32_t score = 0;
  bool operator==(const UtilizationShapePoint&) const = default;
};

struct RequestedToCapacityRatioParam {
  std::vector<UtilizationShapePoint> shape;
  bool operator==(const RequestedToCapacityRatioParam&) const = default;
};

struct ScoringStrategy {
  std::string type;  // "LeastAllocated", "MostAllocated" or "RequestedToCapacityRatio"
  std::vector<ResourceSpec> resources;
  std::optional<RequestedToCapacityRatioParam> requested_to_capacity_ratio;
  bool operator==(const ScoringStrategy&) const = default;
};

struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  std::optional<ScoringStrategy> scoring_strategy;
  bool operator==(const NodeResourcesFitArgs&) const = default;
};

struct PodTopologySpreadArgs {
  std::vector<api::TopologySpreadConstraint> default_constraints;
  std::string defaulting_type;  // "System" or "List"
  bool operator==(const PodTopologySpreadArgs&) const = default;
};

struct VolumeBindingArgs {
  std::int64_t bind_timeout_seconds = 600;
  // An empty list is not the same as none: it is refused while the gate StorageCapacityScoring is off.
  std::optional<std::vector<UtilizationShapePoint>> shape;
  bool operator==(const VolumeBindingArgs&) const = default;
};

struct DynamicResourcesArgs {
  std::optional<Duration> filter_timeout;
  std::optional<Duration> binding_timeout;
  bool operator==(const DynamicResourcesArgs&) const = default;
};

// Arguments of an in-tree plugin, decoded; those of any other plugin as the JSON that the file gave; none at all.
#define BERTH_NO_TYPE(...)
#define BERTH_ARGS_TYPE(name, ...) , name##Args
using PluginArgs = std::variant<std::monostate, api::RawJson BERTH_IN_TREE_PLUGINS(BERTH_NO_TYPE, BERTH_ARGS_TYPE)>;
#undef BERTH_NO_TYPE
#undef BERTH_ARGS_TYPE

// ---- Plugins and profiles ------------------------------------------------------------------------------------------

struct Plugin {
  std::string name;
  std::int32_t weight = 0;  // for score plugins; 0 means 1
  bool operator==(const Plugin&) const = default;
};

struct PluginSet {
  std::vector<Plugin> enabled;
  std::vector<Plugin> disabled;
  bool operator==(const PluginSet&) const = default;
};

// What a profile says per extension point. extension_points() in plugin_sets.h lists the members.
struct Plugins {
  PluginSet pre_enqueue;
  PluginSet queue_sort;
  PluginSet pre_filter;
  PluginSet filter;
  PluginSet post_filter;
  PluginSet pre_score;
  PluginSet score;
  PluginSet reserve;
  PluginSet permit;
  PluginSet pre_bind;
  PluginSet bind;
  PluginSet post_bind;
  PluginSet multi_point;
  PluginSet placement_generate;
  PluginSet placement_score;
  bool operator==(const Plugins&) const = default;
};

struct PluginConfig {
  std::string name;
  api::RawJson raw;  // as the file gave them; empty if it gave none
  PluginArgs args;   // the same, decoded and defaulted
  bool operator==(const PluginConfig&) const = default;
};

struct Profile {
  // Unset only before defaulting.
  std::optional<std::string> scheduler_name;
  std::optional<std::int32_t> percentage_of_nodes_to_score;
  std::optional<Plugins> plugins;
  std::vector<PluginConfig> plugin_config;

  std::string_view name() const { return scheduler_name ? std::string_view(*scheduler_name) : std::string_view(); }
  bool operator==(const Profile&) const = default;
};

// ---- The rest ------------------------------------------------------------------------------------------------------

struct LeaderElection {
  bool leader_elect = true;
  Duration lease_duration;
  Duration renew_deadline;
  Duration retry_period;
  std::string resource_lock;
  std::string resource_name;
  std::string resource_namespace;
  bool operator==(const LeaderElection&) const = default;
};

struct ClientConnection {
  std::string kubeconfig;
  std::string accept_content_types;
  std::string content_type;
  double qps = 0;  // a float32 upstream: holds the double with the same shortest decimal form
  std::int32_t burst = 0;
  bool operator==(const ClientConnection&) const = default;
};

struct ExtenderTls {
  bool insecure = false;
  std::string server_name;
  std::string cert_file;
  std::string key_file;
  std::string ca_file;
  std::string cert_data;  // base64, here and below
  std::string key_data;
  std::string ca_data;
  bool operator==(const ExtenderTls&) const = default;
};

struct ExtenderManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;
  bool operator==(const ExtenderManagedResource&) const = default;
};

struct Extender {
  std::string url_prefix;
  std::string filter_verb;
  std::string preempt_verb;
  std::string prioritize_verb;
  std::int64_t weight = 0;
  std::string bind_verb;
  bool enable_https = false;
  std::optional<ExtenderTls> tls_config;
  Duration http_timeout;
  bool node_cache_capable = false;
  std::vector<ExtenderManagedResource> managed_resources;
  bool ignorable = false;
  bool operator==(const Extender&) const = default;
};

struct SchedulerConfig {
  std::string api_version;
  std::string kind;
  std::int32_t parallelism = 16;
  LeaderElection leader_election;
  ClientConnection client_connection;
  bool enable_profiling = true;
  std::optional<bool> enable_contention_profiling;  // unset only before defaulting
  std::int32_t percentage_of_nodes_to_score = 0;    // 0: the scheduler chooses
  std::int64_t pod_initial_backoff_seconds = 1;
  std::int64_t pod_max_backoff_seconds = 10;
  std::vector<Profile> profiles;
  std::vector<Extender> extenders;
  bool delay_cache_until_active = false;
  bool operator==(const SchedulerConfig&) const = default;
};

// ---- Kinds of plugin arguments -------------------------------------------------------------------------------------

// A kind of arguments: which plugin it belongs to, how it is called in the file and how it is read and written.
struct ArgsKind {
  std::string_view plugin;  // "NodeAffinity"
  std::string_view kind;    // "NodeAffinityArgs"
  const api::Type* type;
  // Makes `args` hold fresh arguments of this kind, and returns them.
  void* (*emplace)(PluginArgs& args);
  // Null if `args` holds something else.
  const void* (*get)(const PluginArgs& args);
};

// All of them, by name of the plugin.
const std::vector<ArgsKind>& args_kinds();
// Null if there is none: an out-of-tree plugin, or one without arguments.
const ArgsKind* args_kind_of(std::string_view plugin);
const ArgsKind* args_kind_named(std::string_view kind);

}  // namespace berth::config
