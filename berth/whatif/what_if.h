// What would become of a real cluster if something were different: its dump is simulated as it is until it comes to
// rest, then the change is made, and the cluster is simulated on until it has come to rest again. Everything between
// the two is due to the change.
//
// A pure function of its arguments and the seed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/report/pod_sentence.h"
#include "berth/whatif/autoscaling.h"
#include "berth/whatif/change.h"
#include "berth/whatif/difference.h"

namespace berth::whatif {

// How long a cluster may take to come to rest, in its own time. One that does not is taken as it is then, with a note.
inline constexpr Duration kRestLimit = Duration::hours(1);

struct WhatIfOptions {
  report::Settings settings;
  std::uint64_t seed = 1;
  std::optional<AutoscalerUse> autoscaler;  // adds and removes nodes from the change on
};

// The error: a node or workload that is not there, or a profile that cannot be built.
Result<Difference> what_if(std::span<const api::AnyObject> dump, const Changes& changes,
                           const WhatIfOptions& options = {});

}  // namespace berth::whatif
