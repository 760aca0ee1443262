// What is to be done at a later instant. Of two timers for one instant, the one that was set first goes first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "berth/base/time.h"

namespace berth::engine {

class Timers {
 public:
  struct Key {
    Instant at;
    std::uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };

  Key set(Instant at, std::function<void()> what) {
    const Key key{at, ++last_number_};
    timers_.emplace(key, std::move(what));
    return key;
  }
  void cancel(const Key& key) { timers_.erase(key); }

  // Runs everything that is due, also what becomes due meanwhile.
  void run_due(Instant now) {
    while (!timers_.empty() && timers_.begin()->first.at <= now) {
      const std::function<void()> what = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      what();
    }
  }

  // Unset if there is none.
  Instant next() const { return timers_.empty() ? Instant() : timers_.begin()->first.at; }

 private:
  std::map<Key, std::function<void()>> timers_;
  std::uint64_t last_number_ = 0;
};

}  // namespace berth::engine
