#include "berth/plugins/device_classes.h"

namespace berth::plugins {

namespace {

constexpr std::string_view kImplicitPrefix = "deviceclass.resource.kubernetes.io/";

}  // namespace

bool has_device_class(const cache::ClusterObjects& objects, Symbol resource) {
  if (objects.device_classes.size() == 0) return false;
  const std::string_view name = resource.text();
  if (name.starts_with(kImplicitPrefix) &&
      objects.device_classes.find(name.substr(kImplicitPrefix.size())) != nullptr) {
    return true;
  }
  bool is_offered = false;
  objects.device_classes.for_each([&](const auto& device_class) {
    is_offered = is_offered || device_class->spec.extended_resource_name == resource;
  });
  return is_offered;
}

}  // namespace berth::plugins
