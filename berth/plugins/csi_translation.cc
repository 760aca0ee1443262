#include "berth/plugins/csi_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace berth::plugins {

namespace {

constexpr InTreePlugin kGcePersistentDisk{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone",
                                          true};
constexpr InTreePlugin kAwsElasticBlockStore{"kubernetes.io/aws-ebs", "ebs.csi.aws.com",
                                             "topology.ebs.csi.aws.com/zone", true};
constexpr InTreePlugin kCinder{"kubernetes.io/cinder", "cinder.csi.openstack.org",
                               "topology.cinder.csi.openstack.org/zone", true};
constexpr InTreePlugin kAzureDisk{"kubernetes.io/azure-disk", "disk.csi.azure.com", "", true};
constexpr InTreePlugin kPortworx{"kubernetes.io/portworx-volume", "pxd.portworx.com", "", true};
constexpr InTreePlugin kAzureFile{"kubernetes.io/azure-file", "file.csi.azure.com", "", false};
constexpr InTreePlugin kVsphere{"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", false};

constexpr std::array kPlugins = {
    &kGcePersistentDisk, &kAwsElasticBlockStore, &kCinder, &kAzureDisk, &kPortworx, &kAzureFile, &kVsphere};

// Sources of pods and of persistent volumes have the same members for these.
template <typename Source>
const InTreePlugin* plugin_of(const Source& source) {
  if (source.gce_persistent_disk) return &kGcePersistentDisk;
  if (source.aws_elastic_block_store) return &kAwsElasticBlockStore;
  if (source.cinder) return &kCinder;
  if (source.azure_disk) return &kAzureDisk;
  if (source.portworx_volume) return &kPortworx;
  if (source.azure_file) return &kAzureFile;
  if (source.vsphere_volume) return &kVsphere;
  return nullptr;
}

std::vector<std::string_view> split(std::string_view text, std::string_view delimiter) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(delimiter);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + delimiter.size());
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A label that names several zones separates them so.
constexpr std::string_view kZoneDelimiter = "__";

// --- Handles
// ----------------------------------------------------------------------------------------------------------

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The path of a URL with its escapes taken out.
Result<std::string> unescaped(std::string_view path) {
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      plain.push_back(path[i]);
      continue;
    }
    const int high = i + 1 < path.size() ? hex_digit(path[i + 1]) : -1;
    const int low = i + 2 < path.size() ? hex_digit(path[i + 2]) : -1;
    if (high < 0 || low < 0) return fail(fmt::format("invalid URL escape \"{}\"", path.substr(i, 3)));
    plain.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return plain;
}

// "vol-0123", or "aws://zone/vol-0123".
Result<std::string> ebs_volume_id(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return std::string(id);
  constexpr std::string_view kWhat = "failed to translate Kubernetes ID to EBS Volume ID";
  std::string_view path = id.substr(0, id.find('#')).substr(kScheme.size());
  path = path.substr(0, path.find('?'));
  path.remove_prefix(std::min(path.size(), path.find('/')));
  Result<std::string> plain = unescaped(path);
  if (!plain) {
    return fail(fmt::format("{} Invalid disk name ({}): parse \"{}\": {}", kWhat, id, id, plain.error().what()));
  }
  std::string_view volume = *plain;
  while (volume.starts_with('/')) volume.remove_prefix(1);
  while (volume.ends_with('/')) volume.remove_suffix(1);
  if (!volume.starts_with("vol-") || volume.find('/') != std::string_view::npos) {
    return fail(fmt::format("{} Invalid format for AWS volume ({})", kWhat, id));
  }
  return std::string(volume);
}

Result<std::string> azure_disk_uri(const api::AzureDiskVolumeSource& disk) {
  constexpr std::string_view kManaged = "managed";
  const auto is_same_letter = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); };
  if (disk.kind && !std::ranges::equal(disk.kind->text(), kManaged, is_same_letter)) {
    return fail(fmt::format("kind({}) is not supported in csi migration", disk.kind->text()));
  }
  return disk.disk_uri;
}

// The region that all of "us-central1-a", "us-central1-b" are in.
Result<std::string> gce_region_of(const std::vector<std::string_view>& zones) {
  std::set<std::string> regions;
  for (const std::string_view zone : zones) {
    const std::vector<std::string_view> parts = split(zone, "-");
    if (parts.size() != 3) {
      return fail(fmt::format("zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {}", zone));
    }
    regions.insert(fmt::format("{}-{}", parts[0], parts[1]));
  }
  if (regions.size() == 1) return *regions.begin();
  std::string all;
  for (const std::string& region : regions) all += fmt::format("{}{}:{{}}", all.empty() ? "" : " ", region);
  return fail(fmt::format("multiple or no regions gotten from zones, got: map[{}]", all));
}

std::string gce_zonal_handle(std::string_view zone, std::string_view disk) {
  return fmt::format("projects/UNSPECIFIED/zones/{}/disks/{}", zone, disk);
}

constexpr std::string_view kNoZone = "UNSPECIFIED";

// --- Topology
// ---------------------------------------------------------------------------------------------------------

struct TopologyLabels {
  Symbol zone;
  Symbol region;
};

const TopologyLabels& ga_labels() {
  static const TopologyLabels labels{Symbol("topology.kubernetes.io/zone"), Symbol("topology.kubernetes.io/region")};
  return labels;
}
const TopologyLabels& beta_labels() {
  static const TopologyLabels labels{Symbol("failure-domain.beta.kubernetes.io/zone"),
                                     Symbol("failure-domain.beta.kubernetes.io/region")};
  return labels;
}

template <typename Selector, typename Fn>
void for_each_expression_on(Symbol key, Selector& selector, Fn&& fn) {
  for (auto& term : selector.node_selector_terms) {
    for (auto& expression : term.match_expressions) {
      if (expression.key == key) fn(expression);
    }
  }
}

