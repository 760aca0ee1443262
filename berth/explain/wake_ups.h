// Which events make the scheduler look at a pod again, in words: what its rejecting plugins registered for.
#pragma once

#include <span>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/explain/explanation.h"
#include "berth/framework/profile.h"

namespace berth::explain {

// Sorted by plugin. A plugin that registered for nothing is asked again after every event. What can do nothing for the
// pod because it asks for none of it (device classes) is left out of the sentence.
std::vector<WakeUp> wake_ups(const framework::Profile& profile, std::span<const Symbol> rejecting_plugins,
                             const api::CompiledPod& pod);

}  // namespace berth::explain
