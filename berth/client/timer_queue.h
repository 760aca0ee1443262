// Timers of a loop, in the order in which they are due; those due at the same time in the order of their making.
//
// Not thread safe.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "berth/base/time.h"
#include "berth/client/loop.h"

namespace berth::client {

class TimerQueue {
 public:
  TimerId add(Instant due, std::function<void()> fn) {
    const TimerId id = ++last_id_;
    timers_.emplace(std::pair{due, id}, std::move(fn));
    due_.emplace(id, due);
    return id;
  }

  void remove(TimerId timer) {
    const auto found = due_.find(timer);
    if (found == due_.end()) return;
    timers_.erase({found->second, timer});
    due_.erase(found);
  }

  // When the first is due; unset if there is none.
  Instant next() const { return timers_.empty() ? Instant() : timers_.begin()->first.first; }

  // Runs those that are due now, but not those that they make: so a timer that sets itself again does not keep a loop
  // from its other work.
  void run(Instant now) {
    const TimerId last = last_id_;
    auto at = timers_.begin();
    while (at != timers_.end() && at->first.first <= now) {
      if (at->first.second > last) {
        ++at;
        continue;
      }
      auto timer = timers_.extract(at);
      due_.erase(timer.key().second);
      timer.mapped()();
      at = timers_.begin();  // what ran may have removed others
    }
  }

 private:
  std::map<std::pair<Instant, TimerId>, std::function<void()>> timers_;
  std::unordered_map<TimerId, Instant> due_;
  TimerId last_id_ = 0;
};

}  // namespace berth::client
