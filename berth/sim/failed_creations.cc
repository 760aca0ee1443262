#include "berth/sim/failed_creations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/api/kinds.h"

namespace berth::sim {

namespace {

// "Deployment/web" for its ReplicaSets.
std::string group_of(const api::ObjectKind& kind, const api::ObjectMeta& owner) {
  const api::OwnerReference* above = api::controller_of(owner);
  if (above != nullptr) return fmt::format("{}/{}", above->kind.text(), above->name);
  return fmt::format("{}/{}", kind.kind, owner.name);
}

// Without the name of the pod, which is another one at every try.
std::string_view reason_of(std::string_view message) {
  constexpr std::string_view kBefore = " is forbidden: ";
  const std::size_t at = message.find(kBefore);
  return at == std::string_view::npos ? message : message.substr(at + kBefore.size());
}

bool changes_admission(const api::ObjectKind& kind) {
  return &kind == &api::kind_of<api::PriorityClass>() || &kind == &api::kind_of<api::LimitRange>() ||
         &kind == &api::kind_of<api::ResourceQuota>();
}

// Whether it may have left room in a quota.
bool leaves_room(const Change& change) {
  if (change.kind == Change::Kind::kDeleted) return true;
  const auto pod = change.object.as<api::Pod>();
  return pod != nullptr && change.kind == Change::Kind::kModified && api::is_terminal(*pod);
}

}  // namespace

std::string to_text(const FailedCreation& failed) {
  const std::string where = failed.name_space == "default" ? "" : fmt::format(" in {}", failed.name_space.text());
  return fmt::format("{}{} could not create {} of its {} pod{}: {}", failed.group, where, failed.missing, failed.wanted,
                     failed.wanted == 1 ? "" : "s", failed.message);
}

FailedCreations::Key FailedCreations::key_of(const api::ObjectKind& kind, const api::ObjectMeta& owner) {
  return {owner.name_space.str(), std::string(kind.kind), owner.name};
}

void FailedCreations::failed(const api::ObjectKind& kind, const api::ObjectMeta& owner, std::int64_t wanted,
                             std::int64_t missing, std::string_view message, std::function<void()> retry,
                             const CreationBackoff& backoff) {
  const Key key = key_of(kind, owner);
  Entry& entry = entries_[key];
  FailedCreation& what = entry.what;
  const Instant now = agenda_.now();
  if (entry.uid != owner.uid) {
    entry = Entry();
    entry.uid = owner.uid;
    what.kind = Symbol(kind.kind);
    what.name_space = owner.name_space;
    what.name = owner.name;
    what.group = group_of(kind, owner);
    what.since = now;
  }
  const bool is_news = what.tries == 0 || reason_of(what.message) != reason_of(message);
  what.wanted = wanted;
  what.missing = missing;
  what.message = std::string(message);
  ++what.tries;
  if (is_news) history_.creation_failed(kind.kind, owner, to_text(what), message, now);

  Duration delay = backoff.first;
  for (std::int64_t i = 1; i < what.tries && delay < backoff.longest; ++i) delay = delay * 2;
  schedule(key, entry, std::min(delay, backoff.longest), std::move(retry));
}

void FailedCreations::schedule(const Key& key, Entry& entry, Duration delay, std::function<void()> retry) {
  entry.retry_at = agenda_.now() + delay;
  entry.is_waited_for = false;
  const std::uint64_t number = ++entry.retry;
  agenda_.after(delay, Agenda::Urgency::kLater, [this, key, uid = entry.uid, number, retry = std::move(retry)] {
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second.uid == uid && found->second.retry == number) retry();
  });
}

void FailedCreations::succeeded(const api::ObjectKind& kind, const api::ObjectMeta& owner) {
  if (!entries_.empty()) entries_.erase(key_of(kind, owner));
}

void FailedCreations::on_change(const Change& change) {
  if (entries_.empty()) return;
  const api::ObjectKind& kind = change.object.kind();
  const api::ObjectMeta& metadata = change.object.metadata();
  if (change.kind == Change::Kind::kDeleted) {
    const auto found = entries_.find(key_of(kind, metadata));
    if (found != entries_.end() && found->second.uid == metadata.uid) entries_.erase(found);
  }
  const bool concerns_all = changes_admission(kind);
  if (!concerns_all && !leaves_room(change)) return;
  for (auto& [key, entry] : entries_) {
    if (entry.is_waited_for || (kind.namespaced && entry.what.name_space != metadata.name_space)) continue;
    entry.is_waited_for = true;
    // The world is not idle before the next try.
    agenda_.after(std::max(Duration(), entry.retry_at - agenda_.now()), Agenda::Urgency::kWork, [] {});
  }
}

std::vector<FailedCreation> FailedCreations::list() const {
  std::vector<FailedCreation> result;
  for (const auto& [key, entry] : entries_) result.push_back(entry.what);
  return result;
}

}  // namespace berth::sim
