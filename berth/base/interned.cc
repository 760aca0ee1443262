#include "berth/base/interned.h"

#include <algorithm>

namespace berth {

std::size_t InternPool::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void InternPool::sweep_if_grown() {
  if (entries_.size() < sweep_at_) return;
  std::erase_if(entries_, [](const auto& entry) { return entry.second.value.use_count() == 1; });
  sweep_at_ = std::max(kFirstSweepSize, entries_.size() * 2);
}

}  // namespace berth
