// A KubeSchedulerConfiguration file from its text to what the scheduler runs on: parse, decode, set defaults, validate,
// build the profiles. Nothing is half applied: there is a whole configuration or a list of everything that is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/config/document.h"
#include "berth/config/feature_gates.h"
#include "berth/config/plugin_sets.h"
#include "berth/config/scheduler_config.h"

namespace berth::config {

// Where loading ended. Problems of a later step show only when the earlier ones are solved.
enum class LoadStage : std::uint8_t { kDecode, kValidate, kProfiles };

struct LoadFailure {
  LoadStage stage;
  std::vector<Problem> problems;
  // For kDecode what kube-scheduler prints; empty if the text is not YAML or JSON, where its words are its parser's.
  std::string kube_scheduler_text;

  // The problems with file and line in front: "sched.yaml:3: parallelism: Invalid value: 0: ...".
  std::vector<Error> errors(std::string_view file_name) const;
};

// A configuration that can run.
struct LoadedConfig {
  // Completed, as kube-scheduler's --write-config-to shows it: plugin arguments are those of enabled plugins only, by
  // name, and what extenders imply is filled in.
  SchedulerConfig config;
  // Per profile, in their order.
  std::vector<PluginLists> plugins;
  // Per profile: the plugin arguments in the order of the file, then the defaults of the enabled plugins that it does
  // not name. Those of plugins that are not enabled are among them.
  std::vector<std::vector<PluginConfig>> all_arguments;

  // The configuration with all_arguments, as kube-scheduler's /configz shows it.
  SchedulerConfig with_all_arguments() const;
};

struct LoadOptions {
  FeatureGates gates;
  // Plugins beyond those of kube-scheduler.
  std::span<const PluginSpec> out_of_tree = {};
};

std::expected<LoadedConfig, LoadFailure> load_config(std::string_view text, const LoadOptions& options = {});

// The configuration without a file.
LoadedConfig default_config(const LoadOptions& options = {});

// The last step alone: builds the profiles of a configuration that is defaulted and valid.
std::expected<LoadedConfig, std::vector<Error>> build_profiles(SchedulerConfig config, const LoadOptions& options = {});

// load_config() for those who only want to know what is wrong. `file_name` stands in the errors.
std::expected<SchedulerConfig, std::vector<Error>> load(std::string_view text, std::string_view file_name,
                                                        const FeatureGates& gates = {});

}  // namespace berth::config
