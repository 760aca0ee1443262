#include "berth/plugins/node_volume_limits.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "berth/plugins/csi_translation.h"
#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

using framework::Code;
using framework::Reason;
using framework::ReasonCode;
using framework::Status;
using framework::Verdict;

// Of a volume that is not there yet, in front of the claim that it is for. No driver names a volume like this.
constexpr std::string_view kNewVolume = "\nnew volume for ";

// Volumes by driver and handle ("driver/handle"), with the driver.
using VolumesByName = std::map<std::string, Symbol>;

void add_volume(VolumesByName& volumes, Symbol driver, std::string_view handle) {
  if (driver.empty() || handle.empty()) return;
  volumes.try_emplace(fmt::format("{}/{}", driver.text(), handle), driver);
}

// Something is wrong with a volume of a pod.
struct CountingError {
  Code code;
  Reason reason;
};
using Counted = std::expected<void, CountingError>;

// Finds out which volumes of a pod count on a node.
class VolumeCounter {
 public:
  // Disks of old volume plugins count only on nodes that have a CSINode object.
  VolumeCounter(const cache::ClusterObjects& objects, bool has_csi_node)
      : objects_(objects), has_csi_node_(has_csi_node) {}

  // A claim that does not exist is an error of a new pod and nothing that counts of one that is placed already.
  Counted count(const api::Pod& pod, bool is_new, VolumesByName& volumes) const {
    for (const api::Volume& volume : pod.spec->volumes) {
      const std::optional<std::string> claim_name = claim_name_of(pod, volume);
      if (!claim_name) {
        if (Counted counted = count_disk(volume, volumes); !counted) return counted;
        continue;
      }
      if (claim_name->empty()) return error("PersistentVolumeClaim had no name");
      const auto* claim = objects_.persistent_volume_claims.find(pod.metadata.name_space, *claim_name);
      if (claim == nullptr) {
        if (!is_new) continue;
        return std::unexpected(CountingError{
            Code::kUnschedulableAndUnresolvable,
            {ReasonCode::kVolumeObjectNotFound, fmt::format("looking up PVC {}/{}: {}", pod.metadata.name_space.text(),
                                                            *claim_name, not_found(kClaimResource, *claim_name))}});
      }
      if (volume.source.ephemeral) {
        if (auto why = why_not_made_for(pod, *claim)) return error(*std::move(why));
      }
      count_claim(*claim, volumes);
    }
    return {};
  }

 private:
  static std::unexpected<CountingError> error(std::string text) {
    return std::unexpected(CountingError{Code::kError, std::move(text)});
  }

  Counted count_disk(const api::Volume& volume, VolumesByName& volumes) const {
    const InTreePlugin* plugin = in_tree_plugin_of(volume.source);
    if (plugin == nullptr || !counts(*plugin)) return {};
    const Result<std::string> handle = csi_handle_of(volume.source);
    if (!handle)
      return error(fmt::format("converting volume({}) from inline to csi: {}", volume.name, handle.error().what()));
    // Upstream counts an inline disk even if its handle is empty.
    volumes.try_emplace(fmt::format("{}/{}", plugin->driver, *handle), Symbol(plugin->driver));
    return {};
  }

  void count_claim(const api::PersistentVolumeClaim& claim, VolumesByName& volumes) const {
    const std::string& volume_name = claim.spec.volume_name;
    const auto* volume = volume_name.empty() ? nullptr : objects_.persistent_volumes.find(volume_name);
    if (volume == nullptr) return count_new_volume(claim, volumes);
    if (const auto& csi = volume->spec.source.csi) return add_volume(volumes, csi->driver, csi->volume_handle);
    const InTreePlugin* plugin = in_tree_plugin_of(volume->spec.source);
    if (plugin == nullptr || !counts(*plugin)) return;
    if (const Result<std::string> handle = csi_handle_of(*volume)) add_volume(volumes, Symbol(plugin->driver), *handle);
  }

  void count_new_volume(const api::PersistentVolumeClaim& claim, VolumesByName& volumes) const {
    const Symbol class_name = class_of(claim);
    const auto* storage_class = class_name.empty() ? nullptr : objects_.storage_classes.find(class_name.text());
    if (storage_class == nullptr) return;
    Symbol driver = storage_class->provisioner;
    if (const InTreePlugin* plugin = find_in_tree_plugin(driver.text())) {
      if (!counts(*plugin)) return;
      driver = Symbol(plugin->driver);
    }
    add_volume(volumes, driver, fmt::format("{}{}", kNewVolume, api::full_name(claim.metadata)));
  }

