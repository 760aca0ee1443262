#include "berth/api/pod_workload.h"

namespace berth::api {

std::optional<PodWorkload> workload_of(const Pod& pod) {
  static const Symbol hash_label("pod-template-hash"), deployment("Deployment");
  const OwnerReference* owner = controller_of(pod.metadata);
  if (owner == nullptr) return std::nullopt;
  if (const Symbol* hash = pod.metadata.labels->find(hash_label); hash != nullptr && owner->kind == "ReplicaSet") {
    const std::string suffix = "-" + hash->str();
    if (owner->name.size() > suffix.size() && owner->name.ends_with(suffix)) {
      return PodWorkload{deployment, owner->name.substr(0, owner->name.size() - suffix.size())};
    }
  }
  return PodWorkload{owner->kind, owner->name};
}

}  // namespace berth::api
