#include "berth/daemon/event_publisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/client/jitter.h"
#include "berth/client/paths.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"
#include "berth/engine/failure.h"

namespace berth::daemon {
namespace {

// The API server refuses longer ones.
constexpr std::size_t kMaxReportingInstanceBytes = 128;

// How long nothing is sent after a failure: doubled with each that follows, up to the second.
constexpr Duration kFirstHold = Duration::milliseconds(250);
constexpr Duration kLongestHold = Duration::seconds(10);
// A server may ask for a longer delay than an event is worth.
constexpr Duration kLongestRetryAfter = Duration::minutes(1);

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";

constexpr double kJitter = 0.25;  // upstream's

Duration hold_after(int times) {
  return std::min(kFirstHold * (std::int64_t{1} << std::min(times, 10)), kLongestHold);
}

api::ObjectReference reference_to(const api::Pod& pod) {
  return {.kind = Symbol("Pod"),
          .name_space = pod.metadata.name_space,
          .name = pod.metadata.name,
          .uid = pod.metadata.uid,
          .api_version = Symbol("v1"),
          .resource_version = pod.metadata.resource_version,
          .field_path = {}};
}

api::ObjectReference reference_to(const engine::PodRef& pod) {
  return {.kind = Symbol("Pod"),
          .name_space = pod.name_space,
          .name = pod.name,
          .uid = pod.uid,
          .api_version = Symbol("v1"),
          .resource_version = {},
          .field_path = {}};
}

Symbol reporting_instance(Symbol controller, std::string_view hostname) {
  std::string name = fmt::format("{}-{}", controller.text(), hostname);
  if (name.size() > kMaxReportingInstanceBytes) name.resize(kMaxReportingInstanceBytes);
  return Symbol(name);
}

std::string protobuf_of(const api::Event& event) {
  return codec::object_to_protobuf(api::AnyObject(std::make_shared<const api::Event>(event)));
}

// A failure that says nothing about the event itself.
bool is_worth_another_try(const client::ApiError& error) {
  // 401: while credentials are rotated.
  return error.is_transient() || error.is_unauthorized();
}

// A server that has just started has not loaded its RBAC rules yet, and refuses every request. What is refused for
// another reason is tried a few times more for nothing; a namespace that is going away says so.
bool may_be_allowed_later(const client::ApiError& error) {
  return error.is_forbidden() && error.message.find("because it is being terminated") == std::string::npos;
}

}  // namespace

EventPublisher::EventPublisher(client::Loop& loop, client::Transport& transport, Log& log, const Rng& rng,
                               EventPublisherOptions options)
    : loop_(loop),
      transport_(transport),
      log_(log),
      rng_(rng.fork(1)),
      naming_rng_(rng.fork(2)),
      options_(std::move(options)),
      series_(options_.series, naming_rng_),
      next_refresh_(loop.now() + kSeriesRefresh) {
  series_timer_ = loop_.after(kSeriesIdle, [this] { tend_series(); });
}

EventPublisher::~EventPublisher() {
  for (const client::TimerId timer : {pump_timer_, series_timer_, report_timer_, shutdown_timer_}) {
    if (timer != 0) loop_.cancel_timer(timer);
  }
  for (const auto& [key, started] : in_flight_) transport_.cancel(started.request);
}

void EventPublisher::publish(const engine::PodEvent& event) {
  api::Event full;
  full.reporting_controller = event.reporting_controller;
  full.type = event.type;
  full.reason = event.reason;
  full.action = event.action;
  full.note = event.note;
  full.regarding = reference_to(*event.regarding);
  if (event.related) full.related = reference_to(*event.related);
  publish(std::move(full));
}

void EventPublisher::publish(api::Event event) {
  ++counts_.published;
  if (is_over_) return count_dropped(1);
  const Instant made_at = distinct_wall_time();
  event.metadata.name = event_name(event.regarding.name, made_at, naming_rng_);
  event.metadata.name_space = event.regarding.name_space.empty() ? Symbol("default") : event.regarding.name_space;
  event.event_time.at = made_at;
  event.reporting_instance = reporting_instance(event.reporting_controller, options_.hostname);
  event.note = engine::truncated_note(std::move(event.note));

  const EventSeries::Observed observed = series_.observe(event, made_at, loop_.now());
  if (observed.is_new) {
    enqueue_new(event);
  } else if (observed.repeated != nullptr) {
    enqueue_series(observed.repeated);
  } else {
    ++counts_.counted;
  }
  if (observed.finished != nullptr) enqueue_series(observed.finished);
  pump();
}

void EventPublisher::begin_shutdown(Duration at_most, std::function<void()> on_done) {
  on_done_ = std::move(on_done);
  // Counts that have not been logged yet.
  for (const auto& repeated : series_.active()) {
    if (repeated->sent_count != repeated->event.series->count) enqueue_series(repeated);
  }
  shutdown_timer_ = loop_.after(at_most, [this] { end_shutdown(); });
  pump();
}

// The time of day, but never the same twice: names are made from it.
Instant EventPublisher::distinct_wall_time() {
  Instant now = loop_.wall_now();
  // A clock that was set back by more than that gives times that are as good as distinct.
  constexpr Duration kNear = Duration::seconds(1);
  if (last_made_at_.is_set() && now <= last_made_at_ && last_made_at_ - now < kNear) {
    now = last_made_at_ + Duration::nanoseconds(1);
  }
  last_made_at_ = now;
  return now;
}

void EventPublisher::enqueue_new(const api::Event& event) {
  Write write;
  write.name_space = event.metadata.name_space;
  write.body = protobuf_of(event);
  write.body.shrink_to_fit();  // it may have to wait with thousands of others
  add_to_backlog(std::move(write));
}

void EventPublisher::enqueue_series(const std::shared_ptr<RepeatedEvent>& repeated) {
  if (repeated->is_write_pending) {
    repeated->is_write_wanted = true;
    return;
  }
  repeated->is_write_pending = true;
  Write write;
  write.name_space = repeated->event.metadata.name_space;
  write.repeated = repeated;
  add_to_backlog(std::move(write));
}

void EventPublisher::add_to_backlog(Write write) {
  backlog_bytes_ += write.bytes();
  backlog_.push_back(std::move(write));
  keep_within_limits();
}

void EventPublisher::keep_within_limits() {
  while (backlog() > options_.max_backlog || backlog_bytes_ > options_.max_backlog_bytes) drop_oldest();
}

void EventPublisher::drop_oldest() {
  count_dropped(1);
  // Those that wait for another try are older.
  if (!waiting_.empty()) {
    forget(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    return;
  }
  forget(backlog_.front());
  backlog_.pop_front();
}

void EventPublisher::forget(const Write& write) {
  backlog_bytes_ -= write.bytes();
  if (write.repeated != nullptr) write.repeated->is_write_pending = false;
}

void EventPublisher::pump() {
  if (is_over_) return;
  take_due_retries();
  while (!backlog_.empty() && in_flight_.size() < allowed_in_flight()) {
    Write write = std::move(backlog_.front());
    backlog_.pop_front();
    backlog_bytes_ -= write.bytes();
    start(std::move(write));
  }
  arm_pump_timer();
  if (on_done_ && is_idle()) {
    loop_.cancel_timer(shutdown_timer_);
    // Not from within a call of the one who wants to hear it.
    shutdown_timer_ = loop_.after(Duration(), [this] { end_shutdown(); });
  }
}

std::size_t EventPublisher::allowed_in_flight() const {
  if (is_held_back()) return 0;
  if (times_held_ > 0) return 1;
  const bool is_busy = options_.is_busy_binding && options_.is_busy_binding();
  return is_busy ? options_.max_in_flight_when_busy : options_.max_in_flight;
}

void EventPublisher::take_due_retries() {
  while (!waiting_.empty() && waiting_.begin()->first <= loop_.now()) {
    backlog_.push_front(std::move(waiting_.begin()->second));
    waiting_.erase(waiting_.begin());
  }
}

// Without requests in flight nothing else calls pump() when the delay ends.
void EventPublisher::arm_pump_timer() {
  if (pump_timer_ != 0) loop_.cancel_timer(pump_timer_);
  pump_timer_ = 0;
  Instant due;
  if (!waiting_.empty()) due = waiting_.begin()->first;
  if (is_held_back()) due = backlog_.empty() ? std::max(due, held_until_) : held_until_;
  if (!due.is_set() || (backlog_.empty() && waiting_.empty())) return;
  pump_timer_ = loop_.after(due - loop_.now(), [this] {
    pump_timer_ = 0;
    pump();
  });
}

void EventPublisher::start(Write write) {
  const WriteKey key = ++last_key_;
  client::Request request = request_for(write);
  if (write.repeated != nullptr) write.repeated->sent_count = write.repeated->event.series->count;
  ++write.tries;
  Started& started = in_flight_[key];
  started.write = std::move(write);
  started.request =
      transport_.start(std::move(request), [this, key](const client::Response& response) { ended(key, response); });
}

client::Request EventPublisher::request_for(const Write& write) const {
  const api::ObjectKind& kind = api::kind_of<api::Event>();
  client::Request request;
  request.accept = kProtobuf;
  if (write.repeated != nullptr && !write.is_recreation) {
    const api::Event& event = write.repeated->event;
    request.method = client::Method::kPatch;
    request.path = client::path_of(kind, write.name_space.text(), event.metadata.name);
    request.content_type = kStrategicMergePatch;
    request.body = fmt::format(R"({{"series":{}}})", codec::to_json(*event.series));
    return request;
  }
  request.method = client::Method::kPost;
  request.path = client::path_of(kind, write.name_space.text());
  request.content_type = kProtobuf;
  request.body = write.repeated != nullptr ? protobuf_of(write.repeated->event) : write.body;
  return request;
}

void EventPublisher::ended(WriteKey key, const client::Response& response) {
  auto node = in_flight_.extract(key);
  if (node.empty()) return;
  Write write = std::move(node.mapped().write);
  if (response.is_success()) {
    times_held_ = 0;
    ++counts_.written;
    done_with(write);
  } else {
    failed(std::move(write), client::api_error_of(response));
  }
  pump();
}

void EventPublisher::failed(Write write, const client::ApiError& error) {
  if (is_worth_another_try(error)) {
    hold_back(error.retry_after);
    retry_later(std::move(write), error);
    return;
  }
  times_held_ = 0;  // the server is there and well
  const bool is_patch = write.repeated != nullptr && !write.is_recreation;
  if (is_patch && error.is_not_found()) {
    // It has expired, or the first POST of it is still to come.
    write.is_recreation = true;
    --write.tries;
    backlog_bytes_ += write.bytes();
    backlog_.push_front(std::move(write));
  } else if (error.is_already_exists() && write.is_recreation) {
    write.is_recreation = false;
    retry_later(std::move(write), error);
  } else if (error.is_already_exists()) {
    ++counts_.written;  // by an earlier try that seemed to fail
    done_with(write);
  } else if (may_be_allowed_later(error)) {
    retry_later(std::move(write), error);
  } else {
    refused(write, error);
  }
}

void EventPublisher::retry_later(Write write, const client::ApiError& error) {
  if (write.tries >= kMaxTries) {
    ++counts_.given_up;
    ++unreported_given_up_;
    last_refusal_ = error.text();
    report_soon();
    done_with(write);
    return;
  }
  ++counts_.retried;
  if (log_.is_on(4)) {
    log_.info(4, "Unable to write event (may retry after sleeping)", {{"err", error.text()}, {"tries", write.tries}});
  }
  const Duration delay =
      std::max(client::jittered(kRetryDelay, kJitter, rng_), std::min(error.retry_after, kLongestRetryAfter));
  backlog_bytes_ += write.bytes();
  waiting_.emplace(loop_.now() + delay, std::move(write));
  keep_within_limits();
}

void EventPublisher::hold_back(Duration at_least) {
  // Requests that were under way together fail together: that is one failure.
  if (is_held_back()) return;
  const Duration hold = std::max(hold_after(times_held_), std::min(at_least, kLongestRetryAfter));
  held_until_ = loop_.now() + client::jittered(hold, kJitter, rng_);
  ++times_held_;
}

void EventPublisher::refused(const Write& write, const client::ApiError& error) {
  ++counts_.refused;
  ++unreported_refused_;
  last_refusal_ = error.text();
  report_soon();
  done_with(write);
}

void EventPublisher::done_with(const Write& write) {
  if (write.repeated == nullptr) return;
  RepeatedEvent& repeated = *write.repeated;
  repeated.is_write_pending = false;
  const bool is_wanted = std::exchange(repeated.is_write_wanted, false);
  if (is_wanted && repeated.sent_count != repeated.event.series->count) enqueue_series(write.repeated);
}

void EventPublisher::tend_series() {
  series_timer_ = loop_.after(kSeriesIdle, [this] { tend_series(); });
  for (const auto& finished : series_.finish_idle(loop_.now())) enqueue_series(finished);
  if (loop_.now() >= next_refresh_) {
    next_refresh_ = loop_.now() + kSeriesRefresh;
    for (const auto& repeated : series_.active()) enqueue_series(repeated);
  }
  pump();
}

void EventPublisher::count_dropped(std::size_t events) {
  counts_.dropped += events;
  unreported_dropped_ += events;
  report_soon();
}

void EventPublisher::report_soon() {
  if (report_timer_ != 0 || is_over_) return;
  report_timer_ = loop_.after(kReportInterval, [this] {
    report_timer_ = 0;
    report();
  });
}

void EventPublisher::report() {
  const std::uint64_t dropped = std::exchange(unreported_dropped_, 0);
  const std::uint64_t refused = std::exchange(unreported_refused_, 0);
  const std::uint64_t given_up = std::exchange(unreported_given_up_, 0);
  if (dropped > 0) {
    log_.warning("Dropped oldest events because the event backlog is full",
                 {{"dropped", dropped}, {"droppedInTotal", counts_.dropped.load()}, {"backlog", backlog()}});
  }
  if (refused > 0) log_.error("Server rejected event (will not retry!)", {{"err", last_refusal_}, {"events", refused}});
  if (given_up > 0) {
    log_.error("Unable to write event (retry limit exceeded!)", {{"err", last_refusal_}, {"events", given_up}});
  }
}

void EventPublisher::end_shutdown() {
  is_over_ = true;
  const std::size_t left = backlog() + in_flight_.size();
  for (const auto& [key, started] : in_flight_) transport_.cancel(started.request);
  in_flight_.clear();
  backlog_.clear();
  waiting_.clear();
  backlog_bytes_ = 0;
  for (client::TimerId* timer : {&pump_timer_, &series_timer_, &report_timer_, &shutdown_timer_}) {
    if (*timer != 0) loop_.cancel_timer(*timer);
    *timer = 0;
  }
  report();
  if (left > 0) {
    counts_.dropped += left;
    log_.warning("Dropped events at shutdown", {{"dropped", left}});
  }
  // The one who hears it may end this.
  const std::function<void()> on_done = std::exchange(on_done_, nullptr);
  if (on_done) on_done();
}

}  // namespace berth::daemon
