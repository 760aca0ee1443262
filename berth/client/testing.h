// A loop of virtual time and a transport whose answers the test gives: for tests of everything in between.
//
//   FakeLoop loop;
//   FakeTransport transport(loop);
//   Reflector reflector(loop, transport, ...);
//   loop.run();                                     // what is due now
//   transport.last().path;                          // what was asked
//   transport.answer(transport.last().id, 200, body);
//   loop.advance(Duration::seconds(30));            // timers run in their order
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/check.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"

namespace berth::client {

class FakeLoop final : public Loop {
 public:
  Instant now() const override { return now_; }
  Instant wall_now() const override { return now_ + wall_clock_offset; }
  TimerId after(Duration delay, std::function<void()> fn) override {
    const Instant at = delay > Duration() ? now_ + delay : now_;
    timers_.emplace(std::pair{at, ++last_timer_}, std::move(fn));
    return last_timer_;
  }
  void cancel_timer(TimerId timer) override {
    std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; });
  }
  void post(std::function<void()> fn) override { after(Duration(), std::move(fn)); }

  // Runs what is due at now(), and what that makes due.
  void run() { run_until(now_); }
  void advance(Duration by) { run_until(now_ + by); }
  // When the next timer is due; unset if there is none.
  Instant next_timer() const { return timers_.empty() ? Instant() : timers_.begin()->first.first; }

  Duration wall_clock_offset;

 private:
  void run_until(Instant end) {
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      auto entry = timers_.extract(timers_.begin());
      now_ = std::max(now_, entry.key().first);
      entry.mapped()();
    }
    now_ = end;
  }

  Instant now_ = Instant::from_unix_seconds(1'800'000'000);
  TimerId last_timer_ = 0;
  std::map<std::pair<Instant, TimerId>, std::function<void()>> timers_;
};

class FakeTransport final : public Transport {
 public:
  struct Started {
    RequestId id = 0;
    Request request;
    StreamHandler handler;
    bool is_stream = false;
  };

  explicit FakeTransport(Loop& loop) : loop_(loop) {}

  RequestId start(Request request, std::function<void(Response)> on_end) override {
    return add(std::move(request), {.on_begin = {}, .on_piece = {}, .on_end = std::move(on_end)}, false);
  }
  RequestId start_stream(Request request, StreamHandler handler) override {
    return add(std::move(request), std::move(handler), true);
  }
  void cancel(RequestId request) override { open_.erase(request); }

  // Requests that have not ended, oldest first.
  std::vector<const Started*> open() const {
    std::vector<const Started*> result;
    for (const auto& [id, started] : open_) result.push_back(&started);
    return result;
  }
  // Requires: one is open.
  const Started& last() const {
    BERTH_CHECK(!open_.empty(), "no request is open");
    return open_.rbegin()->second;
  }
  // The oldest open one whose path contains this; null if there is none.
  const Started* find(std::string_view in_path) const {
    for (const auto& [id, started] : open_) {
      if (started.request.path.find(in_path) != std::string::npos) return &started;
    }
    return nullptr;
  }
  // "GET /api/v1/pods" of every request ever started, in order.
  const std::vector<std::string>& log() const { return log_; }

  // All of these call back when the loop runs next.
  void answer(RequestId id, int status, std::string body = {}, std::vector<Header> headers = {}) {
    Response response;
    response.status = status;
    response.body = std::move(body);
    response.headers = std::move(headers);
    end(id, std::move(response));
  }
  void break_off(RequestId id, Response::Transfer how, std::string error = "connection reset by peer") {
    Response response;
    response.transfer = how;
    response.error = std::move(error);
    end(id, std::move(response));
  }
  // Of a stream: its status, then its pieces, then answer() or break_off() to end it.
  void begin(RequestId id, int status = 200) {
    later(id, [status](Started& started) {
      if (started.handler.on_begin) started.handler.on_begin(status);
    });
  }
  void piece(RequestId id, std::string bytes) {
    later(id, [bytes = std::move(bytes)](Started& started) { started.handler.on_piece(bytes); });
  }

 private:
  RequestId add(Request request, StreamHandler handler, bool is_stream) {
    const RequestId id = ++last_id_;
    log_.push_back(std::string(to_string(request.method)) + " " + request.path);
    open_.emplace(id, Started{id, std::move(request), std::move(handler), is_stream});
    return id;
  }
  void later(RequestId id, std::function<void(Started&)> fn) {
    loop_.post([this, id, fn = std::move(fn)] {
      // A copy, since the callback may cancel the request.
      if (const auto found = open_.find(id); found != open_.end()) {
        Started started = found->second;
        fn(started);
      }
    });
  }
  void end(RequestId id, Response response) {
    loop_.post([this, id, response = std::move(response)] {
      auto node = open_.extract(id);
      if (!node.empty()) node.mapped().handler.on_end(response);
    });
  }

  Loop& loop_;
  RequestId last_id_ = 0;
  std::map<RequestId, Started> open_;
  std::vector<std::string> log_;
};

}  // namespace berth::client
