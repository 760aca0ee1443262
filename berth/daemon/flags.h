// The command line of `berth run`: kube-scheduler's flags, with its meanings and its way of reading them, so that a
// manifest written for kube-scheduler works as it stands.
//
// Flags are read as Go's pflag does: `--flag=value` or `--flag value`; a boolean takes no second word (`--leader-elect`
// is true, `--leader-elect=false` is not); lists grow with each use; of anything else the last use counts. What
// kube-scheduler calls deprecated, and what has no meaning here, is accepted with a warning. flag_table.cc lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"

namespace berth::daemon {

// Whose flags and behaviour these are.
inline constexpr std::string_view kUpstreamVersion = "v1.36.3";

struct LeaderElectionFlags {
  // Unset: as the configuration says.
  std::optional<bool> leader_elect;
  std::optional<Duration> lease_duration;
  std::optional<Duration> renew_deadline;
  std::optional<Duration> retry_period;
  std::optional<std::string> resource_lock;
  std::optional<std::string> resource_name;
  std::optional<std::string> resource_namespace;
};

// --tls-sni-cert-key.
struct NamedCertificateFlag {
  std::string certificate_file;
  std::string key_file;
  std::vector<std::string> names;  // empty: those in the certificate
};

struct ServingFlags {
  std::string bind_address = "0.0.0.0";
  int secure_port = 10259;  // 0: nothing is served
  std::string cert_dir;
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::vector<NamedCertificateFlag> tls_sni_cert_keys;
  std::vector<std::string> tls_cipher_suites;
  std::string tls_min_version;
  bool permit_port_sharing = false;
};

struct AuthenticationFlags {
  std::string kubeconfig;
  bool skip_lookup = false;
  bool tolerate_lookup_failure = true;
  Duration token_cache_ttl = Duration::seconds(10);
  std::string client_ca_file;
  std::string requestheader_client_ca_file;
  std::vector<std::string> requestheader_allowed_names;
  std::vector<std::string> requestheader_username_headers = {"x-remote-user"};
  std::vector<std::string> requestheader_uid_headers;
  std::vector<std::string> requestheader_group_headers = {"x-remote-group"};
  std::vector<std::string> requestheader_extra_headers_prefix = {"x-remote-extra-"};
};

struct AuthorizationFlags {
  std::string kubeconfig;
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};
  Duration allowed_cache_ttl = Duration::seconds(10);
  Duration denied_cache_ttl = Duration::seconds(10);
};

struct MetricsFlags {
  std::vector<std::string> disabled_metrics;
  std::string label_manifest;  // only looked at, to say whether it is one
};

struct LogFlags {
  std::string format = "text";
  int verbosity = 0;
  std::string modules;
  bool splits_text_stream = false;
  bool splits_json_stream = false;
};

struct DeprecatedFlags {
  // Unset: as the configuration says. They count only without --config.
  std::optional<bool> profiling;
  std::optional<bool> contention_profiling;
  std::optional<std::string> kubeconfig;
  std::optional<std::string> content_type;
  std::optional<double> qps;
  std::optional<int> burst;
  // This one counts always.
  Duration pod_max_in_unschedulable_pods_duration = Duration::minutes(5);
};

struct RunFlags {
  bool help = false;
  bool version = false;
  // --version=v1.36.3-mine: what kubernetes_build_info says.
  std::string reported_version{kUpstreamVersion};
  std::string config_file;
  std::string write_config_to;
  std::string master;
  LeaderElectionFlags leader_election;
  ServingFlags serving;
  AuthenticationFlags authentication;
  AuthorizationFlags authorization;
  std::vector<std::string> feature_gates;
  MetricsFlags metrics;
  LogFlags log;
  DeprecatedFlags deprecated;

  // The flags that were given, with their last values.
  std::map<std::string, std::string, std::less<>> given;
  bool was_given(std::string_view flag) const { return given.contains(flag); }
  // What the user should know about some of them.
  std::vector<std::string> warnings;
};

// What follows `berth run`. The error has kube-scheduler's words, and the flag that was probably meant.
Result<RunFlags> parse_run_flags(std::span<const std::string> words);

// What --help prints: all flags in their groups.
std::string run_help(std::size_t columns = 80);

// Every flag with its value, given or default, as /flagz shows them.
std::vector<std::pair<std::string, std::string>> run_flag_values(const RunFlags& flags);

// For shell completion: name without dashes, and what it is about.
std::vector<std::pair<std::string_view, std::string_view>> run_flag_names();

}  // namespace berth::daemon
