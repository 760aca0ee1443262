// Upstream's mistakes in what wakes a pod, by name. Off by default: Berth does the right thing, which is to wake every
// pod that the event may have made schedulable. Conformance turns them on to be compared with kube-scheduler answer by
// answer. "Q-" numbers are those of docs/conformance.md; the others have no upstream issue that we know of.
#pragma once

namespace berth::plugins {

struct HintQuirks {
  // Q-13 (removed in 1.37): whoever registers for new nodes is woken by every change of a node's taints too. It hid
  // several of the mistakes below, because a new node loses its first taint soon.
  bool node_taints_wake_all = false;

  // Q-14 (PR 139161, issue 141953): InterPodAffinity wakes a pod only if a pod that goes matches all its anti-affinity
  // terms, although any of them can have kept it off; and it takes no namespace to match a namespaceSelector.
  bool anti_affinity_needs_all_terms = false;
  bool namespace_selectors_see_no_labels = false;

  // plugins without registrations of their own are not told about VolumeAttachments and ResourceSlices.
  bool everything_is_not_everything = false;

  // Q-21 (commit 55518b76430): a deleted ResourceClaim gives its devices back, and nobody is told.
  bool deleted_claims_wake_nobody = false;

  // The first pod of a group may go anywhere, so a pod with affinity to itself can go when the last pod it could have
  // joined is gone or when that pod's node has left the domain. InterPodAffinity wakes nobody then.
  bool affinity_to_nobody_wakes_nobody = false;

  // A pod can be kept off by the anti-affinity of pods that run, without terms of its own. InterPodAffinity looks at
  // the pod's own terms alone when nodes come, go or change their labels.
  bool anti_affinity_of_others_is_ignored = false;

  // With addedAffinity, a node that changes so that it satisfies the added part now, and the pod's own part all along,
  // wakes nobody.
  bool added_affinity_change_wakes_nobody = false;

  // NodeResourcesFit forgets ignoredResources and ignoredResourceGroups when it asks whether a node is large enough.
  bool ignored_resources_count = false;

  // Pods of two namespaces can share a disk, but VolumeRestrictions wakes only pods of the namespace of the pod that
  // goes.
  bool shared_disks_stay_in_namespace = false;

  // Pods of a deleted node do not count as users of a ReadWriteOncePod claim. VolumeRestrictions wakes nobody before
  // they are gone themselves.
  bool deleted_nodes_keep_claims = false;

  // A CSI driver without a limit has none. NodeVolumeLimits takes it for a limit of 0, so a limit that is lifted wakes
  // nobody; and a detached volume wakes no pod whose claims are ephemeral.
  bool no_volume_limit_means_zero = false;
  bool detached_volume_ignores_ephemeral = false;

  // A node without a CSINode has no limits, be it new or be its CSINode deleted. NodeVolumeLimits wakes nobody then.
  bool nodes_without_limits_wake_nobody = false;

  // VolumeBinding looks for inline CSI volumes when a driver stops publishing capacity, which matters to claims alone.
  bool csi_driver_change_ignores_claims = false;

  // A node that leaves the pod's node affinity takes its domain along, which can end a skew. PodTopologySpread wakes a
  // pod only if a topology label changes.
  bool spread_ignores_node_affinity_changes = false;

  // A pod that is being deleted is not counted any more, which can end a skew. PodTopologySpread wakes nobody before
  // the pod is gone.
  bool spread_ignores_terminating_pods = false;

  // NodeDeclaredFeatures registers for every update of every pod, but answers for updates of the waiting pod alone: so
  // each status update in the cluster is an event that the queue has to handle.
  bool declared_features_watch_all_pods = false;

  static constexpr HintQuirks none() { return {}; }
  static constexpr HintQuirks upstream() {
    return {.node_taints_wake_all = true,
            .anti_affinity_needs_all_terms = true,
            .namespace_selectors_see_no_labels = true,
            .everything_is_not_everything = true,
            .deleted_claims_wake_nobody = true,
            .affinity_to_nobody_wakes_nobody = true,
            .anti_affinity_of_others_is_ignored = true,
            .added_affinity_change_wakes_nobody = true,
            .ignored_resources_count = true,
            .shared_disks_stay_in_namespace = true,
            .deleted_nodes_keep_claims = true,
            .no_volume_limit_means_zero = true,
            .detached_volume_ignores_ephemeral = true,
            .nodes_without_limits_wake_nobody = true,
            .csi_driver_change_ignores_claims = true,
            .spread_ignores_node_affinity_changes = true,
            .spread_ignores_terminating_pods = true,
            .declared_features_watch_all_pods = true};
  }
};

}  // namespace berth::plugins
