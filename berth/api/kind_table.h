// The table of kinds: one row for each kind of object that Berth reads. Everything that has to know all kinds is made
// from it: kind_of<T>() (kinds.h), lookups by apiVersion and kind (object.h), what the scheduler lists and watches and
// which events wake pods (watched_kinds.h), and how the simulator copies objects. A new kind is a struct with a schema
// and one row here; CONTRIBUTING.md ("A kind of object") has the steps.
//
// Columns: struct, apiVersion, kind, resource in paths, scope, how the scheduler reads it, and whether pods may wait
// for its events. JSON, YAML and protobuf follow from the schema of the struct.
//
// The order is that of all_kinds(); the simulator's state depends on it, so new rows go to the end of their part.
#pragma once

#define BERTH_FOR_EACH_KIND(X)                                                                                         \
  X(Pod, "v1", "Pod", "pods", kNamespaced, kWatched, kHasEvents)                                                       \
  X(Node, "v1", "Node", "nodes", kClusterWide, kWatched, kHasEvents)                                                   \
  X(Namespace, "v1", "Namespace", "namespaces", kClusterWide, kWatched, kHasEvents)                                    \
  X(Service, "v1", "Service", "services", kNamespaced, kWatched, kNoEvents)                                            \
  X(Binding, "v1", "Binding", "bindings", kNamespaced, kNotRead, kNoEvents)                                            \
  X(PersistentVolume, "v1", "PersistentVolume", "persistentvolumes", kClusterWide, kWatched, kHasEvents)               \
  X(PersistentVolumeClaim, "v1", "PersistentVolumeClaim", "persistentvolumeclaims", kNamespaced, kWatched, kHasEvents) \
  X(ReplicationController, "v1", "ReplicationController", "replicationcontrollers", kNamespaced, kWatched, kNoEvents)  \
  X(ReplicaSet, "apps/v1", "ReplicaSet", "replicasets", kNamespaced, kWatched, kNoEvents)                              \
  X(Deployment, "apps/v1", "Deployment", "deployments", kNamespaced, kNotRead, kNoEvents)                              \
  X(StatefulSet, "apps/v1", "StatefulSet", "statefulsets", kNamespaced, kWatched, kNoEvents)                           \
  X(DaemonSet, "apps/v1", "DaemonSet", "daemonsets", kNamespaced, kNotRead, kNoEvents)                                 \
  X(Job, "batch/v1", "Job", "jobs", kNamespaced, kNotRead, kNoEvents)                                                  \
  X(PodDisruptionBudget, "policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", kNamespaced, kWatched, kNoEvents) \
  X(PriorityClass, "scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", kClusterWide, kSimulated, kNoEvents)    \
  X(StorageClass, "storage.k8s.io/v1", "StorageClass", "storageclasses", kClusterWide, kWatched, kHasEvents)           \
  X(CsiNode, "storage.k8s.io/v1", "CSINode", "csinodes", kClusterWide, kWatched, kHasEvents)                           \
  X(CsiDriver, "storage.k8s.io/v1", "CSIDriver", "csidrivers", kClusterWide, kWatched, kHasEvents)                     \
  X(CsiStorageCapacity, "storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities", kNamespaced, kWatched,      \
    kHasEvents)                                                                                                        \
  X(VolumeAttachment, "storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", kClusterWide, kWatched,            \
    kHasEvents)                                                                                                        \
  X(ResourceClaim, "resource.k8s.io/v1", "ResourceClaim", "resourceclaims", kNamespaced, kWatchedIfServed, kHasEvents) \
  X(ResourceClaimTemplate, "resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", kNamespaced,       \
    kNotRead, kNoEvents)                                                                                               \
  X(ResourceSlice, "resource.k8s.io/v1", "ResourceSlice", "resourceslices", kClusterWide, kWatchedIfServed,            \
    kHasEvents)                                                                                                        \
  X(DeviceClass, "resource.k8s.io/v1", "DeviceClass", "deviceclasses", kClusterWide, kWatchedIfServed, kHasEvents)     \
  X(Lease, "coordination.k8s.io/v1", "Lease", "leases", kNamespaced, kNotRead, kNoEvents)                              \
  X(Event, "events.k8s.io/v1", "Event", "events", kNamespaced, kNotRead, kNoEvents)                                    \
  X(CoreEvent, "v1", "Event", "events", kNamespaced, kNotRead, kNoEvents)                                              \
  X(LimitRange, "v1", "LimitRange", "limitranges", kNamespaced, kNotRead, kNoEvents)                                   \
  X(ResourceQuota, "v1", "ResourceQuota", "resourcequotas", kNamespaced, kNotRead, kNoEvents)                          \
  X(NodePool, "karpenter.sh/v1", "NodePool", "nodepools", kClusterWide, kNotRead, kNoEvents)                           \
  X(ConfigMap, "v1", "ConfigMap", "configmaps", kNamespaced, kNotRead, kNoEvents)

// Kinds of which only the metadata and a few fields are read. They share one struct, so there is no kind_of<T>() for
// them: apiVersion, kind, resource, scope. First what a NodePool refers to, then what cluster-autoscaler resizes.
#define BERTH_FOR_EACH_PARTIAL_KIND(X)                                                  \
  X("karpenter.k8s.aws/v1", "EC2NodeClass", "ec2nodeclasses", kClusterWide)             \
  X("karpenter.k8s.aws/v1beta1", "EC2NodeClass", "ec2nodeclasses", kClusterWide)        \
  X("eks.amazonaws.com/v1", "NodeClass", "nodeclasses", kClusterWide)                   \
  X("karpenter.azure.com/v1beta1", "AKSNodeClass", "aksnodeclasses", kClusterWide)      \
  X("karpenter.azure.com/v1alpha2", "AKSNodeClass", "aksnodeclasses", kClusterWide)     \
  X("karpenter.k8s.gcp/v1alpha1", "GCENodeClass", "gcenodeclasses", kClusterWide)       \
  X("karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", "kwoknodeclasses", kClusterWide)     \
  X("cluster.x-k8s.io/v1beta1", "MachineDeployment", "machinedeployments", kNamespaced) \
  X("cluster.x-k8s.io/v1beta2", "MachineDeployment", "machinedeployments", kNamespaced) \
  X("cluster.x-k8s.io/v1beta1", "MachineSet", "machinesets", kNamespaced)               \
  X("cluster.x-k8s.io/v1beta2", "MachineSet", "machinesets", kNamespaced)               \
  X("cluster.x-k8s.io/v1beta1", "MachinePool", "machinepools", kNamespaced)             \
  X("cluster.x-k8s.io/v1beta2", "MachinePool", "machinepools", kNamespaced)             \
  X("machine.openshift.io/v1beta1", "MachineSet", "machinesets", kNamespaced)
