#include "berth/engine/attempt_log.h"

#include <algorithm>
#include <iterator>
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

AttemptRecord& AttemptLog::add(std::string_view uid, AttemptRecord record) {
  // The newest record is always kept, whatever the limits say: it is what this function returns.
  const std::size_t records_kept = std::max<std::size_t>(limits_.records_per_pod, 1);
  const std::size_t pods_kept = std::max<std::size_t>(limits_.pods, 1);

  const auto known = by_uid_.find(uid);
  if (known != by_uid_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
  } else {
    if (entries_.size() < pods_kept) {
      entries_.emplace_front();
    } else {
      entries_.splice(entries_.begin(), entries_, std::prev(entries_.end()));
      by_uid_.erase(entries_.front().uid);
      entries_.front().records.clear();
    }
    entries_.front().uid = uid;
    by_uid_.emplace(entries_.front().uid, entries_.begin());
  }
  std::vector<AttemptRecord>& records = entries_.front().records;
  if (records.size() >= records_kept) records.erase(records.begin());
  return records.emplace_back(std::move(record));
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
  entries_.erase(entry);
}

}  // namespace berth::engine
