// The life of requests, faults, objects and reading. fake_api_watch.cc has watches, fake_api_writes.cc the rest.
#include "berth/informer/fake_api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "berth/base/check.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"
#include "berth/informer/fake_api_text.h"

namespace berth::informer {

namespace {

using client::Request;
using client::RequestId;
using client::Response;
using codec::WatchEvent;

constexpr int kAlways = 1000;
constexpr std::int64_t kLongestRetryAfterSeconds = 4;

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ec == std::errc()) {
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

// "a/b/c" -> "a", and the rest "b/c".
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

const api::ObjectKind* kind_of_resource(std::string_view api_version, std::string_view resource) {
  for (const api::ObjectKind& kind : api::all_kinds()) {
    if (kind.api_version == api_version && kind.resource == resource) return &kind;
  }
  return nullptr;
}

// Where a list goes on: the version of its first page, and the last name that was sent.
struct ContinueToken {
  std::uint64_t version = 0;
  std::string after;

  std::string str() const { return fmt::format("{}:{}", version, after); }
  static ContinueToken parse(std::string_view text) {
    ContinueToken token;
    const std::string_view version = take_part(text, ':');
    std::from_chars(version.data(), version.data() + version.size(), token.version);
    token.after = text;
    return token;
  }
};

}  // namespace

FakeApiServer::FakeApiServer(client::Loop& loop, Rng rng) : loop_(loop), rng_(rng) {}

// --- The life of a request -------------------------------------------------------------------------------------------

RequestId FakeApiServer::start(Request request, std::function<void(Response)> on_end) {
  return add(std::move(request), {.on_begin = {}, .on_piece = {}, .on_end = std::move(on_end)}, false);
}

RequestId FakeApiServer::start_stream(Request request, client::StreamHandler handler) {
  return add(std::move(request), std::move(handler), true);
}

void FakeApiServer::cancel(RequestId request) {
  exchanges_.erase(request);
}

RequestId FakeApiServer::add(Request request, client::StreamHandler handler, bool is_stream) {
  const RequestId id = ++last_request_;
  log_.push_back(fmt::format("{} {}", client::to_string(request.method), request.path));
  const Duration timeout = request.timeout;
  const Duration idle = request.idle_timeout;
  Exchange exchange;
  exchange.request = std::move(request);
  exchange.handler = std::move(handler);
  exchange.is_stream = is_stream;
  exchange.last_byte_at = loop_.now();
  exchanges_.emplace(id, std::move(exchange));
  if (timeout > Duration()) {
    loop_.after(timeout, [this, id] { finish_broken(id, Response::Transfer::kBroken, "the request timed out"); });
  }
  if (idle > Duration()) loop_.after(idle, [this, id] { check_idle(id); });
  loop_.after(draw_delay(), [this, id] { serve(id); });
  return id;
}

FakeApiServer::Exchange* FakeApiServer::find(RequestId id) {
  const auto found = exchanges_.find(id);
  return found == exchanges_.end() ? nullptr : &found->second;
}

void FakeApiServer::check_idle(RequestId id) {
  const Exchange* exchange = find(id);
  if (exchange == nullptr) return;
  const Duration quiet = loop_.now() - exchange->last_byte_at;
  const Duration limit = exchange->request.idle_timeout;
  if (quiet >= limit) return finish_broken(id, Response::Transfer::kBroken, "no byte came for too long");
  loop_.after(limit - quiet, [this, id] { check_idle(id); });
}

void FakeApiServer::serve(RequestId id) {
  Exchange* exchange = find(id);
  if (exchange == nullptr) return;
  if (!behaviour.is_up || happens(faults.refused)) {
    return finish_broken(id, Response::Transfer::kNotSent, "connection refused");
  }
  if (happens(faults.lost_requests)) return finish_broken(id, Response::Transfer::kBroken, "connection reset by peer");
  if (auto refusal = draw_refusal(exchange->request)) return finish(id, *std::move(refusal));
  if (exchange->is_stream) return open_watch(id);

  Response response = answer(exchange->request);
  if (happens(faults.lost_answers)) return finish_broken(id, Response::Transfer::kBroken, "connection reset by peer");
  if (exchange->request.method == client::Method::kGet) spoil_list(response);
  loop_.after(draw_delay(), [this, id, response = std::move(response)] { finish(id, response); });
}

void FakeApiServer::finish(RequestId id, Response response) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const Exchange exchange = std::move(found->second);
  exchanges_.erase(found);
  if (exchange.is_stream && !exchange.watch && exchange.handler.on_begin) exchange.handler.on_begin(response.status);
  exchange.handler.on_end(std::move(response));
}

void FakeApiServer::finish_broken(RequestId id, Response::Transfer how, std::string error) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const Exchange exchange = std::move(found->second);
  exchanges_.erase(found);
  Response response;
  response.transfer = how;
  response.error = std::move(error);
  exchange.handler.on_end(std::move(response));
}

