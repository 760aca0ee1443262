// Why a plugin rejects a pod or a node, as a value: a code, and what it is about. Whoever has to tell reasons apart
// compares codes; kube-scheduler's words for them are made by text(), the only place that has them.
//
// A plugin that is not kube-scheduler's gives its reasons as text: they have the code kOther.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/symbol.h"

namespace berth::framework {

enum class ReasonCode : std::uint8_t {
  kOther,  // known by its text alone

  // NodeResourcesFit
  kTooManyPods,
  kInsufficientResource,  // subject: the resource

  // NodeName, NodeUnschedulable, TaintToleration, NodePorts, NodeDeclaredFeatures
  kOtherNodeRequested,
  kNodeUnschedulable,
  kUntoleratedTaints,
  kNoFreeHostPorts,
  kFeaturesNotDeclared,

  // NodeAffinity
  kNodeAffinity,
  kAddedNodeAffinity,  // that the plugin's arguments add
  kNodeAffinityTermsConflict,

  // InterPodAffinity
  kPodAffinity,
  kPodAntiAffinity,
  kExistingPodsAntiAffinity,

  // PodTopologySpread
  kTopologySpread,
  kTopologySpreadLabelMissing,

  // Volumes
  kVolumeNodeAffinity,
  kNoVolumeToBind,
  kNotEnoughStorage,
  kBoundVolumeMissing,
  kUnboundImmediateClaims,
  kVolumeObjectNotFound,  // a claim, volume or storage class; text: which
  kClaimBeingDeleted,     // text: which
  kClaimNotReady,         // a claim that is lost, not made yet or made for another pod; text: which
  kNoVolumeZone,
  kVolumeLimitExceeded,
  kCsiDriverMissing,  // subject: the driver
  kDiskInUse,
  kReadWriteOncePodInUse,

  // DefaultPreemption
  kNoPreemptionVictims,
  kNeverPreempts,
  kVictimTerminating,
};

struct Reason {
  Reason() = default;
  Reason(ReasonCode its_code, Symbol its_subject = {}) : code(its_code), subject(its_subject) {}
  Reason(ReasonCode its_code, std::string words) : code(its_code), given_text(std::move(words)) {}
  Reason(std::string words) : given_text(std::move(words)) {}
  Reason(std::string_view words) : given_text(words) {}
  Reason(const char* words) : given_text(words) {}

  ReasonCode code = ReasonCode::kOther;
  Symbol subject;
  std::string given_text;  // of codes that do not say it all

  // "Insufficient cpu"
  std::string text() const;

  bool operator==(const Reason&) const = default;
};

}  // namespace berth::framework
