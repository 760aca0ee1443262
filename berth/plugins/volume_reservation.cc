#include "berth/plugins/volume_reservation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

using framework::Code;
using framework::Status;

Symbol selected_node_annotation() {
  static const Symbol annotation("volume.kubernetes.io/selected-node");
  return annotation;
}

void annotate(api::ObjectMeta& metadata, Symbol key, std::string value) {
  api::Annotations annotations = *metadata.annotations;
  annotations[key] = std::move(value);
  metadata.annotations = std::move(annotations);
}

// The volume as it is when the claim has it; null if nothing has to be changed for that.
VolumePtr bound_to(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  static const Symbol kind("PersistentVolumeClaim"), api_version("v1");
  static const Symbol bound_by_controller("pv.kubernetes.io/bound-by-controller");
  const auto& reference = volume.spec.claim_ref;
  // A volume that names no claim yet is bound by the scheduler; one that does was meant for the claim by somebody.
  const bool is_complete = reference && reference->uid == claim.metadata.uid;
  if (is_complete) return nullptr;
  auto changed = std::make_shared<api::PersistentVolume>(volume);
  changed->spec.claim_ref = api::ObjectReference{.kind = kind,
                                                 .name_space = claim.metadata.name_space,
                                                 .name = claim.metadata.name,
                                                 .uid = claim.metadata.uid,
                                                 .api_version = api_version,
                                                 .resource_version = claim.metadata.resource_version,
                                                 .field_path = {}};
  if (!reference && !changed->metadata.annotations->contains(bound_by_controller)) {
    annotate(changed->metadata, bound_by_controller, "yes");
  }
  return changed;
}

// Versions count up; they are compared as numbers of any length.
bool is_newer(const api::ObjectMeta& a, const api::ObjectMeta& b) {
  const auto digits = [](std::string_view version) {
    version.remove_prefix(std::min(version.size(), version.find_first_not_of('0')));
    return version;
  };
  const std::string_view of_a = digits(a.resource_version), of_b = digits(b.resource_version);
  return of_a.size() != of_b.size() ? of_a.size() > of_b.size() : of_a > of_b;
}

class BindVolumes final : public framework::PreBindWork {
 public:
  BindVolumes(framework::PodToPlace pod, Symbol node_name, std::unique_ptr<VolumeReservation> reservation,
              Duration timeout)
      : pod_(std::move(pod)), node_name_(node_name), reservation_(std::move(reservation)), timeout_(timeout) {}

  std::vector<api::AnyObject> updates() override {
    std::vector<api::AnyObject> objects;
    for (const auto& binding : reservation_->bindings()) objects.emplace_back(binding.volume);
    for (const auto& provision : reservation_->provisions()) objects.emplace_back(provision.claim);
    return objects;
  }

  void updated(std::size_t index, const api::AnyObject& object) override {
    auto& bindings = reservation_->bindings();
    auto& provisions = reservation_->provisions();
    if (index < bindings.size()) {
      bindings[index].is_written = true;
      if (auto volume = object.as<api::PersistentVolume>()) bindings[index].volume = std::move(volume);
    } else if (index - bindings.size() < provisions.size()) {
      auto& provision = provisions[index - bindings.size()];
      provision.is_written = true;
      if (auto claim = object.as<api::PersistentVolumeClaim>()) provision.claim = std::move(claim);
    }
  }

  Status poll(const framework::ClusterView& cluster) override {
    const Result<bool> is_bound = check(cluster);
    if (!is_bound) return Status::error("binding volumes: " + is_bound.error().what());
    return *is_bound ? Status() : Status(Code::kWait);
  }
  Duration timeout() const override { return timeout_; }

 private:
  // Whether everything is bound; the error says why it is not going to be. Goes by what the informers know and not by
  // what is assumed: another pod's attempt may assume something new meanwhile.
  Result<bool> check(const framework::ClusterView& cluster) {
    const cache::RowId row = cluster.nodes.row_of(node_name_);
    if (row == cache::kNoRow || cluster.nodes.at(row).node == nullptr) {
      return fail(
          fmt::format("failed to get node \"{}\": {}", node_name_.text(), not_found("node", node_name_.text())));
    }
    const cache::NodeState& node = cluster.nodes.at(row);
    const bool is_there = std::ranges::any_of(
        node.pods, [this](const cache::PlacedPod& placed) { return placed.pod->metadata.uid == pod_->metadata.uid; });
    if (!is_there) return fail("pod does not exist any more: " + not_found("pod", pod_->metadata.name));

    for (const auto& binding : reservation_->bindings()) {
      const Result<bool> is_bound = check_binding(binding, cluster.objects, node);
      if (!is_bound || !*is_bound) return is_bound;
    }
    for (const auto& provision : reservation_->provisions()) {
      const Result<bool> is_bound = check_provision(provision, cluster.objects, node);
      if (!is_bound || !*is_bound) return is_bound;
    }
    return true;
  }