  bool counts(const InTreePlugin& plugin) const { return has_csi_node_ && plugin.is_migrated; }

  const cache::ClusterObjects& objects_;
  bool has_csi_node_;
};

using AttachmentsByNode = absl::flat_hash_map<Symbol, std::vector<const api::VolumeAttachment*>>;

class LimitsFilter final : public framework::PodFilter {
 public:
  LimitsFilter(const api::Pod& pod, const cache::ClusterObjects& objects, const AttachmentsByNode& attachments,
               bool requires_drivers)
      : objects_(objects), attachments_(attachments), requires_drivers_(requires_drivers) {
    for (const bool has_csi_node : {false, true}) {
      NewVolumes& volumes = new_volumes_[has_csi_node];
      volumes.counted = VolumeCounter(objects, has_csi_node).count(pod, true, volumes.volumes);
      for (const auto& [volume_name, driver] : volumes.volumes) {
        if (std::ranges::find(volumes.drivers, driver) == volumes.drivers.end()) volumes.drivers.push_back(driver);
      }
      std::ranges::sort(volumes.drivers, SymbolTextLess());
    }
  }

  Verdict check(const cache::NodeState& node) const override {
    const api::CsiNode* csi_node = objects_.csi_nodes.find(node.name.text());
    const NewVolumes& wanted = new_volumes_[csi_node != nullptr];
    if (!wanted.counted) return verdict(wanted.counted.error());
    if (wanted.volumes.empty()) return {};
    if (requires_drivers_) {
      for (const Symbol driver : wanted.drivers) {
        if (is_driver_missing(driver, csi_node)) {
          return verdict({Code::kUnschedulable, {ReasonCode::kCsiDriverMissing, driver}});
        }
      }
    }
    const std::expected<std::vector<VolumeLimit>, CountingError> exceeded = exceeded_on(node);
    if (!exceeded) return verdict(exceeded.error());
    return exceeded->empty() ? Verdict() : verdict({Code::kUnschedulable, ReasonCode::kVolumeLimitExceeded});
  }

  std::expected<std::vector<VolumeLimit>, CountingError> exceeded_on(const cache::NodeState& node) const {
    const api::CsiNode* csi_node = objects_.csi_nodes.find(node.name.text());
    const NewVolumes& wanted = new_volumes_[csi_node != nullptr];
    // Whether any driver is limited decides if the pods that are there are looked at, and with them their errors.
    if (csi_node == nullptr || std::ranges::none_of(csi_node->spec.drivers, limit_of)) return {};

    VolumesByName attached;
    const VolumeCounter counter(objects_, true);
    for (const cache::PlacedPod& other : node.pods) {
      if (other.pod->spec->volumes.empty()) continue;
      if (Counted counted = counter.count(*other.pod, false, attached); !counted) {
        return std::unexpected(std::move(counted).error());
      }
    }
    // How many volumes each driver would have.
    std::map<std::uint32_t, std::int64_t> new_counts;
    for (const auto& [volume_name, driver] : wanted.volumes) {
      if (!attached.contains(volume_name)) ++new_counts[driver.id()];
    }
    if (new_counts.empty()) return {};
    add_attachments(node.name, attached);
    std::map<std::uint32_t, std::int64_t> counts;
    for (const auto& [volume_name, driver] : attached) ++counts[driver.id()];

    std::vector<VolumeLimit> exceeded;
    const std::map<std::uint32_t, std::int64_t> limits = limits_of(*csi_node);
    for (const Symbol driver : wanted.drivers) {
      const auto limit = limits.find(driver.id());
      const auto added = new_counts.find(driver.id());
      if (limit == limits.end() || added == new_counts.end()) continue;
      if (counts[driver.id()] + added->second <= limit->second) continue;
      exceeded.push_back({driver, counts[driver.id()], limit->second, added->second});
    }
    return exceeded;
  }
  Reason reason(unsigned bit) const override { return reasons_.reason(bit); }
  Scope scope() const override { return Scope::kAttempt; }

 private:
  struct NewVolumes {
    VolumesByName volumes;
    std::vector<Symbol> drivers;  // of `volumes`, sorted by text
    Counted counted;
  };

  Verdict verdict(const CountingError& error) const { return {1u << reasons_.bit_of(error.reason), error.code}; }

