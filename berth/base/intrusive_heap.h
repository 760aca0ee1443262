// A binary heap whose elements can be found, changed and removed anywhere in the heap, not only at the top.
//
// It holds pointers to elements that somebody else owns, and each element carries its own position in the heap:
// membership is a comparison, removal needs no search and pushing allocates nothing but the array.
//
// Elements that compare equal come out in an order that depends on every step the heap took, and users of
// kube-scheduler see that order. So the steps are part of the contract: which child is preferred (the right one only if
// it is less), when a move stops (at equality), that a change tries down before up, and that removal fills the gap with
// the last element. n equal elements come out as the first, the last, the last but one, ..., the second.
//
// Not thread safe.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "berth/base/check.h"

namespace berth {

// A member of this type is what an IntrusiveHeap needs in its elements. One member serves several heaps if an element
// is in at most one of them at a time. Copying an element does not copy its place.
class HeapPosition {
 public:
  HeapPosition() = default;
  HeapPosition(const HeapPosition&) {}
  HeapPosition& operator=(const HeapPosition&) { return *this; }

  bool is_in_a_heap() const { return index_ != kNone; }

 private:
  template <typename T, typename Less, HeapPosition T::* Position>
  friend class IntrusiveHeap;

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index_ = kNone;
};

// A Less with ranks makes a large heap much faster. `less.rank(item)` gives a small value that is kept in the heap's
// array, so that most comparisons do not touch the items, which are seldom in the processor's cache:
//   rank(a) < rank(b) must imply less(a, b); items of equal rank are compared by less(a, b).
// A rank is taken when an item is pushed, updated or replaced.
template <typename Less, typename T>
concept HasRank = requires(const Less& less, const T& item) {
  { less.rank(item) < less.rank(item) } -> std::convertible_to<bool>;
};

// What stands in for the rank if Less has none: all items are of equal rank, and it takes no room.
struct NoHeapRank {
  friend constexpr bool operator<(NoHeapRank, NoHeapRank) { return false; }
};

template <typename Less, typename T>
constexpr auto heap_rank(const Less& less, const T& item) {
  if constexpr (HasRank<Less, T>) {
    return less.rank(item);
  } else {
    return NoHeapRank{};
  }
}

// IntrusiveHeap<QueuedPod, ActiveOrder, &QueuedPod::heap_position>. Less is called as less(const T&, const T&).
// Elements must stay where they are in memory while they are in the heap, and leave it before they die, unless the heap
// dies first or with them.
template <typename T, typename Less, HeapPosition T::* Position>
class IntrusiveHeap {
 public:
  // Positions are 32 bits: half the memory, and far more than the pods of any cluster.
  static constexpr std::size_t kMaxSize = HeapPosition::kNone;

  explicit IntrusiveHeap(Less less = Less()) : less_(std::move(less)) {}
  IntrusiveHeap(const IntrusiveHeap&) = delete;
  IntrusiveHeap& operator=(const IntrusiveHeap&) = delete;

  std::size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  void reserve(std::size_t size) { slots_.reserve(size); }

  bool contains(const T& item) const {
    const std::uint32_t index = (item.*Position).index_;
    return index < slots_.size() && slots_[index].item == &item;
  }

  // The least element. Requires: not empty.
  T& top() const {
    BERTH_CHECK(!slots_.empty(), "top of an empty heap");
    return *slots_.front().item;
  }

  // Requires: the item is in no heap that uses its position.
  void push(T& item) {
    BERTH_CHECK(!(item.*Position).is_in_a_heap(), "the item is in a heap already");
    BERTH_CHECK(slots_.size() < kMaxSize, "a heap of {} items is full", slots_.size());
    slots_.push_back(slot_of(item));
    move_up(slots_.size() - 1);
  }

  // Takes the least element out. Requires: not empty.
  T& pop() {
    T& item = top();
    erase_at(0);
    return item;
  }

  // Requires: contains(item).
  void erase(T& item) {
    check_contains(item);
    erase_at((item.*Position).index_);
  }

  // To be called after a change that may alter the item's order. Requires: contains(item), and no other item has
  // changed since.
  void update(T& item) {
    check_contains(item);
    const std::size_t index = (item.*Position).index_;
    slots_[index] = slot_of(item);
    fix(index);
  }

  // Puts `fresh` in the place of `old` and then moves it where it belongs. This is an update, not an erase and a push:
  // the order among equals differs. Requires: contains(old), and `fresh` is in no heap.
  void replace(T& old, T& fresh) {
    check_contains(old);
    BERTH_CHECK(!(fresh.*Position).is_in_a_heap(), "the item is in a heap already");
    const std::size_t index = (old.*Position).index_;
    (old.*Position).index_ = HeapPosition::kNone;
    slots_[index] = slot_of(fresh);
    fix(index);
  }

  void clear() {
    for (const Slot& slot : slots_) (slot.item->*Position).index_ = HeapPosition::kNone;
    slots_.clear();
  }

  // In no particular order. `fn(T&)` must not change the heap nor an item's order.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (const Slot& slot : slots_) fn(*slot.item);
  }

  // Calls `fn(T&)` for items from the least on, in no particular order, and does not go on to what lies below an item
  // for which it returns false. So it visits all items up to a bound at the cost of those it visits.
  template <typename Fn>
  void for_each_while(Fn&& fn, std::size_t index = 0) const {
    if (index >= slots_.size() || !fn(*slots_[index].item)) return;
    for_each_while(fn, 2 * index + 1);
    for_each_while(fn, 2 * index + 2);
  }

 private:
  struct Slot {
    [[no_unique_address]] decltype(heap_rank(std::declval<const Less&>(), std::declval<const T&>())) rank;
    T* item;
  };

  Slot slot_of(T& item) const { return {heap_rank(less_, std::as_const(item)), &item}; }

  bool is_less(const Slot& a, const Slot& b) const {
    if (a.rank < b.rank) return true;
    if (b.rank < a.rank) return false;
    return less_(std::as_const(*a.item), std::as_const(*b.item));
  }

  void check_contains(const T& item) const { BERTH_CHECK(contains(item), "the item is not in this heap"); }

  void place(std::size_t index, const Slot& slot) {
    slots_[index] = slot;
    (slot.item->*Position).index_ = static_cast<std::uint32_t>(index);
  }

  // Both moves carry the slot along an open gap, which ends as swapping it step by step would.
  void move_up(std::size_t index) {
    const Slot slot = slots_[index];
    while (index > 0) {
      const std::size_t parent = (index - 1) / 2;
      if (!is_less(slot, slots_[parent])) break;
      place(index, slots_[parent]);
      index = parent;
    }
    place(index, slot);
  }

  // Returns whether the slot moved.
  bool move_down(const std::size_t from) {
    const std::size_t size = slots_.size();
    const Slot slot = slots_[from];
    std::size_t index = from;
    while (true) {
      std::size_t child = 2 * index + 1;
      if (child >= size) break;
      const std::size_t right = child + 1;
      if (right < size && is_less(slots_[right], slots_[child])) child = right;
      if (!is_less(slots_[child], slot)) break;
      place(index, slots_[child]);
      index = child;
    }
    place(index, slot);
    return index != from;
  }

  void fix(std::size_t index) {
    if (!move_down(index)) move_up(index);
  }

  void erase_at(std::size_t index) {
    (slots_[index].item->*Position).index_ = HeapPosition::kNone;
    const Slot last = slots_.back();
    slots_.pop_back();
    if (index == slots_.size()) return;
    slots_[index] = last;
    fix(index);
  }

  std::vector<Slot> slots_;
  [[no_unique_address]] Less less_;
};

}  // namespace berth
