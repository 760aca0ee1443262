#include "berth/api/object.h"

#include <algorithm>

#include "berth/api/autoscaling.h"
#include "berth/api/kinds.h"
#include "berth/base/check.h"

namespace berth::api {

namespace {

constexpr bool kNamespaced = true;
constexpr bool kClusterWide = false;

template <typename T>
ObjectKind row(std::string_view api_version, std::string_view kind, std::string_view resource, bool namespaced) {
  ObjectKind row{.api_version = api_version,
                 .kind = kind,
                 .resource = resource,
                 .namespaced = namespaced,
                 .type = &type_of<T>(),
                 .make = []() -> std::shared_ptr<void> { return std::make_shared<T>(); },
                 .metadata = nullptr};
  if constexpr (!std::is_same_v<T, Status>) {
    row.metadata = [](const void* object) -> const ObjectMeta& { return static_cast<const T*>(object)->metadata; };
  }
  return row;
}

const std::vector<ObjectKind>& table() {
  static const std::vector<ObjectKind> kinds = {
      row<Pod>("v1", "Pod", "pods", kNamespaced),
      row<Node>("v1", "Node", "nodes", kClusterWide),
      row<Namespace>("v1", "Namespace", "namespaces", kClusterWide),
      row<Service>("v1", "Service", "services", kNamespaced),
      row<Binding>("v1", "Binding", "bindings", kNamespaced),
      row<PersistentVolume>("v1", "PersistentVolume", "persistentvolumes", kClusterWide),
      row<PersistentVolumeClaim>("v1", "PersistentVolumeClaim", "persistentvolumeclaims", kNamespaced),
      row<ReplicationController>("v1", "ReplicationController", "replicationcontrollers", kNamespaced),
      row<ReplicaSet>("apps/v1", "ReplicaSet", "replicasets", kNamespaced),
      row<Deployment>("apps/v1", "Deployment", "deployments", kNamespaced),
      row<StatefulSet>("apps/v1", "StatefulSet", "statefulsets", kNamespaced),
      row<DaemonSet>("apps/v1", "DaemonSet", "daemonsets", kNamespaced),
      row<Job>("batch/v1", "Job", "jobs", kNamespaced),
      row<PodDisruptionBudget>("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", kNamespaced),
      row<PriorityClass>("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", kClusterWide),
      row<StorageClass>("storage.k8s.io/v1", "StorageClass", "storageclasses", kClusterWide),
      row<CsiNode>("storage.k8s.io/v1", "CSINode", "csinodes", kClusterWide),
      row<CsiDriver>("storage.k8s.io/v1", "CSIDriver", "csidrivers", kClusterWide),
      row<CsiStorageCapacity>("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities", kNamespaced),
      row<VolumeAttachment>("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", kClusterWide),
      row<ResourceClaim>("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", kNamespaced),
      row<ResourceClaimTemplate>("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", kNamespaced),
      row<ResourceSlice>("resource.k8s.io/v1", "ResourceSlice", "resourceslices", kClusterWide),
      row<DeviceClass>("resource.k8s.io/v1", "DeviceClass", "deviceclasses", kClusterWide),
      row<Lease>("coordination.k8s.io/v1", "Lease", "leases", kNamespaced),
      row<Event>("events.k8s.io/v1", "Event", "events", kNamespaced),
      row<CoreEvent>("v1", "Event", "events", kNamespaced),
      row<LimitRange>("v1", "LimitRange", "limitranges", kNamespaced),
      row<ResourceQuota>("v1", "ResourceQuota", "resourcequotas", kNamespaced),
      row<NodePool>("karpenter.sh/v1", "NodePool", "nodepools", kClusterWide),
      row<ConfigMap>("v1", "ConfigMap", "configmaps", kNamespaced),
      // What a NodePool refers to: how its machines are made.
      row<PartialObject>("karpenter.k8s.aws/v1", "EC2NodeClass", "ec2nodeclasses", kClusterWide),
      row<PartialObject>("karpenter.k8s.aws/v1beta1", "EC2NodeClass", "ec2nodeclasses", kClusterWide),
      row<PartialObject>("eks.amazonaws.com/v1", "NodeClass", "nodeclasses", kClusterWide),
      row<PartialObject>("karpenter.azure.com/v1beta1", "AKSNodeClass", "aksnodeclasses", kClusterWide),
      row<PartialObject>("karpenter.azure.com/v1alpha2", "AKSNodeClass", "aksnodeclasses", kClusterWide),
      row<PartialObject>("karpenter.k8s.gcp/v1alpha1", "GCENodeClass", "gcenodeclasses", kClusterWide),
      row<PartialObject>("karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", "kwoknodeclasses", kClusterWide),
      // What cluster-autoscaler resizes where it works through an API of the cluster.
      row<PartialObject>("cluster.x-k8s.io/v1beta1", "MachineDeployment", "machinedeployments", kNamespaced),
      row<PartialObject>("cluster.x-k8s.io/v1beta2", "MachineDeployment", "machinedeployments", kNamespaced),
      row<PartialObject>("cluster.x-k8s.io/v1beta1", "MachineSet", "machinesets", kNamespaced),
      row<PartialObject>("cluster.x-k8s.io/v1beta2", "MachineSet", "machinesets", kNamespaced),
      row<PartialObject>("cluster.x-k8s.io/v1beta1", "MachinePool", "machinepools", kNamespaced),
      row<PartialObject>("cluster.x-k8s.io/v1beta2", "MachinePool", "machinepools", kNamespaced),
      row<PartialObject>("machine.openshift.io/v1beta1", "MachineSet", "machinesets", kNamespaced),
      row<Status>("v1", "Status", "", kClusterWide),
  };
  return kinds;
}

template <typename T>
const ObjectKind& row_of() {
  const auto found = std::ranges::find(table(), &type_of<T>(), &ObjectKind::type);
  BERTH_CHECK(found != table().end(), "{} is not in the table of kinds", schema_of<T>().name());
  return *found;
}

}  // namespace

std::span<const ObjectKind> all_kinds() {
  return table();
}

const ObjectKind* find_kind(std::string_view api_version, std::string_view kind) {
  // A NodePool of the beta is read as one of v1: what matters here is the same.
  if (api_version == "karpenter.sh/v1beta1") api_version = "karpenter.sh/v1";
  for (const ObjectKind& row : table()) {
    if (row.kind == kind && row.api_version == api_version) return &row;
  }
  return nullptr;
}

const ObjectKind* list_item_kind(std::string_view api_version, std::string_view list_kind) {
  constexpr std::string_view kSuffix = "List";
  if (!list_kind.ends_with(kSuffix)) return nullptr;
  list_kind.remove_suffix(kSuffix.size());
  const ObjectKind* kind = find_kind(api_version, list_kind);
  return kind != nullptr && kind->metadata != nullptr ? kind : nullptr;
}

#define BERTH_IS_KIND(T)                  \
  template <>                             \
  const ObjectKind& kind_of<T>() {        \
    static const auto& row = row_of<T>(); \
    return row;                           \
  }

BERTH_IS_KIND(Pod)
BERTH_IS_KIND(Node)
BERTH_IS_KIND(Namespace)
BERTH_IS_KIND(Service)
BERTH_IS_KIND(Binding)
BERTH_IS_KIND(PersistentVolume)
BERTH_IS_KIND(PersistentVolumeClaim)
BERTH_IS_KIND(ReplicationController)
BERTH_IS_KIND(ReplicaSet)
BERTH_IS_KIND(Deployment)
BERTH_IS_KIND(StatefulSet)
BERTH_IS_KIND(DaemonSet)
BERTH_IS_KIND(Job)
BERTH_IS_KIND(PodDisruptionBudget)
BERTH_IS_KIND(PriorityClass)
BERTH_IS_KIND(StorageClass)
BERTH_IS_KIND(CsiNode)
BERTH_IS_KIND(CsiDriver)
BERTH_IS_KIND(CsiStorageCapacity)
BERTH_IS_KIND(VolumeAttachment)
BERTH_IS_KIND(ResourceClaim)
BERTH_IS_KIND(ResourceClaimTemplate)
BERTH_IS_KIND(ResourceSlice)
BERTH_IS_KIND(DeviceClass)
BERTH_IS_KIND(Lease)
BERTH_IS_KIND(Event)
BERTH_IS_KIND(CoreEvent)
BERTH_IS_KIND(LimitRange)
BERTH_IS_KIND(ResourceQuota)
BERTH_IS_KIND(NodePool)
BERTH_IS_KIND(ConfigMap)
BERTH_IS_KIND(Status)

#undef BERTH_IS_KIND

}  // namespace berth::api
