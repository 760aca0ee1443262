#include "berth/plugins/volume_restrictions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"
#include "berth/plugins/volume_restrictions_hints.h"

namespace berth::plugins {

namespace {

using framework::Reason;
using framework::ReasonCode;
using framework::Status;
using framework::Verdict;

constexpr unsigned kDiskTaken = 0, kClaimTaken = 1;

bool is_exclusive_disk(const api::Volume& volume) {
  const api::VolumeSource& source = volume.source;
  return source.gce_persistent_disk || source.aws_elastic_block_store || source.rbd || source.iscsi;
}

// The claims of the pod that are for one pod at a time, and how often other pods mount them.
struct ExclusiveClaims {
  std::vector<std::string> names;  // without repetitions
  std::int64_t mounts = 0;
};

class RestrictionsFilter final : public framework::PodFilter {
 public:
  RestrictionsFilter(api::PodPtr pod, ExclusiveClaims claims, const PluginQuirks& quirks)
      : pod_(std::move(pod)), claims_(std::move(claims)), quirks_(quirks) {
    for (const api::Volume& volume : pod_->spec->volumes) {
      if (is_exclusive_disk(volume)) disks_.push_back(&volume.source);
    }
  }

  Verdict check(const cache::NodeState& node) const override {
    if (!disks_.empty() && std::ranges::any_of(node.pods, [this](const auto& other) { return shares_disk(other); })) {
      return Verdict::unschedulable(kDiskTaken);
    }
    return claims_.mounts > 0 ? Verdict::unschedulable(kClaimTaken) : Verdict();
  }
  Reason reason(unsigned bit) const override {
    return bit == kDiskTaken ? ReasonCode::kDiskInUse : ReasonCode::kReadWriteOncePodInUse;
  }

  // Pods of one class name the same disks, but claims depend on more than pods and nodes.
  Scope scope() const override { return claims_.names.empty() ? Scope::kNode : Scope::kAttempt; }

  std::unique_ptr<PodFilter> clone() const override {
    if (claims_.names.empty()) return nullptr;
    return std::make_unique<RestrictionsFilter>(pod_, claims_, quirks_);
  }
  void add_pod(const cache::PlacedPod& pod, const cache::NodeState&) override { claims_.mounts += mounts_of(*pod.pod); }
  void remove_pod(const cache::PlacedPod& pod, const cache::NodeState&) override {
    claims_.mounts -= mounts_of(*pod.pod);
  }

 private:
  bool shares_disk(const cache::PlacedPod& other) const {
    return std::ranges::any_of(other.pod->spec->volumes, [this](const api::Volume& theirs) {
      return std::ranges::any_of(disks_,
                                 [&](const api::VolumeSource* mine) { return disks_conflict(*mine, theirs.source); });
    });
  }

  // How often the pod mounts one of the claims.
  std::int64_t mounts_of(const api::Pod& other) const {
    if (!quirks_.victim_frees_claim_of_any_namespace && other.metadata.name_space != pod_->metadata.name_space) {
      return 0;
    }
    return std::ranges::count_if(other.spec->volumes, [this](const api::Volume& volume) {
      const auto& claim = volume.source.persistent_volume_claim;
      return claim && std::ranges::find(claims_.names, claim->claim_name) != claims_.names.end();
    });
  }

  api::PodPtr pod_;
  std::vector<const api::VolumeSource*> disks_;  // of pod_
  ExclusiveClaims claims_;
  PluginQuirks quirks_;
};

class VolumeRestrictions final : public framework::Plugin, public framework::FilterPlugin {
 public:
  VolumeRestrictions(const PluginQuirks& quirks, HintOptions hints) : quirks_(quirks), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kVolumeRestrictions; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    if (pod->spec->volumes.empty()) return {.status = Status::skip(), .filter = {}, .node_names = {}};
    std::expected<ExclusiveClaims, Reason> claims = exclusive_claims(*pod, cluster);
    if (!claims) return {.status = Status::unresolvable(claims.error()), .filter = {}, .node_names = {}};
    if (claims->mounts == 0 && std::ranges::none_of(pod->spec->volumes, is_exclusive_disk)) {
      return {.status = Status::skip(), .filter = {}, .node_names = {}};
    }
    return {.status = {},
            .filter = std::make_unique<RestrictionsFilter>(pod.pod, *std::move(claims), quirks_),
            .node_names = {}};
  }

 private:
  // The error: a claim is missing.
  std::expected<ExclusiveClaims, Reason> exclusive_claims(const api::Pod& pod,
                                                          const framework::ClusterView& cluster) const {
    static const Symbol read_write_once_pod("ReadWriteOncePod");
    ExclusiveClaims claims;
    for (const api::Volume& volume : pod.spec->volumes) {
      if (!volume.source.persistent_volume_claim) continue;
      const std::string& claim_name = volume.source.persistent_volume_claim->claim_name;
      const auto* claim = cluster.objects.persistent_volume_claims.find(pod.metadata.name_space, claim_name);
      if (claim == nullptr) return std::unexpected(not_found_reason(kClaimResource, claim_name));
      const std::vector<Symbol>& modes = claim->spec.access_modes;
      if (std::ranges::find(modes, read_write_once_pod) == modes.end()) continue;
      if (std::ranges::find(claims.names, claim_name) != claims.names.end()) continue;
      claims.names.push_back(claim_name);
      const auto mounts = static_cast<std::int64_t>(cluster.nodes.claim_users(pod.metadata.name_space, claim_name));
      claims.mounts += quirks_.victim_frees_claim_of_any_namespace ? std::min<std::int64_t>(mounts, 1) : mounts;
    }
    return claims;
  }

  PluginQuirks quirks_;
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_volume_restrictions(const framework::PluginContext& context,
                                                                    const PluginQuirks& quirks) {
  return std::make_unique<VolumeRestrictions>(quirks, hint_options(context, quirks));
}

}  // namespace berth::plugins
