// Dead connections that look alive: a load balancer forgot about them, a cable was pulled. TCP finds that out only when
// there is something to send, and never if a proxy in between acknowledges what it will not pass on. With HTTP/1.1 a
// request's time-out ends its connection, but with HTTP/2 the connection would stay and swallow the next request.
//
// So when nothing at all has come over a connection for a while although somebody waits there, a request is made on it
// that every API server answers at once; if not even that moves anything, the connection is shut down, and libcurl ends
// all that was on it. Go's HTTP/2 client does the same with pings, which libcurl cannot send here.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berth/client/curl_worker.h"

namespace berth::client {

namespace {

constexpr std::string_view kProbePath = "/livez";

// How long ago the last byte came over the connection.
std::optional<Duration> silence_of(curl_socket_t fd) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  return Duration::milliseconds(info.tcpi_last_data_recv);
}

}  // namespace

// Keeps a timer going as long as there are requests.
void CurlWorker::check_connections() {
  if (connections_timer_ != 0 || options_.silence_of_answers <= Duration()) return;
  const Duration interval = Duration::nanoseconds(options_.silence_of_answers.nanoseconds() / 5);
  connections_timer_ = timers_.add(now() + interval, [this] {
    connections_timer_ = 0;
    if (transfers_.empty()) return;
    const bool may_probe = speaks_http2_ && probe_ == 0 && now() >= next_probe_at_;
    if (const curl_socket_t fd = may_probe ? silent_connection() : CURL_SOCKET_BAD; fd != CURL_SOCKET_BAD) {
      start_probe(fd);
    }
    check_connections();
  });
}

curl_socket_t CurlWorker::silent_connection() const {
  // The silence that is too long for what goes on there, per connection.
  std::map<curl_socket_t, Duration> allowed;
  for (const auto& [id, transfer] : transfers_) {
    const curl_socket_t fd = handles_.connection_at(transfer->local_port);
    if (fd == CURL_SOCKET_BAD) continue;
    const bool is_waited_for = !transfer->is_stream() && now() - transfer->started_at >= options_.silence_of_answers;
    Duration& limit = allowed.try_emplace(fd, options_.silence_of_streams).first->second;
    if (is_waited_for) limit = std::min(limit, options_.silence_of_answers);
  }
  for (const auto& [fd, limit] : allowed) {
    if (const auto silence = silence_of(fd); silence && *silence >= limit) return fd;
  }
  return CURL_SOCKET_BAD;
}

void CurlWorker::start_probe(curl_socket_t fd) {
  Request request;
  request.path = kProbePath;
  request.timeout = Duration();
  probe_ = start(std::move(request), [this](const Response& /*whatever it says*/) {
    probe_ = 0;
    timers_.remove(probe_timer_);
  });
  // Should it take another connection, this one stays silent: do not ask all the time.
  next_probe_at_ = now() + options_.silence_of_answers;
  transfers_.at(probe_)->is_retry = true;  // a 401 is a sign of life as well
  probe_timer_ = timers_.add(now() + options_.sign_of_life_timeout, [this, fd] { give_up_connection(fd); });
}

void CurlWorker::give_up_connection(curl_socket_t fd) {
  const auto found = transfers_.find(probe_);
  const curl_socket_t probed =
      found == transfers_.end() ? CURL_SOCKET_BAD : handles_.connection_at(found->second->local_port);
  cancel(probe_);
  probe_ = 0;
  if (probed != fd) return;  // it took another connection and says nothing about this one
  if (const auto silence = silence_of(fd); !silence || *silence < options_.sign_of_life_timeout) return;
  if (options_.warn) options_.warn(address_.authority() + ": the connection is dead; making a new one");
  ::shutdown(fd, SHUT_RDWR);
}

}  // namespace berth::client