Duration FakeApiServer::draw_delay() {
  if (faults.longest_delay <= Duration()) return behaviour.latency;
  return behaviour.latency + Duration::nanoseconds(rng_.in_range(0, faults.longest_delay.nanoseconds()));
}

// Nothing is drawn where nothing can happen: a fault that is off does not change the others.
bool FakeApiServer::happens(int rate) {
  return rate > 0 && rng_.chance(static_cast<std::uint64_t>(rate), kAlways);
}

std::optional<Response> FakeApiServer::draw_refusal(const Request& request) {
  if (happens(faults.too_many_requests)) {
    const Duration wait = Duration::seconds(rng_.in_range(1, kLongestRetryAfterSeconds));
    return status_response(request, 429, "TooManyRequests", "too many requests, please try again later", wait);
  }
  if (happens(faults.internal_errors)) {
    return status_response(request, 500, "InternalError", "Internal error occurred: etcdserver: request timed out");
  }
  const bool reads_history =
      request.path.find("resourceVersion=") != std::string::npos || request.path.find("continue=") != std::string::npos;
  if (reads_history && happens(faults.expired)) {
    return status_response(request, 410, "Expired", "The resourceVersion for the provided watch is too old.");
  }
  return std::nullopt;
}

void FakeApiServer::spoil_list(Response& response) {
  if (response.body.empty() || !happens(faults.unreadable_answers)) return;
  if (rng_.chance(1, 2)) {
    response.body.resize(rng_.below(response.body.size()));
  } else {
    response.body = "<html>502 Bad Gateway</html>";
  }
}

// --- Faults at a moment that the test chooses ------------------------------------------------------------------------

void FakeApiServer::break_streams() {
  for (const auto& [id, exchange] : exchanges_) {
    loop_.post([this, broken = id] { finish_broken(broken, Response::Transfer::kBroken, "connection reset by peer"); });
  }
}

void FakeApiServer::freeze_streams() {
  for (auto& [id, exchange] : exchanges_) exchange.is_frozen = true;
}

void FakeApiServer::forget_history() {
  forgotten_ = version_;
}

std::uint64_t FakeApiServer::forgotten_version() const {
  if (changes_.size() <= behaviour.history_window) return forgotten_;
  return std::max(forgotten_, changes_[changes_.size() - behaviour.history_window - 1].version);
}

std::size_t FakeApiServer::count_requests(std::string_view text) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      log_, [&](const std::string& line) { return std::string_view(line).find(text) != std::string_view::npos; }));
}

// --- Objects ---------------------------------------------------------------------------------------------------------

api::AnyObject FakeApiServer::store(WatchEvent::Type type, const api::AnyObject& object, const api::AnyObject& before) {
  ++version_;
  const api::AnyObject stored = with_metadata(
      object, [&](api::ObjectMeta& metadata) { metadata.resource_version = fmt::format("{}", version_); });
  Objects& all = objects_[&object.kind()];
  const std::string name = api::full_name(stored.metadata());
  if (type == WatchEvent::Type::kDeleted) {
    all.erase(name);
  } else {
    all.insert_or_assign(name, stored);
  }
  changes_.push_back({.version = version_, .type = type, .object = stored, .before = before});
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange.watch && exchange.watch->kind == &object.kind()) pump_soon(id);
  }
  return stored;
}

api::AnyObject FakeApiServer::create(const api::AnyObject& object) {
  const std::string name = api::full_name(object.metadata());
  BERTH_CHECK(!get(object.kind(), name), "{} {} is there already", object.kind().resource, name);
  const api::AnyObject complete = with_metadata(object, [&](api::ObjectMeta& metadata) {
    if (metadata.uid.empty()) metadata.uid = fmt::format("uid-{}", ++last_uid_);
    if (!metadata.creation_timestamp.is_set()) metadata.creation_timestamp = loop_.wall_now().floor_to_second();
  });
  return store(WatchEvent::Type::kAdded, complete, {});
}

api::AnyObject FakeApiServer::update(const api::AnyObject& object) {
  const std::string name = api::full_name(object.metadata());
  const api::AnyObject before = get(object.kind(), name);
  BERTH_CHECK(static_cast<bool>(before), "{} {} is not there", object.kind().resource, name);
  const api::AnyObject complete = with_metadata(object, [&](api::ObjectMeta& metadata) {
    metadata.uid = before.metadata().uid;
    metadata.creation_timestamp = before.metadata().creation_timestamp;
  });
  return store(WatchEvent::Type::kModified, complete, before);
}

bool FakeApiServer::remove(const api::ObjectKind& kind, std::string_view full_name) {
  const api::AnyObject before = get(kind, full_name);
  if (!before) return false;
  store(WatchEvent::Type::kDeleted, before, before);
  return true;
}

api::AnyObject FakeApiServer::get(const api::ObjectKind& kind, std::string_view full_name) const {
  const auto all = objects_.find(&kind);
  if (all == objects_.end()) return {};
  const auto found = all->second.find(full_name);
  return found == all->second.end() ? api::AnyObject() : found->second;
}

