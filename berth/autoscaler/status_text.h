// What cluster-autoscaler reports in the ConfigMap kube-system/cluster-autoscaler-status: its node groups with their
// sizes. Two forms: YAML since 1.30, and before that a text for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/schema.h"

namespace berth::autoscaler {

inline constexpr std::string_view kStatusConfigMap = "cluster-autoscaler-status";

struct ReportedGroup {
  std::string name;  // of the cloud provider: "eks-spot-1234", a URL, "MachineDeployment/default/md-0"
  std::optional<std::int64_t> min_nodes;
  std::optional<std::int64_t> max_nodes;
  std::optional<std::int64_t> target;  // how many nodes it wants now
  bool is_healthy = true;
  std::string backoff;  // why it is not made larger for the moment: "QuotaExceeded: ..."; empty if it may be
};

// What cannot be read is left out.
std::vector<ReportedGroup> parse_status(std::string_view text);

// Whether the cloud provider's name is that of the pool: "eks-spot-1234" of "spot", and not of "sp".
bool names_pool(std::string_view reported, std::string_view pool);

}  // namespace berth::autoscaler
