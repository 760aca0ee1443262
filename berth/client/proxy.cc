#include "berth/client/proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "berth/base/ascii.h"

namespace berth::client {

namespace {

// Empty if there is none.
std::string_view scheme_of(std::string_view url) {
  const std::size_t end = url.find("://");
  return end == std::string_view::npos ? std::string_view() : url.substr(0, end);
}

}  // namespace

Result<void> check_proxy_url(std::string_view url) {
  static constexpr std::array<std::string_view, 3> kSchemes = {"http", "https", "socks5"};
  const std::string_view scheme = scheme_of(url);
  if (std::ranges::any_of(kSchemes, [&](std::string_view known) { return same_ignoring_case(known, scheme); })) {
    return {};
  }
  return fail(Error(fmt::format("'{}' is neither http nor https nor socks5", without_password(url)))
                  .with_fix("give one such as http://10.0.0.1:3128"));
}

std::string proxy_of_environment(const ServerAddress& address, FunctionRef<std::string(const char* name)> variable) {
  if (address.is_loopback()) return {};
  std::string proxy = variable(address.is_tls ? "HTTPS_PROXY" : "HTTP_PROXY");
  return proxy.empty() ? variable(address.is_tls ? "https_proxy" : "http_proxy") : proxy;
}

std::string proxy_of_environment(const ServerAddress& address) {
  return proxy_of_environment(address, [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here changes the environment
    return std::string(value == nullptr ? "" : value);
  });
}

std::string proxy_for_curl(std::string_view url) {
  const std::string_view scheme = scheme_of(url);
  if (!same_ignoring_case(scheme, "socks5")) return std::string(url);
  return fmt::format("socks5h{}", url.substr(scheme.size()));
}

}  // namespace berth::client
