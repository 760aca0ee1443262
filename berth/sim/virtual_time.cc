#include "berth/sim/virtual_time.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"

namespace berth::sim {

void VirtualTime::after(Duration delay, Urgency urgency, std::move_only_function<void()> what) {
  at(now_ + delay, urgency, std::move(what));
}

void VirtualTime::at(Instant when, Urgency urgency, std::move_only_function<void()> what) {
  if (urgency == Urgency::kWork) ++work_;
  moments_[std::max(when, now_)].items.push_back({std::move(what), urgency});
}

Instant VirtualTime::next_at() const {
  return moments_.empty() ? Instant() : moments_.begin()->first;
}

void VirtualTime::step() {
  BERTH_CHECK(!moments_.empty(), "nothing is to happen any more");
  const auto first = moments_.begin();
  now_ = first->first;
  Moment& moment = first->second;
  // Taken out before it runs: it may ask for more things of this moment.
  Item item = std::move(moment.items[moment.next++]);
  if (moment.next == moment.items.size()) moments_.erase(first);
  if (item.urgency == Urgency::kWork) --work_;
  item.what();
}

void VirtualTime::advance_to(Instant when) {
  BERTH_CHECK(moments_.empty() || moments_.begin()->first >= when, "something is due before {}", when.rfc3339_nano());
  now_ = std::max(now_, when);
}

}  // namespace berth::sim
