// Objects that tell of autoscalers and of the groups of nodes that they resize: the ConfigMap in which
// cluster-autoscaler reports its status, and custom resources of which only the metadata matters (Karpenter's node
// classes, Cluster API's MachineDeployments).
#pragma once

#include <optional>
#include <string>

#include "berth/api/meta.h"
#include "berth/api/object.h"

namespace berth::api {

struct ConfigMap {
  ObjectMeta metadata;
  FlatMap<std::string> data;
  FlatMap<std::string> binary_data;  // base64, as it came
  std::optional<bool> immutable;
  bool operator==(const ConfigMap&) const = default;
};

// A custom resource that is read for its metadata; the rest is kept as it came. Several kinds have this type: which one
// an object is of, AnyObject::kind() says.
struct PartialObject {
  ObjectMeta metadata;
  RawJson spec;
  RawJson status;
  bool operator==(const PartialObject&) const = default;
};

BERTH_HAS_SCHEMA(ConfigMap);
BERTH_HAS_SCHEMA(PartialObject);

// Null if it is of another type.
const PartialObject* as_partial(const AnyObject& object);

}  // namespace berth::api
