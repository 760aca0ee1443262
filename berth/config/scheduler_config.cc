#include "berth/config/scheduler_config.h"

#include <algorithm>

// The schema tables. Configuration has no protobuf form, so all numbers are 0. A struct is always written, also an
// empty one, because Go's omitempty does not apply to structs.
namespace berth::api {

using namespace berth::config;

template <>
const Schema& schema_of<DefaultPreemptionArgs>() {
  static const Schema schema(
      "DefaultPreemptionArgs",
      {
          field<&DefaultPreemptionArgs::min_candidate_nodes_percentage>("minCandidateNodesPercentage", 0, kAlways),
          field<&DefaultPreemptionArgs::min_candidate_nodes_absolute>("minCandidateNodesAbsolute", 0, kAlways),
      });
  return schema;
}

template <>
const Schema& schema_of<InterPodAffinityArgs>() {
  static const Schema schema(
      "InterPodAffinityArgs",
      {
          field<&InterPodAffinityArgs::hard_pod_affinity_weight>("hardPodAffinityWeight", 0, kAlways),
          field<&InterPodAffinityArgs::ignore_preferred_terms_of_existing_pods>("ignorePreferredTermsOfExistingPods", 0,
                                                                                kAlways),
      });
  return schema;
}

template <>
const Schema& schema_of<NodeAffinityArgs>() {
  static const Schema schema("NodeAffinityArgs", {field<&NodeAffinityArgs::added_affinity>("addedAffinity", 0)});
  return schema;
}

template <>
const Schema& schema_of<ResourceSpec>() {
  static const Schema schema("ResourceSpec", {
                                                 field<&ResourceSpec::name>("name", 0, kAlways),
                                                 field<&ResourceSpec::weight>("weight", 0),
                                             });
  return schema;
}

template <>
const Schema& schema_of<NodeResourcesBalancedAllocationArgs>() {
  static const Schema schema("NodeResourcesBalancedAllocationArgs",
                             {field<&NodeResourcesBalancedAllocationArgs::resources>("resources", 0)});
  return schema;
}

template <>
const Schema& schema_of<UtilizationShapePoint>() {
  static const Schema schema("UtilizationShapePoint",
                             {
                                 field<&UtilizationShapePoint::utilization>("utilization", 0, kAlways),
                                 field<&UtilizationShapePoint::score>("score", 0, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<RequestedToCapacityRatioParam>() {
  static const Schema schema("RequestedToCapacityRatioParam",
                             {field<&RequestedToCapacityRatioParam::shape>("shape", 0)});
  return schema;
}

template <>
const Schema& schema_of<ScoringStrategy>() {
  static const Schema schema("ScoringStrategy",
                             {
                                 field<&ScoringStrategy::type>("type", 0),
                                 field<&ScoringStrategy::resources>("resources", 0),
                                 field<&ScoringStrategy::requested_to_capacity_ratio>("requestedToCapacityRatio", 0),
                             });
  return schema;
}

template <>
const Schema& schema_of<NodeResourcesFitArgs>() {
  static const Schema schema("NodeResourcesFitArgs",
                             {
                                 field<&NodeResourcesFitArgs::ignored_resources>("ignoredResources", 0),
                                 field<&NodeResourcesFitArgs::ignored_resource_groups>("ignoredResourceGroups", 0),
                                 field<&NodeResourcesFitArgs::scoring_strategy>("scoringStrategy", 0),
                             });
  return schema;
}

template <>
const Schema& schema_of<PodTopologySpreadArgs>() {
  static const Schema schema("PodTopologySpreadArgs",
                             {
                                 field<&PodTopologySpreadArgs::default_constraints>("defaultConstraints", 0),
                                 field<&PodTopologySpreadArgs::defaulting_type>("defaultingType", 0),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeBindingArgs>() {
  static const Schema schema("VolumeBindingArgs",
                             {
                                 field<&VolumeBindingArgs::bind_timeout_seconds>("bindTimeoutSeconds", 0, kAlways),
                                 field<&VolumeBindingArgs::shape>("shape", 0),
                             });
  return schema;
}

template <>
const Schema& schema_of<DynamicResourcesArgs>() {
  static const Schema schema("DynamicResourcesArgs",
                             {
                                 field<&DynamicResourcesArgs::filter_timeout>("filterTimeout", 0, kAlways),
                                 field<&DynamicResourcesArgs::binding_timeout>("bindingTimeout", 0),
                             });
  return schema;
}

template <>
const Schema& schema_of<Plugin>() {
  static const Schema schema("Plugin", {
                                           field<&Plugin::name>("name", 0, kAlways),
                                           field<&Plugin::weight>("weight", 0, kAlways),
                                       });
  return schema;
}

template <>
const Schema& schema_of<PluginSet>() {
  static const Schema schema("PluginSet", {
                                              field<&PluginSet::enabled>("enabled", 0),
                                              field<&PluginSet::disabled>("disabled", 0),
                                          });
  return schema;
}

template <>
const Schema& schema_of<Plugins>() {
  static const Schema schema("Plugins", {
                                            field<&Plugins::pre_enqueue>("preEnqueue", 0, kAlways),
                                            field<&Plugins::queue_sort>("queueSort", 0, kAlways),
                                            field<&Plugins::pre_filter>("preFilter", 0, kAlways),
                                            field<&Plugins::filter>("filter", 0, kAlways),
                                            field<&Plugins::post_filter>("postFilter", 0, kAlways),
                                            field<&Plugins::pre_score>("preScore", 0, kAlways),
                                            field<&Plugins::score>("score", 0, kAlways),
                                            field<&Plugins::reserve>("reserve", 0, kAlways),
                                            field<&Plugins::permit>("permit", 0, kAlways),
                                            field<&Plugins::pre_bind>("preBind", 0, kAlways),
                                            field<&Plugins::bind>("bind", 0, kAlways),
                                            field<&Plugins::post_bind>("postBind", 0, kAlways),
                                            field<&Plugins::multi_point>("multiPoint", 0, kAlways),
                                            field<&Plugins::placement_generate>("placementGenerate", 0, kAlways),
                                            field<&Plugins::placement_score>("placementScore", 0, kAlways),
                                        });
  return schema;
}

template <>
const Schema& schema_of<PluginConfig>() {
  static const Schema schema("PluginConfig", {
                                                 field<&PluginConfig::name>("name", 0, kAlways),
                                                 field<&PluginConfig::raw>("args", 0),
                                             });
  return schema;
}

template <>
const Schema& schema_of<Profile>() {
  static const Schema schema("KubeSchedulerProfile",
                             {
                                 field<&Profile::scheduler_name>("schedulerName", 0),
                                 field<&Profile::percentage_of_nodes_to_score>("percentageOfNodesToScore", 0),
                                 field<&Profile::plugins>("plugins", 0),
                                 field<&Profile::plugin_config>("pluginConfig", 0),
                             });
  return schema;
}

template <>
const Schema& schema_of<LeaderElection>() {
  static const Schema schema("LeaderElectionConfiguration",
                             {
                                 field<&LeaderElection::leader_elect>("leaderElect", 0, kAlways),
                                 field<&LeaderElection::lease_duration>("leaseDuration", 0, kAlways),
                                 field<&LeaderElection::renew_deadline>("renewDeadline", 0, kAlways),
                                 field<&LeaderElection::retry_period>("retryPeriod", 0, kAlways),
                                 field<&LeaderElection::resource_lock>("resourceLock", 0, kAlways),
                                 field<&LeaderElection::resource_name>("resourceName", 0, kAlways),
                                 field<&LeaderElection::resource_namespace>("resourceNamespace", 0, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<ClientConnection>() {
  static const Schema schema("ClientConnectionConfiguration",
                             {
                                 field<&ClientConnection::kubeconfig>("kubeconfig", 0, kAlways),
                                 field<&ClientConnection::accept_content_types>("acceptContentTypes", 0, kAlways),
                                 field<&ClientConnection::content_type>("contentType", 0, kAlways),
                                 field<&ClientConnection::qps>("qps", 0, kAlways),
                                 field<&ClientConnection::burst>("burst", 0, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<ExtenderTls>() {
  static const Schema schema("ExtenderTLSConfig", {
                                                      field<&ExtenderTls::insecure>("insecure", 0),
                                                      field<&ExtenderTls::server_name>("serverName", 0),
                                                      field<&ExtenderTls::cert_file>("certFile", 0),
                                                      field<&ExtenderTls::key_file>("keyFile", 0),
                                                      field<&ExtenderTls::ca_file>("caFile", 0),
                                                      field<&ExtenderTls::cert_data>("certData", 0),
                                                      field<&ExtenderTls::key_data>("keyData", 0),
                                                      field<&ExtenderTls::ca_data>("caData", 0),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<ExtenderManagedResource>() {
  static const Schema schema("ExtenderManagedResource",
                             {
                                 field<&ExtenderManagedResource::name>("name", 0, kAlways),
                                 field<&ExtenderManagedResource::ignored_by_scheduler>("ignoredByScheduler", 0),
                             });
  return schema;
}

template <>
const Schema& schema_of<Extender>() {
  static const Schema schema("Extender", {
                                             field<&Extender::url_prefix>("urlPrefix", 0, kAlways),
                                             field<&Extender::filter_verb>("filterVerb", 0),
                                             field<&Extender::preempt_verb>("preemptVerb", 0),
                                             field<&Extender::prioritize_verb>("prioritizeVerb", 0),
                                             field<&Extender::weight>("weight", 0),
                                             field<&Extender::bind_verb>("bindVerb", 0),
                                             field<&Extender::enable_https>("enableHTTPS", 0),
                                             field<&Extender::tls_config>("tlsConfig", 0),
                                             field<&Extender::http_timeout>("httpTimeout", 0, kAlways),
                                             field<&Extender::node_cache_capable>("nodeCacheCapable", 0),
                                             field<&Extender::managed_resources>("managedResources", 0),
                                             field<&Extender::ignorable>("ignorable", 0),
                                         });
  return schema;
}

template <>
const Schema& schema_of<SchedulerConfig>() {
  static const Schema schema(
      "KubeSchedulerConfiguration",
      {
          field<&SchedulerConfig::kind>("kind", 0),
          field<&SchedulerConfig::api_version>("apiVersion", 0),
          field<&SchedulerConfig::parallelism>("parallelism", 0, kAlways),
          field<&SchedulerConfig::leader_election>("leaderElection", 0, kAlways),
          field<&SchedulerConfig::client_connection>("clientConnection", 0, kAlways),
          field<&SchedulerConfig::enable_profiling>("enableProfiling", 0, kAlways),
          field<&SchedulerConfig::enable_contention_profiling>("enableContentionProfiling", 0),
          field<&SchedulerConfig::percentage_of_nodes_to_score>("percentageOfNodesToScore", 0, kAlways),
          field<&SchedulerConfig::pod_initial_backoff_seconds>("podInitialBackoffSeconds", 0, kAlways),
          field<&SchedulerConfig::pod_max_backoff_seconds>("podMaxBackoffSeconds", 0, kAlways),
          field<&SchedulerConfig::profiles>("profiles", 0),
          field<&SchedulerConfig::extenders>("extenders", 0),
          field<&SchedulerConfig::delay_cache_until_active>("delayCacheUntilActive", 0),
      });
  return schema;
}

}  // namespace berth::api

namespace berth::config {

namespace {

template <typename Args>
ArgsKind args_kind(std::string_view kind) {
  return ArgsKind{
      .plugin = kind.substr(0, kind.size() - std::string_view("Args").size()),
      .kind = kind,
      .type = &api::type_of<Args>(),
      .emplace = [](PluginArgs& args) -> void* { return &args.emplace<Args>(); },
      .get = [](const PluginArgs& args) -> const void* { return std::get_if<Args>(&args); },
  };
}

}  // namespace

const std::vector<ArgsKind>& args_kinds() {
#define BERTH_NO_KIND(...)
#define BERTH_ARGS_KIND(name, ...) args_kind<name##Args>(#name "Args"),
  static const std::vector<ArgsKind> kinds = {BERTH_IN_TREE_PLUGINS(BERTH_NO_KIND, BERTH_ARGS_KIND)};
#undef BERTH_NO_KIND
#undef BERTH_ARGS_KIND
  return kinds;
}

const ArgsKind* args_kind_of(std::string_view plugin) {
  const auto& kinds = args_kinds();
  const auto found = std::ranges::find(kinds, plugin, &ArgsKind::plugin);
  return found == kinds.end() ? nullptr : &*found;
}

const ArgsKind* args_kind_named(std::string_view kind) {
  const auto& kinds = args_kinds();
  const auto found = std::ranges::find(kinds, kind, &ArgsKind::kind);
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace berth::config
