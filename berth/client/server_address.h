// The URL of an API server, taken apart once.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/client/endpoint.h"

namespace berth::client {

struct ServerAddress {
  bool is_tls = false;
  std::string host;  // an IPv6 address stands in brackets
  std::string port;
  std::string base_path;  // "" or "/k8s/clusters/c-1", without a slash at the end

  // What requests begin with: "https://10.0.0.1:6443/k8s". With a server name in place of the host if TLS asks for it.
  std::string url_prefix;
  // "10.0.0.1:6443", as it stands in the header Host.
  std::string authority() const { return host + ":" + port; }
  // Of this machine; such servers are not reached through a proxy that the environment names.
  bool is_loopback() const;
};

// A URL without a scheme is taken as HTTPS if there is anything about TLS in the endpoint, and as HTTP if not, as
// kubectl does.
Result<ServerAddress> parse_server_address(const Endpoint& endpoint);

// The URL without the password in it, for messages.
std::string without_password(std::string_view url);

}  // namespace berth::client
