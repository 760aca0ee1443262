#include "berth/api/policy.h"

namespace berth::api {

template <>
const Schema& schema_of<PodDisruptionBudgetSpec>() {
  static const Schema schema(
      "PodDisruptionBudgetSpec",
      {
          field<&PodDisruptionBudgetSpec::min_available>("minAvailable", 1),
          field<&PodDisruptionBudgetSpec::selector>("selector", 2),
          field<&PodDisruptionBudgetSpec::max_unavailable>("maxUnavailable", 3),
          field<&PodDisruptionBudgetSpec::unhealthy_pod_eviction_policy>("unhealthyPodEvictionPolicy", 4),
      });
  return schema;
}

template <>
const Schema& schema_of<PodDisruptionBudgetStatus>() {
  static const Schema schema(
      "PodDisruptionBudgetStatus",
      {
          field<&PodDisruptionBudgetStatus::observed_generation>("observedGeneration", 1),
          field<&PodDisruptionBudgetStatus::disrupted_pods>("disruptedPods", 2),
          field<&PodDisruptionBudgetStatus::disruptions_allowed>("disruptionsAllowed", 3, kAlways),
          field<&PodDisruptionBudgetStatus::current_healthy>("currentHealthy", 4, kAlways),
          field<&PodDisruptionBudgetStatus::desired_healthy>("desiredHealthy", 5, kAlways),
          field<&PodDisruptionBudgetStatus::expected_pods>("expectedPods", 6, kAlways),
          field<&PodDisruptionBudgetStatus::conditions>("conditions", 7),
      });
  return schema;
}

template <>
const Schema& schema_of<PodDisruptionBudget>() {
  static const Schema schema("PodDisruptionBudget", {
                                                        field<&PodDisruptionBudget::metadata>("metadata", 1, kAlways),
                                                        field<&PodDisruptionBudget::spec>("spec", 2, kAlways),
                                                        field<&PodDisruptionBudget::status>("status", 3, kAlways),
                                                    });
  return schema;
}

template <>
const Schema& schema_of<PriorityClass>() {
  static const Schema schema("PriorityClass", {
                                                  field<&PriorityClass::metadata>("metadata", 1, kAlways),
                                                  field<&PriorityClass::value>("value", 2, kAlways),
                                                  field<&PriorityClass::global_default>("globalDefault", 3),
                                                  field<&PriorityClass::description>("description", 4),
                                                  field<&PriorityClass::preemption_policy>("preemptionPolicy", 5),
                                              });
  return schema;
}

}  // namespace berth::api
