// Counts requests to the API server under client-go's names: rest_client_requests_total and
// rest_client_request_duration_seconds. A transport in front of the real one; the counts may be read from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/daemon/component_metrics.h"

namespace berth::daemon {

class RestCounts {
 public:
  // Upper ends of the buckets, in seconds.
  static constexpr std::array<double, 12> kBounds = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};

  explicit RestCounts(std::string host) : host_(std::move(host)) {}

  // `status` 0: there was no answer.
  void count(client::Method method, int status);
  void observe(client::Method method, Duration took);

  void write(MetricText& text) const;

 private:
  struct Histogram {
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
    double sum = 0;
    std::uint64_t count = 0;
  };
  const std::string host_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> requests_;  // by code and method
  std::map<std::string, Histogram> durations_;                             // by method
};

// All three outlive it.
class CountedTransport final : public client::Transport {
 public:
  CountedTransport(client::Loop& loop, client::Transport& inner, RestCounts& counts)
      : loop_(loop), inner_(inner), counts_(counts) {}

  client::RequestId start(client::Request request, std::function<void(client::Response)> on_end) override;
  // Counted when the answer begins; how long a watch lasts says nothing.
  client::RequestId start_stream(client::Request request, client::StreamHandler handler) override;
  void cancel(client::RequestId request) override { inner_.cancel(request); }

 private:
  client::Loop& loop_;
  client::Transport& inner_;
  RestCounts& counts_;
};

}  // namespace berth::daemon
