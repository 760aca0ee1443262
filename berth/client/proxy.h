// Through which proxy a server is reached, if any, as Go's clients of the API server have it: the kubeconfig's, else
// the one that the environment names.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/base/function_ref.h"
#include "berth/client/server_address.h"

namespace berth::client {

// http, https and socks5 are known.
Result<void> check_proxy_url(std::string_view url);

// What $HTTPS_PROXY or $HTTP_PROXY says, by the scheme of the server; empty: there is none. Servers of this machine
// have none. $ALL_PROXY does not count, and $NO_PROXY is left to libcurl. `variable` reads one of the environment,
// which is empty if it is not set.
std::string proxy_of_environment(const ServerAddress& address, FunctionRef<std::string(const char* name)> variable);
// That of the process.
std::string proxy_of_environment(const ServerAddress& address);

// In libcurl's words: to it socks5 means that names are looked up here, where the cluster's may not be known.
std::string proxy_for_curl(std::string_view url);

}  // namespace berth::client
