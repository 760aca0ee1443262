#include "berth/plugins/volume_binding.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "berth/plugins/assumed_volumes.h"
#include "berth/plugins/broken_line.h"
#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/plugin_args.h"
#include "berth/plugins/volume_claims.h"
#include "berth/plugins/volume_matching.h"
#include "berth/plugins/volume_reservation.h"

namespace berth::plugins {

namespace {

using framework::Code;
using framework::Reason;
using framework::ReasonCode;
using framework::Status;
using framework::Verdict;

class BindingFilter final : public framework::PodFilter {
 public:
  explicit BindingFilter(VolumeFinder finder) : finder_(std::move(finder)) {
    // The conflicts have the first bits, in their order.
    for (std::size_t i = 0; i < kVolumeConflicts; ++i) reasons_.bit_of(reason_code(static_cast<VolumeConflict>(i)));
  }

  Verdict check(const cache::NodeState& node) const override {
    const Result<VolumeFinder::Answer> answer = finder_.find(node);
    if (!answer) return {1u << reasons_.bit_of(answer.error().what()), Code::kError};
    if (answer->conflicts == 0) return {};
    return {answer->conflicts, Code::kUnschedulableAndUnresolvable};
  }
  Reason reason(unsigned bit) const override { return reasons_.reason(bit); }
  Scope scope() const override { return Scope::kAttempt; }

 private:
  VolumeFinder finder_;
  framework::ReasonBits reasons_;
};

// Of pods that have no claims.
class NoVolumesScorer final : public framework::PodScorer {
 public:
  std::int64_t score(const cache::NodeState&) const override { return 0; }
  Scope scope() const override { return Scope::kNode; }
};

class CapacityScorer final : public framework::PodScorer {
 public:
  CapacityScorer(VolumeFinder finder, const BrokenLine& shape) : finder_(std::move(finder)), shape_(shape) {}

  std::int64_t score(const cache::NodeState& node) const override {
    const Result<VolumeFinder::Answer> answer = finder_.find(node);
    if (!answer || answer->conflicts != 0) return 0;
    const std::map<Symbol, Use, SymbolTextLess> uses = uses_of(answer->decision);
    if (uses.empty()) return 0;
    std::int64_t sum = 0;
    for (const auto& [storage_class, use] : uses) sum += score_of(use);
    return std::llround(static_cast<double>(sum) / static_cast<double>(uses.size()));
  }
  Scope scope() const override { return Scope::kAttempt; }

 private:
  // Of the storage of one class, in bytes.
  struct Use {
    std::int64_t requested = 0;
    std::int64_t capacity = 0;
  };

  static std::int64_t bytes(const api::ResourceList& resources) {
    static const Symbol storage("storage");
    const api::Quantity* amount = resources.find(storage);
    return amount != nullptr ? amount->value() : 0;
  }

  // New volumes count only if there are no existing ones, and only where the driver reports its room.
  static std::map<Symbol, Use, SymbolTextLess> uses_of(const VolumeDecision& decision) {
    std::map<Symbol, Use, SymbolTextLess> uses;
    for (const auto& [volume, claim] : decision.bindings) {
      Use& use = uses[volume->spec.storage_class_name];
      use.requested += bytes(claim->spec.resources.requests);
      use.capacity += bytes(volume->spec.capacity);
    }
    if (!decision.bindings.empty()) return uses;
    for (const auto& [claim, capacity] : decision.provisions) {
      if (capacity == nullptr || !capacity->capacity) continue;
      Use& use = uses[class_of(*claim)];
      use.requested += bytes(claim->spec.resources.requests);
      use.capacity = capacity->capacity->value();  // the claims share it
    }
    return uses;
  }

  std::int64_t score_of(const Use& use) const {
    constexpr std::int64_t kFull = 100;
    if (use.capacity == 0 || use.requested > use.capacity) return shape_.at(kFull);
    std::int64_t scaled = 0;
    (void)__builtin_mul_overflow(use.requested, kFull, &scaled);  // wraps, as upstream, above 92 PB
    return shape_.at(scaled / use.capacity);
  }

  VolumeFinder finder_;
  const BrokenLine& shape_;  // the plugin's
};

class VolumeBinding final : public framework::Plugin,
                            public framework::FilterPlugin,
                            public framework::ScorePlugin,
                            public framework::ReservePlugin,
                            public framework::PreBindPlugin {
 public:
  VolumeBinding(Duration bind_timeout, std::optional<BrokenLine> shape, const PluginQuirks& quirks, HintOptions hints)
      : bind_timeout_(bind_timeout), shape_(std::move(shape)), quirks_(quirks), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kVolumeBinding; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    if (!pod.compiled->has_volume_claims) return {.status = Status::skip(), .filter = {}, .node_names = {}};
    if (auto trouble = trouble_with_claims(*pod, cluster.objects)) {
      return {.status = Status::unresolvable(*std::move(trouble)), .filter = {}, .node_names = {}};
    }
    Result<PodClaims> claims = sorted_claims(*pod, cluster.objects);
    if (!claims) return {.status = Status::error(claims.error().what()), .filter = {}, .node_names = {}};
    if (!claims->immediate.empty()) return {.status = unbound_immediate(), .filter = {}, .node_names = {}};
    return {.status = {},
            .filter = std::make_unique<BindingFilter>(VolumeFinder(*std::move(claims), cluster.objects, *assumed_)),
            .node_names = {}};
  }

  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView& cluster,
                                 const Bitset&) const override {
    if (!shape_) return {.status = Status::skip(), .scorer = {}};
    if (!pod.compiled->has_volume_claims) return {.status = {}, .scorer = std::make_unique<NoVolumesScorer>()};
    Result<PodClaims> claims = sorted_claims(*pod, cluster.objects);
    if (!claims) return {.status = Status::error(claims.error().what()), .scorer = {}};
    VolumeFinder finder(*std::move(claims), cluster.objects, *assumed_);
    return {.status = {}, .scorer = std::make_unique<CapacityScorer>(std::move(finder), *shape_)};
  }

