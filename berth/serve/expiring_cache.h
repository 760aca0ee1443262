// Answers that are good for a while, by a text. Bounded: the one not asked for longest goes first. Thread safe.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "berth/base/time.h"

namespace berth::serve {

template <typename Value>
class ExpiringCache {
 public:
  explicit ExpiringCache(std::size_t limit) : limit_(limit) {}

  std::optional<Value> find(const std::string& key, Instant now) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    if (now >= found->second->expires_at) {
      entries_.erase(found->second);
      by_key_.erase(found);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  void set(const std::string& key, Value value, Instant expires_at) {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      entries_.erase(found->second);
      by_key_.erase(found);
    }
    entries_.push_front({key, std::move(value), expires_at});
    by_key_.emplace(key, entries_.begin());
    if (entries_.size() <= limit_) return;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::string key;
    Value value;
    Instant expires_at;
  };

  const std::size_t limit_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the one asked for last comes first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> by_key_;
};

}  // namespace berth::serve
