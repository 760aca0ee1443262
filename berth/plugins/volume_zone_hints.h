// A pod that VolumeZone rejected is woken by new or relabelled nodes, by changes of the claims that it refers to, by
// volumes that are new or whose zones change, and by new storage classes that wait for a pod before they bind.
#pragma once

#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins {

HintAnswer volume_zone_after_storage_class_add(const api::Pod& pod, const EventObjects& objects);
HintAnswer volume_zone_after_claim_change(const api::Pod& pod, const EventObjects& objects);
HintAnswer volume_zone_after_volume_change(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> volume_zone_hints(Symbol profile);

}  // namespace berth::plugins
