// The pod that a question is about: "where would a pod of this manifest go, how many of them fit". `berth explain
// --pod-file` and `berth capacity --pod` make it here, both in the same way, so that they agree.
//
// It is made as a controller would and admitted as the API server would (berth/admission), from the objects of the
// dump: with defaults, priority, LimitRanges and quotas. The claims of a StatefulSet's pod and of ephemeral volumes are
// made for the question, unless they are there already; so is what stands beside the pod in the manifest, such as
// claims and storage classes. Claims whose volumes are made before any pod is looked at (binding mode Immediate) are
// left out, because nobody knows where those volumes would be.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/admission/admission.h"
#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/explain/cluster.h"

namespace berth::explain {

class Probe {
 public:
  // Whether the object is a pod or has a template for pods that a scheduler places.
  static bool makes_pods(const api::AnyObject& object);

  // From the first object of the manifest that is a pod or has a template for pods: a Deployment, ReplicaSet,
  // StatefulSet, ReplicationController, Job or DaemonSet. The error: there is none.
  static Result<Probe> make(std::span<const api::AnyObject> manifest, std::span<const api::AnyObject> dump);

  // The pod as it stands in the manifest or template. May be edited before the first is made.
  api::Pod& draft() { return draft_; }
  const api::Pod& draft() const { return draft_; }
  // "Deployment/web"; empty if the manifest is that of a pod.
  const std::string& workload() const { return workload_; }
  // Null unless it is one: the pod has its tolerations, and stands for the pods of all nodes (daemon_set.h).
  const std::shared_ptr<const api::DaemonSet>& daemon_set() const { return daemon_set_; }
  // What of the manifest is not looked at.
  const std::vector<std::string>& notes() const { return notes_; }

  // The first pod of the manifest under its own name, or that of the workload. Claims that it needs are in the cluster
  // then. The error is that of the API server: "Deployment/web could not create its pods: pods "web-..." is forbidden:
  // exceeded quota: ...".
  Result<api::PodPtr> make_pod(Cluster& cluster);
  // The next of many: "web-1", "web-2", ...
  Result<api::PodPtr> make_instance(Cluster& cluster);

  // A pod that was made is there to stay, or one of the cluster is gone: quotas count them.
  void placed(const api::PodPtr& pod) { admission_->add(api::AnyObject(pod)); }
  void removed(const api::PodPtr& pod) { admission_->remove(api::AnyObject(pod)); }

 private:
  Probe();

  void read(const api::AnyObject& object);
  Result<api::PodPtr> make_named(Cluster& cluster, std::string name, std::string uid, std::string shown);
  // `shown` is the pod's name in messages.
  Result<void> add_claims(Cluster& cluster, api::Pod& pod, const std::string& shown);
  // Makes the claim unless it is there, or left out. True if the pod has it.
  Result<bool> add_claim(Cluster& cluster, api::PersistentVolumeClaim claim, const std::string& volume,
                         std::string shown);
  std::string next_ordinal_name(const Cluster& cluster);
  Error refused(const Error& error) const;
  void note_once(std::string note);

  std::unique_ptr<admission::Admission> admission_;
  api::Pod draft_;
  std::string workload_;
  std::shared_ptr<const api::StatefulSet> set_;  // null unless it is one
  std::shared_ptr<const api::DaemonSet> daemon_set_;
  std::int64_t made_ = 0;
  std::int32_t next_ordinal_ = 0;           // of a StatefulSet
  std::vector<api::AnyObject> companions_;  // what else is in the manifest, but for claims
  std::map<std::string, std::shared_ptr<const api::PersistentVolumeClaim>> claims_;  // of the manifest, by name
  std::vector<std::string> notes_;
};

}  // namespace berth::explain
