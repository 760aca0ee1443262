#include "berth/framework/reason.h"

#include <fmt/format.h>

namespace berth::framework {

std::string Reason::text() const {
  switch (code) {
    case ReasonCode::kOther:
    case ReasonCode::kVolumeObjectNotFound:
    case ReasonCode::kClaimBeingDeleted:
    case ReasonCode::kClaimNotReady: return given_text;
    case ReasonCode::kTooManyPods: return "Too many pods";
    case ReasonCode::kInsufficientResource: return fmt::format("Insufficient {}", subject.text());
    case ReasonCode::kOtherNodeRequested: return "node(s) didn't match the requested node name";
    case ReasonCode::kNodeUnschedulable: return "node(s) were unschedulable";
    case ReasonCode::kUntoleratedTaints: return "node(s) had untolerated taint(s)";
    case ReasonCode::kNoFreeHostPorts: return "node(s) didn't have free ports for the requested pod ports";
    case ReasonCode::kFeaturesNotDeclared: return "node(s) didn't match Pod's required features";
    case ReasonCode::kNodeAffinity: return "node(s) didn't match Pod's node affinity/selector";
    case ReasonCode::kAddedNodeAffinity: return "node(s) didn't match scheduler-enforced node affinity";
    case ReasonCode::kNodeAffinityTermsConflict: return "pod affinity terms conflict";
    case ReasonCode::kPodAffinity: return "node(s) didn't match pod affinity rules";
    case ReasonCode::kPodAntiAffinity: return "node(s) didn't match pod anti-affinity rules";
    case ReasonCode::kExistingPodsAntiAffinity: return "node(s) didn't satisfy existing pods anti-affinity rules";
    case ReasonCode::kTopologySpread: return "node(s) didn't match pod topology spread constraints";
    case ReasonCode::kTopologySpreadLabelMissing:
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    case ReasonCode::kVolumeNodeAffinity: return "node(s) didn't match PersistentVolume's node affinity";
    case ReasonCode::kNoVolumeToBind: return "node(s) didn't find available persistent volumes to bind";
    case ReasonCode::kNotEnoughStorage: return "node(s) did not have enough free storage";
    case ReasonCode::kBoundVolumeMissing:
      return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    case ReasonCode::kUnboundImmediateClaims: return "pod has unbound immediate PersistentVolumeClaims";
    case ReasonCode::kNoVolumeZone: return "node(s) had no available volume zone";
    case ReasonCode::kVolumeLimitExceeded: return "node(s) exceed max volume count";
    case ReasonCode::kCsiDriverMissing:
      return fmt::format("{} CSI driver is not installed on the node", subject.text());
    case ReasonCode::kDiskInUse: return "node(s) had no available disk";
    case ReasonCode::kReadWriteOncePodInUse:
      return "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
             "another pod";
    case ReasonCode::kNoPreemptionVictims: return "No preemption victims found for incoming pod";
    case ReasonCode::kNeverPreempts: return "not eligible due to preemptionPolicy=Never.";
    case ReasonCode::kVictimTerminating: return "not eligible due to a terminating pod on the nominated node.";
  }
  return given_text;
}

}  // namespace berth::framework
