#include "berth/config/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "berth/base/base64.h"
#include "berth/base/check.h"
#include "berth/config/args_validation.h"
#include "berth/config/decode.h"
#include "berth/config/defaults.h"
#include "berth/config/field_error.h"
#include "berth/config/validation.h"

namespace berth::config {

namespace {

constexpr Duration kDefaultExtenderTimeout = Duration::seconds(5);

// What can be said without opening files, and without reading what the PEM blocks hold.
Result<void> check_tls(const ExtenderTls& tls) {
  const auto has_pem_block = [](std::string_view base64) {
    return from_base64(base64).value_or("").find("-----BEGIN ") != std::string::npos;
  };
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  if (has_ca && tls.insecure) return fail("specifying a root certificates file with the insecure flag is not allowed");
  if (!tls.ca_data.empty() && !has_pem_block(tls.ca_data)) {
    return fail("unable to load root certificates: unable to parse bytes as PEM block");
  }
  const bool has_certificate = !tls.cert_file.empty() || !tls.cert_data.empty();
  const bool has_key = !tls.key_file.empty() || !tls.key_data.empty();
  if (!has_certificate || !has_key) return {};
  if (!tls.cert_data.empty() && !has_pem_block(tls.cert_data)) {
    return fail("tls: failed to find any PEM data in certificate input");
  }
  if (!tls.key_data.empty() && !has_pem_block(tls.key_data)) {
    return fail("tls: failed to find any PEM data in key input");
  }
  return {};
}

// What building the extenders changes: their timeout, and the resources that the scheduler leaves to them.
Result<void> complete_extenders(SchedulerConfig& config) {
  std::vector<std::string> ignored;
  for (Extender& extender : config.extenders) {
    if (extender.http_timeout == Duration()) extender.http_timeout = kDefaultExtenderTimeout;
    if (extender.tls_config) {
      if (auto checked = check_tls(*extender.tls_config); !checked) return checked;
    }
    for (const ExtenderManagedResource& resource : extender.managed_resources) {
      if (resource.ignored_by_scheduler) ignored.push_back(resource.name);
    }
  }
  if (ignored.empty()) return {};
  for (Profile& profile : config.profiles) {
    const auto fit = std::ranges::find(profile.plugin_config, "NodeResourcesFit", &PluginConfig::name);
    if (fit == profile.plugin_config.end()) return fail("can't find NodeResourcesFitArgs in plugin config");
    std::get<NodeResourcesFitArgs>(fit->args).ignored_resources = ignored;
  }
  return {};
}

bool exists(std::string_view name, std::span<const PluginSpec> out_of_tree) {
  const auto is_among = [name](std::span<const PluginSpec> plugins) {
    return std::ranges::find(plugins, name, &PluginSpec::name) != plugins.end();
  };
  return is_among(in_tree_plugins()) || is_among(out_of_tree);
}

// The profile's plugins, each of which must accept its arguments. Leaves of the arguments only those that are used.
// kube-scheduler makes plugins in random order and stops at the first that fails; here all that fail are reported.
std::expected<PluginLists, std::vector<Error>> build_profile(Profile& profile, const LoadOptions& options) {
  std::vector<Error> errors;
  std::vector<PluginConfig> used;
  for (const std::string& name : enabled_plugin_names(*profile.plugins)) {
    const auto plugin = std::ranges::find(profile.plugin_config, name, &PluginConfig::name);
    const bool has_args = plugin != profile.plugin_config.end() && plugin->args != PluginArgs();
    if (!has_args || !exists(name, options.out_of_tree)) continue;
    const std::vector<Error> problems = validate_args(Path(), *plugin, options.gates);
    if (!problems.empty()) {
      errors.emplace_back(fmt::format("initializing plugin {}: {}", go_quote(name), aggregate(problems)));
    }
    used.push_back(*plugin);
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  auto lists = expand_plugins(profile.name(), *profile.plugins, options.out_of_tree);
  if (!lists) return std::unexpected(std::vector{lists.error()});
  profile.plugin_config = std::move(used);
  return *std::move(lists);
}

const PluginArgs* args_of(const Profile& profile, std::string_view plugin) {
  const auto found = std::ranges::find(profile.plugin_config, plugin, &PluginConfig::name);
  return found == profile.plugin_config.end() ? nullptr : &found->args;
}

// All profiles share one queue.
Result<void> check_queue_sort(const Profile& first, const PluginLists& first_lists, const Profile& profile,
                              const PluginLists& lists) {
  const std::string& sorter = lists.at(ExtensionPoint::kQueueSort)[0].name;
  const std::string& first_sorter = first_lists.at(ExtensionPoint::kQueueSort)[0].name;
  if (sorter != first_sorter) {
    return fail(fmt::format("different queue sort plugins for profile {}: {}, first: {}", go_quote(profile.name()),
                            go_quote(sorter), go_quote(first_sorter)));
  }
  const PluginArgs* args = args_of(profile, sorter);
  const PluginArgs* first_args = args_of(first, sorter);
  const bool are_same = args == nullptr || first_args == nullptr ? args == first_args : *args == *first_args;
  if (!are_same) return fail(fmt::format("different queue sort plugin args for profile {}", go_quote(profile.name())));
  return {};
}

Error initializing(std::string_view what) {
  return Error(fmt::format("initializing profiles: {}", what));
}

}  // namespace

SchedulerConfig LoadedConfig::with_all_arguments() const {
  SchedulerConfig result = config;
  for (std::size_t i = 0; i < result.profiles.size(); ++i) result.profiles[i].plugin_config = all_arguments[i];
  return result;
}

std::vector<Error> LoadFailure::errors(std::string_view file_name) const {
  std::vector<Error> result;
  for (const Problem& problem : problems) {
    Error error = problem.error;
    if (problem.line != 0) {
      error = std::move(error).in_file(file_name.empty() ? fmt::format("line {}", problem.line)
                                                         : fmt::format("{}:{}", file_name, problem.line));
    } else {
      error = std::move(error).in_file(file_name);
    }
    result.push_back(std::move(error));
  }
  return result;
}

std::expected<LoadedConfig, std::vector<Error>> build_profiles(SchedulerConfig config, const LoadOptions& options) {
  if (auto done = complete_extenders(config); !done) {
    return std::unexpected(std::vector{Error("couldn't build extenders: " + done.error().what())});
  }
  LoadedConfig loaded{std::move(config), {}, {}};
  for (const Profile& profile : loaded.config.profiles) loaded.all_arguments.push_back(profile.plugin_config);
  std::vector<Error> errors;
  for (Profile& profile : loaded.config.profiles) {
    auto lists = build_profile(profile, options);
    if (!lists) {
      for (const Error& error : lists.error()) {
        Error whole =
            initializing(fmt::format("creating profile for scheduler name {}: {}", profile.name(), error.what()));
        errors.push_back(error.fix().empty() ? std::move(whole) : std::move(whole).with_fix(error.fix()));
      }
      continue;
    }
    if (errors.empty() && !loaded.plugins.empty()) {
      const auto same = check_queue_sort(loaded.config.profiles[0], loaded.plugins[0], profile, *lists);
      if (!same) errors.push_back(initializing(same.error().what()));
    }
    loaded.plugins.push_back(*std::move(lists));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return loaded;
}

std::expected<LoadedConfig, LoadFailure> load_config(std::string_view text, const LoadOptions& options) {
  auto document = parse_document(text);
  if (!document) {
    SyntaxError& error = document.error();
    return std::unexpected(
        LoadFailure{LoadStage::kDecode, {std::move(error.problem)}, std::move(error.kube_scheduler_text)});
  }
  auto decoded = decode(*document, text);
  if (!decoded) {
    return std::unexpected(LoadFailure{LoadStage::kDecode, std::move(decoded.error().problems),
                                       std::move(decoded.error().kube_scheduler_text)});
  }
  SchedulerConfig config = *std::move(decoded);
  set_defaults(config, options.gates);

  LoadFailure failure{LoadStage::kValidate, {}, ""};
  for (Error& error : validate(config, options.gates)) {
    const std::uint32_t line = document->line_of(error.where());
    failure.problems.push_back({std::move(error), line});
  }
  if (!failure.problems.empty()) return std::unexpected(std::move(failure));

  auto loaded = build_profiles(std::move(config), options);
  if (loaded) return *std::move(loaded);
  failure.stage = LoadStage::kProfiles;
  for (Error& error : loaded.error()) failure.problems.push_back({std::move(error), 0});
  return std::unexpected(std::move(failure));
}

LoadedConfig default_config(const LoadOptions& options) {
  SchedulerConfig config;
  set_defaults(config, options.gates);
  auto loaded = build_profiles(std::move(config), options);
  BERTH_CHECK(loaded.has_value(), "the default configuration is refused: {}", loaded.error()[0].message());
  return *std::move(loaded);
}

std::expected<SchedulerConfig, std::vector<Error>> load(std::string_view text, std::string_view file_name,
                                                        const FeatureGates& gates) {
  auto loaded = load_config(text, LoadOptions{.gates = gates});
  if (!loaded) return std::unexpected(loaded.error().errors(file_name));
  return std::move(loaded->config);
}

}  // namespace berth::config
