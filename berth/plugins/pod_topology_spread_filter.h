// The filter of PodTopologySpread: how many pods each domain has, and which domains may have one more.
//
// Counts are kept by constraint and domain and follow the journal, so the next pod of the class costs what happened
// since. A dry run does not copy them: it notes the few differences that it makes.
#pragma once

#include <memory>

#include "berth/framework/plugin.h"
#include "berth/plugins/spread_rules.h"

namespace berth::plugins {

// `spread` are the rules that keep the pod off nodes; without any, every node passes.
std::unique_ptr<framework::PodFilter> make_spread_filter(const framework::PodToPlace& pod, SpreadRules spread,
                                                         const cache::NodeTable& table, const SpreadOptions& options);

}  // namespace berth::plugins
