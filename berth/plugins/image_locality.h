// ImageLocality prefers nodes that have the pod's images already.
//
// Each image that is there counts with its size times the share of the nodes that have it: an image that is on one node
// alone would otherwise draw all its pods to that node. The sum becomes 0 at 23 MiB and below, and 100 at 1000 MiB per
// container and above. Images of init containers, containers and image volumes count; image volumes are no containers.
// A name without a tag or digest means ":latest".
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

// The name under which nodes report the image.
std::string normalized_image_name(std::string_view name);

Result<std::unique_ptr<framework::Plugin>> make_image_locality(const framework::PluginContext& context,
                                                               const PluginQuirks& quirks);

}  // namespace berth::plugins
