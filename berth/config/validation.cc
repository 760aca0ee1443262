#include "berth/config/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "berth/codec/json.h"
#include "berth/config/args_validation.h"
#include "berth/config/field_error.h"
#include "berth/config/names.h"

namespace berth::config {

namespace {

constexpr std::string_view kRemovedPlugins[] = {"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"};

bool is_removed(std::string_view plugin) {
  return std::ranges::find(kRemovedPlugins, plugin) != std::end(kRemovedPlugins);
}

Error removed_plugin(const Path& path, std::string_view plugin, std::string_view api_version) {
  return invalid(
      path, show(plugin),
      fmt::format("was invalid in version \"v1\" (KubeSchedulerConfiguration is version {})", go_quote(api_version)));
}

std::string show(const std::vector<Plugin>& plugins) {
  if (plugins.empty()) return "null";
  std::string out;
  for (const Plugin& plugin : plugins) {
    fmt::format_to(std::back_inserter(out), "{}{{\"Name\":{},\"Weight\":{}}}", out.empty() ? "" : ",",
                   json_quote(plugin.name), plugin.weight);
  }
  return "[" + out + "]";
}

std::string show(const PluginSet& set) {
  return fmt::format("{{\"Enabled\":{},\"Disabled\":{}}}", show(set.enabled), show(set.disabled));
}

std::string show(const PluginArgs& args) {
  if (const auto* raw = std::get_if<api::RawJson>(&args)) return raw->text;
  for (const ArgsKind& kind : args_kinds()) {
    if (const void* of_kind = kind.get(args)) return codec::to_json(*kind.type, of_kind);
  }
  return "null";
}

void check_percentage(const Path& path, std::int32_t percentage, std::vector<Error>& errors) {
  if (percentage < 0 || percentage > 100) {
    errors.push_back(invalid(path, config::show(percentage), "not in valid range [0-100]"));
  }
}

void check_leader_election(const LeaderElection& election, std::vector<Error>& errors) {
  if (!election.leader_elect) return;
  const Path path("leaderElection");
  ErrorList list;
  const auto check_positive = [&](std::string_view name, Duration value) {
    if (value <= Duration()) list.add(invalid(path.child(name), config::show(value), "must be greater than zero"));
  };
  check_positive("leaseDuration", election.lease_duration);
  check_positive("renewDeadline", election.renew_deadline);
  check_positive("retryPeriod", election.retry_period);
  if (election.lease_duration <= election.renew_deadline) {
    list.add(invalid(path.child("leaseDuration"), config::show(election.renew_deadline),
                     "must be greater than `RenewDeadline`"));
  }
  if (election.resource_lock.empty()) list.add(required(path.child("resourceLock")));
  if (election.resource_namespace.empty()) list.add(required(path.child("resourceNamespace")));
  if (election.resource_name.empty()) list.add(required(path.child("resourceName")));
  std::ranges::move(list.take(), std::back_inserter(errors));
  if (election.resource_lock != "leases") {
    errors.push_back(invalid(path.child("resourceLock"), config::show(election.resource_lock),
                             "resourceLock value must be \"leases\""));
  }
}

void check_removed_plugins(const Path& path, const Plugins& plugins, std::string_view api_version,
                           std::vector<Error>& errors) {
  static constexpr std::pair<std::string_view, PluginSet Plugins::*> kChecked[] = {
      {"preEnqueue", &Plugins::pre_enqueue},
      {"queueSort", &Plugins::queue_sort},
      {"preFilter", &Plugins::pre_filter},
      {"filter", &Plugins::filter},
      {"postFilter", &Plugins::post_filter},
      {"preScore", &Plugins::pre_score},
      {"score", &Plugins::score},
      {"reserve", &Plugins::reserve},
      {"permit", &Plugins::permit},
      {"preBind", &Plugins::pre_bind},
      {"bind", &Plugins::bind},
      {"postBind", &Plugins::post_bind},
  };
  for (const auto& [name, member] : kChecked) {
    const std::vector<Plugin>& enabled = (plugins.*member).enabled;
    for (std::size_t i = 0; i < enabled.size(); ++i) {
      if (!is_removed(enabled[i].name)) continue;
      errors.push_back(removed_plugin(path.child(name).child("enabled").index(i), enabled[i].name, api_version));
    }
  }
}

void check_plugin_config(const Path& path, const Profile& profile, std::string_view api_version,
                         const FeatureGates& gates, std::vector<Error>& errors) {
  // kube-scheduler looks for the arguments of NodeResourcesFit under this name, which no plugin has; whoever uses it
  // gets the same answer as there. The real ones are checked when the profile is built.
  constexpr std::string_view kMisnamed = "NodeResourcesFitArgs";
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < profile.plugin_config.size(); ++i) {
    const PluginConfig& plugin = profile.plugin_config[i];
    const Path at = path.child("pluginConfig").index(i);
    if (!seen.insert(plugin.name).second) errors.push_back(duplicate(at, config::show(plugin.name)));
    if (is_removed(plugin.name)) {
      errors.push_back(removed_plugin(at, plugin.name, api_version));
      continue;
    }
    const ArgsKind* kind = args_kind_of(plugin.name);
    if (plugin.name == "NodeResourcesFit" || (kind == nullptr && plugin.name != kMisnamed)) continue;
    if (kind == nullptr || kind->get(plugin.args) == nullptr) {
      errors.push_back(invalid(at.child("args"), show(plugin.args), "has to match plugin args"));
      continue;
    }
    std::ranges::move(validate_args(at.child("args"), plugin, gates), std::back_inserter(errors));
  }
}

void check_profile(const Path& path, const Profile& profile, std::string_view api_version, const FeatureGates& gates,
                   std::vector<Error>& errors) {
  if (profile.name().empty()) errors.push_back(required(path.child("schedulerName")));
  if (profile.percentage_of_nodes_to_score) {
    check_percentage(path.child("percentageOfNodesToScore"), *profile.percentage_of_nodes_to_score, errors);
  }
  if (profile.plugins) check_removed_plugins(path.child("plugins"), *profile.plugins, api_version, errors);
  check_plugin_config(path, profile, api_version, gates, errors);
}

// All profiles share one queue, so they have to sort it alike.
void check_common_queue_sort(const Path& path, const std::vector<Profile>& profiles, std::vector<Error>& errors) {
  const PluginSet first = profiles[0].plugins ? profiles[0].plugins->queue_sort : PluginSet{};
  const std::string_view sorter = first.enabled.empty() ? std::string_view() : first.enabled[0].name;
  if (first.enabled.size() > 1) {
    errors.push_back(invalid(path.index(0).child("plugins").child("queueSort").child("Enabled"),
                             config::show(static_cast<std::int64_t>(first.enabled.size())),
                             "only one queue sort plugin can be enabled"));
  }
  PluginArgs first_args;
  for (const PluginConfig& plugin : profiles[0].plugin_config) {
    if (!sorter.empty() && plugin.name == sorter) first_args = plugin.args;
  }
  for (std::size_t i = 1; i < profiles.size(); ++i) {
    const PluginSet set = profiles[i].plugins ? profiles[i].plugins->queue_sort : PluginSet{};
    if (set != first) {
      errors.push_back(
          invalid(path.index(i).child("plugins").child("queueSort"), show(set), "must be the same for all profiles"));
    }
    for (const PluginConfig& plugin : profiles[i].plugin_config) {
      if (plugin.name != sorter || plugin.args == first_args) continue;
      errors.push_back(invalid(path.index(i).child("pluginConfig").child("args"), show(plugin.args),
                               "queueSort must be the same for all profiles"));
    }
  }
}

void check_profiles(const SchedulerConfig& config, const FeatureGates& gates, std::vector<Error>& errors) {
  const Path path("profiles");
  if (config.profiles.empty()) {
    errors.push_back(required(path));
    return;
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < config.profiles.size(); ++i) {
    const Profile& profile = config.profiles[i];
    check_profile(path.index(i), profile, config.api_version, gates, errors);
    if (!seen.insert(profile.name()).second) {
      // The value that Kubernetes prints is not the name but an object without visible fields.
      errors.push_back(duplicate(path.index(i).child("schedulerName"), "{}"));
    }
  }
  check_common_queue_sort(path, config.profiles, errors);
}

void check_managed_resource(const Path& path, const std::string& name, std::vector<Error>& errors) {
  const std::vector<std::string> problems = check_label_key(name);
  for (const std::string& problem : problems) errors.push_back(invalid(path, json_quote(name), problem));
  if (problems.empty() && !is_extended_resource_name(name)) {
    errors.push_back(invalid(path, config::show(name), "is an invalid extended resource name"));
  }
}

void check_extenders(const std::vector<Extender>& extenders, std::vector<Error>& errors) {
  const Path path("extenders");
  std::set<std::string_view> seen;
  std::size_t binders = 0;
  for (std::size_t i = 0; i < extenders.size(); ++i) {
    const Extender& extender = extenders[i];
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      errors.push_back(invalid(path.index(i).child("weight"), config::show(extender.weight),
                               "must have a positive weight applied to it"));
    }
    if (!extender.bind_verb.empty()) ++binders;
    for (std::size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const std::string& name = extender.managed_resources[j].name;
      const Path at = path.index(i).child("managedResources").index(j).child("name");
      check_managed_resource(at, name, errors);
      if (!seen.insert(name).second) {
        errors.push_back(invalid(at, config::show(name), "duplicate extender managed resource name"));
      }
    }
  }
  if (binders > 1) {
    errors.push_back(invalid(path, config::show(fmt::format("found {} extenders implementing bind", binders)),
                             "only one extender can implement bind"));
  }
}

}  // namespace

std::vector<Error> validate(const SchedulerConfig& config, const FeatureGates& gates) {
  std::vector<Error> errors;
  if (config.client_connection.burst < 0) {
    errors.push_back(
        invalid(Path("clientConnection.burst"), config::show(config.client_connection.burst), "must be non-negative"));
  }
  check_leader_election(config.leader_election, errors);
  if (config.parallelism <= 0) {
    errors.push_back(
        invalid(Path("parallelism"), config::show(config.parallelism), "should be an integer value greater than zero"));
  }
  check_profiles(config, gates, errors);
  check_percentage(Path("percentageOfNodesToScore"), config.percentage_of_nodes_to_score, errors);
  if (config.pod_initial_backoff_seconds <= 0) {
    errors.push_back(invalid(Path("podInitialBackoffSeconds"), config::show(config.pod_initial_backoff_seconds),
                             "must be greater than 0"));
  }
  if (config.pod_max_backoff_seconds < config.pod_initial_backoff_seconds) {
    errors.push_back(invalid(Path("podMaxBackoffSeconds"), config::show(config.pod_max_backoff_seconds),
                             "must be greater than or equal to PodInitialBackoffSeconds"));
  }
  check_extenders(config.extenders, errors);
  return errors;
}

}  // namespace berth::config