  static bool limit_of(const api::CsiNodeDriver& driver) { return driver.allocatable && driver.allocatable->count; }
  // By driver; the last entry of a driver that gives a limit counts.
  static std::map<std::uint32_t, std::int64_t> limits_of(const api::CsiNode& node) {
    std::map<std::uint32_t, std::int64_t> limits;
    for (const api::CsiNodeDriver& driver : node.spec.drivers) {
      if (limit_of(driver)) limits[driver.name.id()] = *driver.allocatable->count;
    }
    return limits;
  }

  bool is_driver_missing(Symbol driver, const api::CsiNode* node) const {
    const api::CsiDriver* object = objects_.csi_drivers.find(driver.text());
    if (object == nullptr || !object->spec.prevent_pod_scheduling_if_missing.value_or(false)) return false;
    return node == nullptr ||
           std::ranges::find(node->spec.drivers, driver, &api::CsiNodeDriver::name) == node->spec.drivers.end();
  }

  // Volumes that are attached to the node, whether a pod there uses them or not.
  void add_attachments(Symbol node_name, VolumesByName& volumes) const {
    const auto it = attachments_.find(node_name);
    if (it == attachments_.end()) return;
    for (const api::VolumeAttachment* attachment : it->second) {
      const auto& source = attachment->spec.source;
      if (attachment->spec.attacher.empty() || !source.persistent_volume_name) continue;
      const auto* volume = objects_.persistent_volumes.find(*source.persistent_volume_name);
      if (volume == nullptr || !volume->spec.source.csi) continue;
      const std::string& handle = volume->spec.source.csi->volume_handle;
      volumes.try_emplace(fmt::format("{}/{}", attachment->spec.attacher.text(), handle), attachment->spec.attacher);
    }
  }

  const cache::ClusterObjects& objects_;
  const AttachmentsByNode& attachments_;
  bool requires_drivers_;
  std::array<NewVolumes, 2> new_volumes_;  // on nodes without and with a CSINode object
  framework::ReasonBits reasons_;
};

class NodeVolumeLimits final : public framework::Plugin, public framework::FilterPlugin {
 public:
  NodeVolumeLimits(bool requires_drivers, HintOptions hints)
      : requires_drivers_(requires_drivers), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kNodeVolumeLimits; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    const bool is_concerned =
        pod.compiled->has_volume_claims || std::ranges::any_of(pod->spec->volumes, [](const api::Volume& volume) {
          return in_tree_plugin_of(volume.source) != nullptr;
        });
    if (!is_concerned) return {.status = Status::skip(), .filter = {}, .node_names = {}};
    return {.status = {},
            .filter =
                std::make_unique<LimitsFilter>(*pod, cluster.objects, attachments(cluster.objects), requires_drivers_),
            .node_names = {}};
  }

 private:
  // Sorted by node again when they have changed.
  const AttachmentsByNode& attachments(const cache::ClusterObjects& objects) const {
    if (attachments_version_ != objects.volume_attachments.version()) {
      attachments_.clear();
      objects.volume_attachments.for_each([this](const std::shared_ptr<const api::VolumeAttachment>& attachment) {
        attachments_[attachment->spec.node_name].push_back(attachment.get());
      });
      attachments_version_ = objects.volume_attachments.version();
    }
    return attachments_;
  }

  bool requires_drivers_;
  HintOptions hints_;
  mutable AttachmentsByNode attachments_;
  mutable std::optional<std::uint64_t> attachments_version_;
};

}  // namespace

std::vector<VolumeLimit> exceeded_volume_limits(const api::Pod& pod, const cache::NodeState& node,
                                                const cache::ClusterObjects& objects) {
  AttachmentsByNode attachments;
  objects.volume_attachments.for_each([&](const std::shared_ptr<const api::VolumeAttachment>& attachment) {
    if (attachment->spec.node_name == node.name) attachments[node.name].push_back(attachment.get());
  });
  const auto exceeded = LimitsFilter(pod, objects, attachments, false).exceeded_on(node);
  return exceeded ? *exceeded : std::vector<VolumeLimit>();
}

Result<std::unique_ptr<framework::Plugin>> make_node_volume_limits(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks) {
  return std::make_unique<NodeVolumeLimits>(context.gates.enabled(config::Feature::kVolumeLimitScaling),
                                            hint_options(context, quirks));
}

}  // namespace berth::plugins
