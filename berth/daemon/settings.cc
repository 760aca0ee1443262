#include "berth/daemon/settings.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/time.h"
#include "berth/config/document.h"
#include "berth/config/validation.h"
#include "berth/daemon/flag_values.h"
#include "berth/daemon/leader_election.h"
#include "berth/daemon/log.h"

namespace berth::daemon {

namespace {

using Errors = std::vector<Error>;

std::expected<config::FeatureGates, Errors> read_gates(const RunFlags& flags) {
  std::string joined;
  for (const std::string& part : flags.feature_gates) {
    if (!joined.empty()) joined += ',';
    joined += part;
  }
  auto gates = config::FeatureGates::parse(joined);
  if (gates) return *gates;
  Errors errors;
  for (Error& error : gates.error()) {
    Error placed = std::move(error).in_file("--feature-gates");
    if (flags.was_given("emulated-version")) {
      placed = std::move(placed).with_fix(fmt::format(
          "--emulated-version has no effect: feature gates and their defaults are those of {}", kUpstreamVersion));
    }
    errors.push_back(std::move(placed));
  }
  return std::unexpected(std::move(errors));
}

// --- The configuration -----------------------------------------------------------------------------------------------

template <typename T>
void override_with(T& place, const std::optional<T>& given) {
  if (given) place = *given;
}

void apply_leader_election(const LeaderElectionFlags& flags, config::LeaderElection& election) {
  override_with(election.leader_elect, flags.leader_elect);
  override_with(election.lease_duration, flags.lease_duration);
  override_with(election.renew_deadline, flags.renew_deadline);
  override_with(election.retry_period, flags.retry_period);
  override_with(election.resource_lock, flags.resource_lock);
  override_with(election.resource_name, flags.resource_name);
  override_with(election.resource_namespace, flags.resource_namespace);
}

// What kube-scheduler takes from deprecated flags if there is no file.
void apply_deprecated(const DeprecatedFlags& flags, config::SchedulerConfig& config) {
  override_with(config.enable_profiling, flags.profiling);
  if (flags.contention_profiling) config.enable_contention_profiling = flags.contention_profiling;
  override_with(config.client_connection.kubeconfig, flags.kubeconfig);
  override_with(config.client_connection.content_type, flags.content_type);
  override_with(config.client_connection.qps, flags.qps);
  if (flags.burst) config.client_connection.burst = *flags.burst;
}

bool is_given(const config::Document& document, std::string_view path) {
  const config::Value* value = document.at(path);
  return value != nullptr && value->kind == config::Value::Kind::kNumber && value->text != "0";
}

struct FromFile {
  config::LoadedConfig loaded;
  bool has_limit = false;
};

std::expected<FromFile, Errors> read_config(const RunFlags& flags, const config::FeatureGates& gates,
                                            const ReadFile& read_file) {
  auto text = read_file(flags.config_file);
  if (!text) return std::unexpected(Errors{std::move(text.error()).in_file("cannot read --config")});
  auto loaded = config::load_config(*text, {.gates = gates});
  if (!loaded) return std::unexpected(loaded.error().errors(flags.config_file));
  FromFile result{*std::move(loaded), false};
  if (const auto document = config::parse_document(*text)) {
    result.has_limit = is_given(*document, "clientConnection.qps") || is_given(*document, "clientConnection.burst");
  }
  return result;
}

void warn_of_ignored(const RunFlags& flags, std::vector<std::string>& warnings) {
  for (const std::string_view name : {"profiling", "kube-api-content-type", "kube-api-qps", "kube-api-burst"}) {
    if (flags.was_given(name)) warnings.push_back(fmt::format("Flag --{} is ignored because of --config", name));
  }
}

// The file to connect with. kube-scheduler ignores --kubeconfig with --config; here it still helps if the file says
// nothing.
std::string choose_kubeconfig(const Settings& settings) {
  const std::string& configured = settings.config.config.client_connection.kubeconfig;
  return configured.empty() ? settings.flags.deprecated.kubeconfig.value_or("") : configured;
}

// What kube-scheduler's elector wants of its times, beyond what the validation of a configuration does.
std::optional<Error> check_election(const config::LeaderElection& election) {
  if (!election.leader_elect) return std::nullopt;
  const Duration jittered = Duration::nanoseconds(static_cast<std::int64_t>(
      LeaderElector::kJitterFactor * static_cast<double>(election.retry_period.nanoseconds())));
  if (election.lease_duration <= election.renew_deadline) {
    return Error(fmt::format("leaseDuration {} must be greater than renewDeadline {}", election.lease_duration.str(),
                             election.renew_deadline.str()))
        .in("leaderElection.leaseDuration")
        .with_fix(
            "raise it, or lower renewDeadline; the flags are --leader-elect-lease-duration and "
            "--leader-elect-renew-deadline");
  }
  if (election.renew_deadline <= jittered) {
    return Error(fmt::format("renewDeadline {} must be greater than retryPeriod*JitterFactor, which is {}",
                             election.renew_deadline.str(), jittered.str()))
        .in("leaderElection.renewDeadline")
        .with_fix(
            "raise it, or lower retryPeriod; the flags are --leader-elect-renew-deadline and "
            "--leader-elect-retry-period");
  }
  if (election.retry_period <= Duration()) {
    return Error("retryPeriod must be greater than zero").in("leaderElection.retryPeriod");
  }
  return std::nullopt;
}

Errors check_config(const config::SchedulerConfig& config, const RunFlags& flags, const config::FeatureGates& gates) {
  Errors errors = config::validate(config, gates);
  // kube-scheduler finds this only when it starts, so --write-config-to writes what could not run.
  if (errors.empty() && flags.write_config_to.empty()) {
    if (auto error = check_election(config.leader_election)) errors.push_back(*std::move(error));
  }
  return errors;
}

Result<void> check_label_manifest(const RunFlags& flags, const ReadFile& read_file) {
  const std::string& file = flags.metrics.label_manifest;
  if (file.empty()) return {};
  if (flags.was_given("allow-metric-labels")) return fail("mutually exclusive with --allow-metric-labels");
  auto text = read_file(file);
  if (!text) return std::unexpected(std::move(text.error()));
  if (auto checked = check_metric_labels_manifest(*text); !checked) {
    return std::unexpected(std::move(checked.error()).in_file(file));
  }
  return {};
}

Errors check_flags(const RunFlags& flags, const ReadFile& read_file) {
  Errors errors;
  const auto add = [&](std::string_view flag, auto result) {
    if (!result) errors.push_back(std::move(result.error()).in_file(fmt::format("--{}", flag)));
  };
  add("allow-metric-labels-manifest", check_label_manifest(flags, read_file));
  for (const std::string& metric : flags.metrics.disabled_metrics) add("disabled-metrics", check_metric_name(metric));
  add("logging-format", parse_log_format(flags.log.format));
  add("vmodule", parse_log_modules(flags.log.modules));
  const ServingFlags& serving = flags.serving;
  if (serving.tls_cert_file.empty() != serving.tls_private_key_file.empty()) {
    errors.emplace_back("--tls-cert-file and --tls-private-key-file must be set together");
  }
  return errors;
}

}  // namespace

std::expected<Settings, std::vector<Error>> make_settings(RunFlags flags, const ReadFile& read_file) {
  if (Errors errors = check_flags(flags, read_file); !errors.empty()) return std::unexpected(std::move(errors));
  auto gates = read_gates(flags);
  if (!gates) return std::unexpected(std::move(gates.error()));

  Settings settings;
  settings.gates = *gates;
  bool has_limit = false;
  if (flags.config_file.empty()) {
    settings.config = config::default_config({.gates = *gates});
    apply_deprecated(flags.deprecated, settings.config.config);
    has_limit = flags.deprecated.qps || flags.deprecated.burst;
  } else {
    auto from_file = read_config(flags, *gates, read_file);
    if (!from_file) return std::unexpected(std::move(from_file.error()));
    settings.config = std::move(from_file->loaded);
    has_limit = from_file->has_limit;
    warn_of_ignored(flags, settings.warnings);
  }
  config::SchedulerConfig& config = settings.config.config;
  apply_leader_election(flags.leader_election, config.leader_election);
  if (Errors errors = check_config(config, flags, *gates); !errors.empty()) return std::unexpected(std::move(errors));

  if (has_limit && config.client_connection.qps > 0) {
    settings.limit = RequestLimit{config.client_connection.qps, config.client_connection.burst};
  }
  settings.flags = std::move(flags);
  settings.kubeconfig = choose_kubeconfig(settings);
  return settings;
}

}  // namespace berth::daemon
