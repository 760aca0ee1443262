#include "berth/client/server_address.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace berth::client {

namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

// Empty if the URL does not have that part.
std::string part_of(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string result(text);
  curl_free(text);
  return result;
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
  if (endpoint.server.empty()) return fail(Error("there is no server URL").with_fix("set the cluster's server"));
  std::string text = endpoint.server;
  if (text.find("://") == std::string::npos) text = (mentions_tls(endpoint.tls) ? "https://" : "http://") + text;
  const Url url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return bad("is not valid");
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http") return bad("is neither https nor http");
  if (!part_of(url, CURLUPART_QUERY).empty() || !part_of(url, CURLUPART_FRAGMENT).empty()) {
    return bad("has a query or a fragment");
  }
  ServerAddress address;
  address.is_tls = scheme == "https";
  address.host = part_of(url, CURLUPART_HOST);
  address.port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  address.base_path = part_of(url, CURLUPART_PATH);
  while (address.base_path.ends_with('/')) address.base_path.pop_back();
  const bool is_renamed = address.is_tls && !endpoint.tls.server_name.empty();
  address.url_prefix = fmt::format("{}://{}:{}{}", scheme, is_renamed ? endpoint.tls.server_name : address.host,
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
