// Counts requests to the API server under client-go's names: rest_client_requests_total, and histograms of durations
// and sizes. A transport in front of the real one; the counts may be read from any thread.
#pragma once

#include <array>
#include <cstddef>
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
  explicit RestCounts(std::string host) : host_(std::move(host)) {}

  // `status` 0: there was no answer.
  void count(client::Method method, int status);
  void observe(client::Method method, Duration took, std::size_t sent_bytes, std::size_t received_bytes);

  void write(MetricText& text) const;

 private:
  static constexpr std::size_t kMaxBuckets = 13;  // the last is for what is above all bounds
  struct Histogram {
    std::array<std::uint64_t, kMaxBuckets> buckets{};
    double sum = 0;
    std::uint64_t count = 0;
  };
  using Histograms = std::map<std::string, Histogram>;  // by method
  struct Family;
  static const Family kDurations;
  static const Family kRequestSizes;
  static const Family kResponseSizes;

  static void add(const Family& family, Histogram& to, double value);
  void write(const Family& family, const Histograms& histograms, MetricText& text) const;

  const std::string host_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> requests_;  // by code and method
  Histograms durations_;
  Histograms request_sizes_;
  Histograms response_sizes_;
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
