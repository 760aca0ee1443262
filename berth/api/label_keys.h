// matchLabelKeys and mismatchLabelKeys of affinity between pods: what a pod's own labels add to its selectors.
//
// The API server does this when a pod is created, and the scheduler looks at the selectors only. (Those of topology
// spread are the scheduler's business: compiled_pod.h.)
#pragma once

#include "berth/api/meta.h"
#include "berth/api/pod.h"

namespace berth::api {

// Whether a term of its affinity has such keys.
bool has_label_keys(const PodTemplate& pod);

// Adds to each selector what the keys mean for a pod with these labels: "KEY in (VALUE)" or "KEY not in (VALUE)". Keys
// that the pod does not have add nothing, and what is there already is not added twice.
void merge_label_keys(PodTemplate& pod, const Labels& labels);

}  // namespace berth::api
