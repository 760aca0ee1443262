#include "berth/engine/attempt_log.h"

#include <algorithm>
#include <utility>

namespace berth::engine {

std::string_view to_string(AttemptResult result) {
  switch (result) {
    case AttemptResult::kPlaced: return "placed";
    case AttemptResult::kUnschedulable: return "unschedulable";
    case AttemptResult::kError: return "error";
    case AttemptResult::kSkipped: return "skipped";
  }
  return "";
}

const AttemptRecord::Detail& AttemptRecord::detail() const {
  static const Detail kNone;
  return detail_ ? *detail_ : kNone;
}

AttemptRecord& AttemptLog::add(std::string_view uid, AttemptRecord record) {
  const bool is_placed = record.result == AttemptResult::kPlaced;
  std::list<Entry>& entries = group(is_placed);
  if (const auto known = by_uid_.find(uid); known != by_uid_.end()) {
    entries.splice(entries.begin(), group(known->second->is_placed), known->second);
  } else {
    entries.emplace_front().uid = uid;
    by_uid_.emplace(entries.front().uid, entries.begin());
  }
  Entry& entry = entries.front();
  entry.is_placed = is_placed;

  // The newest record is always kept, whatever the limits say: it is what this function returns.
  const std::size_t pods_kept = std::max<std::size_t>(is_placed ? limits_.placed_pods : limits_.waiting_pods, 1);
  if (entries.size() > pods_kept) {
    by_uid_.erase(entries.back().uid);  // before the text that is its key
    entries.pop_back();
  }
  const std::size_t records_kept = std::max<std::size_t>(limits_.records_per_pod, 1);
  if (entry.records.size() >= records_kept) entry.records.erase(entry.records.begin());
  return entry.records.emplace_back(std::move(record));
}

const std::vector<AttemptRecord>& AttemptLog::of(std::string_view uid) const {
  static const std::vector<AttemptRecord> kNone;
  const auto known = by_uid_.find(uid);
  return known == by_uid_.end() ? kNone : known->second->records;
}

const AttemptRecord* AttemptLog::last(std::string_view uid) const {
  const std::vector<AttemptRecord>& records = of(uid);
  return records.empty() ? nullptr : &records.back();
}

void AttemptLog::forget(std::string_view uid) {
  const auto known = by_uid_.find(uid);
  if (known == by_uid_.end()) return;
  const std::list<Entry>::iterator entry = known->second;
  by_uid_.erase(known);  // before the text that is its key
  group(entry->is_placed).erase(entry);
}

}  // namespace berth::engine
