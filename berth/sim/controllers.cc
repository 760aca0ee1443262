#include "berth/sim/controllers.h"

#include <fmt/format.h>

#include <utility>

#include "berth/sim/controller_work.h"
#include "berth/sim/daemon_set_controller.h"
#include "berth/sim/deployment_controller.h"
#include "berth/sim/disruption_controller.h"
#include "berth/sim/job_controller.h"
#include "berth/sim/kubelet.h"
#include "berth/sim/node_lifecycle.h"
#include "berth/sim/owned_pods.h"
#include "berth/sim/pod_garbage.h"
#include "berth/sim/pod_prototype.h"
#include "berth/sim/replica_controller.h"
#include "berth/sim/stateful_set_controller.h"
#include "berth/sim/volume_controller.h"

namespace berth::sim {

namespace {

struct OwnerKinds {
  Symbol replica_set{"ReplicaSet"}, replication_controller{"ReplicationController"}, stateful_set{"StatefulSet"},
      job{"Job"}, daemon_set{"DaemonSet"};
};
const OwnerKinds& owner_kinds() {
  static const OwnerKinds kinds;
  return kinds;
}

// Each part has its own stream of chance, so that what one of them draws does not disturb the others.
enum Stream : std::uint64_t {
  kReplicas,
  kDeployments,
  kStatefulSets,
  kJobs,
  kDaemonSets,
  kKubelets,
  kNodes,
  kVolumes,
  kDisruptions,
  kGarbage,
};

}  // namespace

struct Controllers::Parts {
  Parts(ApiServer& api, Agenda& agenda, const Faults& faults, History& history, const Rng& rng)
      : failed_creations(agenda, history),
        around{api, agenda, faults, failed_creations, history},
        replicas(around, owned, prototypes, rng.fork(kReplicas)),
        deployments(around, owned, rng.fork(kDeployments)),
        stateful_sets(around, owned, prototypes, rng.fork(kStatefulSets)),
        jobs(around, owned, prototypes, rng.fork(kJobs)),
        daemon_sets(around, owned, prototypes, rng.fork(kDaemonSets)),
        kubelet(around, on_nodes, rng.fork(kKubelets)),
        nodes(around, on_nodes, kubelet, rng.fork(kNodes)),
        volumes(around, rng.fork(kVolumes)),
        disruptions(around, rng.fork(kDisruptions)),
        garbage(around, owned, rng.fork(kGarbage)) {}

  void pod_changed(const Change& change);
  void tell_owner(const Change& change, Symbol name_space, const api::OwnerReference& owner);
  // Of a kind that has pods.
  template <typename Controller>
  void workload_changed(const Change& change, Controller& controller);

