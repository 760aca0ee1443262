// A pod that DynamicResources rejected or holds back is woken by new nodes and nodes that change their labels or size,
// by device classes and slices, when a claim anywhere gives devices back, when a claim of its own appears or changes,
// and when its own status names the claims that were made for it. Claims count only once all of its claims are there.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

using FindResourceClaim =
    std::function<std::shared_ptr<const api::ResourceClaim>(Symbol name_space, std::string_view name)>;

struct DynamicResourcesHintOptions {
  bool enabled = true;           // feature gate DynamicResourceAllocation
  bool workload_claims = false;  // feature gate DRAWorkloadResourceClaims: claims may belong to the pod's group
  FindResourceClaim find_claim;  // as the scheduler knows it, assumed changes included; null if there is none. Required
  HintQuirks quirks;
};

HintAnswer dynamic_resources_after_claim_change(const api::Pod& pod, const EventObjects& objects,
                                                const DynamicResourcesHintOptions& options);
HintAnswer dynamic_resources_after_claims_generated(const api::Pod& pod, const EventObjects& objects,
                                                    const DynamicResourcesHintOptions& options);

std::vector<HintRegistration> dynamic_resources_hints(Symbol profile, const DynamicResourcesHintOptions& options);

// The PreEnqueue check: all claims of the pod exist, are not being deleted, and are its own where they were made for
// it.
bool dynamic_resources_admits(const api::Pod& pod, const DynamicResourcesHintOptions& options);

}  // namespace berth::plugins
