#include "berth/api/karpenter.h"

namespace berth::api {

template <>
const Schema& schema_of<NodeClassReference>() {
  static const Schema schema("NodeClassReference", {
                                                       field<&NodeClassReference::group>("group", 1, kAlways),
                                                       field<&NodeClassReference::kind>("kind", 2, kAlways),
                                                       field<&NodeClassReference::name>("name", 3, kAlways),
                                                   });
  return schema;
}

template <>
const Schema& schema_of<NodePoolRequirement>() {
  static const Schema schema("NodePoolRequirement", {
                                                        field<&NodePoolRequirement::key>("key", 1, kAlways),
                                                        field<&NodePoolRequirement::op>("operator", 2, kAlways),
                                                        field<&NodePoolRequirement::values>("values", 3),
                                                        field<&NodePoolRequirement::min_values>("minValues", 4),
                                                    });
  return schema;
}

template <>
const Schema& schema_of<NodePoolTemplateSpec>() {
  static const Schema schema("NodePoolTemplateSpec",
                             {
                                 field<&NodePoolTemplateSpec::taints>("taints", 1),
                                 field<&NodePoolTemplateSpec::startup_taints>("startupTaints", 2),
                                 field<&NodePoolTemplateSpec::requirements>("requirements", 3, kAlways),
                                 field<&NodePoolTemplateSpec::node_class_ref>("nodeClassRef", 4, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<NodePoolTemplate>() {
  static const Schema schema("NodePoolTemplate", {
                                                     field<&NodePoolTemplate::metadata>("metadata", 1),
                                                     field<&NodePoolTemplate::spec>("spec", 2, kAlways),
                                                 });
  return schema;
}

template <>
const Schema& schema_of<NodePoolSpec>() {
  static const Schema schema("NodePoolSpec", {
                                                 field<&NodePoolSpec::node_template>("template", 1, kAlways),
                                                 field<&NodePoolSpec::limits>("limits", 2),
                                                 field<&NodePoolSpec::weight>("weight", 3),
                                                 field<&NodePoolSpec::replicas>("replicas", 4),
                                             });
  return schema;
}

template <>
const Schema& schema_of<NodePoolStatus>() {
  static const Schema schema("NodePoolStatus", {
                                                   field<&NodePoolStatus::resources>("resources", 1),
                                                   field<&NodePoolStatus::conditions>("conditions", 2),
                                               });
  return schema;
}

template <>
const Schema& schema_of<NodePool>() {
  static const Schema schema("NodePool", {
                                             field<&NodePool::metadata>("metadata", 1, kAlways),
                                             field<&NodePool::spec>("spec", 2, kAlways),
                                             field<&NodePool::status>("status", 3),
                                         });
  return schema;
}

}  // namespace berth::api
