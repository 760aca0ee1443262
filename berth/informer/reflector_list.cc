// How a reflector gets all objects: by watch-list where that is offered, else by a list in pages.
#include <fmt/format.h>

#include <utility>

#include "berth/api/kinds.h"
#include "berth/client/paths.h"
#include "berth/codec/protobuf.h"
#include "berth/informer/readable_list.h"
#include "berth/informer/reflector.h"

namespace berth::informer {

namespace {

using client::ApiError;
using client::Response;
using codec::WatchEvent;

// A server that knows watch-lists begins to send at once. One that does not sends the objects there are, perhaps none,
// and then waits for changes.
constexpr Duration kWatchListTimeout = Duration::seconds(10);
// After so many watch-lists in a row that came to no end, the server is one that does not know them.
constexpr int kWatchListTries = 3;

bool is_end_of_initial_events(const api::ObjectMeta& metadata) {
  static const Symbol kEnd("k8s.io/initial-events-end");
  const std::string* value = metadata.annotations->find(kEnd);
  return value != nullptr && *value == "true";
}

}  // namespace

void Reflector::get_all() {
  if (is_stopped_) return;
  must_get_all_ = false;
  collected_.clear();
  collected_at_.clear();
  if (is_watch_list_offered_ && !avoids_watch_list_once_) {
    start_watch_list();
  } else {
    start_list();
  }
}

void Reflector::replace_all(std::vector<api::AnyObject> objects, std::string position) {
  position_ = std::move(position);
  avoids_watch_list_once_ = false;
  unreadable_pages_ = refused_watches_ = old_bookmarks_ = 0;
  is_not_served_ = false;
  not_served_since_ = {};
  collected_at_ = {};
  report_recovery();
  hand_over(std::move(objects));
}

// --- In pages --------------------------------------------------------------------------------------------------------

void Reflector::start_list() {
  ++stats_.lists;
  is_full_list_ = false;
  continue_token_.clear();
  request_page();
}

void Reflector::request_page() {
  if (is_stopped_) return;
  stage_ = Stage::kListing;
  client::Request request;
  request.path =
      client::with_query(client::path_of(kind_), {{"limit", is_full_list_ ? "" : fmt::format("{}", options_.page_size)},
                                                  {"continue", continue_token_},
                                                  {"fieldSelector", options_.field_selector},
                                                  {"labelSelector", options_.label_selector}});
  request.accept = "application/vnd.kubernetes.protobuf";
  request.timeout = options_.list_timeout;
  request.idle_timeout = options_.idle_timeout;
  request_ = transport_.start(std::move(request), [this](const Response& response) { on_page(response); });
}

void Reflector::on_page(const Response& response) {
  request_ = 0;
  stage_ = Stage::kIdle;
  if (response.is_complete()) note_contact();
  if (!response.is_success()) return on_page_refused(client::api_error_of(response));
  auto page = decode_page(response.body);
  if (!page) {
    ++unreadable_pages_;
    return retry(Step::kNextPage, fmt::format("cannot decode list: {}", page.error().message()));
  }
  unreadable_pages_ = 0;
  note_served();
  // All pages are of one state. The position of the first one is kept: should a server not hold to that, then changes
  // are seen twice rather than not at all.
  if (continue_token_.empty()) list_position_ = std::move(page->metadata.resource_version);
  for (api::AnyObject& item : page->items) collected_.push_back(std::move(item));
  continue_token_ = std::move(page->metadata.continue_token);
  if (!continue_token_.empty()) return request_page();
  replace_all(std::exchange(collected_, {}), std::exchange(list_position_, {}));
  start_watch();
}

void Reflector::on_page_refused(const ApiError& error) {
  if (error.is_gone() && !continue_token_.empty()) {
    // The list took longer than the server keeps history. All at once is hard on the server and cannot expire.
    log(Severity::kInfo, "Paginated list expired; falling back to a full list", error.text());
    note_error(error.text());
    collected_.clear();
    continue_token_.clear();
    is_full_list_ = true;
    return request_page();
  }
  if (error.is_not_found()) return on_not_served(error);
  if (error.transfer != Response::Transfer::kComplete) return retry_connection(Step::kNextPage, error);
  const bool goes_on = error.is_transient();
  retry(goes_on ? Step::kNextPage : Step::kGetAll, text_of(error), error.retry_after);
}

Result<api::ObjectList> Reflector::decode_page(std::string_view body) {
  const codec::DecodeOptions options{.pool = options_.pool, .strict = false, .report = {}};
  auto page = codec::list_from_protobuf(body, options);
  if (!page && (unreadable_pages_ > 0 || skips_unreadable())) {
    page = readable_list(body, options, [&](const Error& error) {
      skips_unreadable_until_ = loop_.now() + kSkipPeriod;
      report_unreadable(error.message());
    });
  }
  if (!page) return page;
  if (page->metadata.resource_version.empty()) return fail("resourceVersion is missing");
  if (!page->items.empty() && &page->items.front().kind() != &kind_) {
    return fail(fmt::format("unexpected list of {}", page->items.front().kind().kind));
  }
  return page;
}

// --- By watch-list ---------------------------------------------------------------------------------------------------

void Reflector::start_watch_list() {
  ++stats_.watch_lists;
  stage_ = Stage::kWatchListing;
  open_stream(StreamPurpose::kWatchList);
}

// Only when the answer has begun: before that a connection is made, or a plugin waits for the user.
void Reflector::begin_watch_list_timeout() {
  last_frame_at_ = loop_.now();
  watch_list_timer_ = loop_.after(kWatchListTimeout, [this] { check_watch_list_timeout(); });
}

void Reflector::check_watch_list_timeout() {
  const Duration quiet = loop_.now() - last_frame_at_;
  if (quiet < kWatchListTimeout) {
    watch_list_timer_ = loop_.after(kWatchListTimeout - quiet, [this] { check_watch_list_timeout(); });
    return;
  }
  watch_list_timer_ = 0;
  drop_request();
  on_watch_list_without_end();
  get_all();
}

void Reflector::collect(WatchEvent event) {
  std::string name = api::full_name(event.object.metadata());
  const auto [found, is_new] = collected_at_.try_emplace(std::move(name), collected_.size());
  if (event.type == WatchEvent::Type::kDeleted) event.object = {};
  if (is_new) {
    collected_.push_back(std::move(event.object));
  } else {
    collected_[found->second] = std::move(event.object);
  }
}

void Reflector::on_bookmark_of_list(const api::ObjectMeta& metadata) {
  if (!is_end_of_initial_events(metadata)) {
    // Where they are known, no other bookmark comes before this one.
    drop_request();
    is_watch_list_offered_ = false;
    log(Severity::kInfo, "Watch-list is not supported by the API server; falling back to list");
    return get_all();
  }
  if (metadata.resource_version.empty()) return abandon_stream("initial-events-end bookmark has no resourceVersion");
  watch_lists_without_end_ = 0;
  if (watch_list_timer_ != 0) loop_.cancel_timer(std::exchange(watch_list_timer_, 0));
  stage_ = Stage::kWatching;
  std::vector<api::AnyObject> objects = std::exchange(collected_, {});
  std::erase_if(objects, [](const api::AnyObject& object) { return !object; });
  replace_all(std::move(objects), metadata.resource_version);
}

void Reflector::on_watch_list_without_end() {
  avoids_watch_list_once_ = true;
  if (++watch_lists_without_end_ < kWatchListTries) return;
  is_watch_list_offered_ = false;
  log(Severity::kInfo, "Watch-list did not complete; falling back to list");
}

void Reflector::on_watch_list_broken(const Response& response) {
  if (response.transfer == Response::Transfer::kNotSent) {
    return retry_connection(Step::kGetAll, client::api_error_of(response));
  }
  if (response.is_complete()) {
    on_watch_list_without_end();
    return retry(Step::kGetAll, "watch-list closed before the initial events ended");
  }
  // In pages there is progress, whatever it is that breaks long streams.
  avoids_watch_list_once_ = true;
  retry_connection(Step::kGetAll, client::api_error_of(response));
}

void Reflector::on_watch_list_refused(const ApiError& error) {
  if (error.is_not_found()) return on_not_served(error);
  const bool is_about_the_option = error.message.find("sendInitialEvents") != std::string::npos ||
                                   error.message.find("resourceVersionMatch") != std::string::npos;
  if (error.is_invalid() || error.is_bad_request() || is_about_the_option) {
    is_watch_list_offered_ = false;
    log(Severity::kInfo, "Watch-list is not supported by the API server; falling back to list", error.text());
    return get_all();
  }
  // Another answer says nothing about watch-lists. A server that only wants to be left alone is asked the same again;
  // of all others a list says more clearly what is wrong, or just works.
  if (!error.is_too_many_requests() && !error.is_unauthorized()) avoids_watch_list_once_ = true;
  if (error.is_forbidden()) return get_all();
  retry(Step::kGetAll, text_of(error), error.retry_after);
}

}  // namespace berth::informer