  FailedCreations failed_creations;
  Surroundings around;
  OwnedPods owned;
  NodePods on_nodes;
  PodPrototypes prototypes;
  ReplicaController replicas;
  DeploymentController deployments;
  StatefulSetController stateful_sets;
  JobController jobs;
  DaemonSetController daemon_sets;
  Kubelet kubelet;
  NodeLifecycle nodes;
  VolumeController volumes;
  DisruptionController disruptions;
  PodGarbage garbage;
};

void Controllers::Parts::pod_changed(const Change& change) {
  owned.on_change(change);
  on_nodes.on_change(change);
  kubelet.pod_changed(change);
  nodes.pod_changed(change);
  volumes.pod_changed(change);
  disruptions.pod_changed(change);

  const auto pod = change.object.as<api::Pod>();
  const auto before = change.before ? change.before.as<api::Pod>() : nullptr;
  if (change.kind == Change::Kind::kAdded) garbage.pod_added(*pod);
  const api::OwnerReference* owner = api::controller_of(pod->metadata);
  const api::OwnerReference* last_owner = before != nullptr ? api::controller_of(before->metadata) : nullptr;
  const bool is_other_owner = last_owner != nullptr && (owner == nullptr || owner->uid != last_owner->uid);
  if (is_other_owner) tell_owner(change, pod->metadata.name_space, *last_owner);
  if (owner == nullptr) return;
  const bool is_other_state =
      change.kind != Change::Kind::kModified || is_other_owner || state_of(*before) != state_of(*pod);
  // A DaemonSet has to know where its pods are as well.
  if (is_other_state || (owner->kind == owner_kinds().daemon_set && before->spec.node_name != pod->spec.node_name)) {
    tell_owner(change, pod->metadata.name_space, *owner);
  }
}

void Controllers::Parts::tell_owner(const Change& change, Symbol name_space, const api::OwnerReference& owner) {
  const OwnerKinds& kinds = owner_kinds();
  if (owner.kind == kinds.replica_set || owner.kind == kinds.replication_controller) {
    replicas.pod_changed(name_space, owner);
  } else if (owner.kind == kinds.job) {
    jobs.pod_changed(change, owner);
  } else if (owner.kind == kinds.stateful_set) {
    stateful_sets.pod_changed(name_space, owner);
  } else if (owner.kind == kinds.daemon_set) {
    daemon_sets.pod_changed(change);
  }
}

template <typename Controller>
void Controllers::Parts::workload_changed(const Change& change, Controller& controller) {
  if (change.kind == Change::Kind::kDeleted) {
    const auto deployment = change.object.as<api::Deployment>();
    garbage.owner_deleted(change, deployment != nullptr ? deployments.sets_of(*deployment)
                                                        : std::vector<std::shared_ptr<const api::ReplicaSet>>());
  }
  prototypes.on_change(change);
  controller.on_change(change);
  disruptions.workload_changed(change);
}

Controllers::Controllers(ApiServer& api, Agenda& agenda, const Faults& faults, History& history, Rng rng)
    : parts_(std::make_unique<Parts>(api, agenda, faults, history, rng)) {
  api.listen([this](const Change& change) { on_change(change); });
}

Controllers::~Controllers() = default;

void Controllers::on_change(const Change& change) {
  Parts& parts = *parts_;
  parts.failed_creations.on_change(change);
  const api::ObjectKind* kind = &change.object.kind();
  if (kind == &api::kind_of<api::Pod>()) {
    parts.pod_changed(change);
  } else if (kind == &api::kind_of<api::Node>()) {
    parts.kubelet.node_changed(change);
    parts.nodes.node_changed(change);
    parts.daemon_sets.node_changed(change);
  } else if (kind == &api::kind_of<api::ReplicaSet>()) {
    parts.workload_changed(change, parts.replicas);
    parts.deployments.on_change(change);
  } else if (kind == &api::kind_of<api::ReplicationController>()) {
    parts.workload_changed(change, parts.replicas);
  } else if (kind == &api::kind_of<api::Deployment>()) {
    parts.workload_changed(change, parts.deployments);
  } else if (kind == &api::kind_of<api::StatefulSet>()) {
    parts.workload_changed(change, parts.stateful_sets);
  } else if (kind == &api::kind_of<api::Job>()) {
    parts.workload_changed(change, parts.jobs);
  } else if (kind == &api::kind_of<api::DaemonSet>()) {
    parts.workload_changed(change, parts.daemon_sets);
  } else if (kind == &api::kind_of<api::PodDisruptionBudget>()) {
    parts.disruptions.on_change(change);
  } else if (kind == &api::kind_of<api::PersistentVolumeClaim>()) {
    parts.volumes.claim_changed(change);
  } else if (kind == &api::kind_of<api::PersistentVolume>()) {
    parts.volumes.volume_changed(change);
  } else if (kind == &api::kind_of<api::StorageClass>()) {
    parts.volumes.class_changed(change);
  }
}

void Controllers::fail_node(Symbol node) {
  parts_->nodes.fail_node(node);
}

std::vector<Rollout> Controllers::rollouts() const {
  return parts_->deployments.rollouts();
}

void Controllers::recover_node(Symbol node) {
  parts_->nodes.recover_node(node);
}

const FailedCreations& Controllers::failed_creations() const {
  return parts_->failed_creations;
}

std::string Controllers::group_of(const api::Pod& pod) const {
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  if (owner == nullptr) return pod.metadata.name;
  if (owner->kind == owner_kinds().replica_set) {
    const auto set = parts_->around.api.get<api::ReplicaSet>(pod.metadata.name_space, owner->name);
    const api::OwnerReference* above = set != nullptr ? api::controller_of(set->metadata) : nullptr;
    if (above != nullptr) return fmt::format("{}/{}", above->kind.text(), above->name);
    // A dump of pods alone: the name of a Deployment's ReplicaSet ends with the hash that its pods are labelled with.
    const Symbol* hash = pod.metadata.labels->find(Symbol("pod-template-hash"));
    if (set == nullptr && hash != nullptr) {
      const std::string end = fmt::format("-{}", hash->text());
      if (owner->name.size() > end.size() && owner->name.ends_with(end)) {
        return fmt::format("Deployment/{}", owner->name.substr(0, owner->name.size() - end.size()));
      }
    }
  }
  return fmt::format("{}/{}", owner->kind.text(), owner->name);
}

}  // namespace berth::sim
