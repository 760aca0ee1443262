#include "berth/daemon/flag_table.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/base/trimmed.h"
#include "berth/daemon/flag_values.h"

namespace berth::daemon {

namespace {

// --- Reading values, with the words of Go's strconv ------------------------------------------------------------------

Result<void> read(bool& place, std::string_view text, bool) {
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == word) return place = true, Result<void>();
  }
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == word) return place = false, Result<void>();
  }
  return fail(fmt::format("strconv.ParseBool: parsing \"{}\": invalid syntax", text));
}

Result<void> read(std::string& place, std::string_view text, bool) {
  place = text;
  return {};
}

Result<void> read(int& place, std::string_view text, bool) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return fail(fmt::format("strconv.ParseInt: parsing \"{}\": {}", text,
                          error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
}

Result<void> read(double& place, std::string_view text, bool) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return fail(fmt::format("strconv.ParseFloat: parsing \"{}\": invalid syntax", text));
}

Result<void> read(Duration& place, std::string_view text, bool) {
  auto parsed = Duration::parse(text);
  if (!parsed) return std::unexpected(parsed.error());
  place = *parsed;
  return {};
}

Result<void> read(std::vector<std::string>& place, std::string_view text, bool is_first) {
  if (is_first) place.clear();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    place.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return {};
}

template <typename T>
Result<void> read(std::optional<T>& place, std::string_view text, bool is_first) {
  return read(place.emplace(), text, is_first);
}

// The setter of a flag that is kept where `Place` says.
template <auto Place>
Result<void> keep(RunFlags& flags, std::string_view text, bool is_first) {
  return read(Place(flags), text, is_first);
}

Result<void> keep_address(RunFlags& flags, std::string_view text, bool) {
  const std::string address(text);
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) != 1 &&
      inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) {
    return fail(fmt::format("failed to parse IP: \"{}\"", text));
  }
  flags.serving.bind_address = address;
  return {};
}

Result<void> keep_port(RunFlags& flags, std::string_view text, bool is_first) {
  constexpr int kMaxPort = 65535;
  int port = 0;
  if (auto done = read(port, text, is_first); !done) return done;
  if (port < 0 || port > kMaxPort) return fail("must be between 0 and 65535, inclusive. 0 for turning off secure port");
  flags.serving.secure_port = port;
  return {};
}

Result<void> keep_version(RunFlags& flags, std::string_view text, bool is_first) {
  // kube-scheduler's --version also takes "raw", and a version to report instead of its own.
  if (text.starts_with('v')) {
    if (auto checked = check_reported_version(text); !checked) return checked;
    flags.reported_version = text;
    return {};
  }
  return text == "raw" ? read(flags.version, "true", is_first) : read(flags.version, text, is_first);
}

Result<void> keep_one_more(std::vector<std::string>& place, std::string_view text, bool is_first) {
  if (is_first) place.clear();
  place.emplace_back(text);
  return {};
}

// "a.crt,a.key" or "a.crt,a.key:a.example.com,*.example.org".
Result<void> keep_named_certificate(RunFlags& flags, std::string_view text, bool) {
  NamedCertificateFlag named;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    std::string_view names = trimmed(text.substr(colon + 1), " ");
    if (names.empty()) return fail("empty names list is not allowed");
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
      comma = names.find(',');
      named.names.emplace_back(trimmed(names.substr(0, comma), " "));
      if (comma != std::string_view::npos) names.remove_prefix(comma + 1);
    }
  }
  const std::string_view files = trimmed(text.substr(0, colon), " ");
  const std::size_t comma = files.find(',');
  if (comma == std::string_view::npos || files.find(',', comma + 1) != std::string_view::npos) {
    return fail("expected comma separated certificate and key file paths");
  }
  named.certificate_file = trimmed(files.substr(0, comma), " ");
  named.key_file = trimmed(files.substr(comma + 1), " ");
  flags.serving.tls_sni_cert_keys.push_back(std::move(named));
  return {};
}

// The setters of flags without an effect, which must have values that make sense.
template <Result<void> (*Check)(std::string_view)>
Result<void> check(RunFlags&, std::string_view text, bool) {
  return Check(text);
}
Result<void> drop_bool(RunFlags&, std::string_view text, bool is_first) {
  bool value = false;
  return read(value, text, is_first);
}
Result<void> drop_number(RunFlags&, std::string_view text, bool is_first) {
  int value = 0;
  return read(value, text, is_first);
}

