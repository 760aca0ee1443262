// Whether a waiting pod asks to be near another pod: the test by which releases before queueing hints chose whom a
// newly assigned pod wakes.
#pragma once

#include "berth/api/pod.h"

namespace berth::queue {

// True if `assigned` matches one of the required affinity terms of `waiting`. `namespace_labels` are those of the
// namespace of `assigned`; null counts as none. If a term cannot be parsed the pod counts as having none at all if
// `broken_term_voids_all`, else as having the others.
bool has_required_affinity_to(const api::Pod& waiting, const api::Pod& assigned, const api::Labels* namespace_labels,
                              bool broken_term_voids_all = true);

}  // namespace berth::queue
