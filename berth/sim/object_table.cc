#include "berth/sim/object_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "berth/base/check.h"

namespace berth::sim {

namespace {

// Removed objects leave slots behind until the next listing, but not more than this many beyond those that live.
constexpr std::size_t kMaxRemoved = 1024;

}  // namespace

std::uint32_t ObjectTable::hash_of(const Name& name) {
  return static_cast<std::uint32_t>(hash_combine(hash_bytes(name.name), name.name_space.id()));
}

bool ObjectTable::NameEqual::operator()(const Named& named, const Name& name) const {
  const Name own = table->name_of(named.slot);
  return own.name_space == name.name_space && own.name == name.name;
}

ObjectTable::Name ObjectTable::name_of(Slot slot) const {
  const api::ObjectMeta& metadata = slots_[slot].metadata();
  return {metadata.name_space, metadata.name};
}

bool ObjectTable::comes_before(Slot a, Slot b) const {
  const Name x = name_of(a), y = name_of(b);
  if (x.name_space != y.name_space) return x.name_space.text() < y.name_space.text();
  return x.name < y.name;
}

const api::AnyObject* ObjectTable::find(Symbol name_space, std::string_view name) const {
  const auto it = by_name_.find(Name{name_space, name});
  return it == by_name_.end() ? nullptr : &slots_[it->slot];
}

void ObjectTable::add(api::AnyObject object) {
  Slot slot = static_cast<Slot>(slots_.size());
  if (free_.empty()) {
    slots_.push_back(std::move(object));
  } else {
    slot = free_.back();
    free_.pop_back();
    slots_[slot] = std::move(object);
  }
  added_.push_back(slot);
  by_name_.insert(Named{slot, hash_of(name_of(slot))});
}

void ObjectTable::replace(api::AnyObject object) {
  const api::ObjectMeta& metadata = object.metadata();
  const auto it = by_name_.find(Name{metadata.name_space, metadata.name});
  BERTH_CHECK(it != by_name_.end(), "{} is not there", metadata.name);
  slots_[it->slot] = std::move(object);
}

void ObjectTable::remove(Symbol name_space, std::string_view name) {
  const auto it = by_name_.find(Name{name_space, name});
  BERTH_CHECK(it != by_name_.end(), "{} is not there", name);
  const Slot slot = it->slot;
  by_name_.erase(it);
  slots_[slot] = {};
  if (++removed_ > by_name_.size() + kMaxRemoved && readers_ == 0) put_in_order();
}

void ObjectTable::drop_removed(std::vector<Slot>& slots) const {
  std::erase_if(slots, [this](Slot slot) {
    if (slots_[slot]) return false;
    free_.push_back(slot);
    return true;
  });
}

void ObjectTable::put_in_order() const {
  if (removed_ > 0) {
    drop_removed(in_order_);
    drop_removed(added_);
    removed_ = 0;
  }
  if (added_.empty()) return;
  const auto before = [this](Slot a, Slot b) { return comes_before(a, b); };
  std::sort(added_.begin(), added_.end(), before);
  std::vector<Slot> merged;
  merged.reserve(in_order_.size() + added_.size());
  std::merge(in_order_.begin(), in_order_.end(), added_.begin(), added_.end(), std::back_inserter(merged), before);
  in_order_ = std::move(merged);
  added_.clear();
}

void ObjectTable::for_each(FunctionRef<void(const api::AnyObject&)> fn) const {
  if (readers_ == 0) put_in_order();
  ++readers_;
  for (std::size_t i = 0; i < in_order_.size(); ++i) {
    // A copy, because the callback may replace the object.
    if (const api::AnyObject object = slots_[in_order_[i]]) fn(object);
  }
  --readers_;
}

}  // namespace berth::sim
