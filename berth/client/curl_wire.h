// The wire for servers that are not reached directly by HTTP/2 over TLS: libcurl's multi interface. Internal to the
// real transport.
//
// libcurl calls back from deep inside itself, where its own functions must not be called. So these callbacks only store
// what came.
//
// Dead connections that look alive: a load balancer forgot about them, a cable was pulled. TCP finds that out only when
// there is something to send, and never if a proxy in between acknowledges what it will not pass on. With HTTP/1.1 a
// request's time-out ends its connection, but with HTTP/2 through a proxy the connection would stay and swallow the
// next request. So when nothing at all has come over such a connection for a while although a request waits there, a
// request is made on it that every API server answers at once; if not even that moves anything, the connection is shut
// down, and libcurl ends all that was on it. (libcurl cannot send HTTP/2's own pings here.)
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/client/curl_handles.h"
#include "berth/client/curl_library.h"
#include "berth/client/endpoint.h"
#include "berth/client/http_loop.h"
#include "berth/client/server_address.h"
#include "berth/client/timer_queue.h"
#include "berth/client/wire.h"

namespace berth::client {

// Headers as libcurl wants them, in one piece of memory per header.
class HeaderList {
 public:
  void add(std::string_view name, std::string_view value);
  // Keeps libcurl from sending its own header of that name.
  void suppress(std::string_view name);
  // Valid as long as this object and until the next add().
  const curl_slist* get();

 private:
  std::vector<std::string> lines_;
  std::vector<curl_slist> nodes_;
};

class CurlWire final : public Wire {
 public:
  // All outlive the wire.
  CurlWire(const CurlLibrary& curl, const Endpoint& endpoint, const ServerAddress& address,
           const HttpLoop::Options& options, TimerQueue& timers, WireNews& news);
  ~CurlWire() override;
  CurlWire(const CurlWire&) = delete;
  CurlWire& operator=(const CurlWire&) = delete;

  void send(Transfer& transfer) override;
  void forget(Transfer& transfer) override;
  Response::Transfer judge(const Transfer& transfer) const override;
  void perform() override;
  void wait(std::span<pollfd> files, Duration at_most) override;

 private:
  // A transfer while libcurl is at it.
  struct Sending {
    Sending(CurlWire& its_wire, Transfer& its_transfer) : wire(its_wire), transfer(its_transfer) {}

    CurlWire& wire;
    Transfer& transfer;
    CURL* handle = nullptr;
    HeaderList headers;
    std::size_t body_sent = 0;
    int local_port = 0;  // of the connection that it is on, which is how it is known; 0 while there is none
    bool is_too_long = false;
    std::array<char, CURL_ERROR_SIZE> error{};
  };

  void set_request(Sending& sending) const;
  // Takes it from libcurl. A handle whose transfer failed is not used again.
  void detach(RequestId request, bool is_whole);
  void finish(Sending& sending, CURLcode code);
  std::string describe(const Sending& sending, CURLcode code) const;

  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* sending);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* sending);
  static std::size_t on_send(char* buffer, std::size_t size, std::size_t count, void* sending);
  static int on_connected(void* sending, char* remote, char* local, int remote_port, int local_port);

  void check_connections();
  curl_socket_t silent_connection() const;
  void start_probe(curl_socket_t fd);
  void give_up_connection(curl_socket_t fd);
  void end_probe();

  const CurlLibrary& curl_;
  const ServerAddress& address_;
  const HttpLoop::Options& options_;
  TimerQueue& timers_;
  WireNews& news_;
  const bool is_renamed_;  // the URL has the name that the certificate is for
  CurlHandles handles_;
  CURLM* multi_ = nullptr;
  std::unordered_map<RequestId, std::unique_ptr<Sending>> sending_;

  TimerId connections_timer_ = 0;
  std::unique_ptr<Transfer> probe_;  // has the id 0
  TimerId probe_timer_ = 0;
  Instant next_probe_at_;
  bool speaks_http2_ = false;
};

}  // namespace berth::client
