// What all Kubernetes objects have in common: metadata, owner references, lists, label selectors as they stand on the
// wire, and the Status that an API server answers with.
#pragma once

#include <cstdint>
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

// core/v1's ObjectReference: which object a binding, an event or a volume is about.
struct ObjectReference {
  Symbol kind;
  Symbol name_space;
  std::string name;
  std::string uid;
  Symbol api_version;
  std::string resource_version;
  std::string field_path;
  bool operator==(const ObjectReference&) const = default;
};

struct Condition {
  Symbol type;
  Symbol status;
  std::int64_t observed_generation = 0;
  Instant last_transition_time;
  Symbol reason;
  std::string message;
  bool operator==(const Condition&) const = default;
};

struct StatusCause {
  Symbol reason;
  std::string message;
  std::string field;
  bool operator==(const StatusCause&) const = default;
};

struct StatusDetails {
  std::string name;
  Symbol group;
  Symbol kind;
  std::string uid;
  std::vector<StatusCause> causes;
  std::int32_t retry_after_seconds = 0;
  bool operator==(const StatusDetails&) const = default;
};

// What an API server answers when it has no object to give: mostly an error.
struct Status {
  ListMeta metadata;
  Symbol status;
  std::string message;
  Symbol reason;
  std::optional<StatusDetails> details;
  std::int32_t code = 0;
  bool operator==(const Status&) const = default;
};

BERTH_HAS_SCHEMA(OwnerReference);
BERTH_HAS_SCHEMA(ObjectMeta);
BERTH_HAS_SCHEMA(ListMeta);
BERTH_HAS_SCHEMA(LabelSelectorRequirement);
BERTH_HAS_SCHEMA(LabelSelector);
BERTH_HAS_SCHEMA(ObjectReference);
BERTH_HAS_SCHEMA(Condition);
BERTH_HAS_SCHEMA(StatusCause);
BERTH_HAS_SCHEMA(StatusDetails);
BERTH_HAS_SCHEMA(Status);

// "namespace/name", or "name" alone for objects without a namespace.
std::string full_name(const ObjectMeta& metadata);

// The owner reference that is marked as the controller, or null.
const OwnerReference* controller_of(const ObjectMeta& metadata);

}  // namespace berth::api
