#include "berth/sim/volume_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "berth/api/label_selector.h"
#include "berth/plugins/volume_claims.h"
#include "berth/sim/pod_prototype.h"

namespace berth::sim {

namespace {

using plugins::class_of;

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

bool waits_for_consumer(const api::StorageClass& storage_class) {
  return storage_class.volume_binding_mode && *storage_class.volume_binding_mode == "WaitForFirstConsumer";
}

bool can_provision(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() && storage_class.provisioner != "kubernetes.io/no-provisioner";
}

api::Quantity storage_of(const api::ResourceList& resources) {
  const api::Quantity* amount = resources.find(Symbol("storage"));
  return amount != nullptr ? *amount : api::Quantity();
}

bool names(const api::ObjectReference& reference, const api::PersistentVolumeClaim& claim) {
  return reference.name == claim.metadata.name && reference.name_space == claim.metadata.name_space &&
         (reference.uid.empty() || reference.uid == claim.metadata.uid);
}

bool could_hold(const api::PersistentVolumeClaim& claim, const api::LabelMatcher& selector,
                const api::PersistentVolume& volume) {
  const Symbol file_system("Filesystem");
  const auto& modes = volume.spec.access_modes;
  return storage_of(volume.spec.capacity) >= storage_of(claim.spec.resources.requests) &&
         claim.spec.volume_mode.value_or(file_system) == volume.spec.volume_mode.value_or(file_system) &&
         std::ranges::all_of(claim.spec.access_modes,
                             [&](Symbol mode) { return std::ranges::find(modes, mode) != modes.end(); }) &&
         selector.matches(*volume.metadata.labels) && !volume.metadata.deletion_timestamp.is_set();
}

api::ObjectReference reference_to(const api::PersistentVolumeClaim& claim) {
  return {.kind = Symbol("PersistentVolumeClaim"),
          .name_space = claim.metadata.name_space,
          .name = claim.metadata.name,
          .uid = claim.metadata.uid,
          .api_version = Symbol("v1"),
          .resource_version = claim.metadata.resource_version,
          .field_path = {}};
}

// The labels of the node that say where a volume of that driver can be reached from: what the driver says, or the zone,
// or the node alone.
std::vector<Symbol> topology_keys(const api::Node& node, const api::StorageClass& storage_class, const ApiServer& api) {
  if (const auto csi_node = api.get<api::CsiNode>(Symbol(), node.metadata.name)) {
    for (const api::CsiNodeDriver& driver : csi_node->spec.drivers) {
      if (driver.name == storage_class.provisioner) return driver.topology_keys;
    }
  }
  for (const std::string_view key : {kZone, kHostname}) {
    if (node.metadata.labels->contains(Symbol(key))) return {Symbol(key)};
  }
  return {};
}

std::optional<api::VolumeNodeAffinity> affinity_to(const api::Labels& labels, const std::vector<Symbol>& keys) {
  api::NodeSelectorTerm term;
  for (const Symbol key : keys) {
    const Symbol* value = labels.find(key);
    if (value != nullptr) term.match_expressions.push_back({.key = key, .op = Symbol("In"), .values = {*value}});
  }
  if (term.match_expressions.empty()) return std::nullopt;
  return api::VolumeNodeAffinity{api::NodeSelector{{std::move(term)}}};
}

// Where a volume that nobody waits for is made: the first of the topologies that the class allows.
std::optional<api::VolumeNodeAffinity> allowed_affinity(const api::StorageClass& storage_class) {
  if (storage_class.allowed_topologies.empty()) return std::nullopt;
  api::NodeSelectorTerm term;
  for (const auto& allowed : storage_class.allowed_topologies.front().match_label_expressions) {
    if (allowed.values.empty()) continue;
    term.match_expressions.push_back({.key = allowed.key, .op = Symbol("In"), .values = {allowed.values.front()}});
  }
  if (term.match_expressions.empty()) return std::nullopt;
  return api::VolumeNodeAffinity{api::NodeSelector{{std::move(term)}}};
}

}  // namespace

VolumeController::VolumeController(const Surroundings& around, const Rng& rng)
    : around_(around),
      rng_(rng.fork(0)),
      claims_(around, around.faults.provision, rng.fork(1), [this](const ObjectKey& key) { look_at_claim(key); }),
      volumes_(around, around.faults.controller, rng.fork(2),
               [this](const ObjectKey& key) { look_at_volume(key.name); }),
      pods_(around, around.faults.controller, rng.fork(3), [this](const ObjectKey& key) {
        if (const auto pod = around_.api.get<api::Pod>(key.name_space, key.name)) make_ephemeral_claims(*pod);
      }) {}

// --- What is noted ---------------------------------------------------------------------------------------------------

void VolumeController::claim_changed(const Change& change) {
  const auto claim = change.object.as<api::PersistentVolumeClaim>();
  const ObjectKey key(claim->metadata);
  if (change.before) unbound_[class_of(*change.before.as<api::PersistentVolumeClaim>())].erase(key);
  if (change.kind == Change::Kind::kDeleted) {
    gone_.insert(claim->metadata.uid);
    if (const auto found = reserved_.find(key); found != reserved_.end()) {
      for (const std::string& volume : found->second) volumes_.add(ObjectKey(Symbol(), volume));
    }
    return;
  }
  if (plugins::is_fully_bound(*claim)) return;
  unbound_[class_of(*claim)].insert(key);
  if (!waits_for_scheduler(*claim)) claims_.add(key);
}

bool VolumeController::waits_for_scheduler(const api::PersistentVolumeClaim& claim) const {
  if (!claim.spec.volume_name.empty() || reserved_.contains(ObjectKey(claim.metadata))) return false;
  const auto storage_class = around_.api.get<api::StorageClass>(Symbol(), class_of(claim).text());
  return storage_class != nullptr && waits_for_consumer(*storage_class) &&
         !claim.metadata.annotations->contains(Symbol(kSelectedNode));
}

void VolumeController::index(const api::PersistentVolume& volume, bool is_there) {
  const std::string& name = volume.metadata.name;
  const auto& reference = volume.spec.claim_ref;
  const auto change = [&](auto& sets, const auto& key) {
    if (is_there) {
      sets[key].insert(name);
    } else if (const auto found = sets.find(key); found != sets.end()) {
      found->second.erase(name);
      if (found->second.empty()) sets.erase(found);
    }
  };
  if (reference) {
    change(reserved_, ObjectKey(reference->name_space, reference->name));
  } else {
    change(free_, class_of(volume));
  }
}

void VolumeController::volume_changed(const Change& change) {
  const auto volume = change.object.as<api::PersistentVolume>();
  if (change.before) index(*change.before.as<api::PersistentVolume>(), false);
  if (change.kind == Change::Kind::kDeleted) {
    if (const auto& reference = volume->spec.claim_ref) claims_.add(ObjectKey(reference->name_space, reference->name));
    return;
  }
  index(*volume, true);
  volumes_.add(ObjectKey(Symbol(), volume->metadata.name));
  if (const auto& reference = volume->spec.claim_ref) {
    if (volume->status.phase != "Bound") claims_.add(ObjectKey(reference->name_space, reference->name));
    return;
  }
  const auto waiting = unbound_.find(class_of(*volume));
  if (waiting == unbound_.end()) return;
  for (const ObjectKey& key : waiting->second) claims_.add(key);
}

void VolumeController::class_changed(const Change& change) {
  const auto waiting = unbound_.find(Symbol(change.object.metadata().name));
  if (waiting == unbound_.end() || change.kind == Change::Kind::kDeleted) return;
  for (const ObjectKey& key : waiting->second) claims_.add(key);
}

void VolumeController::pod_changed(const Change& change) {
  if (change.kind == Change::Kind::kModified) return;
  const auto pod = change.object.as<api::Pod>();
  const auto is_ephemeral = [](const api::Volume& volume) { return volume.source.ephemeral.has_value(); };
  if (!std::ranges::any_of(pod->spec->volumes, is_ephemeral)) return;
  if (change.kind == Change::Kind::kAdded) {
    pods_.add(ObjectKey(pod->metadata));
    return;
  }
  around_.agenda.after(around_.faults.controller.draw(rng_), Agenda::Urgency::kWork, [this, pod, is_ephemeral] {
    for (const api::Volume& volume : pod->spec->volumes) {
      if (!is_ephemeral(volume)) continue;
      const std::string name = *plugins::claim_name_of(*pod, volume);
      const auto claim = around_.api.get<api::PersistentVolumeClaim>(pod->metadata.name_space, name);
      if (claim == nullptr || plugins::why_not_made_for(*pod, *claim)) continue;
      static_cast<void>(around_.api.remove(api::kind_of<api::PersistentVolumeClaim>(), pod->metadata.name_space, name,
                                           around_.now(), claim->metadata.uid));
    }
  });
}

// --- What is done ----------------------------------------------------------------------------------------------------

void VolumeController::look_at_claim(const ObjectKey& key) {
  const auto claim = around_.api.get<api::PersistentVolumeClaim>(key.name_space, key.name);
  if (claim == nullptr) return;
  if (plugins::is_fully_bound(*claim)) {
    const auto volume = around_.api.get<api::PersistentVolume>(Symbol(), claim->spec.volume_name);
    if (volume == nullptr) {
      rewrite(around_.api, *claim, [](api::PersistentVolumeClaim& changed) { changed.status.phase = Symbol("Lost"); });
    } else if (volume->status.phase != "Bound" && volume->spec.claim_ref && names(*volume->spec.claim_ref, *claim)) {
      bind(*claim, *volume);
    }
    return;
  }
  if (const VolumePtr volume = reserved_for(*claim)) {
    bind(*claim, *volume);
    return;
  }
  if (!claim->spec.volume_name.empty()) return;  // waits for a volume of that name
  const auto storage_class = around_.api.get<api::StorageClass>(Symbol(), class_of(*claim).text());
  const std::string* selected = claim->metadata.annotations->find(Symbol(kSelectedNode));
  if (waits_for_scheduler(*claim)) return;
  const bool waits = storage_class != nullptr && waits_for_consumer(*storage_class);
  if (!waits) {
    if (const VolumePtr volume = smallest_match(*claim)) {
      bind(*claim, *volume);
      return;
    }
  }
  if (storage_class != nullptr && can_provision(*storage_class)) {
    provision(*claim, *storage_class, waits ? selected : nullptr);
  }
}

VolumeController::VolumePtr VolumeController::reserved_for(const api::PersistentVolumeClaim& claim) const {
  const auto get = [this](const std::string& name) { return around_.api.get<api::PersistentVolume>(Symbol(), name); };
  if (const std::string& name = claim.spec.volume_name; !name.empty()) {
    VolumePtr volume = get(name);
    const bool is_ours = volume != nullptr && (!volume->spec.claim_ref || names(*volume->spec.claim_ref, claim));
    return is_ours ? volume : nullptr;
  }
  const auto found = reserved_.find(ObjectKey(claim.metadata));
  if (found == reserved_.end()) return nullptr;
  for (const std::string& name : found->second) {
    VolumePtr volume = get(name);
    if (volume != nullptr && names(*volume->spec.claim_ref, claim) && volume->status.phase != "Released") return volume;
  }
  return nullptr;
}

VolumeController::VolumePtr VolumeController::smallest_match(const api::PersistentVolumeClaim& claim) const {
  api::LabelMatcher selector = api::LabelMatcher::everything();
  if (claim.spec.selector) {
    auto compiled = api::LabelMatcher::compile(*claim.spec.selector);
    selector = compiled ? *std::move(compiled) : api::LabelMatcher();
  }
  VolumePtr best;
  const auto found = free_.find(class_of(claim));
  if (found == free_.end()) return best;
  for (const std::string& name : found->second) {
    VolumePtr volume = around_.api.get<api::PersistentVolume>(Symbol(), name);
    if (volume == nullptr || !could_hold(claim, selector, *volume)) continue;
    if (best == nullptr || storage_of(volume->spec.capacity) < storage_of(best->spec.capacity))
      best = std::move(volume);
  }
  return best;
}

void VolumeController::bind(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume) {
  const bool is_done = rewrite(around_.api, volume, [&](api::PersistentVolume& changed) {
    if (!changed.spec.claim_ref) {
      changed.metadata.annotations = with_annotation(*changed.metadata.annotations, kBoundByController, "yes");
    }
    if (!changed.spec.claim_ref || changed.spec.claim_ref->uid != claim.metadata.uid) {
      changed.spec.claim_ref = reference_to(claim);
    }
    if (changed.status.phase != "Bound") changed.status.last_phase_transition_time = around_.now();
    changed.status.phase = Symbol("Bound");
  });
  if (!is_done) return;
  rewrite(around_.api, claim, [&](api::PersistentVolumeClaim& changed) {
    api::Annotations annotations = with_annotation(*changed.metadata.annotations, kBindCompleted, "yes");
    if (changed.spec.volume_name.empty()) annotations = with_annotation(annotations, kBoundByController, "yes");
    changed.metadata.annotations = std::move(annotations);
    changed.spec.volume_name = volume.metadata.name;
    changed.status.phase = Symbol("Bound");
    changed.status.access_modes = volume.spec.access_modes;
    changed.status.capacity = volume.spec.capacity;
  });
}

void VolumeController::provision(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                                 const std::string* node_name) {
  api::PersistentVolume volume;
  std::optional<api::VolumeNodeAffinity> affinity = allowed_affinity(storage_class);
  if (node_name != nullptr) {
    const auto node = around_.api.get<api::Node>(Symbol(), *node_name);
    if (node == nullptr) {
      give_up_node(claim);
      return;
    }
    affinity = affinity_to(*node->metadata.labels, topology_keys(*node, storage_class, around_.api));
  }
  if (affinity) volume.spec.node_affinity = std::move(affinity);
  volume.metadata.name = "pvc-" + claim.metadata.uid;
  volume.metadata.annotations = api::Annotations{{kProvisionedBy, storage_class.provisioner.str()}};
  volume.spec.capacity = claim.spec.resources.requests;
  volume.spec.access_modes = claim.spec.access_modes;
  volume.spec.volume_mode = claim.spec.volume_mode;
  volume.spec.storage_class_name = Symbol(storage_class.metadata.name);
  volume.spec.persistent_volume_reclaim_policy = storage_class.reclaim_policy.value_or(Symbol("Delete"));
  volume.spec.claim_ref = reference_to(claim);
  api::CsiPersistentVolumeSource& source = volume.spec.source.csi.emplace();
  source.driver = storage_class.provisioner;
  source.volume_handle = volume.metadata.name;
  const std::string name = volume.metadata.name;
  static_cast<void>(create(around_, std::move(volume)));  // refused: it was made before
  if (const auto made = around_.api.get<api::PersistentVolume>(Symbol(), name)) bind(claim, *made);
}

// Where the scheduler looks for another one, as provisioners ask it to.
void VolumeController::give_up_node(const api::PersistentVolumeClaim& claim) {
  rewrite(around_.api, claim, [](api::PersistentVolumeClaim& changed) {
    api::Annotations annotations = *changed.metadata.annotations;
    annotations.erase(Symbol(kSelectedNode));
    changed.metadata.annotations = std::move(annotations);
  });
}

void VolumeController::look_at_volume(const std::string& name) {
  const auto volume = around_.api.get<api::PersistentVolume>(Symbol(), name);
  if (volume == nullptr) return;
  const auto set_phase = [&](std::string_view phase) {
    if (volume->status.phase == phase) return;
    rewrite(around_.api, *volume, [&](api::PersistentVolume& changed) {
      changed.status.phase = Symbol(phase);
      changed.status.last_phase_transition_time = around_.now();
    });
  };
  const auto& reference = volume->spec.claim_ref;
  if (!reference || reference->uid.empty()) {
    set_phase("Available");
    return;
  }
  if (!gone_.contains(reference->uid)) return;  // binding is the claim's business
  if (volume->spec.persistent_volume_reclaim_policy == "Delete") {
    static_cast<void>(
        around_.api.remove(api::kind_of<api::PersistentVolume>(), Symbol(), name, around_.now(), volume->metadata.uid));
  } else {
    set_phase("Released");
  }
}

void VolumeController::make_ephemeral_claims(const api::Pod& pod) {
  for (const api::Volume& volume : pod.spec->volumes) {
    const auto& source = volume.source.ephemeral;
    if (!source || !source->volume_claim_template) continue;
    api::PersistentVolumeClaim claim;
    claim.metadata.name = *plugins::claim_name_of(pod, volume);
    claim.metadata.name_space = pod.metadata.name_space;
    claim.metadata.labels = source->volume_claim_template->metadata.labels;
    claim.metadata.annotations = source->volume_claim_template->metadata.annotations;
    claim.metadata.owner_references = controlled_by(api::kind_of<api::Pod>(), pod.metadata);
    claim.spec = source->volume_claim_template->spec;
    static_cast<void>(create(around_, std::move(claim)));  // refused: it is there
  }
}

}  // namespace berth::sim
