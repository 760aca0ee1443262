#include "berth/api/workload.h"

namespace berth::api {

template <>
const Schema& schema_of<PodTemplateSpec>() {
  static const Schema schema("PodTemplateSpec", {
                                                    field<&PodTemplateSpec::metadata>("metadata", 1, kAlways),
                                                    field<&PodTemplateSpec::spec>("spec", 2, kAlways),
                                                });
  return schema;
}

template <>
const Schema& schema_of<ReplicationControllerSpec>() {
  static const Schema schema("ReplicationControllerSpec",
                             {
                                 field<&ReplicationControllerSpec::replicas>("replicas", 1),
                                 field<&ReplicationControllerSpec::min_ready_seconds>("minReadySeconds", 4),
                                 field<&ReplicationControllerSpec::selector>("selector", 2),
                                 field<&ReplicationControllerSpec::pod_template>("template", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<ReplicationControllerStatus>() {
  static const Schema schema("ReplicationControllerStatus",
                             {
                                 field<&ReplicationControllerStatus::replicas>("replicas", 1, kAlways),
                                 field<&ReplicationControllerStatus::fully_labeled_replicas>("fullyLabeledReplicas", 2),
                                 field<&ReplicationControllerStatus::ready_replicas>("readyReplicas", 4),
                                 field<&ReplicationControllerStatus::available_replicas>("availableReplicas", 5),
                                 field<&ReplicationControllerStatus::observed_generation>("observedGeneration", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<ReplicationController>() {
  static const Schema schema("ReplicationController",
                             {
                                 field<&ReplicationController::metadata>("metadata", 1, kAlways),
                                 field<&ReplicationController::spec>("spec", 2, kAlways),
                                 field<&ReplicationController::status>("status", 3, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<ReplicaSetSpec>() {
  static const Schema schema("ReplicaSetSpec", {
                                                   field<&ReplicaSetSpec::replicas>("replicas", 1),
                                                   field<&ReplicaSetSpec::min_ready_seconds>("minReadySeconds", 4),
                                                   field<&ReplicaSetSpec::selector>("selector", 2, kAlways),
                                                   field<&ReplicaSetSpec::pod_template>("template", 3, kAlways),
                                               });
  return schema;
}

template <>
const Schema& schema_of<ReplicaSetStatus>() {
  static const Schema schema("ReplicaSetStatus",
                             {
                                 field<&ReplicaSetStatus::replicas>("replicas", 1, kAlways),
                                 field<&ReplicaSetStatus::fully_labeled_replicas>("fullyLabeledReplicas", 2),
                                 field<&ReplicaSetStatus::ready_replicas>("readyReplicas", 4),
                                 field<&ReplicaSetStatus::available_replicas>("availableReplicas", 5),
                                 field<&ReplicaSetStatus::terminating_replicas>("terminatingReplicas", 7),
                                 field<&ReplicaSetStatus::observed_generation>("observedGeneration", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<ReplicaSet>() {
  static const Schema schema("ReplicaSet", {
                                               field<&ReplicaSet::metadata>("metadata", 1, kAlways),
                                               field<&ReplicaSet::spec>("spec", 2, kAlways),
                                               field<&ReplicaSet::status>("status", 3, kAlways),
                                           });
  return schema;
}

template <>
const Schema& schema_of<RollingUpdate>() {
  static const Schema schema("RollingUpdateDeployment", {
                                                            field<&RollingUpdate::max_unavailable>("maxUnavailable", 1),
                                                            field<&RollingUpdate::max_surge>("maxSurge", 2),
                                                        });
  return schema;
}

template <>
const Schema& schema_of<UpdateStrategy>() {
  static const Schema schema("DeploymentStrategy", {
                                                       field<&UpdateStrategy::type>("type", 1),
                                                       field<&UpdateStrategy::rolling_update>("rollingUpdate", 2),
                                                   });
  return schema;
}

template <>
const Schema& schema_of<DeploymentSpec>() {
  static const Schema schema("DeploymentSpec",
                             {
                                 field<&DeploymentSpec::replicas>("replicas", 1),
                                 field<&DeploymentSpec::selector>("selector", 2, kAlways),
                                 field<&DeploymentSpec::pod_template>("template", 3, kAlways),
                                 field<&DeploymentSpec::strategy>("strategy", 4, kAlways),
                                 field<&DeploymentSpec::min_ready_seconds>("minReadySeconds", 5),
                                 field<&DeploymentSpec::revision_history_limit>("revisionHistoryLimit", 6),
                                 field<&DeploymentSpec::paused>("paused", 7),
                                 field<&DeploymentSpec::progress_deadline_seconds>("progressDeadlineSeconds", 9),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeploymentStatus>() {
  static const Schema schema("DeploymentStatus",
                             {
                                 field<&DeploymentStatus::observed_generation>("observedGeneration", 1),
                                 field<&DeploymentStatus::replicas>("replicas", 2),
                                 field<&DeploymentStatus::updated_replicas>("updatedReplicas", 3),
                                 field<&DeploymentStatus::ready_replicas>("readyReplicas", 7),
                                 field<&DeploymentStatus::available_replicas>("availableReplicas", 4),
                                 field<&DeploymentStatus::unavailable_replicas>("unavailableReplicas", 5),
                                 field<&DeploymentStatus::terminating_replicas>("terminatingReplicas", 9),
                                 field<&DeploymentStatus::collision_count>("collisionCount", 8),
                             });
  return schema;
}

template <>
const Schema& schema_of<Deployment>() {
  static const Schema schema("Deployment", {
                                               field<&Deployment::metadata>("metadata", 1, kAlways),
                                               field<&Deployment::spec>("spec", 2, kAlways),
                                               field<&Deployment::status>("status", 3, kAlways),
                                           });
  return schema;
}

template <>
const Schema& schema_of<RollingUpdateStatefulSetStrategy>() {
  static const Schema schema("RollingUpdateStatefulSetStrategy",
                             {
                                 field<&RollingUpdateStatefulSetStrategy::partition>("partition", 1),
                                 field<&RollingUpdateStatefulSetStrategy::max_unavailable>("maxUnavailable", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<StatefulSetUpdateStrategy>() {
  static const Schema schema("StatefulSetUpdateStrategy",
                             {
                                 field<&StatefulSetUpdateStrategy::type>("type", 1),
                                 field<&StatefulSetUpdateStrategy::rolling_update>("rollingUpdate", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<StatefulSetPersistentVolumeClaimRetentionPolicy>() {
  static const Schema schema(
      "StatefulSetPersistentVolumeClaimRetentionPolicy",
      {
          field<&StatefulSetPersistentVolumeClaimRetentionPolicy::when_deleted>("whenDeleted", 1),
          field<&StatefulSetPersistentVolumeClaimRetentionPolicy::when_scaled>("whenScaled", 2),
      });
  return schema;
}

template <>
const Schema& schema_of<StatefulSetOrdinals>() {
  static const Schema schema("StatefulSetOrdinals", {
                                                        field<&StatefulSetOrdinals::start>("start", 1, kAlways),
                                                    });
  return schema;
}

template <>
const Schema& schema_of<StatefulSetSpec>() {
  static const Schema schema(
      "StatefulSetSpec",
      {
          field<&StatefulSetSpec::replicas>("replicas", 1),
          field<&StatefulSetSpec::selector>("selector", 2, kAlways),
          field<&StatefulSetSpec::pod_template>("template", 3, kAlways),
          field<&StatefulSetSpec::volume_claim_templates>("volumeClaimTemplates", 4),
          field<&StatefulSetSpec::service_name>("serviceName", 5, kAlways),
          field<&StatefulSetSpec::pod_management_policy>("podManagementPolicy", 6),
          field<&StatefulSetSpec::update_strategy>("updateStrategy", 7, kAlways),
          field<&StatefulSetSpec::revision_history_limit>("revisionHistoryLimit", 8),
          field<&StatefulSetSpec::min_ready_seconds>("minReadySeconds", 9),
          field<&StatefulSetSpec::persistent_volume_claim_retention_policy>("persistentVolumeClaimRetentionPolicy", 10),
          field<&StatefulSetSpec::ordinals>("ordinals", 11),
      });
  return schema;
}

template <>
const Schema& schema_of<StatefulSetStatus>() {
  static const Schema schema("StatefulSetStatus",
                             {
                                 field<&StatefulSetStatus::observed_generation>("observedGeneration", 1),
                                 field<&StatefulSetStatus::replicas>("replicas", 2, kAlways),
                                 field<&StatefulSetStatus::ready_replicas>("readyReplicas", 3),
                                 field<&StatefulSetStatus::current_replicas>("currentReplicas", 4),
                                 field<&StatefulSetStatus::updated_replicas>("updatedReplicas", 5),
                                 field<&StatefulSetStatus::current_revision>("currentRevision", 6),
                                 field<&StatefulSetStatus::update_revision>("updateRevision", 7),
                                 field<&StatefulSetStatus::collision_count>("collisionCount", 9),
                                 field<&StatefulSetStatus::available_replicas>("availableReplicas", 11, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<StatefulSet>() {
  static const Schema schema("StatefulSet", {
                                                field<&StatefulSet::metadata>("metadata", 1, kAlways),
                                                field<&StatefulSet::spec>("spec", 2, kAlways),
                                                field<&StatefulSet::status>("status", 3, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<DaemonSetSpec>() {
  static const Schema schema("DaemonSetSpec",
                             {
                                 field<&DaemonSetSpec::selector>("selector", 1, kAlways),
                                 field<&DaemonSetSpec::pod_template>("template", 2, kAlways),
                                 field<&DaemonSetSpec::update_strategy>("updateStrategy", 3, kAlways),
                                 field<&DaemonSetSpec::min_ready_seconds>("minReadySeconds", 4),
                                 field<&DaemonSetSpec::revision_history_limit>("revisionHistoryLimit", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<DaemonSetStatus>() {
  static const Schema schema(
      "DaemonSetStatus", {
                             field<&DaemonSetStatus::current_number_scheduled>("currentNumberScheduled", 1, kAlways),
                             field<&DaemonSetStatus::number_misscheduled>("numberMisscheduled", 2, kAlways),
                             field<&DaemonSetStatus::desired_number_scheduled>("desiredNumberScheduled", 3, kAlways),
                             field<&DaemonSetStatus::number_ready>("numberReady", 4, kAlways),
                             field<&DaemonSetStatus::observed_generation>("observedGeneration", 5),
                             field<&DaemonSetStatus::updated_number_scheduled>("updatedNumberScheduled", 6),
                             field<&DaemonSetStatus::number_available>("numberAvailable", 7),
                             field<&DaemonSetStatus::number_unavailable>("numberUnavailable", 8),
                             field<&DaemonSetStatus::collision_count>("collisionCount", 9),
                         });
  return schema;
}

template <>
const Schema& schema_of<DaemonSet>() {
  static const Schema schema("DaemonSet", {
                                              field<&DaemonSet::metadata>("metadata", 1, kAlways),
                                              field<&DaemonSet::spec>("spec", 2, kAlways),
                                              field<&DaemonSet::status>("status", 3, kAlways),
                                          });
  return schema;
}

template <>
const Schema& schema_of<JobSpec>() {
  static const Schema schema("JobSpec", {
                                            field<&JobSpec::parallelism>("parallelism", 1),
                                            field<&JobSpec::completions>("completions", 2),
                                            field<&JobSpec::active_deadline_seconds>("activeDeadlineSeconds", 3),
                                            field<&JobSpec::backoff_limit>("backoffLimit", 7),
                                            field<&JobSpec::backoff_limit_per_index>("backoffLimitPerIndex", 12),
                                            field<&JobSpec::max_failed_indexes>("maxFailedIndexes", 13),
                                            field<&JobSpec::selector>("selector", 4),
                                            field<&JobSpec::manual_selector>("manualSelector", 5),
                                            field<&JobSpec::pod_template>("template", 6, kAlways),
                                            field<&JobSpec::ttl_seconds_after_finished>("ttlSecondsAfterFinished", 8),
                                            field<&JobSpec::completion_mode>("completionMode", 9),
                                            field<&JobSpec::suspend>("suspend", 10),
                                            field<&JobSpec::pod_replacement_policy>("podReplacementPolicy", 14),
                                            field<&JobSpec::managed_by>("managedBy", 15),
                                        });
  return schema;
}

template <>
const Schema& schema_of<JobCondition>() {
  static const Schema schema("JobCondition",
                             {
                                 field<&JobCondition::type>("type", 1, kAlways),
                                 field<&JobCondition::status>("status", 2, kAlways),
                                 field<&JobCondition::last_probe_time>("lastProbeTime", 3, kAlways),
                                 field<&JobCondition::last_transition_time>("lastTransitionTime", 4, kAlways),
                                 field<&JobCondition::reason>("reason", 5),
                                 field<&JobCondition::message>("message", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<JobStatus>() {
  static const Schema schema("JobStatus", {
                                              field<&JobStatus::conditions>("conditions", 1),
                                              field<&JobStatus::start_time>("startTime", 2),
                                              field<&JobStatus::completion_time>("completionTime", 3),
                                              field<&JobStatus::active>("active", 4),
                                              field<&JobStatus::succeeded>("succeeded", 5),
                                              field<&JobStatus::failed>("failed", 6),
                                              field<&JobStatus::terminating>("terminating", 11),
                                              field<&JobStatus::completed_indexes>("completedIndexes", 7),
                                              field<&JobStatus::failed_indexes>("failedIndexes", 10),
                                              field<&JobStatus::ready>("ready", 9),
                                          });
  return schema;
}

template <>
const Schema& schema_of<Job>() {
  static const Schema schema("Job", {
                                        field<&Job::metadata>("metadata", 1, kAlways),
                                        field<&Job::spec>("spec", 2, kAlways),
                                        field<&Job::status>("status", 3, kAlways),
                                    });
  return schema;
}

}  // namespace berth::api
