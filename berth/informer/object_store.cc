#include "berth/informer/object_store.h"

#include <fmt/format.h>

#include <utility>

#include "berth/codec/protobuf.h"

namespace berth::informer {

bool is_same(const api::AnyObject& a, const api::AnyObject& b) {
  if (!a || !b) return !a && !b;
  if (&a.kind() != &b.kind()) return false;
  const api::Type& type = *a.kind().type;
  return a.get() == b.get() || codec::to_protobuf(type, a.get()) == codec::to_protobuf(type, b.get());
}

void ObjectStore::observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) {
  Objects& all = kinds_[&kind];
  all.clear();
  for (api::AnyObject& object : objects) {
    std::string name = api::full_name(object.metadata());
    all.insert_or_assign(std::move(name), std::move(object));
  }
}

void ObjectStore::observe(api::AnyObject object) {
  std::string name = api::full_name(object.metadata());
  Objects& all = kinds_[&object.kind()];
  all.insert_or_assign(std::move(name), std::move(object));
}

void ObjectStore::observe_deleted(api::AnyObject object) {
  kinds_[&object.kind()].erase(api::full_name(object.metadata()));
}

const ObjectStore::Objects& ObjectStore::objects_of(const api::ObjectKind& kind) const {
  static const Objects kNone;
  const auto found = kinds_.find(&kind);
  return found == kinds_.end() ? kNone : found->second;
}

api::AnyObject ObjectStore::find(const api::ObjectKind& kind, std::string_view full_name) const {
  const Objects& all = objects_of(kind);
  const auto found = all.find(full_name);
  return found == all.end() ? api::AnyObject() : found->second;
}

std::vector<api::AnyObject> ObjectStore::list(const api::ObjectKind& kind) const {
  std::vector<api::AnyObject> objects;
  for (const auto& [name, object] : objects_of(kind)) objects.push_back(object);
  return objects;
}

std::size_t ObjectStore::size(const api::ObjectKind& kind) const {
  return objects_of(kind).size();
}

std::vector<std::string> ObjectStore::differences(const api::ObjectKind& kind,
                                                  std::span<const api::AnyObject> truth) const {
  std::vector<std::string> found;
  Objects unexplained = objects_of(kind);
  for (const api::AnyObject& object : truth) {
    const std::string name = api::full_name(object.metadata());
    const auto mine = unexplained.extract(name);
    if (mine.empty()) {
      found.push_back(fmt::format("{} {} is missing", kind.resource, name));
    } else if (!is_same(mine.mapped(), object)) {
      found.push_back(fmt::format("{} {} is known at resource version {} and is at {}", kind.resource, name,
                                  mine.mapped().metadata().resource_version, object.metadata().resource_version));
    }
  }
  for (const auto& [name, object] : unexplained) {
    found.push_back(fmt::format("{} {} is known and is gone", kind.resource, name));
  }
  return found;
}

}  // namespace berth::informer
