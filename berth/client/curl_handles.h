// libcurl's easy handles, set up for one server: kept and reused, since setting one up costs more than a small request.
// Internal to the real transport (http_loop.cc).
//
// Not thread safe. Must outlive the multi handle that the handles were used with, which closes connections at its end.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/base/time.h"
#include "berth/client/credential_source.h"
#include "berth/client/curl_library.h"
#include "berth/client/endpoint.h"
#include "berth/client/server_address.h"

namespace berth::client {

class CurlHandles {
 public:
  // `curl` outlives it.
  CurlHandles(const CurlLibrary& curl, const Endpoint& endpoint, ServerAddress address, std::string user_agent,
              Duration connect_timeout);
  ~CurlHandles();
  CurlHandles(const CurlHandles&) = delete;
  CurlHandles& operator=(const CurlHandles&) = delete;

  // One that connects as `identity`, which must live until the handle is given back. Null if memory is out.
  CURL* take(const std::shared_ptr<const Identity>& identity);
  // One whose transfer failed may remember too much of it, and is not used again.
  void give_back(CURL* handle, const std::shared_ptr<const Identity>& identity, bool is_clean);

  // The open connection with that port at our end; CURL_SOCKET_BAD if there is none.
  curl_socket_t connection_at(int local_port) const;

 private:
  // Watches have a handle each; more than these are not worth keeping.
  static constexpr std::size_t kMaxIdle = 128;

  struct Idle {
    CURL* handle = nullptr;
    // What the handle's options point to.
    std::shared_ptr<const Identity> identity;
  };

  CURL* make() const;
  void set_tls(CURL* handle) const;
  void set_proxy(CURL* handle) const;

  const CurlLibrary& curl_;
  TlsSettings tls_;
  bool has_own_proxy_;  // that of the kubeconfig, whatever the environment says
  std::string proxy_;   // empty: none
  bool disable_compression_;
  ServerAddress address_;
  std::string user_agent_;
  Duration connect_timeout_;
  // Where to connect to in place of the host in the URL.
  curl_slist* connect_to_ = nullptr;
  std::vector<Idle> idle_;
  // Of all connections. libcurl's functions to open and close them change it.
  std::unique_ptr<std::vector<curl_socket_t>> sockets_ = std::make_unique<std::vector<curl_socket_t>>();
  std::size_t busy_ = 0;
};

}  // namespace berth::client
