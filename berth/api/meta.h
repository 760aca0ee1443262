// What all Kubernetes objects have in common: metadata, owner references, lists, label selectors as they stand on the
// wire, and the Status that an API server answers with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/api/schema.h"

namespace berth::api {

using Labels = FlatMap<Symbol>;
using Annotations = FlatMap<std::string>;
using ResourceList = FlatMap<Quantity>;

struct OwnerReference {
  Symbol api_version;
  Symbol kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string uid;
  std::string resource_version;
  Symbol name_space;
  Symbol generate_name;
  std::int64_t generation = 0;
  Instant creation_timestamp;
  Instant deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;
  Interned<Labels> labels;
  Interned<Annotations> annotations;
  Interned<std::vector<OwnerReference>> owner_references;
  Interned<std::vector<Symbol>> finalizers;
  bool operator==(const ObjectMeta&) const = default;
};

struct ListMeta {
  std::string resource_version;
  std::string continue_token;
  std::optional<std::int64_t> remaining_item_count;
  bool operator==(const ListMeta&) const = default;
};

struct LabelSelectorRequirement {
  Symbol key;
  Symbol op;
  std::vector<Symbol> values;
  bool operator==(const LabelSelectorRequirement&) const = default;
};

// A null selector matches nothing and an empty one everything, so fields that hold one are optional.
struct LabelSelector {
  Labels match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
  bool operator==(const LabelSelector&) const = default;
};

// "namespace/name", or "name" alone for objects without a namespace.
std::string full_name(const ObjectMeta& metadata);

// The owner reference that is marked as the controller, or null.
const OwnerReference* controller_of(const ObjectMeta& metadata);

}  // namespace berth::api
