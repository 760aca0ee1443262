// NodeAffinity sends pods to the nodes that their spec.nodeSelector and required node affinity ask for, and prefers
// those that more of the preferred terms match, by their weights.
//
// The argument addedAffinity counts for every pod of the profile as if it were in its spec, and is named in the reason
// when it is what does not match. A pod whose required terms all name nodes (metadata.name In) restricts the attempt to
// those nodes; if the terms contradict each other, no node is left and the pod is rejected at once. A required term
// that does not parse matches nothing; a preferred one fails the attempt.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_node_affinity(const framework::PluginContext& context,
                                                              const PluginQuirks& quirks);

}  // namespace berth::plugins
