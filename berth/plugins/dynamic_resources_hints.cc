#include "berth/plugins/dynamic_resources_hints.h"

#include <algorithm>
#include <optional>

#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

bool is_owned_by(const api::ResourceClaim& claim, const api::Pod& pod, const DynamicResourcesHintOptions& options) {
  const api::OwnerReference* controller = api::controller_of(claim.metadata);
  if (controller == nullptr || claim.metadata.name_space != pod.metadata.name_space) return false;
  if (controller->uid == pod.metadata.uid) return true;
  const auto& group = pod.spec->scheduling_group;
  return options.workload_claims && group && group->pod_group_name && *group->pod_group_name == controller->name &&
         controller->kind == "PodGroup" && controller->api_version.text().starts_with("scheduling.k8s.io/");
}

// Calls see(claim) for each claim of the pod, as far as they can be had. Returns whether all of them can.
template <typename Fn>
bool resolve_claims(const api::Pod& pod, const DynamicResourcesHintOptions& options, Fn&& see) {
  for (const api::PodResourceClaim& wanted : pod.spec->resource_claims) {
    std::optional<Symbol> claim_name = wanted.resource_claim_name;
    const bool is_made_for_pod = !claim_name;
    if (is_made_for_pod) {
      if (!wanted.resource_claim_template_name) return false;
      const auto& statuses = *pod.status.resource_claim_statuses;
      const auto status = std::ranges::find(statuses, wanted.name, &api::PodResourceClaimStatus::name);
      if (status == statuses.end()) return false;
      claim_name = status->resource_claim_name;
      if (!claim_name) continue;  // it turned out that no claim is needed
    }
    const auto claim = options.find_claim(pod.metadata.name_space, claim_name->text());
    if (claim == nullptr || claim->metadata.deletion_timestamp.is_set()) return false;
    if (is_made_for_pod && !is_owned_by(*claim, pod, options)) return false;
    see(*claim);
  }
  return true;
}

}  // namespace

HintAnswer dynamic_resources_after_claim_change(const api::Pod& pod, const EventObjects& objects,
                                                const DynamicResourcesHintOptions& options) {
  const ObjectsOf<api::ResourceClaim> changed(objects);
  if (!changed.has_any()) return HintAnswer::kError;
  bool is_used = false;
  const bool all_there = resolve_claims(pod, options, [&](const api::ResourceClaim& claim) {
    is_used |= changed.after != nullptr && claim.metadata.uid == changed.after->metadata.uid;
  });
  if (!all_there) return HintAnswer::kSkip;
  const auto has_devices = [](const api::ResourceClaim* claim) {
    return claim != nullptr && claim->status.allocation.has_value();
  };
  if (has_devices(changed.before) && !has_devices(changed.after)) return HintAnswer::kQueue;
  if (!is_used) return HintAnswer::kSkip;
  return queue_if(changed.before == nullptr || changed.before->status != changed.after->status);
}

HintAnswer dynamic_resources_after_claims_generated(const api::Pod& pod, const EventObjects& objects,
                                                    const DynamicResourcesHintOptions& options) {
  const ObjectsOf<api::Pod> updated(objects);
  if (!updated.has_after()) return HintAnswer::kError;
  return queue_if(is_same_pod(pod, *updated.after) && dynamic_resources_admits(*updated.after, options));
}

std::vector<HintRegistration> dynamic_resources_hints(Symbol profile, const DynamicResourcesHintOptions& options) {
  HintList hints(profile, name::kDynamicResources);
  if (!options.enabled) return {};
  constexpr queue::ActionSet kAddOrUpdate = queue::action::kAdd | queue::action::kUpdate;
  hints.add_always(queue::resource::kNode,
                   queue::action::kAdd | queue::action::kUpdateNodeLabel | queue::action::kUpdateNodeAllocatable);
  // Whether a claim was made for a pod depends on the pod's UID.
  hints.add(
      queue::resource::kResourceClaim,
      options.quirks.deleted_claims_wake_nobody ? kAddOrUpdate : kAddOrUpdate | queue::action::kDelete,
      [options](const api::Pod& pod, const EventObjects& objects) {
        return dynamic_resources_after_claim_change(pod, objects, options);
      },
      HintScope::kPod);
  hints.add(queue::resource::kPod, queue::action::kUpdatePodGeneratedResourceClaim,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return dynamic_resources_after_claims_generated(pod, objects, options);
            });
  hints.add_always(queue::resource::kDeviceClass, kAddOrUpdate);
  hints.add_always(queue::resource::kResourceSlice, kAddOrUpdate);
  return std::move(hints).take();
}

bool dynamic_resources_admits(const api::Pod& pod, const DynamicResourcesHintOptions& options) {
  return !options.enabled || resolve_claims(pod, options, [](const api::ResourceClaim&) {});
}

}  // namespace berth::plugins
