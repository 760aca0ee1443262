// The score of PodTopologySpread: the fewer pods of its kind are around a node, the better.
#pragma once

#include <memory>

#include "berth/framework/plugin.h"
#include "berth/plugins/spread_rules.h"

namespace berth::plugins {

// `spread` are the rules that only make nodes less liked. Without any, the scorer gives 0 and has nothing to say.
std::unique_ptr<framework::PodScorer> make_spread_scorer(const framework::PodToPlace& pod, SpreadRules spread,
                                                         const cache::NodeTable& table, const Bitset& feasible,
                                                         const SpreadOptions& options);

}  // namespace berth::plugins
