// The wire to an API server: HTTP/2 over TLS, all requests on one connection, or a few when there are very many.
// Internal to the real transport.
//
// Why not libcurl for this as well: a scheduler's requests are small and many at a time, and libcurl walks over all of
// them for each turn of each, so that a bind with its event takes twice the processor time; and with the two dozen
// libraries that it brings along it takes some 7 MB of memory.
//
// Requests that the server has certainly not looked at (it was going away, or refused the stream) are sent again; all
// others never: the server may have acted on them.
//
// A connection may be dead without a FIN or RST: a load balancer dropped its state, a cable was pulled. So when
// nothing has come for a while although a request waits, a PING is sent, which every server answers at once; if nothing
// comes then either, the connection is given up.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/base/function_ref.h"
#include "berth/client/endpoint.h"
#include "berth/client/http2_connection.h"
#include "berth/client/http_loop.h"
#include "berth/client/resolver.h"
#include "berth/client/server_address.h"
#include "berth/client/timer_queue.h"
#include "berth/client/wakeup_fd.h"
#include "berth/client/wire.h"

namespace berth::client {

class Http2Wire final : public Wire {
 public:
  // All outlive the wire.
  Http2Wire(const Endpoint& endpoint, const ServerAddress& address, const HttpLoop::Options& options,
            TimerQueue& timers, WireNews& news, const std::shared_ptr<WakeupFd>& wakeup);
  ~Http2Wire() override;
  Http2Wire(const Http2Wire&) = delete;
  Http2Wire& operator=(const Http2Wire&) = delete;

  void send(Transfer& transfer) override;
  void forget(Transfer& transfer) override;
  Response::Transfer judge(const Transfer& transfer) const override;
  void perform() override;
  void wait(std::span<pollfd> files, Duration at_most) override;

 private:
  struct Line {
    std::unique_ptr<Http2Connection> connection;
    Instant deadline;   // for being open
    TimerId timer = 0;  // while it is connecting
    short events = 0;   // that the last poll() found
  };

  // Puts waiting streams on connections, makes connections for those that have none, and tells of what has ended.
  void settle();
  bool place_waiting();
  const Http2Stream* first_without_connection() const;
  // Requires: there is one without.
  void connect(const SocketAddresses& addresses);
  void fail_waiting(const std::string& why, FunctionRef<bool(const Identity&)> applies_to);
  void set_connecting_timer(Line& line);
  void check_connecting(const Http2Connection* connection);
  // False if all was told already.
  bool take_ended();
  void tell(const Http2Connection::Ended& ended);
  bool remove_closed();
  bool is_needed(const Http2Connection& connection) const;
  // One that a request which waits for this one can take when there is room.
  bool is_another_open(const Http2Connection& connection) const;
  void fail_to_connect(const Http2Connection& connection);

  void check_silence();
  void look_at_silence(Http2Connection& connection);

  std::vector<Header> headers_of(const Transfer& transfer) const;

  const Endpoint& endpoint_;
  const ServerAddress& address_;
  const HttpLoop::Options& options_;
  TimerQueue& timers_;
  WireNews& news_;
  const std::string certificate_name_;
  Resolver resolver_;

  std::unordered_map<RequestId, std::unique_ptr<Http2Stream>> streams_;
  std::deque<Http2Stream*> waiting_;  // for a connection
  std::vector<Line> lines_;
  std::shared_ptr<const Identity> latest_;
  TimerId silence_timer_ = 0;
  TimerId pause_timer_ = 0;  // set: no further connection is made for now
  std::vector<pollfd> polled_;
};

}  // namespace berth::client
