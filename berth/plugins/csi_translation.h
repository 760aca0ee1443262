// Disks that Kubernetes' own volume plugins used to serve, as the CSI drivers that took them over know them: the
// driver, the handle of the volume and the label that says where it can be used. Clusters still have such volumes; they
// count against the driver's limits and follow its topology.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/api/storage.h"
#include "berth/api/volume.h"
#include "berth/base/error.h"

namespace berth::plugins {

// A volume plugin that was part of Kubernetes.
struct InTreePlugin {
  std::string_view name;    // "kubernetes.io/aws-ebs", also as the provisioner of a storage class
  std::string_view driver;  // that took over
  // The node label that stands for the zone; empty if the driver's volumes keep the one they have.
  std::string_view topology_key;
  // Whether the scheduler goes by the driver. The others' volumes are left as they are.
  bool is_migrated;
};

// Null if no CSI driver took over volumes of that kind.
const InTreePlugin* in_tree_plugin_of(const api::VolumeSource& source);
const InTreePlugin* in_tree_plugin_of(const api::PersistentVolumeSource& source);
// Null if there was no plugin of that name.
const InTreePlugin* find_in_tree_plugin(std::string_view name);

// Whether the node says that the plugin's volumes are served by the driver there. `node` may be null.
bool is_migrated_on(const api::CsiNode* node, const InTreePlugin& plugin);

// The handle under which the driver knows the volume. The error is upstream's.
// Require: in_tree_plugin_of() is a migrated plugin.
Result<std::string> csi_handle_of(const api::VolumeSource& source);
Result<std::string> csi_handle_of(const api::PersistentVolume& volume);

// The nodes where the volume can be used, in the driver's terms; nothing if that is everywhere.
std::optional<api::NodeSelector> csi_node_affinity(const api::PersistentVolume& volume, const InTreePlugin& plugin);

}  // namespace berth::plugins