  Status reserve(const framework::PodToPlace& pod, const framework::ClusterView& cluster, Symbol node_name) override {
    if (!pod.compiled->has_volume_claims) return {};
    Result<PodClaims> claims = sorted_claims(*pod, cluster.objects);
    if (!claims) return Status::error(claims.error().what());
    if (!claims->immediate.empty()) return unbound_immediate();
    if (claims->delayed.empty()) return {};

    const cache::RowId row = cluster.nodes.row_of(node_name);
    if (row == cache::kNoRow || cluster.nodes.at(row).node == nullptr)
      return Status::error(not_found("node", node_name.text()));
    const VolumeFinder finder(*std::move(claims), cluster.objects, *assumed_);
    const Result<VolumeFinder::Answer> answer = finder.find(cluster.nodes.at(row));
    if (!answer) return Status::error(answer.error().what());
    if (answer->conflicts != 0) return conflict_status(*answer);
    auto reservation = VolumeReservation::make(answer->decision, node_name, cluster.objects, assumed_);
    if (!reservation) return Status::error(reservation.error().what());
    reservations_[pod->metadata.uid] = *std::move(reservation);
    return {};
  }

  void unreserve(const framework::PodToPlace& pod, Symbol) override {
    if (pod.compiled->has_volume_claims) reservations_.erase(pod->metadata.uid);
  }

  framework::PreBinding pre_bind(const framework::PodToPlace& pod, const framework::ClusterView& cluster,
                                 Symbol node_name) override {
    if (!pod.compiled->has_volume_claims) return {.status = Status::skip(), .work = {}};
    if (auto found = reservations_.extract(pod->metadata.uid)) {
      return {.status = {}, .work = bind_volumes(pod, node_name, std::move(found.mapped()), bind_timeout_)};
    }
    const Result<PodClaims> claims = sorted_claims(*pod, cluster.objects);
    if (claims && claims->delayed.empty() && claims->immediate.empty()) return {.status = Status::skip(), .work = {}};
    return {.status = Status::error(fmt::format("no pod volume found for node \"{}\"", node_name.text())), .work = {}};
  }

 private:
  // What keeps the pod waiting, whatever the node; nothing if the claims are in order.
  static std::optional<Reason> trouble_with_claims(const api::Pod& pod, const cache::ClusterObjects& objects) {
    for (const api::Volume& volume : pod.spec->volumes) {
      const std::optional<std::string> claim_name = claim_name_of(pod, volume);
      if (!claim_name) continue;
      const bool is_ephemeral = volume.source.ephemeral.has_value();
      const auto* claim = objects.persistent_volume_claims.find(pod.metadata.name_space, *claim_name);
      if (claim == nullptr && is_ephemeral) {
        return Reason(ReasonCode::kClaimNotReady,
                      fmt::format("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
                                  *claim_name));
      }
      if (claim == nullptr) return not_found_reason(kClaimResource, *claim_name);
      if (claim->status.phase == "Lost") {
        return Reason(ReasonCode::kClaimNotReady,
                      fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                                  *claim_name, claim->spec.volume_name));
      }
      if (claim->metadata.deletion_timestamp.is_set()) {
        return Reason(ReasonCode::kClaimBeingDeleted,
                      fmt::format("persistentvolumeclaim \"{}\" is being deleted", *claim_name));
      }
      if (is_ephemeral) {
        if (auto why = why_not_made_for(pod, *claim)) return Reason(ReasonCode::kClaimNotReady, *std::move(why));
      }
    }
    return std::nullopt;
  }

  Result<PodClaims> sorted_claims(const api::Pod& pod, const cache::ClusterObjects& objects) const {
    return sort_claims(pod, objects, *assumed_, quirks_.claim_mounted_twice_takes_two_volumes);
  }

  static Status unbound_immediate() { return Status::unresolvable(ReasonCode::kUnboundImmediateClaims); }

  static Status conflict_status(const VolumeFinder::Answer& answer) {
    Status status(Code::kUnschedulableAndUnresolvable);
    for (std::size_t i = 0; i < kVolumeConflicts; ++i) {
      const auto conflict = static_cast<VolumeConflict>(i);
      if (answer.has(conflict)) status.add_reason(reason_code(conflict));
    }
    return status;
  }

  Duration bind_timeout_;
  std::optional<BrokenLine> shape_;  // only if storage is scored
  PluginQuirks quirks_;
  HintOptions hints_;
  std::shared_ptr<AssumedVolumes> assumed_ = std::make_shared<AssumedVolumes>();
  absl::flat_hash_map<std::string, std::unique_ptr<VolumeReservation>> reservations_;  // by UID of the pod
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_volume_binding(const framework::PluginContext& context,
                                                               const PluginQuirks& quirks) {
  const auto args = args_of<config::VolumeBindingArgs>(name::kVolumeBinding, context);
  if (!args) return fail(args.error());
  std::optional<BrokenLine> shape;
  if (context.gates.enabled(config::Feature::kStorageCapacityScoring)) shape.emplace(*args->shape);
  return std::make_unique<VolumeBinding>(Duration::seconds(args->bind_timeout_seconds), std::move(shape), quirks,
                                         hint_options(context, quirks));
}

}  // namespace berth::plugins
