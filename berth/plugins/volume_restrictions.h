// VolumeRestrictions keeps a pod off nodes where it would share a disk that cannot be shared, and off all nodes while
// another pod has a claim that is for one pod at a time.
//
// Disks are those that a pod names itself: the same Google or iSCSI or Ceph disk is shared only if both sides just read
// it, the same Amazon disk never. A claim with access mode ReadWriteOncePod that a pod anywhere in the cluster uses is
// taken; evicting that pod helps.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_volume_restrictions(const framework::PluginContext& context,
                                                                    const PluginQuirks& quirks);

}  // namespace berth::plugins