  static Result<bool> check_binding(const VolumeReservation::Binding& binding, const cache::ClusterObjects& objects,
                                    const cache::NodeState& node) {
    const std::string& name = binding.volume->metadata.name;
    const api::PersistentVolume* volume = objects.persistent_volumes.find(name);
    if (volume == nullptr) return fail("failed to check binding: " + not_found("persistentvolumes", name));
    const api::PersistentVolumeClaim* claim = find(*binding.claim, objects);
    if (claim == nullptr) return fail("failed to check binding: " + claim_not_found(*binding.claim));
    if (is_newer(binding.volume->metadata, volume->metadata)) return false;
    if (auto usable = check_usable(*volume, objects, node, "failed to translate pv to csi: "); !usable) {
      return fail(usable.error());
    }
    if (!volume->spec.claim_ref || volume->spec.claim_ref->uid.empty()) {
      return fail(fmt::format("ClaimRef got reset for pv \"{}\"", name));
    }
    return is_fully_bound(*claim);
  }

  static Result<bool> check_provision(const VolumeReservation::Provision& provision,
                                      const cache::ClusterObjects& objects, const cache::NodeState& node) {
    const api::PersistentVolumeClaim* claim = find(*provision.claim, objects);
    if (claim == nullptr) return fail("failed to check provisioning pvc: " + claim_not_found(*provision.claim));
    if (is_newer(provision.claim->metadata, claim->metadata)) return false;
    const std::string& name = claim->metadata.name;
    if (claim->metadata.annotations->empty()) {
      return fail(fmt::format("selectedNode annotation reset for PVC \"{}\"", name));
    }
    const std::string* selected = claim->metadata.annotations->find(selected_node_annotation());
    if (selected == nullptr || node.name != *selected) {
      return fail(fmt::format("provisioning failed for PVC \"{}\"", name));
    }
    if (!claim->spec.volume_name.empty()) {
      // The volume may not be visible yet. If it was deleted, the claim is going to lose it.
      const api::PersistentVolume* volume = objects.persistent_volumes.find(claim->spec.volume_name);
      if (volume == nullptr) return false;
      if (auto usable = check_usable(*volume, objects, node, ""); !usable) return fail(usable.error());
    }
    return is_fully_bound(*claim);
  }

  // The labels of the node, or the volume, may not be what they were.
  static Result<void> check_usable(const api::PersistentVolume& volume, const cache::ClusterObjects& objects,
                                   const cache::NodeState& node, std::string_view translation) {
    const VolumeAffinity affinity(volume);
    const auto on_node = affinity.on(affinity.is_translatable() ? objects.csi_nodes.find(node.name.text()) : nullptr);
    if (!on_node) return fail(fmt::format("{}{}", translation, on_node.error().what()));
    if (const Result<void> matches = check_node_affinity(**on_node, node.labels()); !matches) {
      return fail(fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": {}", volume.metadata.name,
                              node.name.text(), matches.error().what()));
    }
    return {};
  }

  static const api::PersistentVolumeClaim* find(const api::PersistentVolumeClaim& claim,
                                                const cache::ClusterObjects& objects) {
    return objects.persistent_volume_claims.find(claim.metadata.name_space, claim.metadata.name);
  }
  static std::string claim_not_found(const api::PersistentVolumeClaim& claim) {
    return not_found("persistentvolumeclaims", api::full_name(claim.metadata));
  }

  framework::PodToPlace pod_;
  Symbol node_name_;
  std::unique_ptr<VolumeReservation> reservation_;
  Duration timeout_;
};

}  // namespace

Result<std::unique_ptr<VolumeReservation>> VolumeReservation::make(const VolumeDecision& decision, Symbol node_name,
                                                                   const cache::ClusterObjects& objects,
                                                                   std::shared_ptr<AssumedVolumes> assumed) {
  auto reservation = std::make_unique<VolumeReservation>(std::move(assumed));
  AssumedVolumes& assumptions = *reservation->assumed_;
  for (const auto& [volume, claim] : decision.bindings) {
    VolumePtr changed = bound_to(*volume, *claim);
    if (changed != nullptr) {
      if (auto done = assumptions.volumes.assume(objects.persistent_volumes, changed); !done) return fail(done.error());
    }
    reservation->bindings_.push_back({changed != nullptr ? std::move(changed) : volume, claim, false});
  }
  for (const auto& [claim, capacity] : decision.provisions) {
    auto changed = std::make_shared<api::PersistentVolumeClaim>(*claim);
    annotate(changed->metadata, selected_node_annotation(), node_name.str());
    auto done = assumptions.claims.assume(objects.persistent_volume_claims, changed);
    if (!done) return fail(done.error());
    reservation->provisions_.push_back({std::move(changed), false});
  }
  return reservation;
}

VolumeReservation::~VolumeReservation() {
  for (const Binding& binding : bindings_) {
    if (!binding.is_written) assumed_->volumes.restore(*binding.volume);
  }
  for (const Provision& provision : provisions_) {
    if (!provision.is_written) assumed_->claims.restore(*provision.claim);
  }
}

std::unique_ptr<framework::PreBindWork> bind_volumes(framework::PodToPlace pod, Symbol node_name,
                                                     std::unique_ptr<VolumeReservation> reservation, Duration timeout) {
  return std::make_unique<BindVolumes>(std::move(pod), node_name, std::move(reservation), timeout);
}

}  // namespace berth::plugins
