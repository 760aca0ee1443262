// Where a pod may go: affinity, tolerations, spread constraints. Internal to this folder.
#pragma once

#include <vector>

#include "berth/api/pod.h"
#include "berth/validation/checks.h"

namespace berth::validation {

void check_affinity(const api::Affinity& affinity, const Path& path, Errors& errors);
void check_tolerations(const std::vector<api::Toleration>& tolerations, const Path& path, Errors& errors);
void check_spread(const std::vector<api::TopologySpreadConstraint>& constraints, const Path& path, Errors& errors);

}  // namespace berth::validation