bool mentions(const api::NodeSelector& selector, Symbol key) {
  bool is_there = false;
  for_each_expression_on(key, selector, [&](const auto&) { is_there = true; });
  return is_there;
}

bool has_values_for(const api::NodeSelector& selector, Symbol key) {
  bool has_values = false;
  for_each_expression_on(key, selector, [&](const auto& expression) { has_values |= !expression.values.empty(); });
  return has_values;
}

void rename(api::NodeSelector& selector, Symbol from, Symbol to) {
  for_each_expression_on(from, selector, [&](auto& expression) { expression.key = to; });
}

// The generation of labels that the volume uses: in its affinity if it is there, else on itself.
const TopologyLabels& labels_of(const api::PersistentVolume& volume, const api::NodeSelector& selector) {
  if (mentions(selector, ga_labels().zone)) return ga_labels();
  if (mentions(selector, beta_labels().zone)) return beta_labels();
  if (volume.metadata.labels->contains(ga_labels().zone)) return ga_labels();
  if (volume.metadata.labels->contains(beta_labels().zone)) return beta_labels();
  return ga_labels();
}

void require_zones(std::optional<api::NodeSelector>& selector, Symbol key, std::string_view zones) {
  std::set<std::string_view> distinct;
  for (const std::string_view zone : split(zones, kZoneDelimiter)) {
    if (!trim(zone).empty()) distinct.insert(trim(zone));
  }
  if (distinct.empty()) return;
  if (!selector) selector.emplace();
  if (selector->node_selector_terms.empty()) selector->node_selector_terms.emplace_back();
  api::NodeSelectorRequirement requirement{.key = key, .op = Symbol("In"), .values = {}};
  for (const std::string_view zone : distinct) requirement.values.emplace_back(zone);
  for (api::NodeSelectorTerm& term : selector->node_selector_terms) term.match_expressions.push_back(requirement);
}

}  // namespace

const InTreePlugin* in_tree_plugin_of(const api::VolumeSource& source) {
  return plugin_of(source);
}

const InTreePlugin* in_tree_plugin_of(const api::PersistentVolumeSource& source) {
  return plugin_of(source);
}

const InTreePlugin* find_in_tree_plugin(std::string_view name) {
  const auto at = std::ranges::find(kPlugins, name, [](const InTreePlugin* plugin) { return plugin->name; });
  return at == kPlugins.end() ? nullptr : *at;
}

bool is_migrated_on(const api::CsiNode* node, const InTreePlugin& plugin) {
  static const Symbol migrated_plugins("storage.alpha.kubernetes.io/migrated-plugins");
  if (node == nullptr || !plugin.is_migrated) return false;
  const std::string* plugins = node->metadata.annotations->find(migrated_plugins);
  if (plugins == nullptr) return false;
  const std::vector<std::string_view> names = split(*plugins, ",");
  return std::ranges::find(names, plugin.name) != names.end();
}

Result<std::string> csi_handle_of(const api::VolumeSource& source) {
  if (source.gce_persistent_disk) return gce_zonal_handle(kNoZone, source.gce_persistent_disk->pd_name);
  if (source.aws_elastic_block_store) return ebs_volume_id(source.aws_elastic_block_store->volume_id);
  if (source.cinder) return source.cinder->volume_id;
  if (source.azure_disk) return azure_disk_uri(*source.azure_disk);
  if (source.portworx_volume) return source.portworx_volume->volume_id;
  return fail("no CSI driver took over this kind of volume");
}

Result<std::string> csi_handle_of(const api::PersistentVolume& volume) {
  const api::PersistentVolumeSource& source = volume.spec.source;
  if (source.gce_persistent_disk) {
    const Symbol* zones = volume.metadata.labels->find(beta_labels().zone);
    if (zones == nullptr || zones->empty()) zones = volume.metadata.labels->find(ga_labels().zone);
    const std::string& disk = source.gce_persistent_disk->pd_name;
    if (zones == nullptr || zones->empty()) return gce_zonal_handle(kNoZone, disk);
    const std::vector<std::string_view> each = split(zones->text(), kZoneDelimiter);
    if (each.size() == 1) return gce_zonal_handle(each.front(), disk);
    const Result<std::string> region = gce_region_of(each);
    if (!region) return fail("failed to get region from zones: " + region.error().what());
    return fmt::format("projects/UNSPECIFIED/regions/{}/disks/{}", *region, disk);
  }
  if (source.aws_elastic_block_store) return ebs_volume_id(source.aws_elastic_block_store->volume_id);
  if (source.cinder) return source.cinder->volume_id;
  if (source.azure_disk) return azure_disk_uri(*source.azure_disk);
  if (source.portworx_volume) return source.portworx_volume->volume_id;
  return fail("no CSI driver took over this kind of volume");
}

std::optional<api::NodeSelector> csi_node_affinity(const api::PersistentVolume& volume, const InTreePlugin& plugin) {
  std::optional<api::NodeSelector> selector;
  if (const auto& affinity = *volume.spec.node_affinity) selector = affinity->required;
  if (plugin.topology_key.empty()) return selector;

  const Symbol key(plugin.topology_key);
  const api::NodeSelector none;
  const TopologyLabels& labels = labels_of(volume, selector ? *selector : none);
  if (selector && has_values_for(*selector, labels.zone)) {
    rename(*selector, labels.zone, key);
  } else if (const Symbol* zones = volume.metadata.labels->find(labels.zone)) {
    require_zones(selector, key, zones->text());
  }
  if (selector && &labels == &beta_labels() && has_values_for(*selector, labels.region)) {
    rename(*selector, labels.region, ga_labels().region);
  }
  return selector;
}

}  // namespace berth::plugins
