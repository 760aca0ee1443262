// A pod that VolumeBinding rejected is woken by new or relabelled nodes, by any new or changed volume, by changes of
// the claims that it refers to, and when a storage class allows other places, a node's drivers take over others, a
// driver stops publishing its capacity, or more capacity is published.
#pragma once

#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct VolumeBindingHintOptions {
  HintQuirks quirks;
};

HintAnswer volume_binding_after_storage_class_change(const api::Pod& pod, const EventObjects& objects);
HintAnswer volume_binding_after_claim_change(const api::Pod& pod, const EventObjects& objects);
HintAnswer volume_binding_after_csi_node_change(const api::Pod& pod, const EventObjects& objects);
HintAnswer volume_binding_after_csi_driver_update(const api::Pod& pod, const EventObjects& objects,
                                                  const VolumeBindingHintOptions& options);
HintAnswer volume_binding_after_capacity_change(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> volume_binding_hints(Symbol profile, const VolumeBindingHintOptions& options);

}  // namespace berth::plugins
