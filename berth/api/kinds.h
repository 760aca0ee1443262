// All kinds that Berth knows, with their types: what to include where an AnyObject is made from a type or turned back
// into one. Code that handles one kind includes the header of that kind.
#pragma once

#include "berth/api/cluster.h"
#include "berth/api/karpenter.h"
#include "berth/api/meta.h"
#include "berth/api/node.h"
#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/api/policy.h"
#include "berth/api/quota.h"
#include "berth/api/resource.h"
#include "berth/api/storage.h"
#include "berth/api/workload.h"

namespace berth::api {

#define BERTH_IS_KIND(T) \
  template <>            \
  const ObjectKind& kind_of<T>()

BERTH_IS_KIND(Pod);
BERTH_IS_KIND(Node);
BERTH_IS_KIND(Namespace);
BERTH_IS_KIND(Service);
BERTH_IS_KIND(Binding);
BERTH_IS_KIND(PersistentVolume);
BERTH_IS_KIND(PersistentVolumeClaim);
BERTH_IS_KIND(ReplicationController);
BERTH_IS_KIND(ReplicaSet);
BERTH_IS_KIND(Deployment);
BERTH_IS_KIND(StatefulSet);
BERTH_IS_KIND(DaemonSet);
BERTH_IS_KIND(Job);
BERTH_IS_KIND(PodDisruptionBudget);
BERTH_IS_KIND(PriorityClass);
BERTH_IS_KIND(StorageClass);
BERTH_IS_KIND(CsiNode);
BERTH_IS_KIND(CsiDriver);
BERTH_IS_KIND(CsiStorageCapacity);
BERTH_IS_KIND(VolumeAttachment);
BERTH_IS_KIND(ResourceClaim);
BERTH_IS_KIND(ResourceClaimTemplate);
BERTH_IS_KIND(ResourceSlice);
BERTH_IS_KIND(DeviceClass);
BERTH_IS_KIND(Lease);
BERTH_IS_KIND(Event);
BERTH_IS_KIND(CoreEvent);
BERTH_IS_KIND(LimitRange);
BERTH_IS_KIND(ResourceQuota);
BERTH_IS_KIND(NodePool);
BERTH_IS_KIND(Status);

#undef BERTH_IS_KIND

}  // namespace berth::api
