#include "berth/daemon/event_series.h"

#include <fmt/format.h>

#include "berth/api/names.h"
#include "berth/base/check.h"
#include "berth/base/hash.h"

namespace berth::daemon {
namespace {

// The series of a name stays the same whoever else draws numbers.
std::string uuid_for(Instant made_at, const Rng& rng) {
  Rng own = rng.fork(static_cast<std::uint64_t>(made_at.unix_nanoseconds()));
  const std::uint64_t high = own.next_u64();
  const std::uint64_t low = own.next_u64();
  // Version 4, variant 1.
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF, high & 0xFFF,
                     ((low >> 48) & 0x3FFF) | 0x8000, low & 0xFFFF'FFFF'FFFF);
}

void append(std::string& key, std::string_view part) {
  key += part;
  key += '\0';
}

void append(std::string& key, const api::ObjectReference& object) {
  append(key, object.kind.text());
  append(key, object.name_space.text());
  append(key, object.name);
  append(key, object.uid);
  append(key, object.api_version.text());
  append(key, object.resource_version);
  append(key, object.field_path);
}

}  // namespace

std::string event_name(std::string_view regarding, Instant made_at, const Rng& rng) {
  std::string name = fmt::format("{}.{:x}", regarding, made_at.unix_nanoseconds());
  return api::dns_subdomain_errors(name).empty() ? name : uuid_for(made_at, rng);
}

EventSeries::Observed EventSeries::observe(const api::Event& event, Instant made_at, Instant now) {
  const Fingerprint key = fingerprint_of(event);
  if (const auto found = repeated_by_key_.find(key); found != repeated_by_key_.end()) {
    RepeatedEvent& known = *found->second->event;
    ++known.event.series->count;
    known.event.series->last_observed_time.at = made_at;
    known.seen_at = now;
    repeated_.splice(repeated_.end(), repeated_, found->second);
    return {};
  }
  const auto first = single_.find(key);
  if (first == single_.end()) {
    remember_single(key, {.made_at = made_at, .seen_at = now});
    return {.is_new = true, .repeated = nullptr, .finished = nullptr};
  }
  auto repeated = std::make_shared<RepeatedEvent>();
  repeated->event = event;
  repeated->event.metadata.name = event_name(event.regarding.name, first->second.made_at, rng_);
  repeated->event.event_time.at = first->second.made_at;
  repeated->event.series = api::EventSeries{.count = 2, .last_observed_time = {.at = made_at}};
  repeated->seen_at = now;
  single_.erase(first);
  Observed result{.is_new = false, .repeated = repeated, .finished = nullptr};
  if (repeated_.size() >= limits_.max_repeated) result.finished = forget_oldest_repeated();
  repeated_by_key_[key] = repeated_.insert(repeated_.end(), {.key = key, .event = std::move(repeated)});
  return result;
}

std::vector<std::shared_ptr<RepeatedEvent>> EventSeries::finish_idle(Instant now) {
  const Instant horizon = now - kSeriesIdle;
  while (!single_order_.empty() && single_order_.front().second < horizon) forget_oldest_single();
  std::vector<std::shared_ptr<RepeatedEvent>> finished;
  while (!repeated_.empty() && repeated_.front().event->seen_at < horizon) {
    finished.push_back(forget_oldest_repeated());
  }
  return finished;
}

std::vector<std::shared_ptr<RepeatedEvent>> EventSeries::active() const {
  std::vector<std::shared_ptr<RepeatedEvent>> result;
  result.reserve(repeated_.size());
  for (const Repeated& repeated : repeated_) result.push_back(repeated.event);
  return result;
}

EventSeries::Fingerprint EventSeries::fingerprint_of(const api::Event& event) {
  std::string key;
  append(key, event.type.text());
  append(key, event.action.text());
  append(key, event.reason.text());
  append(key, event.reporting_controller.text());
  append(key, event.reporting_instance.text());
  append(key, event.regarding);
  if (event.related.has_value()) append(key, *event.related);
  return {.low = hash_bytes(key, 1), .high = hash_bytes(key, 2)};
}

void EventSeries::remember_single(const Fingerprint& key, Single single) {
  if (single_order_.size() >= limits_.max_single) forget_oldest_single();
  single_order_.emplace_back(key, single.seen_at);
  single_.emplace(key, single);
}

void EventSeries::forget_oldest_single() {
  const auto [key, seen_at] = single_order_.front();
  single_order_.pop_front();
  // A key may be in the order twice: it became a series, that ended, and it came again.
  if (const auto found = single_.find(key); found != single_.end() && found->second.seen_at == seen_at) {
    single_.erase(found);
  }
}

std::shared_ptr<RepeatedEvent> EventSeries::forget_oldest_repeated() {
  BERTH_CHECK(!repeated_.empty(), "no series to forget");
  std::shared_ptr<RepeatedEvent> event = std::move(repeated_.front().event);
  repeated_by_key_.erase(repeated_.front().key);
  repeated_.pop_front();
  return event;
}

}  // namespace berth::daemon