std::vector<api::AnyObject> FakeApiServer::list(const api::ObjectKind& kind, std::string_view field_selector) const {
  std::vector<api::AnyObject> result;
  const auto all = objects_.find(&kind);
  if (all == objects_.end()) return result;
  for (const auto& [name, object] : all->second) {
    if (matches_fields(object, field_selector)) result.push_back(object);
  }
  return result;
}

FakeApiServer::Objects FakeApiServer::objects_at(const api::ObjectKind& kind, std::uint64_t version) const {
  Objects objects;
  for (const Change& change : changes_) {
    if (change.version > version) break;
    if (&change.object.kind() != &kind) continue;
    const std::string name = api::full_name(change.object.metadata());
    if (change.type == WatchEvent::Type::kDeleted) {
      objects.erase(name);
    } else {
      objects.insert_or_assign(name, change.object);
    }
  }
  return objects;
}

// --- Reading ---------------------------------------------------------------------------------------------------------

std::string_view FakeApiServer::Target::parameter(std::string_view parameter_name) const {
  const auto found = query.find(parameter_name);
  return found == query.end() ? std::string_view() : found->second;
}

std::optional<FakeApiServer::Target> FakeApiServer::parse(std::string_view path) {
  Target target;
  std::string_view rest = take_part(path, '?');
  while (!path.empty()) {
    std::string_view parameter = take_part(path, '&');
    const std::string_view name = take_part(parameter, '=');
    target.query.emplace(name, percent_decoded(parameter));
  }
  take_part(rest, '/');
  const std::string_view root = take_part(rest, '/');
  std::string api_version;
  if (root == "apis") api_version = std::string(take_part(rest, '/')) + "/";
  api_version += take_part(rest, '/');
  std::string_view resource = take_part(rest, '/');
  // "namespaces/shop" and "namespaces/shop/status" are an object, "namespaces/shop/pods" are pods.
  const bool is_subresource = std::ranges::count(rest, '/') == 1 && rest.ends_with("/status");
  if (resource == "namespaces" && rest.find('/') != std::string_view::npos && !is_subresource) {
    target.name_space = percent_decoded(take_part(rest, '/'));
    resource = take_part(rest, '/');
  }
  target.name = percent_decoded(take_part(rest, '/'));
  target.subresource = rest;
  target.kind = kind_of_resource(api_version, resource);
  if (target.kind == nullptr) return std::nullopt;
  return target;
}

std::optional<Response> FakeApiServer::refusal_of(const Request& request, const std::optional<Target>& target) const {
  if (!target || behaviour.not_served.contains(target->kind)) {
    return status_response(request, 404, "NotFound", "the server could not find the requested resource");
  }
  if (behaviour.forbidden.contains(target->kind)) {
    return status_response(
        request, 403, "Forbidden",
        fmt::format("{} is forbidden: User \"berth\" cannot {} resource \"{}\" in API group", target->kind->resource,
                    request.method == client::Method::kGet ? "list" : "write", target->kind->resource));
  }
  return std::nullopt;
}

Response FakeApiServer::answer(const Request& request) {
  if (intercept) {
    if (auto response = intercept(request)) return *std::move(response);
  }
  const std::optional<Target> target = parse(request.path);
  if (auto refusal = refusal_of(request, target)) return *std::move(refusal);
  if (request.method != client::Method::kGet) return answer_write(request, *target);
  return target->name.empty() ? answer_list(request, *target) : answer_get(request, *target);
}

Response FakeApiServer::answer_get(const Request& request, const Target& target) const {
  const api::AnyObject object = get(*target.kind, target.full_name());
  return object ? object_response(request, 200, object) : not_found(request, *target.kind, target.name);
}

Response FakeApiServer::answer_list(const Request& request, const Target& target) {
  ContinueToken from{.version = version_, .after = {}};
  if (const std::string_view token = target.parameter("continue"); !token.empty()) {
    from = ContinueToken::parse(token);
    if (from.version < forgotten_version()) {
      return status_response(request, 410, "Expired",
                             "The provided continue parameter is too old to display a consistent list result.");
    }
  }
  std::size_t limit = 0;
  const std::string_view wanted = target.parameter("limit");
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), limit);

  api::ObjectList list;
  list.metadata.resource_version = fmt::format("{}", from.version);
  const Objects all = objects_at(*target.kind, from.version);
  for (auto at = all.upper_bound(from.after); at != all.end(); ++at) {
    const api::AnyObject& object = at->second;
    if (!target.name_space.empty() && object.metadata().name_space != target.name_space) continue;
    if (!matches_fields(object, target.parameter("fieldSelector"))) continue;
    if (limit > 0 && list.items.size() == limit) {
      const std::string last = api::full_name(list.items.back().metadata());
      list.metadata.continue_token = ContinueToken{.version = from.version, .after = last}.str();
      break;
    }
    list.items.push_back(object);
  }
  Response response;
  response.status = 200;
  response.body =
      wants_protobuf(request) ? codec::list_to_protobuf(*target.kind, list) : codec::list_to_json(*target.kind, list);
  return response;
}

}  // namespace berth::informer
