#include "bench/cluster/watch.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/client/api_error.h"
#include "berth/client/paths.h"

namespace berth::bench {

namespace {

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr double kLeftOutAtEachEnd = 0.05;

// Where the history is now.
Result<std::string> current_resource_version(client::HttpLoop& loop) {
  std::promise<client::Response> promise;
  auto answer = promise.get_future();
  loop.post([&] {
    client::Request request;
    request.path = client::with_query(client::path_of(api::kind_of<api::Pod>()), {{"limit", "1"}});
    request.accept = kProtobuf;
    loop.start(std::move(request), [&promise](client::Response response) { promise.set_value(std::move(response)); });
  });
  const client::Response response = answer.get();
  if (!response.is_success()) return fail(client::to_error("cannot list pods", client::api_error_of(response)));
  auto list = codec::list_from_protobuf(response.body);
  if (!list) return fail(std::move(list).error());
  return list->metadata.resource_version;
}

}  // namespace

Result<std::unique_ptr<BindWatch>> BindWatch::start(client::HttpLoop& loop) {
  auto version = current_resource_version(loop);
  if (!version) return fail(std::move(version).error());
  std::unique_ptr<BindWatch> watch(new BindWatch(loop));
  std::promise<void> opened;
  loop.post([&] {
    watch->open(*version);
    opened.set_value();
  });
  opened.get_future().get();
  return watch;
}

BindWatch::~BindWatch() {
  std::promise<void> closed;
  loop_.post([&] {
    loop_.cancel(request_);
    closed.set_value();
  });
  closed.get_future().get();
}

void BindWatch::open(const std::string& resource_version) {
  client::Request request;
  request.path = client::with_query(client::path_of(api::kind_of<api::Pod>()),
                                    {{"watch", "true"}, {"resourceVersion", resource_version}});
  request.accept = "application/vnd.kubernetes.protobuf;stream=watch";
  request.timeout = Duration();
  client::StreamHandler handler;
  handler.on_piece = [this](std::string_view piece) { take(piece); };
  handler.on_end = [this](const client::Response&) {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  };
  request_ = loop_.start_stream(std::move(request), std::move(handler));
}

void BindWatch::take(std::string_view piece) {
  const Instant now = loop_.now();
  frames_.append(piece);
  const std::scoped_lock lock(mutex_);
  for (auto event = frames_.next(); event && *event; event = frames_.next()) {
    const auto pod = (*event)->object.as<api::Pod>();
    if (pod != nullptr && !pod->spec.node_name.empty()) bound_.emplace(pod->metadata.name, now);
  }
  changed_.notify_all();
}

std::size_t BindWatch::wait(std::size_t pods, Duration at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::nanoseconds(at_most.nanoseconds()),
                    [&] { return is_over_ || bound_.size() >= pods; });
  return bound_.size();
}

std::map<std::string, Instant> BindWatch::bound() const {
  const std::scoped_lock lock(mutex_);
  return bound_;
}

Rate rate_of(const std::map<std::string, Instant>& bound) {
  std::vector<Instant> times;
  for (const auto& [name, at] : bound) times.push_back(at);
  std::ranges::sort(times);
  Rate rate{.pods = times.size(), .per_second = 0, .seconds = 0};
  if (times.size() < 2) return rate;
  rate.seconds = (times.back() - times.front()).in_seconds();
  const auto first = static_cast<std::size_t>(static_cast<double>(times.size()) * kLeftOutAtEachEnd);
  const std::size_t last = times.size() - 1 - first;
  const double middle = (times[last] - times[first]).in_seconds();
  if (middle > 0) rate.per_second = static_cast<double>(last - first) / middle;
  return rate;
}

double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

}  // namespace berth::bench
