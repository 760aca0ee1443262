// Deployments and the other kinds whose controllers make pods from a template. Internal to this folder.
#pragma once

#include "berth/api/workload.h"
#include "berth/validation/checks.h"

namespace berth::validation {

void check_deployment(const api::Deployment& deployment, Errors& errors);
void check_replica_set(const api::ReplicaSet& set, Errors& errors);
void check_stateful_set(const api::StatefulSet& set, Errors& errors);
void check_daemon_set(const api::DaemonSet& set, Errors& errors);
void check_replication_controller(const api::ReplicationController& controller, Errors& errors);
void check_job(const api::Job& job, Errors& errors);

}  // namespace berth::validation
