// Bugs of kube-scheduler v1.36.3's plugins, by name. All are off by default: Berth then does what was meant.
// Conformance turns them on, since it compares with what kube-scheduler does.
#pragma once

#include "berth/plugins/hint_quirks.h"

namespace berth::plugins {

struct PluginQuirks {
  // InterPodAffinity: a namespaceSelector of the incoming pod that consists of NotIn and DoesNotExist alone selects
  // every namespace, not only those that match it. Fixed upstream in 1.38.
  bool negative_namespace_selector_selects_all = false;
  // InterPodAffinity: a pod that no running pod's anti-affinity keeps off is not kept off by that of a nominated pod
  // either, so it takes the room that was made for that one. Since kubernetes#114889 (v1.27).
  bool idle_affinity_overlooks_nominees = false;
  // VolumeRestrictions: in a dry run, a victim frees a ReadWriteOncePod claim of the same name in any namespace, and
  // the first of several users frees it.
  bool victim_frees_claim_of_any_namespace = false;
  // VolumeBinding: a claim that two volumes of a pod refer to is given a volume for each of them.
  bool claim_mounted_twice_takes_two_volumes = false;
  // NodeResourcesFit: scoring does not look at the incoming pod's spec.resources.
  bool fit_score_ignores_pod_level_requests = false;
  // Those of what wakes a pod.
  HintQuirks hints;

  static constexpr PluginQuirks all() {
    return {.negative_namespace_selector_selects_all = true,
            .idle_affinity_overlooks_nominees = true,
            .victim_frees_claim_of_any_namespace = true,
            .claim_mounted_twice_takes_two_volumes = true,
            .fit_score_ignores_pod_level_requests = true,
            .hints = HintQuirks::upstream()};
  }
};

}  // namespace berth::plugins
