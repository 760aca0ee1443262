#include "berth/plugins/volume_restrictions_hints.h"

#include <algorithm>

#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

// Some volume of one pod and some volume of the other.
template <typename Fn>
bool any_pair(const api::Pod& a, const api::Pod& b, Fn&& holds) {
  return std::ranges::any_of(a.spec->volumes, [&](const api::Volume& mine) {
    return std::ranges::any_of(b.spec->volumes,
                               [&](const api::Volume& theirs) { return holds(mine.source, theirs.source); });
  });
}

bool share_claim(const api::VolumeSource& a, const api::VolumeSource& b) {
  return a.persistent_volume_claim && b.persistent_volume_claim &&
         a.persistent_volume_claim->claim_name == b.persistent_volume_claim->claim_name;
}

}  // namespace

bool disks_conflict(const api::VolumeSource& a, const api::VolumeSource& b) {
  const auto both_only_read = [](const auto& one, const auto& other) { return one->read_only && other->read_only; };
  if (a.gce_persistent_disk && b.gce_persistent_disk) {
    return a.gce_persistent_disk->pd_name == b.gce_persistent_disk->pd_name &&
           !both_only_read(a.gce_persistent_disk, b.gce_persistent_disk);
  }
  if (a.aws_elastic_block_store && b.aws_elastic_block_store) {
    return a.aws_elastic_block_store->volume_id == b.aws_elastic_block_store->volume_id;
  }
  if (a.iscsi && b.iscsi) return a.iscsi->iqn == b.iscsi->iqn && !both_only_read(a.iscsi, b.iscsi);
  if (a.rbd && b.rbd) {
    return std::ranges::find_first_of(a.rbd->monitors, b.rbd->monitors) != a.rbd->monitors.end() &&
           a.rbd->pool == b.rbd->pool && a.rbd->image == b.rbd->image && !both_only_read(a.rbd, b.rbd);
  }
  return false;
}

HintAnswer volume_restrictions_after_pod_delete(const api::Pod& pod, const EventObjects& objects,
                                                const VolumeRestrictionsHintOptions& options) {
  const ObjectsOf<api::Pod> deleted(objects);
  if (!deleted.has_before()) return HintAnswer::kError;
  const bool is_same_namespace = deleted.before->metadata.name_space == pod.metadata.name_space;
  if (!is_same_namespace && options.quirks.shared_disks_stay_in_namespace) return HintAnswer::kSkip;
  return queue_if(any_pair(pod, *deleted.before, disks_conflict) ||
                  (is_same_namespace && any_pair(pod, *deleted.before, share_claim)));
}

HintAnswer volume_restrictions_after_claim_add(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::PersistentVolumeClaim> claim(objects);
  if (!claim.has_after()) return HintAnswer::kError;
  const api::ObjectMeta& added = claim.after->metadata;
  return queue_if(added.name_space == pod.metadata.name_space && uses_claim(pod, added.name, false));
}

std::vector<HintRegistration> volume_restrictions_hints(Symbol profile, const VolumeRestrictionsHintOptions& options) {
  HintList hints(profile, name::kVolumeRestrictions);
  hints.add(queue::resource::kPod, queue::action::kDelete, [options](const api::Pod& pod, const EventObjects& objects) {
    return volume_restrictions_after_pod_delete(pod, objects, options);
  });
  queue::ActionSet on_nodes = queue::action::kAdd;
  if (!options.quirks.deleted_nodes_keep_claims) on_nodes |= queue::action::kDelete;
  hints.add_always(queue::resource::kNode, on_nodes);
  hints.add(queue::resource::kPersistentVolumeClaim, queue::action::kAdd, volume_restrictions_after_claim_add);
  return std::move(hints).take();
}

}  // namespace berth::plugins
