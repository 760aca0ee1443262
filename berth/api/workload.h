// Workloads, whose controllers make pods: what their pods look like and how many there should be. The scheduler reads
// the selectors (spreading by default); the simulator plays the controllers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/pod.h"
#include "berth/api/storage.h"

namespace berth::api {

struct PodTemplateSpec {
  ObjectMeta metadata;
  PodSpec spec;
  bool operator==(const PodTemplateSpec&) const = default;
};

struct ReplicationControllerSpec {
  std::optional<std::int32_t> replicas;
  std::int32_t min_ready_seconds = 0;
  Labels selector;
  Box<PodTemplateSpec> pod_template;
  bool operator==(const ReplicationControllerSpec&) const = default;
};

struct ReplicationControllerStatus {
  std::int32_t replicas = 0;
  std::int32_t fully_labeled_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int64_t observed_generation = 0;
  bool operator==(const ReplicationControllerStatus&) const = default;
};

struct ReplicationController {
  ObjectMeta metadata;
  ReplicationControllerSpec spec;
  ReplicationControllerStatus status;
  bool operator==(const ReplicationController&) const = default;
};

struct ReplicaSetSpec {
  std::optional<std::int32_t> replicas;
  std::int32_t min_ready_seconds = 0;
  std::optional<LabelSelector> selector;
  PodTemplateSpec pod_template;
  bool operator==(const ReplicaSetSpec&) const = default;
};

struct ReplicaSetStatus {
  std::int32_t replicas = 0;
  std::int32_t fully_labeled_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::optional<std::int32_t> terminating_replicas;
  std::int64_t observed_generation = 0;
  bool operator==(const ReplicaSetStatus&) const = default;
};

struct ReplicaSet {
  ObjectMeta metadata;
  ReplicaSetSpec spec;
  ReplicaSetStatus status;
  bool operator==(const ReplicaSet&) const = default;
};

// Of a Deployment or a DaemonSet.
struct RollingUpdate {
  std::optional<IntOrString> max_unavailable;
  std::optional<IntOrString> max_surge;
  bool operator==(const RollingUpdate&) const = default;
};

// Of a Deployment (spec.strategy) or a DaemonSet (spec.updateStrategy).
struct UpdateStrategy {
  Symbol type;
  std::optional<RollingUpdate> rolling_update;
  bool operator==(const UpdateStrategy&) const = default;
};

struct DeploymentSpec {
  std::optional<std::int32_t> replicas;
  std::optional<LabelSelector> selector;
  PodTemplateSpec pod_template;
  UpdateStrategy strategy;
  std::int32_t min_ready_seconds = 0;
  std::optional<std::int32_t> revision_history_limit;
  bool paused = false;
  std::optional<std::int32_t> progress_deadline_seconds;
  bool operator==(const DeploymentSpec&) const = default;
};

struct DeploymentStatus {
  std::int64_t observed_generation = 0;
  std::int32_t replicas = 0;
  std::int32_t updated_replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t available_replicas = 0;
  std::int32_t unavailable_replicas = 0;
  std::optional<std::int32_t> terminating_replicas;
  std::optional<std::int32_t> collision_count;
  bool operator==(const DeploymentStatus&) const = default;
};

struct Deployment {
  ObjectMeta metadata;
  DeploymentSpec spec;
  DeploymentStatus status;
  bool operator==(const Deployment&) const = default;
};

struct RollingUpdateStatefulSetStrategy {
  std::optional<std::int32_t> partition;
  std::optional<IntOrString> max_unavailable;
  bool operator==(const RollingUpdateStatefulSetStrategy&) const = default;
};

struct StatefulSetUpdateStrategy {
  Symbol type;
  std::optional<RollingUpdateStatefulSetStrategy> rolling_update;
  bool operator==(const StatefulSetUpdateStrategy&) const = default;
};

struct StatefulSetPersistentVolumeClaimRetentionPolicy {
  Symbol when_deleted;
  Symbol when_scaled;
  bool operator==(const StatefulSetPersistentVolumeClaimRetentionPolicy&) const = default;
};

struct StatefulSetOrdinals {
  std::int32_t start = 0;
  bool operator==(const StatefulSetOrdinals&) const = default;
};

struct StatefulSetSpec {
  std::optional<std::int32_t> replicas;
  std::optional<LabelSelector> selector;
  PodTemplateSpec pod_template;
  std::vector<PersistentVolumeClaim> volume_claim_templates;
  std::string service_name;
  Symbol pod_management_policy;
  StatefulSetUpdateStrategy update_strategy;
  std::optional<std::int32_t> revision_history_limit;
  std::int32_t min_ready_seconds = 0;
  std::optional<StatefulSetPersistentVolumeClaimRetentionPolicy> persistent_volume_claim_retention_policy;
  std::optional<StatefulSetOrdinals> ordinals;
  bool operator==(const StatefulSetSpec&) const = default;
};

struct StatefulSetStatus {
  std::int64_t observed_generation = 0;
  std::int32_t replicas = 0;
  std::int32_t ready_replicas = 0;
  std::int32_t current_replicas = 0;
  std::int32_t updated_replicas = 0;
  std::string current_revision;
  std::string update_revision;
  std::optional<std::int32_t> collision_count;
  std::int32_t available_replicas = 0;
  bool operator==(const StatefulSetStatus&) const = default;
};

struct StatefulSet {
  ObjectMeta metadata;
  StatefulSetSpec spec;
  StatefulSetStatus status;
  bool operator==(const StatefulSet&) const = default;
};

struct DaemonSetSpec {
  std::optional<LabelSelector> selector;
  PodTemplateSpec pod_template;
  UpdateStrategy update_strategy;
  std::int32_t min_ready_seconds = 0;
  std::optional<std::int32_t> revision_history_limit;
  bool operator==(const DaemonSetSpec&) const = default;
};

struct DaemonSetStatus {
  std::int32_t current_number_scheduled = 0;
  std::int32_t number_misscheduled = 0;
  std::int32_t desired_number_scheduled = 0;
  std::int32_t number_ready = 0;
  std::int64_t observed_generation = 0;
  std::int32_t updated_number_scheduled = 0;
  std::int32_t number_available = 0;
  std::int32_t number_unavailable = 0;
  std::optional<std::int32_t> collision_count;
  bool operator==(const DaemonSetStatus&) const = default;
};

struct DaemonSet {
  ObjectMeta metadata;
  DaemonSetSpec spec;
  DaemonSetStatus status;
  bool operator==(const DaemonSet&) const = default;
};

struct JobSpec {
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int32_t> backoff_limit;
  std::optional<std::int32_t> backoff_limit_per_index;
  std::optional<std::int32_t> max_failed_indexes;
  std::optional<LabelSelector> selector;
  std::optional<bool> manual_selector;
  PodTemplateSpec pod_template;
  std::optional<std::int32_t> ttl_seconds_after_finished;
  std::optional<Symbol> completion_mode;
  std::optional<bool> suspend;
  std::optional<Symbol> pod_replacement_policy;
  std::optional<Symbol> managed_by;
  bool operator==(const JobSpec&) const = default;
};

struct JobCondition {
  Symbol type;
  Symbol status;
  Instant last_probe_time;
  Instant last_transition_time;
  Symbol reason;
  std::string message;
  bool operator==(const JobCondition&) const = default;
};

struct JobStatus {
  std::vector<JobCondition> conditions;
  Instant start_time;
  Instant completion_time;
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::optional<std::int32_t> terminating;
  std::string completed_indexes;
  std::optional<std::string> failed_indexes;
  std::optional<std::int32_t> ready;
  bool operator==(const JobStatus&) const = default;
};

struct Job {
  ObjectMeta metadata;
  JobSpec spec;
  JobStatus status;
  bool operator==(const Job&) const = default;
};

BERTH_HAS_SCHEMA(PodTemplateSpec);
BERTH_HAS_SCHEMA(ReplicationControllerSpec);
BERTH_HAS_SCHEMA(ReplicationControllerStatus);
BERTH_HAS_SCHEMA(ReplicationController);
BERTH_HAS_SCHEMA(ReplicaSetSpec);
BERTH_HAS_SCHEMA(ReplicaSetStatus);
BERTH_HAS_SCHEMA(ReplicaSet);
BERTH_HAS_SCHEMA(RollingUpdate);
BERTH_HAS_SCHEMA(UpdateStrategy);
BERTH_HAS_SCHEMA(DeploymentSpec);
BERTH_HAS_SCHEMA(DeploymentStatus);
BERTH_HAS_SCHEMA(Deployment);
BERTH_HAS_SCHEMA(RollingUpdateStatefulSetStrategy);
BERTH_HAS_SCHEMA(StatefulSetUpdateStrategy);
BERTH_HAS_SCHEMA(StatefulSetPersistentVolumeClaimRetentionPolicy);
BERTH_HAS_SCHEMA(StatefulSetOrdinals);
BERTH_HAS_SCHEMA(StatefulSetSpec);
BERTH_HAS_SCHEMA(StatefulSetStatus);
BERTH_HAS_SCHEMA(StatefulSet);
BERTH_HAS_SCHEMA(DaemonSetSpec);
BERTH_HAS_SCHEMA(DaemonSetStatus);
BERTH_HAS_SCHEMA(DaemonSet);
BERTH_HAS_SCHEMA(JobSpec);
BERTH_HAS_SCHEMA(JobCondition);
BERTH_HAS_SCHEMA(JobStatus);
BERTH_HAS_SCHEMA(Job);

}  // namespace berth::api
