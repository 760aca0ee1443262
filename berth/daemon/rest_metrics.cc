#include "berth/daemon/rest_metrics.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

namespace berth::daemon {

namespace {

// The upper end of a bucket, as a number and as Go writes it in a label.
struct Bound {
  double value;
  std::string_view text;
};
constexpr std::array<Bound, 12> kSeconds = {{{0.005, "0.005"},
                                             {0.025, "0.025"},
                                             {0.1, "0.1"},
                                             {0.25, "0.25"},
                                             {0.5, "0.5"},
                                             {1, "1"},
                                             {2, "2"},
                                             {4, "4"},
                                             {8, "8"},
                                             {15, "15"},
                                             {30, "30"},
                                             {60, "60"}}};
constexpr std::array<Bound, 11> kBytes = {{{64, "64"},
                                           {256, "256"},
                                           {512, "512"},
                                           {1024, "1024"},
                                           {4096, "4096"},
                                           {16384, "16384"},
                                           {65536, "65536"},
                                           {262144, "262144"},
                                           {1048576, "1.048576e+06"},
                                           {4194304, "4.194304e+06"},
                                           {16777216, "1.6777216e+07"}}};

}  // namespace

struct RestCounts::Family {
  std::string_view name;
  std::string_view help;
  std::span<const Bound> bounds;  // fewer than kMaxBuckets
};

constexpr RestCounts::Family RestCounts::kDurations = {
    "rest_client_request_duration_seconds", "Request latency in seconds. Broken down by verb, and host.", kSeconds};
constexpr RestCounts::Family RestCounts::kRequestSizes = {
    "rest_client_request_size_bytes", "Request size in bytes. Broken down by verb and host.", kBytes};
constexpr RestCounts::Family RestCounts::kResponseSizes = {
    "rest_client_response_size_bytes", "Response size in bytes. Broken down by verb and host.", kBytes};

void RestCounts::count(client::Method method, int status) {
  const std::string code = status == 0 ? "<error>" : std::to_string(status);
  const std::lock_guard lock(mutex_);
  ++requests_[{code, std::string(to_string(method))}];
}

void RestCounts::observe(client::Method method, Duration took, std::size_t sent_bytes, std::size_t received_bytes) {
  const std::string verb(to_string(method));
  const std::lock_guard lock(mutex_);
  add(kDurations, durations_[verb], took.in_seconds());
  add(kRequestSizes, request_sizes_[verb], static_cast<double>(sent_bytes));
  add(kResponseSizes, response_sizes_[verb], static_cast<double>(received_bytes));
}

void RestCounts::add(const Family& family, Histogram& to, double value) {
  const auto bucket = std::ranges::lower_bound(family.bounds, value, {}, &Bound::value) - family.bounds.begin();
  ++to.buckets[static_cast<std::size_t>(bucket)];
  ++to.count;
  to.sum += value;
}

void RestCounts::write(const Family& family, const Histograms& histograms, MetricText& text) const {
  if (histograms.empty()) return;
  text.family(family.name, engine::MetricType::kHistogram, engine::Stability::kAlpha, family.help);
  for (const auto& [verb, histogram] : histograms) {
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < family.bounds.size(); ++i) {
      so_far += histogram.buckets[i];
      text.sample({{"host", host_}, {"verb", verb}, {"le", family.bounds[i].text}}, static_cast<double>(so_far),
                  "_bucket");
    }
    text.sample({{"host", host_}, {"verb", verb}, {"le", "+Inf"}}, static_cast<double>(histogram.count), "_bucket");
    text.sample({{"host", host_}, {"verb", verb}}, histogram.sum, "_sum");
    text.sample({{"host", host_}, {"verb", verb}}, static_cast<double>(histogram.count), "_count");
  }
}

void RestCounts::write(MetricText& text) const {
  const std::lock_guard lock(mutex_);
  write(kDurations, durations_, text);
  write(kRequestSizes, request_sizes_, text);
  if (!requests_.empty()) {
    text.family("rest_client_requests_total", engine::MetricType::kCounter, engine::Stability::kAlpha,
                "Number of HTTP requests, partitioned by status code, method, and host.");
  }
  for (const auto& [key, count] : requests_) {
    text.sample({{"code", key.first}, {"host", host_}, {"method", key.second}}, static_cast<double>(count));
  }
  write(kResponseSizes, response_sizes_, text);
}

client::RequestId CountedTransport::start(client::Request request, std::function<void(client::Response)> on_end) {
  const client::Method method = request.method;
  const std::size_t size = request.body.size();
  const Instant began = loop_.now();
  return inner_.start(std::move(request),
                      [this, method, size, began, on_end = std::move(on_end)](client::Response response) {
                        counts_.count(method, response.status);
                        counts_.observe(method, loop_.now() - began, size, response.body.size());
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
