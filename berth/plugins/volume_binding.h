// VolumeBinding sees to it that a pod's claims and its node go together.
//
// PreFilter: every claim has to exist and to be in order; one that ought to be bound by now and is not keeps the pod
// waiting. Filter: a bound claim's volume has to be usable on the node; a claim that waits for the pod needs a free
// volume that matches it and is usable there, or a class that can make one there, with room for it if the driver
// reports its room (volume_matching.h). Score, with the gate StorageCapacityScoring: by how full the storage gets.
// Reserve: the volumes are taken and the node is written into the claims, as far as this scheduler is concerned;
// PreBind writes that down and waits until all claims are bound (volume_reservation.h).
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_volume_binding(const framework::PluginContext& context,
                                                               const PluginQuirks& quirks);

}  // namespace berth::plugins
