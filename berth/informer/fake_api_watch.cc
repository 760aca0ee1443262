// The watches of FakeApiServer.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "berth/codec/protobuf.h"
#include "berth/informer/fake_api_server.h"
#include "berth/informer/fake_api_text.h"

namespace berth::informer {

namespace {

using client::RequestId;
using client::Response;
using codec::WatchEvent;

constexpr std::size_t kMaxRepeatedEvents = 20;
constexpr std::size_t kMaxGarbageBytes = 60;

std::string bookmark(const api::ObjectKind& kind, std::uint64_t version, bool is_end_of_initial_events) {
  const api::AnyObject object = with_metadata(api::AnyObject(kind, kind.make()), [&](api::ObjectMeta& metadata) {
    metadata.resource_version = fmt::format("{}", version);
    if (is_end_of_initial_events) metadata.annotations = api::Annotations{{"k8s.io/initial-events-end", "true"}};
  });
  return codec::watch_event_to_protobuf_frame({WatchEvent::Type::kBookmark, object});
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void FakeApiServer::open_watch(RequestId id) {
  Exchange& exchange = *find(id);
  const std::optional<Target> target = parse(exchange.request.path);
  if (auto refusal = refusal_of(exchange.request, target)) return finish(id, *std::move(refusal));
  const bool is_list = target->parameter("sendInitialEvents") == "true";
  if (is_list && behaviour.watch_lists == ApiBehaviour::WatchLists::kRefused) {
    return finish(id, status_response(exchange.request, 422, "Invalid",
                                      "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: "
                                      "sendInitialEvents is forbidden for watch unless the WatchList feature gate is "
                                      "enabled"));
  }
  const std::string_view position = target->parameter("resourceVersion");
  const bool is_gone = !position.empty() && number_in(position) < forgotten_version();
  // Servers say it in both ways.
  if (is_gone && rng_.chance(1, 2)) {
    return finish(id, status_response(exchange.request, 410, "Expired", "too old resource version"));
  }

  std::string first = begin_watch(exchange, *target);
  if (is_gone) {
    first = codec::watch_event_to_protobuf_frame(
        {WatchEvent::Type::kError, status_object(410, "Expired", "too old resource version")});
  }
  exchange.last_byte_at = loop_.now();
  if (exchange.handler.on_begin) {
    const auto on_begin = exchange.handler.on_begin;  // a copy: it may cancel the request
    on_begin(200);
  }
  const Duration timeout = Duration::seconds(static_cast<std::int64_t>(number_in(target->parameter("timeoutSeconds"))));
  send(id, std::move(first));
  if (find(id) == nullptr) return;
  if (timeout > Duration()) {
    loop_.after(timeout, [this, id] {
      const Exchange* open = find(id);
      if (open == nullptr || open->is_frozen) return;
      Response end;
      end.status = 200;
      finish(id, std::move(end));
    });
  }
  loop_.after(behaviour.bookmark_period, [this, id] { send_bookmarks(id); });
  pump_soon(id);
}

std::string FakeApiServer::begin_watch(Exchange& exchange, const Target& target) {
  const bool knows_watch_lists = behaviour.watch_lists == ApiBehaviour::WatchLists::kOffered;
  const bool is_list = knows_watch_lists && target.parameter("sendInitialEvents") == "true";
  const std::string_view position = target.parameter("resourceVersion");
  FakeWatch& watch = exchange.watch.emplace();
  watch.kind = target.kind;
  watch.field_selector = target.parameter("fieldSelector");
  watch.wants_bookmarks = target.parameter("allowWatchBookmarks") == "true";
  watch.next_change = changes_.size();
  if (is_list) return initial_events(watch) + bookmark(*watch.kind, version_, true);
  if (position.empty()) return initial_events(watch);
  const auto first = std::ranges::upper_bound(changes_, number_in(position), {}, &Change::version);
  watch.next_change = static_cast<std::size_t>(first - changes_.begin());
  if (happens(faults.repeated_events))
    watch.next_change -= rng_.below(std::min(watch.next_change, kMaxRepeatedEvents) + 1);
  return {};
}

std::string FakeApiServer::initial_events(const FakeWatch& watch) const {
  std::string frames;
  for (const api::AnyObject& object : list(*watch.kind, watch.field_selector)) {
    frames += codec::watch_event_to_protobuf_frame({WatchEvent::Type::kAdded, object});
  }
  return frames;
}

void FakeApiServer::send_bookmarks(RequestId id) {
  const Exchange* exchange = find(id);
  if (exchange == nullptr) return;
  if (exchange->watch->wants_bookmarks) {
    pump(id);
    exchange = find(id);
    if (exchange == nullptr) return;
    send(id, bookmark(*exchange->watch->kind, version_, false));
  }
  loop_.after(behaviour.bookmark_period, [this, id] { send_bookmarks(id); });
}

void FakeApiServer::pump_soon(RequestId id) {
  Exchange* exchange = find(id);
  if (exchange == nullptr || std::exchange(exchange->watch->is_pump_due, true)) return;
  loop_.after(draw_delay(), [this, id] {
    Exchange* due = find(id);
    if (due == nullptr) return;
    due->watch->is_pump_due = false;
    pump(id);
  });
}

void FakeApiServer::pump(RequestId id) {
  FakeWatch& watch = *find(id)->watch;
  // A watch that is so far behind is ended, as servers do with slow clients.
  const bool is_lost =
      watch.next_change < changes_.size() && changes_[watch.next_change].version <= forgotten_version();
  if (is_lost && changes_.size() - watch.next_change > behaviour.history_window) {
    return finish_broken(id, Response::Transfer::kBroken, "connection closed");
  }
  std::string frames;
  for (; watch.next_change < changes_.size(); ++watch.next_change) {
    frames += frame_of(changes_[watch.next_change], watch);
  }
  send(id, std::move(frames));
}

std::string FakeApiServer::frame_of(const Change& change, const FakeWatch& watch) const {
  if (&change.object.kind() != watch.kind) return {};
  const bool was_seen = change.before && matches_fields(change.before, watch.field_selector);
  const bool is_seen = change.type != WatchEvent::Type::kDeleted && matches_fields(change.object, watch.field_selector);
  if (!was_seen && !is_seen) return {};
  WatchEvent event{WatchEvent::Type::kModified, change.object};
  if (!was_seen) event.type = WatchEvent::Type::kAdded;
  if (!is_seen) event.type = WatchEvent::Type::kDeleted;
  return codec::watch_event_to_protobuf_frame(event);
}

void FakeApiServer::send(RequestId id, std::string bytes) {
  Exchange* exchange = find(id);
  if (exchange == nullptr || bytes.empty()) return;
  if (happens(faults.half_open_streams)) exchange->is_frozen = true;
  if (exchange->is_frozen) return;
  if (happens(faults.garbage)) {
    std::string garbage(1 + rng_.below(kMaxGarbageBytes), '\0');
    for (char& byte : garbage) byte = static_cast<char>(rng_.below(256));
    bytes.insert(0, garbage);
  }
  const bool is_cut = happens(faults.cut_streams);
  const bool is_truncated = !is_cut && happens(faults.truncated_streams);
  if (is_cut || is_truncated) bytes.resize(rng_.below(bytes.size()));

  const std::size_t cut = rng_.below(bytes.size() + 1);
  const std::string_view all = bytes;
  if (!send_piece(id, all.substr(0, cut)) || !send_piece(id, all.substr(cut))) return;
  if (is_cut) finish_broken(id, Response::Transfer::kBroken, "connection reset by peer");
  if (is_truncated) {
    Response end;
    end.status = 200;
    finish(id, std::move(end));
  }
}

bool FakeApiServer::send_piece(RequestId id, std::string_view piece) {
  Exchange* exchange = find(id);
  if (exchange == nullptr) return false;
  if (piece.empty()) return true;
  exchange->last_byte_at = loop_.now();
  const auto on_piece = exchange->handler.on_piece;  // a copy: it may cancel the request
  on_piece(piece);
  return find(id) != nullptr;
}

void FakeApiServer::inject(const api::ObjectKind& kind, std::string_view bytes) {
  for (const auto& [id, exchange] : exchanges_) {
    if (!exchange.watch || exchange.watch->kind != &kind) continue;
    loop_.post([this, to = id, what = std::string(bytes)] { send_piece(to, what); });
  }
}

}  // namespace berth::informer
