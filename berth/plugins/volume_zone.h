// VolumeZone keeps a pod off nodes outside of the zones and regions that its volumes are labelled with.
//
// It looks at the volumes that the pod's claims are bound to, not at ephemeral ones. A volume in several zones lists
// them as "a__b". A node without any zone or region label takes every volume: such a cluster has one zone. A claim
// that is not bound is fine if its class waits for the pod; otherwise the pod has to wait for the claim.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_volume_zone(const framework::PluginContext& context,
                                                            const PluginQuirks& quirks);

}  // namespace berth::plugins