// --- The table -------------------------------------------------------------------------------------------------------

#define BERTH_KEEP(member) keep<[](RunFlags& flags) -> auto& { return flags.member; }>

constexpr std::string_view kMisc = "Misc";
constexpr std::string_view kServing = "Secure serving";
constexpr std::string_view kAuthentication = "Authentication";
constexpr std::string_view kAuthorization = "Authorization";
constexpr std::string_view kDeprecatedGroup = "Deprecated";
constexpr std::string_view kElection = "Leader election";
constexpr std::string_view kGates = "Feature gate";
constexpr std::string_view kMetrics = "Metrics";
constexpr std::string_view kLogs = "Logs";
constexpr std::string_view kGlobal = "Global";

using enum FlagKind;
using enum FlagStanding;

constexpr std::array kTable = {
    Flag{"config", kMisc, kText, "", "A KubeSchedulerConfiguration file.", BERTH_KEEP(config_file)},
    Flag{"write-config-to", kMisc, kText, "", "Write the completed configuration to this file and exit.",
         BERTH_KEEP(write_config_to)},
    Flag{"master", kMisc, kText, "", "The address of the API server; overrides the one in the kubeconfig.",
         BERTH_KEEP(master)},

    Flag{"leader-elect", kElection, kBool, "true",
         "Work only while holding the lease, so that of several replicas one schedules.",
         BERTH_KEEP(leader_election.leader_elect)},
    Flag{"leader-elect-lease-duration", kElection, kDuration, "15s",
         "How long the others wait after the last renewal that they saw before they take over.",
         BERTH_KEEP(leader_election.lease_duration)},
    Flag{"leader-elect-renew-deadline", kElection, kDuration, "10s",
         "How long the leader tries to renew before it gives up; less than the lease duration.",
         BERTH_KEEP(leader_election.renew_deadline)},
    Flag{"leader-elect-retry-period", kElection, kDuration, "2s", "How long to wait between tries.",
         BERTH_KEEP(leader_election.retry_period)},
    Flag{"leader-elect-resource-lock", kElection, kText, "leases", "The kind of the lock object: leases.",
         BERTH_KEEP(leader_election.resource_lock)},
    Flag{"leader-elect-resource-name", kElection, kText, "kube-scheduler", "The name of the lock object.",
         BERTH_KEEP(leader_election.resource_name)},
    Flag{"leader-elect-resource-namespace", kElection, kText, "kube-system", "The namespace of the lock object.",
         BERTH_KEEP(leader_election.resource_namespace)},

    Flag{"bind-address", kServing, kText, "0.0.0.0", "The address to serve HTTPS on.", keep_address},
    Flag{"secure-port", kServing, kNumber, "10259", "The port to serve HTTPS on; 0: do not serve.", keep_port},
    Flag{"cert-dir", kServing, kText, "",
         "A directory with kube-scheduler.crt and kube-scheduler.key; made there if they are not. Without it a "
         "self-signed certificate is made in memory.",
         BERTH_KEEP(serving.cert_dir)},
    Flag{"tls-cert-file", kServing, kText, "", "The certificate to serve with, and those between it and its CA.",
         BERTH_KEEP(serving.tls_cert_file)},
    Flag{"tls-private-key-file", kServing, kText, "", "The key of --tls-cert-file.",
         BERTH_KEEP(serving.tls_private_key_file)},
    Flag{"tls-sni-cert-key", kServing, kText, "",
         "A further certificate and its key, for clients that ask for one of its names: CERT,KEY[:NAME,...]. Names may "
         "begin with *. and are those of the certificate if none are given. May be given several times.",
         keep_named_certificate},
    Flag{"tls-cipher-suites", kServing, kList, "", "Cipher suites to offer up to TLS 1.2, by Go's names.",
         BERTH_KEEP(serving.tls_cipher_suites)},
    Flag{"tls-min-version", kServing, kText, "", "VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.",
         BERTH_KEEP(serving.tls_min_version)},
    Flag{"permit-port-sharing", kServing, kBool, "false", "Listen with SO_REUSEPORT.",
         BERTH_KEEP(serving.permit_port_sharing)},
    Flag{"permit-address-sharing", kServing, kBool, "false", "SO_REUSEADDR is always set.", drop_bool, kWithoutMeaning},
    Flag{"tls-curve-preferences", kServing, kList, "", "OpenSSL's order of key exchange groups is used.",
         check<check_curves>, kWithoutMeaning},
    Flag{"http2-max-streams-per-connection", kServing, kNumber, "0", "Berth serves HTTP/1.1.", drop_number,
         kWithoutMeaning},
    Flag{"disable-http2-serving", kServing, kBool, "false", "Berth serves HTTP/1.1.", drop_bool, kWithoutMeaning},

    Flag{"authentication-kubeconfig", kAuthentication, kText, "",
         "A kubeconfig that may create TokenReviews. Without it, those who send a token are anonymous.",
         BERTH_KEEP(authentication.kubeconfig)},
    Flag{"authentication-skip-lookup", kAuthentication, kBool, "false",
         "Do not read missing authentication settings from the cluster.", BERTH_KEEP(authentication.skip_lookup)},
    Flag{"authentication-token-webhook-cache-ttl", kAuthentication, kDuration, "10s",
         "How long an answer about a token is kept.", BERTH_KEEP(authentication.token_cache_ttl)},
    Flag{"authentication-tolerate-lookup-failure", kAuthentication, kBool, "true",
         "Go on if the settings cannot be read from the cluster.", BERTH_KEEP(authentication.tolerate_lookup_failure)},
    Flag{"client-ca-file", kAuthentication, kText, "",
         "A client certificate that one of these CAs signed says who the client is.",
         BERTH_KEEP(authentication.client_ca_file)},
    Flag{"requestheader-allowed-names", kAuthentication, kList, "",
         "Common names of proxies that may say in headers who the user is; empty: any that the CA signed.",
         BERTH_KEEP(authentication.requestheader_allowed_names)},
    Flag{"requestheader-client-ca-file", kAuthentication, kText, "", "The CAs of such proxies.",
         BERTH_KEEP(authentication.requestheader_client_ca_file)},
    Flag{"requestheader-extra-headers-prefix", kAuthentication, kList, "x-remote-extra-",
         "Prefixes of headers with further attributes of the user.",
         BERTH_KEEP(authentication.requestheader_extra_headers_prefix)},
    Flag{"requestheader-group-headers", kAuthentication, kList, "x-remote-group", "Headers with groups of the user.",
         BERTH_KEEP(authentication.requestheader_group_headers)},
    Flag{"requestheader-uid-headers", kAuthentication, kList, "", "Headers with the UID of the user.",
         BERTH_KEEP(authentication.requestheader_uid_headers)},
    Flag{"requestheader-username-headers", kAuthentication, kList, "x-remote-user", "Headers with the user's name.",
         BERTH_KEEP(authentication.requestheader_username_headers)},

    Flag{
        "authorization-kubeconfig", kAuthorization, kText, "",
        "A kubeconfig that may create SubjectAccessReviews. Without it, only --authorization-always-allow-paths can be "
        "read.",
        BERTH_KEEP(authorization.kubeconfig)},
    Flag{"authorization-always-allow-paths", kAuthorization, kList, "/healthz,/readyz,/livez",
         "Paths that everybody may read.", BERTH_KEEP(authorization.always_allow_paths)},
    Flag{"authorization-webhook-cache-authorized-ttl", kAuthorization, kDuration, "10s",
         "How long a permission is kept.", BERTH_KEEP(authorization.allowed_cache_ttl)},
    Flag{"authorization-webhook-cache-unauthorized-ttl", kAuthorization, kDuration, "10s",
         "How long a refusal is kept.", BERTH_KEEP(authorization.denied_cache_ttl)},

    Flag{"feature-gates", kGates, kText, "", "Gates to switch: A=true,B=false. See docs/configuration.md.",
         [](RunFlags& flags, std::string_view text, bool is_first) {
           return keep_one_more(flags.feature_gates, text, is_first);
         }},
    Flag{"emulated-version", kGates, kList, "", "Berth behaves as one version: `berth version` says which.",
         check<check_component_versions>, kWithoutMeaning},
    Flag{"min-compatibility-version", kGates, kList, "", "See --emulated-version.", check<check_component_versions>,
         kWithoutMeaning},

    Flag{"disabled-metrics", kMetrics, kList, "", "Names of metrics that are not to be shown.",
         BERTH_KEEP(metrics.disabled_metrics)},
    Flag{"allow-metric-labels", kMetrics, kText, "", "Labels have few values here.", check<check_metric_labels>,
         kWithoutMeaning},
    Flag{"allow-metric-labels-manifest", kMetrics, kText, "", "Labels have few values here.",
         BERTH_KEEP(metrics.label_manifest), kWithoutMeaning},
    Flag{"show-hidden-metrics-for-version", kMetrics, kText, "", "Berth hides no metrics.",
         check<check_hidden_metrics_version>, kWithoutMeaning},

    Flag{"v", kLogs, kNumber, "0",
         "How much is logged: 0 least, 2 the usual, 4 and more for those who look for a fault.",
         BERTH_KEEP(log.verbosity)},
    Flag{"vmodule", kLogs, kText, "", "Other levels for some source files: pattern=N,...", BERTH_KEEP(log.modules)},
    Flag{"logging-format", kLogs, kText, "text", "text or json.", BERTH_KEEP(log.format)},
    Flag{"log-text-split-stream", kLogs, kBool, "false", "Errors to standard error, the rest to standard output.",
         BERTH_KEEP(log.splits_text_stream)},
    Flag{"log-json-split-stream", kLogs, kBool, "false", "The same for json.", BERTH_KEEP(log.splits_json_stream)},
    Flag{"log-flush-frequency", kLogs, kDuration, "5s", "Berth's log is not buffered.", check<check_flush_frequency>,
         kWithoutMeaning},
    Flag{"log-text-info-buffer-size", kLogs, kText, "0", "Berth's log is not buffered.", check<check_buffer_size>,
         kWithoutMeaning},
    Flag{"log-json-info-buffer-size", kLogs, kText, "0", "Berth's log is not buffered.", check<check_buffer_size>,
         kWithoutMeaning},

    Flag{
        "kubeconfig", kDeprecatedGroup, kText, "",
        "How to reach the API server. clientConnection.kubeconfig of --config comes first; without either, the service "
        "account of the pod.",
        BERTH_KEEP(deprecated.kubeconfig), kDeprecated},
    Flag{"kube-api-qps", kDeprecatedGroup, kNumber, "",
         "Requests a second to the API server. Unset: as many as it lets through. Ignored with --config.",
         BERTH_KEEP(deprecated.qps), kDeprecated},
    Flag{"kube-api-burst", kDeprecatedGroup, kNumber, "",
         "How far --kube-api-qps may be exceeded. Ignored with --config.", BERTH_KEEP(deprecated.burst), kDeprecated},
    Flag{"kube-api-content-type", kDeprecatedGroup, kText, "application/vnd.kubernetes.protobuf",
         "Berth asks for protobuf, and for JSON where there is none.", BERTH_KEEP(deprecated.content_type),
         kWithoutMeaning},
    Flag{"pod-max-in-unschedulable-pods-duration", kDeprecatedGroup, kDuration, "5m0s",
         "After how long a pod that nothing has woken is tried again.",
         BERTH_KEEP(deprecated.pod_max_in_unschedulable_pods_duration), kDeprecated},
    Flag{"profiling", kDeprecatedGroup, kBool, "true",
         "Whether /debug/flags/v is served; there is no /debug/pprof. Ignored with --config.",
         BERTH_KEEP(deprecated.profiling), kDeprecated},
    Flag{"contention-profiling", kDeprecatedGroup, kBool, "true", "Berth has nothing to profile there.",
         BERTH_KEEP(deprecated.contention_profiling), kWithoutMeaning},

    Flag{"help", kGlobal, kBool, "", "Print this help and exit.", BERTH_KEEP(help)},
    Flag{
        "version", kGlobal, kBool, "",
        "Print the version and exit. With v1.36.3, perhaps with something behind it: run, and show this version in the "
        "metrics.",
        keep_version},
};

#undef BERTH_KEEP

}  // namespace

std::span<const Flag> run_flag_table() {
  return kTable;
}

}  // namespace berth::daemon
