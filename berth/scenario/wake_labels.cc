#include "berth/scenario/wake_labels.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "berth/queue/cluster_event.h"

namespace berth::scenario {

std::string_view without_group(std::string_view label) {
  return label.substr(label.rfind('/') + 1);
}

std::span<const std::string_view> wake_labels() {
  namespace resource = queue::resource;
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> result = {"PreemptionEnded", "AssignedPodTerminating", "VolumeReservationGivenUp",
                                       "ForceActivate"};
    const auto add = [&](std::string_view about, std::string_view what) {
      result.push_back(fmt::format("{}{}", about, what));
      if (about.find('/') != std::string_view::npos) result.push_back(fmt::format("{}{}", without_group(about), what));
    };
    for (const std::string_view about :
         {resource::kNode, resource::kAssignedPod, resource::kUnschedulablePod, resource::kNamespace,
          resource::kPersistentVolume, resource::kPersistentVolumeClaim, resource::kStorageClass, resource::kCSINode,
          resource::kCSIDriver, resource::kCSIStorageCapacity, resource::kVolumeAttachment, resource::kResourceClaim,
          resource::kResourceSlice, resource::kDeviceClass, resource::kPodGroup}) {
      for (const std::string_view what : {"Add", "Delete", "Update"}) add(about, what);
    }
    for (queue::ActionSet action = queue::action::kUpdateNodeAllocatable; action < queue::action::kAll; action <<= 1) {
      const std::string_view name = queue::action_name(action);
      if (name.starts_with("UpdateNode")) add(resource::kNode, name);
      if (name.starts_with("UpdatePod")) add(resource::kAssignedPod, name);
      if (name.starts_with("UpdatePod")) add(resource::kUnschedulablePod, name);
    }
    return result;
  }();
  static const std::vector<std::string_view> labels(texts.begin(), texts.end());
  return labels;
}

}  // namespace berth::scenario
