// Starting, waiting, reporting, and the stream of changes. reflector_list.cc has how all objects are got.
#include "berth/informer/reflector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/check.h"
#include "berth/client/paths.h"

namespace berth::informer {

namespace {

using client::ApiError;
using client::Response;
using codec::WatchEvent;

// A watch that ends sooner and brought nothing is not resumed at once: a server that answers like that would be asked
// without end.
constexpr Duration kShortWatch = Duration::seconds(1);
// Longer is not waited, whatever a server asks for: it may be a mistake.
constexpr Duration kLongestAskedDelay = Duration::minutes(5);
// History that is gone again so soon after all was got anew is no accident; then we wait.
constexpr Duration kGoneAgain = Duration::minutes(1);
// A server that keeps failing to open a watch may only be able to list.
constexpr int kRefusedWatchesBeforeRelist = 5;
// Bookmarks come once a minute. A server whose cache lags may send one that is old; several mean that it has lost
// history that we have seen, as after a restore from a backup.
constexpr int kOldBookmarksBeforeRelist = 3;
// An optional kind that was there and is not: an API server of another release may have answered. What is known of it
// is kept for so long.
constexpr Duration kNotServedGrace = Duration::minutes(5);

std::optional<std::uint64_t> number_of(std::string_view resource_version) {
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(resource_version.data(), resource_version.data() + resource_version.size(), number);
  const bool is_whole = end == resource_version.data() + resource_version.size();
  if (error != std::errc() || !is_whole) return std::nullopt;
  return number;
}

}  // namespace

Reflector::Reflector(const api::ObjectKind& kind, client::Loop& loop, client::Transport& transport, Sink& sink, Rng rng,
                     ReflectorOptions options)
    : kind_(kind),
      loop_(loop),
      transport_(transport),
      sink_(sink),
      rng_(rng),
      options_(std::move(options)),
      is_watch_list_offered_(options_.use_watch_list),
      stream_({.pool = options_.pool, .strict = false, .report = {}}) {}

Reflector::~Reflector() {
  stop();
}

void Reflector::start() {
  BERTH_CHECK(stage_ == Stage::kIdle && timer_ == 0 && !is_stopped_, "the reflector of {} was started before",
              kind_.resource);
  get_all();
}

void Reflector::stop() {
  is_stopped_ = true;
  drop_request();
  loop_.cancel_timer(std::exchange(timer_, 0));
}

void Reflector::drop_request() {
  if (request_ != 0) transport_.cancel(std::exchange(request_, 0));
  if (watch_list_timer_ != 0) loop_.cancel_timer(std::exchange(watch_list_timer_, 0));
  stage_ = Stage::kIdle;
}

void Reflector::take(Step step) {
  switch (step) {
    case Step::kGetAll: get_all(); return;
    case Step::kNextPage: request_page(); return;
    case Step::kWatch: start_watch(); return;
  }
}

void Reflector::take_after(Step step, Duration delay) {
  BERTH_CHECK(timer_ == 0 && request_ == 0, "two next steps for {}", kind_.resource);
  next_step_ = step;
  timer_ = loop_.after(delay, [this] {
    timer_ = 0;
    is_waiting_for_server_ = false;
    take(next_step_);
  });
}

bool Reflector::try_now() {
  if (is_stopped_ || timer_ == 0 || !std::exchange(is_waiting_for_server_, false)) return false;
  loop_.cancel_timer(std::exchange(timer_, 0));
  take(next_step_);
  return true;
}

void Reflector::end_outage() {
  is_in_outage_ = false;
  try_now();
}

// --- The stream ------------------------------------------------------------------------------------------------------

void Reflector::start_watch() {
  if (is_stopped_) return;
  ++stats_.watches;
  stage_ = Stage::kWatching;
  open_stream(StreamPurpose::kResume);
}

void Reflector::open_stream(StreamPurpose purpose) {
  const bool is_list = purpose == StreamPurpose::kWatchList;
  const std::int64_t seconds = options_.min_watch.nanoseconds() / 1'000'000'000;
  client::Request request;
  request.path = client::with_query(client::path_of(kind_),
                                    {{"watch", "true"},
                                     {"allowWatchBookmarks", "true"},
                                     {"resourceVersion", is_list ? std::string_view() : position_},
                                     {"sendInitialEvents", is_list ? "true" : ""},
                                     {"resourceVersionMatch", is_list ? "NotOlderThan" : ""},
                                     {"timeoutSeconds", fmt::format("{}", rng_.in_range(seconds, 2 * seconds))},
                                     {"fieldSelector", options_.field_selector},
                                     {"labelSelector", options_.label_selector}});
  request.accept = "application/vnd.kubernetes.protobuf;stream=watch";
  request.timeout = Duration();
  request.idle_timeout = options_.idle_timeout;

  stream_ = EventStream({.pool = options_.pool, .strict = false, .report = {}});
  opened_at_ = last_frame_at_ = loop_.now();
  frame_began_at_ = {};
  has_event_ = false;
  request_ =
      transport_.start_stream(std::move(request), {.on_begin = [this](int status) { on_stream_begun(status); },
                                                   .on_piece = [this](std::string_view piece) { on_piece(piece); },
                                                   .on_end = [this](const Response& end) { on_stream_end(end); }});
}

void Reflector::on_stream_begun(int status) {
  if (status != 200) return;
  if (stage_ == Stage::kWatchListing) begin_watch_list_timeout();
  note_served();
}

void Reflector::on_piece(std::string_view piece) {
  note_contact();
  stream_.append(piece);
  // What a frame brings may end this stream, and even open the next one.
  const client::RequestId current = request_;
  bool is_frame_whole = false;
  while (request_ == current) {
    auto next = stream_.next();
    if (!next) return abandon_stream(next.error().message());
    if (!*next) break;
    is_frame_whole = true;
    last_frame_at_ = loop_.now();
    on_frame(**std::move(next));
  }
  if (request_ != current) return;
  if (!stream_.has_part()) {
    frame_began_at_ = {};
  } else if (is_frame_whole || !frame_began_at_.is_set()) {
    frame_began_at_ = loop_.now();
  } else if (loop_.now() - frame_began_at_ > options_.idle_timeout) {
    // A length that is garbage swallows the frames behind it; the connection is not idle then.
    abandon_stream("incomplete watch frame timed out");
  }
}

void Reflector::on_frame(Frame frame) {
  if (frame.event && frame.event->type != WatchEvent::Type::kError && &frame.event->object.kind() != &kind_) {
    frame.problem = fmt::format("unexpected {} in a watch of {}", frame.event->object.kind().kind, kind_.resource);
    frame.fingerprint = hash_bytes(frame.problem);
    frame.event.reset();
  }
  if (!frame.event) return on_unreadable_frame(frame);
  on_event(*std::move(frame.event));
}

void Reflector::on_event(WatchEvent event) {
  switch (event.type) {
    case WatchEvent::Type::kError: {
      const auto status = event.object.as<api::Status>();
      ApiError error;
      error.message = "watch ended with an error without a status";
      if (status != nullptr) error = client::api_error_of(*status);
      const Stage was = stage_;
      drop_request();
      return was == Stage::kWatchListing ? on_watch_list_refused(error) : on_watch_refused(error);
    }
    case WatchEvent::Type::kBookmark: {
      ++stats_.bookmarks;
      const api::ObjectMeta& metadata = event.object.metadata();
      return stage_ == Stage::kWatchListing ? on_bookmark_of_list(metadata) : on_bookmark(metadata);
    }
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
    case WatchEvent::Type::kDeleted:
      return stage_ == Stage::kWatchListing ? collect(std::move(event)) : deliver(std::move(event));
  }
}

void Reflector::deliver(WatchEvent event) {
  const std::string& version = event.object.metadata().resource_version;
  if (!is_after_position(version)) {
    ++stats_.stale_events;
    return;
  }
  position_ = version;
  has_event_ = true;
  refused_watches_ = old_bookmarks_ = 0;
  unreadable_frame_.reset();
  ++stats_.events;
  report_recovery();
  if (event.type == WatchEvent::Type::kDeleted) {
    sink_.observe_deleted(std::move(event.object));
  } else {
    has_objects_ = true;
    sink_.observe(std::move(event.object));
  }
}

void Reflector::on_bookmark(const api::ObjectMeta& metadata) {
  const std::string& version = metadata.resource_version;
  if (version != position_ && !is_after_position(version)) {
    if (++old_bookmarks_ < kOldBookmarksBeforeRelist) return;
    drop_request();
    return retry(Step::kGetAll, fmt::format("resource version went back to {} from {}", version, position_));
  }
  position_ = version;
  refused_watches_ = old_bookmarks_ = 0;
  report_recovery();
}

void Reflector::on_unreadable_frame(const Frame& frame) {
  if (skips_unreadable()) {
    report_unreadable(frame.problem);
    if (stage_ == Stage::kWatching) must_get_all_ = true;  // it may have been the end of an object
    return;
  }
  const bool is_the_servers_own = std::exchange(unreadable_frame_, frame.fingerprint) == frame.fingerprint;
  if (stage_ == Stage::kWatching && is_the_servers_own) {
    skips_unreadable_until_ = loop_.now() + kSkipPeriod;
    avoids_watch_list_once_ = true;
    drop_request();
    return retry(Step::kGetAll, frame.problem);
  }
  abandon_stream(frame.problem);
}

void Reflector::abandon_stream(std::string why) {
  const bool was_list = stage_ == Stage::kWatchListing;
  if (was_list) avoids_watch_list_once_ = true;
  drop_request();
  retry(was_list ? Step::kGetAll : Step::kWatch, std::move(why));
}

void Reflector::on_stream_end(const Response& response) {
  request_ = 0;
  const Stage was = stage_;
  drop_request();
  if (response.is_complete()) note_contact();
  if (response.is_complete() && !response.is_success()) {
    const ApiError error = client::api_error_of(response);
    return was == Stage::kWatchListing ? on_watch_list_refused(error) : on_watch_refused(error);
  }
  if (was == Stage::kWatchListing) return on_watch_list_broken(response);

  if (must_get_all_) return get_all();
  const bool was_open = response.transfer != Response::Transfer::kNotSent;
  if (was_open && (has_event_ || loop_.now() - opened_at_ >= kShortWatch)) {
    outage_delay_.reset();
    if (!response.is_complete()) {
      note_lost_connection();
      note_error(response.error);
    }
    return start_watch();
  }
  if (response.is_complete()) return retry(Step::kWatch, "very short watch: closed without events");
  retry_connection(Step::kWatch, client::api_error_of(response));
}

void Reflector::on_watch_refused(const ApiError& error) {
  if (error.is_gone()) return on_gone(error);
  if (error.is_not_found()) return on_not_served(error);
  const bool may_pass = error.is_transient() || error.is_unauthorized() || error.is_forbidden();
  const bool is_throttled = error.is_too_many_requests();
  if (!is_throttled && ++refused_watches_ >= kRefusedWatchesBeforeRelist) {
    refused_watches_ = 0;
    return retry(Step::kGetAll, text_of(error), error.retry_after);
  }
  retry(may_pass ? Step::kWatch : Step::kGetAll, text_of(error), error.retry_after);
}

void Reflector::on_gone(const ApiError& error) {
  const Instant before = std::exchange(last_gone_at_, loop_.now());
  const bool may_be_another_server = std::exchange(has_lost_connection_, false);
  if (!may_be_another_server && before.is_set() && last_gone_at_ - before < kGoneAgain) {
    return retry(Step::kGetAll, error.text());
  }
  note_error(error.text());
  log(Severity::kInfo, "Watch expired; relisting", error.text());
  get_all();
}

void Reflector::on_not_served(const ApiError& error) {
  const Instant now = loop_.now();
  if (!not_served_since_.is_set()) not_served_since_ = now;
  const bool may_still_come_back = (has_objects_ || is_in_outage_) && now - not_served_since_ < kNotServedGrace;
  if (!options_.is_optional || may_still_come_back) return retry(Step::kGetAll, error.text(), error.retry_after);
  if (!std::exchange(is_not_served_, true)) {
    log(Severity::kInfo, "Resource is not served by the API server");
    position_.clear();
    hand_over({});
    if (is_stopped_) return;
  }
  const std::int64_t wait = options_.not_served_retry.nanoseconds();
  take_after(Step::kGetAll, options_.not_served_retry + Duration::nanoseconds(rng_.in_range(0, wait / 10)));
}

// --- Notifying the sink and the log ----------------------------------------------------------------------------------

void Reflector::hand_over(std::vector<api::AnyObject> objects) {
  const bool is_first = !is_synced();
  has_objects_ = !objects.empty();
  ++stats_.replacements;
  if (!is_first) ++stats_.relists;
  sink_.observe_list(kind_, std::move(objects));
  if (is_first && !is_stopped_ && options_.on_synced) options_.on_synced();
}

void Reflector::note_contact() {
  stats_.last_contact = loop_.now();
}

void Reflector::note_lost_connection() {
  has_lost_connection_ = true;
  // Whoever answers next may be another server, and what this one refused says nothing about it.
  if (!std::exchange(is_in_outage_, true)) retry_delay_.reset();
}

void Reflector::note_served() {
  is_in_outage_ = false;
  if (options_.on_served) options_.on_served();
}

void Reflector::note_error(std::string what) {
  ++stats_.errors;
  stats_.last_error_at = loop_.now();
  stats_.last_error = std::move(what);
}

void Reflector::report(const std::string& what) {
  // The same again is not worth a line; a server that is away would fill the log.
  if (what == reported_error_) return;
  log(Severity::kWarning, "Failed to watch", what);
  reported_error_ = what;
}

void Reflector::retry_connection(Step next, const ApiError& error) {
  note_lost_connection();
  report(error.text());
  note_error(error.text());
  wait_for_server(next);
}

void Reflector::wait_for_server(Step next) {
  take_after(next, outage_delay_.next(loop_.now(), rng_));
  is_waiting_for_server_ = true;
  if (options_.on_outage) options_.on_outage();
}

void Reflector::retry(Step next, std::string what, Duration asked_delay) {
  report(what);
  note_error(std::move(what));
  if (asked_delay > Duration()) {
    const Duration asked = std::min(asked_delay, kLongestAskedDelay);
    take_after(next, asked + Duration::nanoseconds(rng_.in_range(0, asked.nanoseconds() / 10)));
  } else if (is_in_outage_) {
    wait_for_server(next);
  } else {
    take_after(next, retry_delay_.next(loop_.now(), rng_));
  }
}

void Reflector::report_recovery() {
  outage_delay_.reset();
  if (reported_error_.empty()) return;
  reported_error_.clear();
  log(Severity::kInfo, "Watch recovered");
}

void Reflector::report_unreadable(std::string_view what) {
  ++stats_.unreadable;
  log(Severity::kError, "Skipped an object that cannot be decoded", what);
}

void Reflector::log(Severity severity, std::string_view message, std::string_view error) const {
  if (options_.log)
    options_.log({.severity = severity, .message = message, .resource = kind_.resource, .error = error});
}

bool Reflector::skips_unreadable() const {
  return skips_unreadable_until_.is_set() && loop_.now() < skips_unreadable_until_;
}

bool Reflector::is_after_position(std::string_view resource_version) const {
  const auto mine = number_of(position_);
  const auto other = number_of(resource_version);
  return mine && other ? *other > *mine : resource_version != position_;
}

std::string Reflector::text_of(const ApiError& error) const {
  std::string text = error.text();
  if (!error.is_forbidden()) return text;
  const std::size_t slash = kind_.api_version.find('/');
  return fmt::format(
      "{} (the account needs the verbs list and watch on {} of API group \"{}\": bind it to the cluster role "
      "system:kube-scheduler, or to one like it)",
      text, kind_.resource, slash == std::string_view::npos ? "" : kind_.api_version.substr(0, slash));
}

}  // namespace berth::informer
