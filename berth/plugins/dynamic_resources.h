// DynamicResources finds devices for the resource claims of pods.
//
// It does not do so yet: a pod with claims, and a node that could only serve a pod's extended resource by devices of a
// class, are rejected with a reason that says so. For all other pods it does what kube-scheduler's does, which shows:
// it skips itself at PreFilter, scores every node 0, and answers first at PostFilter, before preemption. There it fails
// with "not found" if its PreFilter was not reached, because another plugin had rejected the pod before; preemption is
// not tried then.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_dynamic_resources(const framework::PluginContext& context,
                                                                  const PluginQuirks& quirks);

}  // namespace berth::plugins
