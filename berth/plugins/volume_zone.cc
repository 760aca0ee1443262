#include "berth/plugins/volume_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

using framework::Reason;
using framework::Status;
using framework::Verdict;

// A label that places volumes, and the one that took its place on nodes.
struct TopologyLabel {
  Symbol key;
  Symbol today;
};

const std::array<TopologyLabel, 4>& topology_labels() {
  static const Symbol zone("topology.kubernetes.io/zone"), region("topology.kubernetes.io/region");
  static const std::array<TopologyLabel, 4> labels = {{{Symbol("failure-domain.beta.kubernetes.io/zone"), zone},
                                                       {Symbol("failure-domain.beta.kubernetes.io/region"), region},
                                                       {zone, zone},
                                                       {region, region}}};
  return labels;
}

// A node has to have one of the values.
struct ZoneRequirement {
  TopologyLabel label;
  std::vector<Symbol> values;
};

// The zones of a volume's label; nothing if a part of it is blank.
std::vector<Symbol> zones_of(std::string_view text) {
  constexpr std::string_view kDelimiter = "__", kBlanks = " \t\n\v\f\r";
  std::vector<Symbol> zones;
  for (;;) {
    const std::size_t end = text.find(kDelimiter);
    const std::string_view part = text.substr(0, end);
    const std::size_t first = part.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    zones.emplace_back(part.substr(first, part.find_last_not_of(kBlanks) - first + 1));
    if (end == std::string_view::npos) return zones;
    text.remove_prefix(end + kDelimiter.size());
  }
}

class ZoneFilter final : public framework::PodFilter {
 public:
  explicit ZoneFilter(std::vector<ZoneRequirement> requirements) : requirements_(std::move(requirements)) {}

  Verdict check(const cache::NodeState& node) const override {
    const api::Labels& labels = node.labels();
    const auto is_on_node = [&](const TopologyLabel& label) { return labels.contains(label.key); };
    if (std::ranges::none_of(topology_labels(), is_on_node)) return {};
    const bool is_in_reach = std::ranges::all_of(requirements_, [&](const ZoneRequirement& requirement) {
      const Symbol* value = labels.find(requirement.label.key);
      if (value == nullptr) value = labels.find(requirement.label.today);
      return value != nullptr && std::ranges::find(requirement.values, *value) != requirement.values.end();
    });
    return is_in_reach ? Verdict() : Verdict::unresolvable(0);
  }
  Reason reason(unsigned) const override { return framework::ReasonCode::kNoVolumeZone; }
  Scope scope() const override { return Scope::kAttempt; }

 private:
  std::vector<ZoneRequirement> requirements_;
};

class VolumeZone final : public framework::Plugin, public framework::FilterPlugin {
 public:
  explicit VolumeZone(HintOptions hints) : hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kVolumeZone; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    if (!pod.compiled->has_volume_claims) return {.status = Status::skip(), .filter = {}, .node_names = {}};
    std::expected<std::vector<ZoneRequirement>, Reason> requirements = requirements_of(*pod, cluster.objects);
    if (!requirements) {
      return {.status = Status::unresolvable(requirements.error()), .filter = {}, .node_names = {}};
    }
    if (requirements->empty()) return {.status = Status::skip(), .filter = {}, .node_names = {}};
    return {.status = {}, .filter = std::make_unique<ZoneFilter>(*std::move(requirements)), .node_names = {}};
  }

 private:
  // The error: a claim is not in a state in which the pod can be scheduled.
  static std::expected<std::vector<ZoneRequirement>, Reason> requirements_of(const api::Pod& pod,
                                                                             const cache::ClusterObjects& objects) {
    std::vector<ZoneRequirement> requirements;
    for (const api::Volume& volume : pod.spec->volumes) {
      if (!volume.source.persistent_volume_claim) continue;
      const std::string& claim_name = volume.source.persistent_volume_claim->claim_name;
      if (claim_name.empty()) return std::unexpected("PersistentVolumeClaim had no name");
      const auto* claim = objects.persistent_volume_claims.find(pod.metadata.name_space, claim_name);
      if (claim == nullptr) return std::unexpected(not_found_reason(kClaimResource, claim_name));
      const std::string& volume_name = claim->spec.volume_name;
      if (volume_name.empty()) {
        if (const auto waits = waits_for_pod(*claim, objects); !waits) return std::unexpected(waits.error());
        continue;
      }
      const api::PersistentVolume* bound = objects.persistent_volumes.find(volume_name);
      if (bound == nullptr) return std::unexpected(not_found_reason(kVolumeResource, volume_name));
      for (const TopologyLabel& label : topology_labels()) {
        const Symbol* value = bound->metadata.labels->find(label.key);
        if (value == nullptr) continue;
        std::vector<Symbol> zones = zones_of(value->text());
        if (!zones.empty()) requirements.push_back({label, std::move(zones)});
      }
    }
    return requirements;
  }

  // The error: the claim is not bound and ought to be.
  static std::expected<void, Reason> waits_for_pod(const api::PersistentVolumeClaim& claim,
                                                   const cache::ClusterObjects& objects) {
    const Symbol class_name = class_of(claim);
    if (class_name.empty()) {
      return std::unexpected("PersistentVolumeClaim had no pv name and storageClass name");
    }
    const api::StorageClass* storage_class = objects.storage_classes.find(class_name.text());
    if (storage_class == nullptr) return std::unexpected(not_found_reason(kStorageClassResource, class_name.text()));
    if (!storage_class->volume_binding_mode) {
      return std::unexpected(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", class_name.text()));
    }
    if (*storage_class->volume_binding_mode != "WaitForFirstConsumer") {
      return std::unexpected("PersistentVolume had no name");
    }
    return {};
  }

  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_volume_zone(const framework::PluginContext& context,
                                                            const PluginQuirks& quirks) {
  return std::make_unique<VolumeZone>(hint_options(context, quirks));
}

}  // namespace berth::plugins
