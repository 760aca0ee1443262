// The body of a PATCH of pods/NAME/status (application/strategic-merge-patch+json), byte for byte as kube-scheduler's
// two-way diff makes it: keys sorted, a new condition whole, of a known one the fields that differ and the order of
// all.
//
//   {"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],
//              "conditions":[{"message":"0/2 nodes are available: ...","type":"PodScheduled"}],
//              "nominatedNodeName":null}}
//
// A patch goes by the pod's name. If the pod was deleted and another one of its name created meanwhile, the wrong pod
// is patched; kube-scheduler lives with that. With `names_uid` the body also carries metadata.uid, as the kubelet's
// patches do, and the API server refuses (422) a patch that is about another pod. That is safer, but not what
// kube-scheduler sends, and whoever compares the two sees it; so it is off unless asked for. The harm is small: a pod
// that waits gets its own condition with its next attempt, and a bound one gets it from the API server.
#pragma once

#include <optional>
#include <string>

#include "berth/engine/command.h"

namespace berth::daemon {

struct StatusPatchForm {
  bool names_uid = false;
  // The pod has been patched since `base`, so it is unknown which fields of a condition differ: all of them are sent.
  // A difference to an outdated base could leave one attempt's reason beside another one's message.
  bool is_base_outdated = false;
};

// Empty if there is nothing to change. A nominated node that is set in the patch is always sent, also if the base shows
// it: the engine knows of patches under way that say otherwise (engine/failure.cc).
std::string status_patch_body(const engine::PatchPodStatus& patch, const StatusPatchForm& form = {});

// One patch with the effect of both, the older first; nothing if they cannot be one.
std::optional<engine::PatchPodStatus> merge(const engine::PatchPodStatus& older, const engine::PatchPodStatus& newer);

}  // namespace berth::daemon
