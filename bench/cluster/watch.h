// Watches pods being bound, and when. A pod is bound when the API server says so, whoever did it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/http_loop.h"
#include "berth/codec/protobuf.h"

namespace berth::bench {

class BindWatch {
 public:
  // Sees every change from the moment that this returns.
  static Result<std::unique_ptr<BindWatch>> start(client::HttpLoop& loop);
  ~BindWatch();
  BindWatch(const BindWatch&) = delete;
  BindWatch& operator=(const BindWatch&) = delete;

  // Until so many pods were bound, or the time is over, or the watch broke. Returns how many were.
  std::size_t wait(std::size_t pods, Duration at_most);
  // By name, when the news came, on the loop's clock.
  std::map<std::string, Instant> bound() const;

 private:
  explicit BindWatch(client::HttpLoop& loop) : loop_(loop), frames_(codec::DecodeOptions{}) {}
  void open(const std::string& resource_version);
  void take(std::string_view piece);

  client::HttpLoop& loop_;
  client::RequestId request_ = 0;
  codec::WatchFrames frames_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Instant> bound_;
  bool is_over_ = false;
};

// What a run came to.
struct Rate {
  std::size_t pods = 0;
  double per_second = 0;  // of the middle 90 %
  double seconds = 0;     // from the first to the last
};
Rate rate_of(const std::map<std::string, Instant>& bound);

// The q-th part of the sorted values; 0 of none.
double quantile(const std::vector<double>& sorted, double q);

}  // namespace berth::bench
