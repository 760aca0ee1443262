// Cluster events: what happened to which kind of object, coarse enough to be matched against what plugins asked for.
//
// A plugin registers the events that may make a pod schedulable that it rejected; the engine tells the queue each event
// that happens. An event is a resource and a set of actions; its label is what metrics and logs call it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/symbol.h"

namespace berth::queue {

// Which registrations an event matches.
enum class EventMatching : std::uint8_t {
  kSharedAction,      // same resource, and an action in common
  kWithinRegistered,  // ... and no action beyond those registered, numerically
};

// A set of actions as bits. The numeric values are part of the matching rule and of kube-scheduler's interface.
using ActionSet = std::uint32_t;

namespace action {
inline constexpr ActionSet kAdd = 1u << 0;
inline constexpr ActionSet kDelete = 1u << 1;
inline constexpr ActionSet kUpdateNodeAllocatable = 1u << 2;
inline constexpr ActionSet kUpdateNodeLabel = 1u << 3;
inline constexpr ActionSet kUpdateNodeTaint = 1u << 4;
inline constexpr ActionSet kUpdateNodeCondition = 1u << 5;
inline constexpr ActionSet kUpdateNodeAnnotation = 1u << 6;
inline constexpr ActionSet kUpdateNodeDeclaredFeature = 1u << 7;
inline constexpr ActionSet kUpdatePodLabel = 1u << 8;
inline constexpr ActionSet kUpdatePodScaleDown = 1u << 9;
inline constexpr ActionSet kUpdatePodToleration = 1u << 10;
inline constexpr ActionSet kUpdatePodSchedulingGatesEliminated = 1u << 11;
inline constexpr ActionSet kUpdatePodGeneratedResourceClaim = 1u << 12;
inline constexpr ActionSet kAll = (1u << 13) - 1;
inline constexpr ActionSet kUpdate = kAll & ~(kAdd | kDelete);
inline constexpr ActionSet kAllOfV1_28 = (1u << 6) - 1;  // what v1.28 knew: up to kUpdateNodeCondition
}  // namespace action

// "Add", "UpdateNodeTaint", "Update", "All"; empty for sets that have no name.
std::string_view action_name(ActionSet actions);

// The names of the resources that events are about. Custom resources are "<plural>.<version>.<group>".
namespace resource {
inline constexpr std::string_view kPod = "Pod";
inline constexpr std::string_view kAssignedPod = "AssignedPod";            // a pod that has a node
inline constexpr std::string_view kUnschedulablePod = "UnschedulablePod";  // a pod that has none
inline constexpr std::string_view kNode = "Node";
// kube-scheduler has no events about namespaces; a pod whose affinity selects them by label depends on them all the
// same.
inline constexpr std::string_view kNamespace = "Namespace";
inline constexpr std::string_view kPersistentVolume = "PersistentVolume";
inline constexpr std::string_view kPersistentVolumeClaim = "PersistentVolumeClaim";
inline constexpr std::string_view kCSINode = "storage.k8s.io/CSINode";
inline constexpr std::string_view kCSIDriver = "storage.k8s.io/CSIDriver";
inline constexpr std::string_view kCSIStorageCapacity = "storage.k8s.io/CSIStorageCapacity";
inline constexpr std::string_view kStorageClass = "storage.k8s.io/StorageClass";
inline constexpr std::string_view kVolumeAttachment = "storage.k8s.io/VolumeAttachment";
inline constexpr std::string_view kResourceClaim = "resource.k8s.io/ResourceClaim";
inline constexpr std::string_view kResourceSlice = "resource.k8s.io/ResourceSlice";
inline constexpr std::string_view kDeviceClass = "resource.k8s.io/DeviceClass";
inline constexpr std::string_view kPodGroup = "scheduling.k8s.io/PodGroup";
inline constexpr std::string_view kAny = "*";
}  // namespace resource

struct ClusterEvent {
  Symbol resource;
  ActionSet actions = 0;
  Symbol custom_label;  // stands in for the derived label if set

  ClusterEvent() = default;
  ClusterEvent(Symbol about, ActionSet what, Symbol label = {}) : resource(about), actions(what), custom_label(label) {}
  ClusterEvent(std::string_view about, ActionSet what) : resource(about), actions(what) {}

  // The custom label, or resource and action name: "NodeAdd", "AssignedPodUpdatePodLabel".
  Symbol label() const;

  // An event about everything. It wakes any pod and is matched by no ordinary registration.
  bool is_wildcard(EventMatching matching = EventMatching::kWithinRegistered) const;

  bool operator==(const ClusterEvent&) const = default;
};

// Whether an event that happened is one that was registered for. The actions must overlap, and those that happened may
// not exceed the registered ones numerically: so the unspecific Update reaches only those who registered every update.
// (Older releases ask for the overlap alone, and there a registration for every resource is for nothing but that.)
bool matches(const ClusterEvent& registered, const ClusterEvent& happened,
             EventMatching matching = EventMatching::kWithinRegistered);

// The events and labels that the queue itself uses.
ClusterEvent assigned_pod_add();
ClusterEvent assigned_pod_delete();
ClusterEvent unschedulable_timeout();
ClusterEvent force_activate();

}  // namespace berth::queue
