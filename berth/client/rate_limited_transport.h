// Keeps to a number of requests per second, with a burst on top: clientConnection.qps and burst, where they are set. A
// token bucket in front of another transport; what comes too early waits in line.
//
// The time in line does not count towards a request's time-out. As every transport, for the loop's thread only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"

namespace berth::client {

class RateLimitedTransport final : public Transport {
 public:
  // Requires: qps > 0, burst > 0. The loop and the transport must outlive this.
  RateLimitedTransport(Loop& loop, Transport& next, double qps, int burst)
      : loop_(loop), next_(next), qps_(qps), burst_(burst), tokens_(burst), filled_at_(loop.now()) {
    BERTH_CHECK(qps > 0 && burst > 0, "{} requests per second, {} at once", qps, burst);
  }
  ~RateLimitedTransport() override { loop_.cancel_timer(timer_); }
  RateLimitedTransport(const RateLimitedTransport&) = delete;
  RateLimitedTransport& operator=(const RateLimitedTransport&) = delete;

  RequestId start(Request request, std::function<void(Response)> on_end) override {
    const RequestId id = ++last_id_;
    return admit(id, [this, id, request = std::move(request), on_end = std::move(on_end)]() mutable {
      return next_.start(std::move(request), [this, id, on_end = std::move(on_end)](Response response) {
        started_.erase(id);
        on_end(std::move(response));
      });
    });
  }

  RequestId start_stream(Request request, StreamHandler handler) override {
    const RequestId id = ++last_id_;
    handler.on_end = [this, id, on_end = std::move(handler.on_end)](const Response& response) {
      started_.erase(id);
      on_end(response);
    };
    return admit(id, [this, request = std::move(request), handler = std::move(handler)]() mutable {
      return next_.start_stream(std::move(request), std::move(handler));
    });
  }

  void cancel(RequestId request) override {
    std::erase_if(line_, [&](const Waiting& waiting) { return waiting.id == request; });
    const auto found = started_.find(request);
    if (found == started_.end()) return;
    const RequestId inner = found->second;
    started_.erase(found);
    next_.cancel(inner);
  }

  std::size_t waiting() const { return line_.size(); }

 private:
  struct Waiting {
    RequestId id;
    std::function<RequestId()> send;
  };

  RequestId admit(RequestId id, std::function<RequestId()> send) {
    line_.push_back({id, std::move(send)});
    if (timer_ == 0) serve_line();
    return id;
  }

  void serve_line() {
    timer_ = 0;
    const Instant now = loop_.now();
    tokens_ = std::min(static_cast<double>(burst_), tokens_ + (now - filled_at_).in_seconds() * qps_);
    filled_at_ = now;
    // A hair below one is one: the timer that waited for it counts in whole nanoseconds.
    constexpr double kWhole = 1 - 1e-6;
    while (!line_.empty() && tokens_ >= kWhole) {
      tokens_ -= 1;
      Waiting first = std::move(line_.front());
      line_.pop_front();
      started_.emplace(first.id, first.send());
    }
    if (line_.empty()) return;
    const auto wait = static_cast<std::int64_t>(std::ceil((1 - tokens_) / qps_ * 1e9));
    timer_ = loop_.after(Duration::nanoseconds(wait), [this] { serve_line(); });
  }

  Loop& loop_;
  Transport& next_;
  const double qps_;
  const int burst_;
  double tokens_;
  Instant filled_at_;
  TimerId timer_ = 0;
  RequestId last_id_ = 0;
  std::deque<Waiting> line_;
  // The other transport's names for the requests that have been passed on.
  std::unordered_map<RequestId, RequestId> started_;
};

}  // namespace berth::client
