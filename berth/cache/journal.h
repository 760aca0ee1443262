// What happened to the node table, in order, so that whoever keeps something worked out from it (a pod class's verdicts
// and scores) can catch up instead of starting over.
//
// Every change has a number; a reader remembers up to which it has read. Only the last kCapacity changes are kept: a
// reader that was away for longer, or from before a reset, is told to start over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "berth/cache/pod_class.h"

namespace berth::cache {

struct Change {
  enum class Kind : std::uint8_t {
    kPodAdded,
    kPodRemoved,
    kNodeAdded,
    kNodeRemoved,
    kNodeCapacity,  // allocatable resources
    kNodeLabels,
    kNodeTaints,  // taints or spec.unschedulable
    kNodeOther,   // images, declared features: whatever else of the node a plugin may look at
  };
  Kind kind = Kind::kPodAdded;
  RowId row = kNoRow;
  const PodClass* pod_class = nullptr;  // of kPodAdded and kPodRemoved

  bool is_about_pod() const { return kind == Kind::kPodAdded || kind == Kind::kPodRemoved; }
};

class Journal {
 public:
  // Enough for a reader that looks in every few thousand placements; 1.5 MB.
  static constexpr std::size_t kCapacity = 65'536;

  void append(const Change& change) {
    if (ring_.size() < kCapacity) {
      ring_.push_back(change);
    } else {
      ring_[static_cast<std::size_t>(end_ % kCapacity)] = change;
    }
    ++end_;
  }

  // Forgets everything: all readers start over.
  void reset() {
    ++end_;
    while (end_ % kCapacity != 0) ++end_;
    first_ = end_;
    ring_.clear();
  }

  // The number that the next change gets.
  std::uint64_t end() const { return end_; }

  // Calls fn(const Change&) for each change from number `since` on. False, and no call, if some of them are forgotten.
  template <typename Fn>
  bool read(std::uint64_t since, Fn&& fn) const {
    if (since < first_ || end_ - since > ring_.size()) return false;
    for (std::uint64_t number = since; number != end_; ++number)
      fn(ring_[static_cast<std::size_t>(number % kCapacity)]);
    return true;
  }

 private:
  std::vector<Change> ring_;  // change n lies at n % kCapacity
  std::uint64_t first_ = 0;   // of the changes since the last reset
  std::uint64_t end_ = 0;
};

}  // namespace berth::cache
