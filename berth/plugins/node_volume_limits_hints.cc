#include "berth/plugins/node_volume_limits_hints.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "berth/plugins/csi_translation.h"
#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

// How many volumes a driver allows; `absent` if it does not say. The last entry of a name counts.
std::int64_t limit_of(const api::CsiNode& node, Symbol driver, std::int64_t absent) {
  std::int64_t limit = absent;
  for (const api::CsiNodeDriver& each : node.spec.drivers) {
    if (each.name != driver) continue;
    limit = each.allocatable && each.allocatable->count ? *each.allocatable->count : absent;
  }
  return limit;
}

}  // namespace

HintAnswer node_volume_limits_after_csi_node_update(const api::Pod&, const EventObjects& objects,
                                                    const NodeVolumeLimitsHintOptions& options) {
  const ObjectsOf<api::CsiNode> node(objects);
  if (!node.has_both()) return HintAnswer::kError;
  const std::int64_t absent = options.quirks.no_volume_limit_means_zero ? 0 : std::numeric_limits<std::int64_t>::max();
  const auto allows_more = [&](const api::CsiNodeDriver& driver) {
    return limit_of(*node.after, driver.name, absent) > limit_of(*node.before, driver.name, absent);
  };
  // A driver that is gone has no limit any more.
  return queue_if(
      std::ranges::any_of(node.after->spec.drivers, allows_more) ||
      (!options.quirks.no_volume_limit_means_zero && std::ranges::any_of(node.before->spec.drivers, allows_more)));
}

HintAnswer node_volume_limits_after_pod_delete(const api::Pod&, const EventObjects& objects) {
  const ObjectsOf<api::Pod> deleted(objects);
  if (!deleted.has_before()) return HintAnswer::kError;
  if (!has_place(*deleted.before)) return HintAnswer::kSkip;
  return queue_if(std::ranges::any_of(deleted.before->spec->volumes, [](const api::Volume& volume) {
    return is_claim(volume) || csi_driver_of_inline(volume).has_value();
  }));
}

HintAnswer node_volume_limits_after_claim_add(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::PersistentVolumeClaim> claim(objects);
  if (!claim.has_after()) return HintAnswer::kError;
  const api::ObjectMeta& added = claim.after->metadata;
  return queue_if(added.name_space == pod.metadata.name_space && uses_claim(pod, added.name, true));
}

HintAnswer node_volume_limits_after_detach(const api::Pod& pod, const EventObjects& objects,
                                           const NodeVolumeLimitsHintOptions& options) {
  const ObjectsOf<api::VolumeAttachment> attachment(objects);
  if (!attachment.has_before()) return HintAnswer::kError;
  for (const api::Volume& volume : pod.spec->volumes) {
    if (volume.source.persistent_volume_claim) return HintAnswer::kQueue;
    if (volume.source.ephemeral && !options.quirks.detached_volume_ignores_ephemeral) return HintAnswer::kQueue;
    const auto driver = csi_driver_of_inline(volume);
    if (!driver) continue;
    if (volume.source.aws_elastic_block_store && !csi_handle_of(volume.source)) return HintAnswer::kError;
    if (attachment.before->spec.attacher == *driver) return HintAnswer::kQueue;
  }
  return HintAnswer::kSkip;
}

std::vector<HintRegistration> node_volume_limits_hints(Symbol profile, const NodeVolumeLimitsHintOptions& options) {
  HintList hints(profile, name::kNodeVolumeLimits);
  hints.add_always(queue::resource::kCSINode, queue::action::kAdd);
  if (!options.quirks.nodes_without_limits_wake_nobody) {
    hints.add_always(queue::resource::kNode, queue::action::kAdd);
    hints.add_always(queue::resource::kCSINode, queue::action::kDelete);
  }
  hints.add(queue::resource::kCSINode, queue::action::kUpdate,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return node_volume_limits_after_csi_node_update(pod, objects, options);
            });
  hints.add(queue::resource::kPod, queue::action::kDelete, node_volume_limits_after_pod_delete);
  // Claims of ephemeral volumes are named after the pod.
  hints.add(queue::resource::kPersistentVolumeClaim, queue::action::kAdd, node_volume_limits_after_claim_add,
            HintScope::kPod);
  hints.add(queue::resource::kVolumeAttachment, queue::action::kDelete,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return node_volume_limits_after_detach(pod, objects, options);
            });
  return std::move(hints).take();
}

}  // namespace berth::plugins
