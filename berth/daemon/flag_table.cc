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
         "Schedule only while holding the leader lease. Enable this when running replicated.",
         BERTH_KEEP(leader_election.leader_elect)},
    Flag{"leader-elect-lease-duration", kElection, kDuration, "15s",
         "How long non-leader candidates wait after the last observed renewal before they try to acquire the lease.",
         BERTH_KEEP(leader_election.lease_duration)},
    Flag{"leader-elect-renew-deadline", kElection, kDuration, "10s",
         "How long the leader retries renewing the lease before it gives up leadership. Must be less than the lease "
         "duration.",
         BERTH_KEEP(leader_election.renew_deadline)},
    Flag{"leader-elect-retry-period", kElection, kDuration, "2s",
         "How long candidates wait between attempts to acquire or renew the lease.",
         BERTH_KEEP(leader_election.retry_period)},
    Flag{"leader-elect-resource-lock", kElection, kText, "leases", "The type of the lock object: leases.",
         BERTH_KEEP(leader_election.resource_lock)},
    Flag{"leader-elect-resource-name", kElection, kText, "kube-scheduler", "The name of the lock object.",
         BERTH_KEEP(leader_election.resource_name)},
    Flag{"leader-elect-resource-namespace", kElection, kText, "kube-system", "The namespace of the lock object.",
         BERTH_KEEP(leader_election.resource_namespace)},

    Flag{"bind-address", kServing, kText, "0.0.0.0", "The address to serve HTTPS on.", keep_address},
    Flag{"secure-port", kServing, kNumber, "10259", "The port to serve HTTPS on. If 0, HTTPS is not served.",
         keep_port},
    Flag{"cert-dir", kServing, kText, "",
         "The directory of kube-scheduler.crt and kube-scheduler.key, which are generated if they do not exist. If "
         "empty, "
         "a self-signed certificate is kept in memory.",
         BERTH_KEEP(serving.cert_dir)},
    Flag{"tls-cert-file", kServing, kText, "",
         "The x509 certificate for HTTPS, followed by its intermediate certificates.",
         BERTH_KEEP(serving.tls_cert_file)},
    Flag{"tls-private-key-file", kServing, kText, "", "The x509 private key that matches --tls-cert-file.",
         BERTH_KEEP(serving.tls_private_key_file)},
    Flag{"tls-sni-cert-key", kServing, kText, "",
         "A pair of x509 certificate and private key files for server name indication: CERT,KEY[:NAME,...]. Names may "
         "begin with *. and default to those of the certificate. May be given several times.",
         keep_named_certificate},
    Flag{"tls-cipher-suites", kServing, kList, "", "Cipher suites for TLS up to 1.2, by the names of Go's crypto/tls.",
         BERTH_KEEP(serving.tls_cipher_suites)},
    Flag{"tls-min-version", kServing, kText, "",
         "Minimum TLS version: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.",
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
         "A kubeconfig with permission to create TokenReviews. Without it, requests with bearer tokens are anonymous.",
         BERTH_KEEP(authentication.kubeconfig)},
    Flag{"authentication-skip-lookup", kAuthentication, kBool, "false",
         "Do not look up missing authentication configuration in the cluster.", BERTH_KEEP(authentication.skip_lookup)},
    Flag{"authentication-token-webhook-cache-ttl", kAuthentication, kDuration, "10s",
         "How long responses of the token webhook are cached.", BERTH_KEEP(authentication.token_cache_ttl)},
    Flag{"authentication-tolerate-lookup-failure", kAuthentication, kBool, "true",
         "Continue if authentication configuration cannot be looked up in the cluster.",
         BERTH_KEEP(authentication.tolerate_lookup_failure)},
    Flag{"client-ca-file", kAuthentication, kText, "", "The CA bundle that client certificates are verified with.",
         BERTH_KEEP(authentication.client_ca_file)},
    Flag{
        "requestheader-allowed-names", kAuthentication, kList, "",
        "Common names of client certificates that may set the request headers below. If empty, any that the CA signed.",
        BERTH_KEEP(authentication.requestheader_allowed_names)},
    Flag{"requestheader-client-ca-file", kAuthentication, kText, "",
         "The CA bundle that client certificates of authenticating proxies are verified with.",
         BERTH_KEEP(authentication.requestheader_client_ca_file)},
    Flag{"requestheader-extra-headers-prefix", kAuthentication, kList, "x-remote-extra-",
         "Prefixes of request headers for extra attributes of the user.",
         BERTH_KEEP(authentication.requestheader_extra_headers_prefix)},
    Flag{"requestheader-group-headers", kAuthentication, kList, "x-remote-group", "Request headers for groups.",
         BERTH_KEEP(authentication.requestheader_group_headers)},
    Flag{"requestheader-uid-headers", kAuthentication, kList, "", "Request headers for the UID.",
         BERTH_KEEP(authentication.requestheader_uid_headers)},
    Flag{"requestheader-username-headers", kAuthentication, kList, "x-remote-user",
         "Request headers for the user name.", BERTH_KEEP(authentication.requestheader_username_headers)},

    Flag{"authorization-kubeconfig", kAuthorization, kText, "",
         "A kubeconfig with permission to create SubjectAccessReviews. Without it, only "
         "--authorization-always-allow-paths are authorized.",
         BERTH_KEEP(authorization.kubeconfig)},
    Flag{"authorization-always-allow-paths", kAuthorization, kList, "/healthz,/readyz,/livez",
         "Paths that skip authorization.", BERTH_KEEP(authorization.always_allow_paths)},
    Flag{"authorization-webhook-cache-authorized-ttl", kAuthorization, kDuration, "10s",
         "How long authorized responses are cached.", BERTH_KEEP(authorization.allowed_cache_ttl)},
    Flag{"authorization-webhook-cache-unauthorized-ttl", kAuthorization, kDuration, "10s",
         "How long unauthorized responses are cached.", BERTH_KEEP(authorization.denied_cache_ttl)},

    Flag{"feature-gates", kGates, kText, "", "Feature gates as A=true,B=false. See docs/configuration.md.",
         [](RunFlags& flags, std::string_view text, bool is_first) {
           return keep_one_more(flags.feature_gates, text, is_first);
         }},
    Flag{"emulated-version", kGates, kList, "",
         "Berth emulates no other version: behaviour, feature gates and their defaults are those of v1.36.3.",
         check<check_component_versions>, kWithoutMeaning},
    Flag{"min-compatibility-version", kGates, kList, "", "See --emulated-version.", check<check_component_versions>,
         kWithoutMeaning},

    Flag{"disabled-metrics", kMetrics, kList, "", "Names of metrics to disable.", BERTH_KEEP(metrics.disabled_metrics)},
    Flag{"allow-metric-labels", kMetrics, kText, "", "Berth's metrics have labels of bounded cardinality.",
         check<check_metric_labels>, kWithoutMeaning},
    Flag{"allow-metric-labels-manifest", kMetrics, kText, "", "Berth's metrics have labels of bounded cardinality.",
         BERTH_KEEP(metrics.label_manifest), kWithoutMeaning},
    Flag{"show-hidden-metrics-for-version", kMetrics, kText, "", "Berth hides no metrics.",
         check<check_hidden_metrics_version>, kWithoutMeaning},

    Flag{"v", kLogs, kNumber, "0", "Log level verbosity: 0 is the least, 2 is usual, 4 and more is for debugging.",
         BERTH_KEEP(log.verbosity)},
    Flag{"vmodule", kLogs, kText, "", "Log levels for source files: pattern=N,...", BERTH_KEEP(log.modules)},
    Flag{"logging-format", kLogs, kText, "text", "Log format: text or json.", BERTH_KEEP(log.format)},
    Flag{"log-text-split-stream", kLogs, kBool, "false",
         "In text format, write errors to standard error and the rest to standard output.",
         BERTH_KEEP(log.splits_text_stream)},
    Flag{"log-json-split-stream", kLogs, kBool, "false",
         "In JSON format, write errors to standard error and the rest to standard output.",
         BERTH_KEEP(log.splits_json_stream)},
    Flag{"log-flush-frequency", kLogs, kDuration, "5s", "Berth's log is not buffered.", check<check_flush_frequency>,
         kWithoutMeaning},
    Flag{"log-text-info-buffer-size", kLogs, kText, "0", "Berth's log is not buffered.", check<check_buffer_size>,
         kWithoutMeaning},
    Flag{"log-json-info-buffer-size", kLogs, kText, "0", "Berth's log is not buffered.", check<check_buffer_size>,
         kWithoutMeaning},

    Flag{"kubeconfig", kDeprecatedGroup, kText, "",
         "The kubeconfig for the API server. clientConnection.kubeconfig of --config takes precedence; without either, "
         "the "
         "service account of the pod is used.",
         BERTH_KEEP(deprecated.kubeconfig), kDeprecated},
    Flag{"kube-api-qps", kDeprecatedGroup, kNumber, "",
         "Rate limit of requests to the API server per second. If unset, there is no limit. Ignored with --config.",
         BERTH_KEEP(deprecated.qps), kDeprecated},
    Flag{"kube-api-burst", kDeprecatedGroup, kNumber, "",
         "Burst of requests above --kube-api-qps. Ignored with --config.", BERTH_KEEP(deprecated.burst), kDeprecated},
    Flag{"kube-api-content-type", kDeprecatedGroup, kText, "application/vnd.kubernetes.protobuf",
         "Berth requests protobuf, and JSON where protobuf is not offered.", BERTH_KEEP(deprecated.content_type),
         kWithoutMeaning},
    Flag{"pod-max-in-unschedulable-pods-duration", kDeprecatedGroup, kDuration, "5m0s",
         "How long a pod may stay in the unschedulable pods without an event before it is retried.",
         BERTH_KEEP(deprecated.pod_max_in_unschedulable_pods_duration), kDeprecated},
    Flag{"profiling", kDeprecatedGroup, kBool, "true",
         "Whether /debug/flags/v is served; there is no /debug/pprof. Ignored with --config.",
         BERTH_KEEP(deprecated.profiling), kDeprecated},
    Flag{"contention-profiling", kDeprecatedGroup, kBool, "true", "Berth has no lock contention profile.",
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
