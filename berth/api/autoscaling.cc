#include "berth/api/autoscaling.h"

namespace berth::api {

template <>
const Schema& schema_of<ConfigMap>() {
  static const Schema schema("ConfigMap", {
                                              field<&ConfigMap::metadata>("metadata", 1, kAlways),
                                              field<&ConfigMap::data>("data", 2),
                                              field<&ConfigMap::binary_data>("binaryData", 3),
                                              field<&ConfigMap::immutable>("immutable", 4),
                                          });
  return schema;
}

template <>
const Schema& schema_of<PartialObject>() {
  static const Schema schema("PartialObject", {
                                                  field<&PartialObject::metadata>("metadata", 1, kAlways),
                                                  field<&PartialObject::spec>("spec", 2),
                                                  field<&PartialObject::status>("status", 3),
                                              });
  return schema;
}

const PartialObject* as_partial(const AnyObject& object) {
  return object.kind().type == &type_of<PartialObject>() ? static_cast<const PartialObject*>(object.get()) : nullptr;
}

}  // namespace berth::api
