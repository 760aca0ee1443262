#include "berth/client/curl_handles.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "berth/base/check.h"
#include "berth/client/proxy.h"
#include "berth/client/system_ca.h"

namespace berth::client {

namespace {

// A server that acknowledges nothing for so long is gone; Linux alone would go on for a quarter of an hour.
constexpr unsigned kUnacknowledgedMs = 30'000;
constexpr long kKeepAliveSeconds = 15;
// The least that libcurl takes. Requests are small; each that is on its way has such a buffer.
constexpr long kUploadBufferBytes = 16 * 1024;

using Sockets = std::vector<curl_socket_t>;

curl_socket_t open_socket(void* sockets, curlsocktype /*purpose*/, curl_sockaddr* address) {
  const int fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd >= 0 && address->socktype == SOCK_STREAM && (address->family == AF_INET || address->family == AF_INET6)) {
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMs, sizeof(kUnacknowledgedMs));
  }
  if (fd >= 0) static_cast<Sockets*>(sockets)->push_back(fd);
  return fd;
}

int close_socket(void* sockets, curl_socket_t fd) {
  std::erase(*static_cast<Sockets*>(sockets), fd);
  return ::close(fd);
}

int local_port_of(curl_socket_t fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  switch (address.ss_family) {
    case AF_INET: return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
    case AF_INET6: return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
    default: return 0;
  }
}

// Without copying: the identity outlives the transfer.
void set_blob(const CurlLibrary& curl, CURL* handle, CURLoption option, const std::string& text) {
  curl_blob blob{.data = const_cast<char*>(text.data()), .len = text.size(), .flags = CURL_BLOB_NOCOPY};
  curl.easy_setopt(handle, option, text.empty() ? nullptr : &blob);
}

void set_identity(const CurlLibrary& curl, CURL* handle, const Identity& identity) {
  set_blob(curl, handle, CURLOPT_SSLCERT_BLOB, identity.certificate);
  set_blob(curl, handle, CURLOPT_SSLKEY_BLOB, identity.key);
  if (!identity.ca.empty()) {
    set_blob(curl, handle, CURLOPT_CAINFO_BLOB, identity.ca);
    // The cluster's own CA stands in place of the machine's, not beside it.
    curl.easy_setopt(handle, CURLOPT_CAPATH, nullptr);
  } else if (const std::string bundle = system_ca_bundle(); !bundle.empty()) {
    curl.easy_setopt(handle, CURLOPT_CAINFO, bundle.c_str());
  }
}

}  // namespace

CurlHandles::CurlHandles(const CurlLibrary& curl, const Endpoint& endpoint, ServerAddress address,
                         std::string user_agent, Duration connect_timeout)
    : curl_(curl),
      tls_(endpoint.tls),
      has_own_proxy_(!endpoint.proxy_url.empty()),
      proxy_(proxy_for_curl(has_own_proxy_ ? endpoint.proxy_url : proxy_of_environment(address))),
      disable_compression_(endpoint.disable_compression),
      address_(std::move(address)),
      user_agent_(std::move(user_agent)),
      connect_timeout_(connect_timeout) {
  if (address_.is_tls && !tls_.server_name.empty()) {
    // The name in the URL is the one that the certificate is checked for.
    connect_to_ = curl_.slist_append(
        nullptr, fmt::format("{}:{}:{}:{}", tls_.server_name, address_.port, address_.host, address_.port).c_str());
  }
}

CurlHandles::~CurlHandles() {
  BERTH_CHECK(busy_ == 0, "{} requests are on their way", busy_);
  for (const Idle& idle : idle_) curl_.easy_cleanup(idle.handle);
  curl_.slist_free_all(connect_to_);
}

void CurlHandles::set_tls(CURL* handle) const {
  curl_.easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_.easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, tls_.insecure_skip_verify ? 0L : 1L);
  curl_.easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, tls_.insecure_skip_verify ? 0L : 2L);
  curl_.easy_setopt(handle, CURLOPT_SSLCERTTYPE, "PEM");
  curl_.easy_setopt(handle, CURLOPT_SSLKEYTYPE, "PEM");
  // Many requests share one connection; while it is being made, others wait for it instead of making their own.
  curl_.easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_.easy_setopt(handle, CURLOPT_PIPEWAIT, 1L);
}

void CurlHandles::set_proxy(CURL* handle) const {
  curl_.easy_setopt(handle, CURLOPT_PROXY, proxy_.c_str());  // if empty, keeps libcurl from looking itself
  if (has_own_proxy_) {
    curl_.easy_setopt(handle, CURLOPT_NOPROXY, "");
    curl_.easy_setopt(handle, CURLOPT_HTTPPROXYTUNNEL, address_.is_tls ? 1L : 0L);
  }
  curl_.easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

CURL* CurlHandles::make() const {
  CURL* handle = curl_.easy_init();
  if (handle == nullptr) return nullptr;
  curl_.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_.easy_setopt(handle, CURLOPT_USERAGENT, user_agent_.c_str());
  curl_.easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout_.nanoseconds() / 1'000'000));
  curl_.easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_.easy_setopt(handle, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  curl_.easy_setopt(handle, CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
  curl_.easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, kUploadBufferBytes);
  curl_.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  curl_.easy_setopt(handle, CURLOPT_OPENSOCKETDATA, sockets_.get());
  curl_.easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, &close_socket);
  curl_.easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, sockets_.get());
  if (!disable_compression_) curl_.easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "gzip");
  if (connect_to_ != nullptr) curl_.easy_setopt(handle, CURLOPT_CONNECT_TO, connect_to_);
  if (address_.is_tls) {
    set_tls(handle);
  } else {
    curl_.easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  }
  set_proxy(handle);
  return handle;
}

CURL* CurlHandles::take(const std::shared_ptr<const Identity>& identity) {
  Idle chosen;
  if (idle_.empty()) {
    chosen.handle = make();
    if (chosen.handle == nullptr) return nullptr;
  } else {
    chosen = std::move(idle_.back());
    idle_.pop_back();
  }
  if (chosen.identity != identity && address_.is_tls) set_identity(curl_, chosen.handle, *identity);
  ++busy_;
  return chosen.handle;
}

curl_socket_t CurlHandles::connection_at(int local_port) const {
  if (local_port == 0) return CURL_SOCKET_BAD;
  const auto found = std::ranges::find(*sockets_, local_port, local_port_of);
  return found == sockets_->end() ? CURL_SOCKET_BAD : *found;
}

void CurlHandles::give_back(CURL* handle, const std::shared_ptr<const Identity>& identity, bool is_clean) {
  BERTH_CHECK(busy_ > 0, "no handle is out");
  --busy_;
  if (!is_clean || idle_.size() >= kMaxIdle) {
    curl_.easy_cleanup(handle);
  } else {
    idle_.push_back({.handle = handle, .identity = identity});
  }
}

}  // namespace berth::client
