// The real loop and transport: one thread that moves the bytes of requests (wire.h), runs timers and whatever is posted
// to it.
//
//   auto loop = HttpLoop::make(endpoint, {.user_agent = "..."});
//   (*loop)->post([&] { (*loop)->start({.path = "/api/v1/nodes"}, [](Response response) { ... }); });
//
// Over TLS it speaks HTTP/2, and all requests share few connections; HTTP/1.1 where the server does not know better.
// Credentials that expire are renewed: files when they change, plugins when their answer ends, and both when the server
// answers 401, after which the request is made once more. Nothing secret is ever part of an error or a warning.
//
// Only post(), now(), wall_now() and the destructor may be called from other threads than the loop's own; from within a
// callback everything but the destructor may be called. After the destructor has returned no callback runs; what was
// posted and has not run is dropped.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/endpoint.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"

namespace berth::client {

class HttpWorker;

class HttpLoop final : public Loop, public Transport {
 public:
  struct Options {
    std::string user_agent = "berth";
    Duration connect_timeout = Duration::seconds(10);
    // With HTTP/2 one or two are in use; with HTTP/1.1 every watch takes one.
    int max_connections = 64;
    // How long a connection may be silent before it is probed with a PING, while a request is in flight on
    // it, and while there are only streams on it; and how long that may take. Zero: never ask.
    Duration silence_of_answers = Duration::seconds(5);
    Duration silence_of_streams = Duration::seconds(30);
    Duration sign_of_life_timeout = Duration::seconds(10);
    // Something is wrong that is no request's own affair, such as a token file that cannot be read any more. Called on
    // the loop's thread. May be empty.
    std::function<void(std::string_view)> warn = {};
  };

  // Reads the credentials and starts the thread; nothing is sent yet.
  static Result<std::unique_ptr<HttpLoop>> make(const Endpoint& endpoint, Options options);
  ~HttpLoop() override;
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  Instant now() const override;
  Instant wall_now() const override;
  TimerId after(Duration delay, std::function<void()> fn) override;
  void cancel_timer(TimerId timer) override;
  void post(std::function<void()> fn) override;

  RequestId start(Request request, std::function<void(Response)> on_end) override;
  RequestId start_stream(Request request, StreamHandler handler) override;
  void cancel(RequestId request) override;

 private:
  explicit HttpLoop(std::unique_ptr<HttpWorker> worker);

  std::unique_ptr<HttpWorker> worker_;
};

}  // namespace berth::client
