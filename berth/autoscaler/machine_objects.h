// Cluster API's objects that make machines (MachineDeployment, MachineSet, MachinePool, and OpenShift's MachineSet):
// the sizes that are annotated for cluster-autoscaler, what their nodes would look like, and which nodes they own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/object.h"
#include "berth/autoscaler/node_group.h"

namespace berth::autoscaler {

struct MachineGroup {
  std::string name;
  std::optional<std::int64_t> min_nodes;
  std::optional<std::int64_t> max_nodes;
  // From the annotations that cluster-autoscaler reads where a group has no node.
  std::optional<NodeShape> shape;
};

class MachineObjects {
 public:
  explicit MachineObjects(const std::vector<api::AnyObject>& objects);

  const std::vector<MachineGroup>& groups() const { return groups_; }
  // The name of the group that made the node; empty if it is not known.
  std::string owner_of(const api::Node& node) const;

 private:
  bool is_group(const std::string& name) const;

  std::vector<MachineGroup> groups_;
  std::map<std::string, std::string> owners_;  // MachineDeployments by the name of their MachineSet
};

}  // namespace berth::autoscaler
