#include "berth/serve/trust.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "berth/codec/json.h"

namespace berth::serve {

namespace {

struct ConfigMap {
  FlatMap<std::string> entries;
};

}  // namespace

}  // namespace berth::serve

namespace berth::api {

template <>
const Schema& schema_of<serve::ConfigMap>() {
  static const Schema schema("ConfigMap", {field<&serve::ConfigMap::entries>("data", 2)});
  return schema;
}

}  // namespace berth::api

namespace berth::serve {

namespace {

constexpr std::string_view kConfigMapPath =
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
constexpr std::string_view kConfigMapName = "configmap kube-system/extension-apiserver-authentication";

std::string entry(const ConfigMap& map, std::string_view key) {
  const std::string* found = map.entries.find(Symbol(key));
  return found == nullptr ? "" : *found;
}

// Lists are JSON in a text.
Result<std::vector<std::string>> list_entry(const ConfigMap& map, std::string_view key) {
  const std::string text = entry(map, key);
  if (text.empty()) return std::vector<std::string>();
  auto list = codec::from_json<std::vector<std::string>>(text);
  if (!list) return fail(std::move(list).error().in(key));
  return list;
}

Result<std::string> read_bundle(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return fail(fmt::format("open {}: {}", name, std::strerror(errno)));
  std::string bundle((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (auto checked = CertificateAuthorities::from_pem(bundle); !checked) {
    return fail(fmt::format("{}: {}", name, checked.error().what()));
  }
  return bundle;
}

}  // namespace

Result<Trust> trust_from_config_map(std::string_view json) {
  const auto map = codec::from_json<ConfigMap>(json);
  if (!map) return fail(map.error());
  Trust trust;
  trust.client_ca = entry(*map, "client-ca-file");
  trust.request_header_ca = entry(*map, "requestheader-client-ca-file");
  if (trust.request_header_ca.empty()) return trust;
  const auto fill = [&map](std::vector<std::string>& into, std::string_view key) -> Result<void> {
    auto list = list_entry(*map, key);
    if (!list) return fail(std::move(list).error());
    into = *std::move(list);
    return {};
  };
  Result<void> filled = fill(trust.allowed_names, "requestheader-allowed-names");
  if (filled) filled = fill(trust.username_headers, "requestheader-username-headers");
  if (filled) filled = fill(trust.uid_headers, "requestheader-uid-headers");
  if (filled) filled = fill(trust.group_headers, "requestheader-group-headers");
  if (filled) filled = fill(trust.extra_header_prefixes, "requestheader-extra-headers-prefix");
  if (!filled) return fail(std::move(filled).error());
  return trust;
}

AuthConfigReader::AuthConfigReader(client::Loop& loop, client::Transport& transport, TrustOptions options,
                                   OnTrust on_trust, OnProblem on_problem)
    : loop_(loop),
      transport_(transport),
      options_(std::move(options)),
      on_trust_(std::move(on_trust)),
      on_problem_(std::move(on_problem)) {}

AuthConfigReader::~AuthConfigReader() {
  if (request_ != 0) transport_.cancel(request_);
  if (timer_ != 0) loop_.cancel_timer(timer_);
}

bool AuthConfigReader::needs_lookup() const {
  return !options_.skip_lookup && (options_.client_ca_file.empty() || options_.request_header_ca_file.empty());
}

void AuthConfigReader::start(std::function<void(Result<void>)> on_first) {
  on_first_ = std::move(on_first);
  timer_ = loop_.after(Duration(), [this] { read(); });
}

void AuthConfigReader::read() {
  timer_ = 0;
  if (!needs_lookup()) {
    apply();
    finish(TrustOptions::kRefresh);
    return;
  }
  client::Request request;
  request.path = kConfigMapPath;
  request.accept = "application/json";
  request_ = transport_.start(std::move(request), [this](const client::Response& response) { looked_up(response); });
}

void AuthConfigReader::looked_up(const client::Response& response) {
  request_ = 0;
  const auto found = [&]() -> Result<Trust> {
    if (!response.is_complete()) return fail(response.error);
    // Without the ConfigMap that method is disabled.
    if (response.status == 404) return Trust();
    if (!response.is_success()) return fail(fmt::format("the server responded with status {}", response.status));
    return trust_from_config_map(response.body);
  }();
  if (found) {
    from_cluster_ = *found;
  } else {
    Error error = Error(found.error()).in(kConfigMapName);
    report(error);
    if (!options_.tolerate_lookup_failure) {
      tell_first(
          fail(std::move(error).with_fix("set --authentication-tolerate-lookup-failure to continue without it")));
    }
  }
  apply();
  finish(found ? TrustOptions::kRefresh : TrustOptions::kRetry);
}

Result<Trust> AuthConfigReader::with_files(Trust trust) const {
  if (!options_.client_ca_file.empty()) {
    auto bundle = read_bundle(options_.client_ca_file);
    if (!bundle) return fail(std::move(bundle).error().in("--client-ca-file"));
    trust.client_ca = *std::move(bundle);
  }
  if (options_.request_header_ca_file.empty()) return trust;
  auto bundle = read_bundle(options_.request_header_ca_file);
  if (!bundle) return fail(std::move(bundle).error().in("--requestheader-client-ca-file"));
  trust.request_header_ca = *std::move(bundle);
  trust.allowed_names = options_.allowed_names;
  trust.username_headers = options_.username_headers;
  trust.uid_headers = options_.uid_headers;
  trust.group_headers = options_.group_headers;
  trust.extra_header_prefixes = options_.extra_header_prefixes;
  return trust;
}

void AuthConfigReader::apply() {
  const auto refuse = [this](const Error& error) {
    report(error);
    tell_first(fail(error));
  };
  const auto trust = with_files(options_.skip_lookup ? Trust() : from_cluster_);
  if (!trust) return refuse(trust.error());
  if (applied_ == *trust) return;
  if (const auto taken = on_trust_(*trust); !taken) {
    if (!options_.tolerate_lookup_failure) return refuse(taken.error());
    return report(taken.error());
  }
  applied_ = *trust;
}

void AuthConfigReader::finish(Duration next) {
  timer_ = loop_.after(next, [this] { read(); });
  tell_first({});
}

void AuthConfigReader::report(const Error& error) {
  if (on_problem_) on_problem_(error);
}

void AuthConfigReader::tell_first(Result<void> result) {
  if (auto tell = std::exchange(on_first_, {})) tell(std::move(result));
}

}  // namespace berth::serve
