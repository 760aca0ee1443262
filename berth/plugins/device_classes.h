// Device classes that offer their devices under the name of an extended resource. A node that does not have the
// resource itself may have such devices; whether it does is up to DynamicResources, not to NodeResourcesFit.
#pragma once

#include "berth/cache/cluster_objects.h"

namespace berth::plugins {

// By the name that the class gives, or by "deviceclass.resource.kubernetes.io/" and the name of the class.
bool has_device_class(const cache::ClusterObjects& objects, Symbol resource);

}  // namespace berth::plugins
