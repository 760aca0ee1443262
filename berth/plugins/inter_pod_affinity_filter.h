// The filter of InterPodAffinity: which domains have pods that the pod wants or must not be near to.
//
// Counts are kept by topology key and domain and follow the journal. A dry run does not copy them: it notes the few
// differences that it makes.
#pragma once

#include <memory>

#include "berth/framework/plugin.h"
#include "berth/plugins/incoming_pod.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

// `pod` is of Part::kRequired. If the result passes_all(), the plugin has nothing to say.
std::unique_ptr<framework::PodFilter> make_affinity_filter(IncomingPod pod, const cache::NodeTable& table,
                                                           const PluginQuirks& quirks);

}  // namespace berth::plugins
