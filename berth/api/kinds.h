// All kinds that Berth knows, with their types: what to include where an AnyObject is made from a type or turned back
// into one. Code that handles one kind includes the header of that kind.
#pragma once

#include "berth/api/autoscaling.h"
#include "berth/api/cluster.h"
#include "berth/api/karpenter.h"
#include "berth/api/kind_table.h"
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

#define BERTH_DECLARE_KIND(T, ...) \
  template <>                      \
  const ObjectKind& kind_of<T>();
BERTH_FOR_EACH_KIND(BERTH_DECLARE_KIND)
#undef BERTH_DECLARE_KIND
template <>
const ObjectKind& kind_of<Status>();  // without metadata, and never listed: not in the table

}  // namespace berth::api
