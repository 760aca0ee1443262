// A pod that VolumeRestrictions rejected is woken when a node comes or goes, when a pod goes that used one of its disks
// or claims, and when a claim appears that it refers to.
#pragma once

#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct VolumeRestrictionsHintOptions {
  HintQuirks quirks;
};

HintAnswer volume_restrictions_after_pod_delete(const api::Pod& pod, const EventObjects& objects,
                                                const VolumeRestrictionsHintOptions& options);
HintAnswer volume_restrictions_after_claim_add(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> volume_restrictions_hints(Symbol profile, const VolumeRestrictionsHintOptions& options);

// Whether two pods on one node would have the same disk in a way that it cannot be shared.
bool disks_conflict(const api::VolumeSource& a, const api::VolumeSource& b);

}  // namespace berth::plugins
