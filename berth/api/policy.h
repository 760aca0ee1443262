// What bounds preemption: budgets for disruptions, and priority classes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"

namespace berth::api {

struct PodDisruptionBudgetSpec {
  std::optional<IntOrString> min_available;
  std::optional<LabelSelector> selector;
  std::optional<IntOrString> max_unavailable;
  std::optional<Symbol> unhealthy_pod_eviction_policy;
  bool operator==(const PodDisruptionBudgetSpec&) const = default;
};

struct PodDisruptionBudgetStatus {
  std::int64_t observed_generation = 0;
  // Pods whose eviction the API server has let through and that the controller has not seen go yet, by name.
  FlatMap<Instant> disrupted_pods;
  std::int32_t disruptions_allowed = 0;
  std::int32_t current_healthy = 0;
  std::int32_t desired_healthy = 0;
  std::int32_t expected_pods = 0;
  std::vector<Condition> conditions;
  bool operator==(const PodDisruptionBudgetStatus&) const = default;
};

struct PodDisruptionBudget {
  ObjectMeta metadata;
  PodDisruptionBudgetSpec spec;
  PodDisruptionBudgetStatus status;
  bool operator==(const PodDisruptionBudget&) const = default;
};

struct PriorityClass {
  ObjectMeta metadata;
  std::int32_t value = 0;
  bool global_default = false;
  std::string description;
  std::optional<Symbol> preemption_policy;
  bool operator==(const PriorityClass&) const = default;
};

BERTH_HAS_SCHEMA(PodDisruptionBudgetSpec);
BERTH_HAS_SCHEMA(PodDisruptionBudgetStatus);
BERTH_HAS_SCHEMA(PodDisruptionBudget);
BERTH_HAS_SCHEMA(PriorityClass);

}  // namespace berth::api
