#include "berth/client/server_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>

#include "berth/base/ascii.h"

namespace berth::client {

namespace {

struct Url {
  std::string_view scheme;
  std::string_view host;  // with the brackets of an IPv6 address
  std::string_view port;  // may be empty
  std::string_view path;
  bool has_more = false;  // a query or a fragment
};

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

bool is_host(std::string_view text) {
  constexpr std::string_view kNotInHosts = " \t\r\n<>\"\\^`{|}%@[]:";
  if (text.starts_with('[')) {
    return text.size() > 2 && text.ends_with(']') &&
           text.substr(1, text.size() - 2).find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  }
  return !text.empty() && text.find_first_of(kNotInHosts) == std::string_view::npos;
}

// Unset if it is none. A name and a password are left out: they are not for servers of Kubernetes.
std::optional<Url> parse_url(std::string_view text) {
  Url url;
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  url.scheme = text.substr(0, scheme);
  text.remove_prefix(scheme + 3);
  const std::size_t authority_size = std::min(text.find_first_of("/?#"), text.size());
  std::string_view authority = text.substr(0, authority_size);
  text.remove_prefix(authority_size);
  const std::size_t path_size = std::min(text.find_first_of("?#"), text.size());
  url.path = text.substr(0, path_size);
  url.has_more = path_size + 1 < text.size();
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  const std::size_t host_size = authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':');
  url.host = authority.substr(0, host_size);
  if (url.host.size() < authority.size()) {
    if (authority[url.host.size()] != ':') return std::nullopt;
    url.port = authority.substr(url.host.size() + 1);
    if (!url.port.empty() && !is_port(url.port)) return std::nullopt;
  }
  if (!is_host(url.host) || url.path.find_first_of(" \t\r\n") != std::string_view::npos) return std::nullopt;
  return url;
}

bool mentions_tls(const TlsSettings& tls) {
  return tls.ca.is_set() || tls.client_certificate.is_set() || tls.insecure_skip_verify || !tls.server_name.empty();
}

}  // namespace

bool ServerAddress::is_loopback() const {
  return host == "localhost" || host.starts_with("127.") || host == "[::1]";
}

Result<ServerAddress> parse_server_address(const Endpoint& endpoint) {
  const auto bad = [&](std::string_view why) {
    return fail(Error(fmt::format("server URL '{}' {}", without_password(endpoint.server), why))
                    .with_fix("give one such as https://10.0.0.1:6443"));
  };
  if (endpoint.server.empty()) return fail(Error("server URL is empty").with_fix("set the cluster's server"));
  std::string text = endpoint.server;
  if (text.find("://") == std::string::npos) text = (mentions_tls(endpoint.tls) ? "https://" : "http://") + text;
  const std::optional<Url> url = parse_url(text);
  if (!url) return bad("is invalid");
  const bool is_tls = same_ignoring_case(url->scheme, "https");
  if (!is_tls && !same_ignoring_case(url->scheme, "http"))
    return bad("has an unsupported scheme, expected https or http");
  if (url->has_more) return bad("has a query or a fragment");
  ServerAddress address;
  address.is_tls = is_tls;
  address.host = url->host;
  address.port = !url->port.empty() ? url->port : address.is_tls ? "443" : "80";
  address.base_path = url->path;
  while (address.base_path.ends_with('/')) address.base_path.pop_back();
  const bool is_renamed = address.is_tls && !endpoint.tls.server_name.empty();
  address.url_prefix =
      fmt::format("{}://{}:{}{}", is_tls ? "https" : "http", is_renamed ? endpoint.tls.server_name : address.host,
                  address.port, address.base_path);
  return address;
}

std::string without_password(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t at = url.substr(0, url.find('/', begin)).rfind('@');
  if (at == std::string_view::npos || at < begin) return std::string(url);
  return fmt::format("{}***{}", url.substr(0, begin), url.substr(at));
}

}  // namespace berth::client
