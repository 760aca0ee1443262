// Any Kubernetes object: which kinds Berth knows, and a value that holds an object of one of them.
//
// A kind is a row in a table: apiVersion, kind, resource name, and how to make an empty one. The codecs read the two
// identifying fields, look the kind up and fill an object of its type; lists are read item by item.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/schema.h"

namespace berth::api {

struct ObjectKind {
  std::string_view api_version;  // "v1", "apps/v1"
  std::string_view kind;         // "Pod"
  std::string_view resource;     // "pods"
  bool namespaced;
  const Type* type;
  std::shared_ptr<void> (*make)();
  // Null for kinds without metadata (Status).
  const ObjectMeta& (*metadata)(const void* object);
};

// All kinds, in a fixed order.
std::span<const ObjectKind> all_kinds();

// Null if Berth does not know it. The list of a kind ("PodList") is not a kind of its own: see list_item_kind().
const ObjectKind* find_kind(std::string_view api_version, std::string_view kind);
// The kind of the items of a list kind such as "PodList". Null if it is not one. "v1 List" is not one either: its items
// are of any kind.
const ObjectKind* list_item_kind(std::string_view api_version, std::string_view list_kind);

template <typename T>
const ObjectKind& kind_of();

class AnyObject {
 public:
  AnyObject() = default;
  AnyObject(const ObjectKind& kind, std::shared_ptr<const void> object) : kind_(&kind), object_(std::move(object)) {}
  template <typename T>
  explicit AnyObject(std::shared_ptr<const T> object) : kind_(&kind_of<T>()), object_(std::move(object)) {}

  explicit operator bool() const { return object_ != nullptr; }

  // Require: not empty.
  const ObjectKind& kind() const { return *kind_; }
  const void* get() const { return object_.get(); }
  const ObjectMeta& metadata() const { return kind_->metadata(object_.get()); }

  // Null if it is of another kind.
  template <typename T>
  std::shared_ptr<const T> as() const {
    return kind_ == &kind_of<T>() ? std::static_pointer_cast<const T>(object_) : nullptr;
  }

 private:
  const ObjectKind* kind_ = nullptr;
  std::shared_ptr<const void> object_;
};

// A list as an API server sends it, with the position in the history that a watch continues from.
struct ObjectList {
  ListMeta metadata;
  std::vector<AnyObject> items;
};

}  // namespace berth::api
