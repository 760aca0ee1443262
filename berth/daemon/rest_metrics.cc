#include "berth/daemon/rest_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace berth::daemon {

void RestCounts::count(client::Method method, int status) {
  const std::string code = status == 0 ? "<error>" : std::to_string(status);
  const std::lock_guard lock(mutex_);
  ++requests_[{code, std::string(to_string(method))}];
}

void RestCounts::observe(client::Method method, Duration took) {
  const double seconds = took.in_seconds();
  const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin());
  const std::lock_guard lock(mutex_);
  Histogram& histogram = durations_[std::string(to_string(method))];
  ++histogram.buckets[bucket];
  ++histogram.count;
  histogram.sum += seconds;
}

void RestCounts::write(MetricText& text) const {
  const std::lock_guard lock(mutex_);
  if (!durations_.empty()) {
    text.family("rest_client_request_duration_seconds", engine::MetricType::kHistogram, engine::Stability::kAlpha,
                "Request latency in seconds. Broken down by verb, and host.");
  }
  for (const auto& [verb, histogram] : durations_) {
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      so_far += histogram.buckets[i];
      text.sample({{"host", host_}, {"verb", verb}, {"le", fmt::format("{}", kBounds[i])}}, static_cast<double>(so_far),
                  "_bucket");
    }
    text.sample({{"host", host_}, {"verb", verb}, {"le", "+Inf"}}, static_cast<double>(histogram.count), "_bucket");
    text.sample({{"host", host_}, {"verb", verb}}, histogram.sum, "_sum");
    text.sample({{"host", host_}, {"verb", verb}}, static_cast<double>(histogram.count), "_count");
  }
  if (!requests_.empty()) {
    text.family("rest_client_requests_total", engine::MetricType::kCounter, engine::Stability::kAlpha,
                "Number of HTTP requests, partitioned by status code, method, and host.");
  }
  for (const auto& [key, count] : requests_) {
    text.sample({{"code", key.first}, {"host", host_}, {"method", key.second}}, static_cast<double>(count));
  }
}

client::RequestId CountedTransport::start(client::Request request, std::function<void(client::Response)> on_end) {
  const client::Method method = request.method;
  const Instant began = loop_.now();
  return inner_.start(std::move(request), [this, method, began, on_end = std::move(on_end)](client::Response response) {
    counts_.count(method, response.status);
    counts_.observe(method, loop_.now() - began);
    on_end(std::move(response));
  });
}

client::RequestId CountedTransport::start_stream(client::Request request, client::StreamHandler handler) {
  const client::Method method = request.method;
  // Answers other than 2xx may come without a beginning.
  const auto is_counted = std::make_shared<bool>(false);
  client::StreamHandler counted = handler;
  counted.on_begin = [this, method, is_counted, on_begin = handler.on_begin](int status) {
    *is_counted = true;
    counts_.count(method, status);
    if (on_begin) on_begin(status);
  };
  counted.on_end = [this, method, is_counted, on_end = handler.on_end](const client::Response& response) {
    if (!*is_counted) counts_.count(method, response.status);
    on_end(response);
  };
  return inner_.start_stream(std::move(request), std::move(counted));
}

}  // namespace berth::daemon
