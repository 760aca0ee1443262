#include "berth/api/node.h"

namespace berth::api {

template <>
const Schema& schema_of<Taint>() {
  static const Schema schema("Taint", {
                                          field<&Taint::key>("key", 1, kAlways),
                                          field<&Taint::value>("value", 2),
                                          field<&Taint::effect>("effect", 3, kAlways),
                                          field<&Taint::time_added>("timeAdded", 4),
                                      });
  return schema;
}

template <>
const Schema& schema_of<NodeSpec>() {
  static const Schema schema("NodeSpec", {
                                             field<&NodeSpec::provider_id>("providerID", 3),
                                             field<&NodeSpec::unschedulable>("unschedulable", 4),
                                             field<&NodeSpec::taints>("taints", 5),
                                         });
  return schema;
}

template <>
const Schema& schema_of<NodeCondition>() {
  static const Schema schema("NodeCondition",
                             {
                                 field<&NodeCondition::type>("type", 1, kAlways),
                                 field<&NodeCondition::status>("status", 2, kAlways),
                                 field<&NodeCondition::last_heartbeat_time>("lastHeartbeatTime", 3, kAlways),
                                 field<&NodeCondition::last_transition_time>("lastTransitionTime", 4, kAlways),
                                 field<&NodeCondition::reason>("reason", 5),
                                 field<&NodeCondition::message>("message", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<ContainerImage>() {
  static const Schema schema("ContainerImage", {
                                                   field<&ContainerImage::names>("names", 1, kAlways),
                                                   field<&ContainerImage::size_bytes>("sizeBytes", 2),
                                               });
  return schema;
}

template <>
const Schema& schema_of<NodeStatus>() {
  static const Schema schema("NodeStatus", {
                                               field<&NodeStatus::capacity>("capacity", 1),
                                               field<&NodeStatus::allocatable>("allocatable", 2),
                                               field<&NodeStatus::conditions>("conditions", 4),
                                               field<&NodeStatus::images>("images", 8),
                                               field<&NodeStatus::declared_features>("declaredFeatures", 14),
                                           });
  return schema;
}

template <>
const Schema& schema_of<Node>() {
  static const Schema schema("Node", {
                                         field<&Node::metadata>("metadata", 1, kAlways),
                                         field<&Node::spec>("spec", 2, kAlways),
                                         field<&Node::status>("status", 3, kAlways),
                                     });
  return schema;
}

const NodeCondition* find_condition(const Node& node, Symbol type) {
  for (const NodeCondition& condition : node.status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}
}  // namespace berth::api
