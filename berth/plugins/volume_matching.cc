#include "berth/plugins/volume_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

api::Quantity storage_of(const api::ResourceList& resources) {
  static const Symbol storage("storage");
  const api::Quantity* amount = resources.find(storage);
  return amount != nullptr ? *amount : api::Quantity();
}

bool is_delayed(const api::StorageClass& storage_class) {
  return storage_class.volume_binding_mode && *storage_class.volume_binding_mode == "WaitForFirstConsumer";
}

bool is_reserved_for(const api::ObjectReference& reference, const api::PersistentVolumeClaim& claim) {
  return reference.name == claim.metadata.name && reference.name_space == claim.metadata.name_space &&
         (reference.uid.empty() || reference.uid == claim.metadata.uid);
}

bool has_same_mode(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume) {
  static const Symbol file_system("Filesystem");
  return claim.spec.volume_mode.value_or(file_system) == volume.spec.volume_mode.value_or(file_system);
}

bool has_access_modes(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume) {
  return std::ranges::all_of(claim.spec.access_modes, [&](Symbol mode) {
    return std::ranges::find(volume.spec.access_modes, mode) != volume.spec.access_modes.end();
  });
}

// The conditions on any volume, also one that is reserved for the claim.
bool could_hold(const api::PersistentVolumeClaim& claim, const api::Quantity& request,
                const api::PersistentVolume& volume) {
  return storage_of(volume.spec.capacity) >= request && has_same_mode(claim, volume) &&
         claim.spec.volume_attributes_class_name.value_or(Symbol()) ==
             volume.spec.volume_attributes_class_name.value_or(Symbol()) &&
         !volume.metadata.deletion_timestamp.is_set();
}

bool matches(const api::NodeMatcher* affinity, const api::Labels& node_labels) {
  return affinity == nullptr || affinity->matches("", node_labels);
}

// The terms of a class's allowed topologies that can match at all.
std::vector<api::LabelMatcher> compile_topologies(const std::vector<api::TopologySelectorTerm>& terms) {
  std::vector<api::LabelMatcher> compiled;
  for (const api::TopologySelectorTerm& term : terms) {
    if (term.match_label_expressions.empty()) continue;
    api::LabelMatcher matcher = api::LabelMatcher::everything();
    std::vector<std::string> errors;
    for (const api::TopologySelectorLabelRequirement& expression : term.match_label_expressions) {
      matcher.require(api::LabelRequirement::compile(expression.key, api::LabelRequirement::Op::kIn, expression.values,
                                                     "", errors));
    }
    if (errors.empty()) compiled.push_back(std::move(matcher));
  }
  return compiled;
}

bool has_room(const api::CsiStorageCapacity& capacity, std::int64_t bytes) {
  const std::optional<api::Quantity>& limit =
      capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
  return limit && limit->value() >= bytes;
}

std::optional<api::NodeMatcher> compile(const std::optional<api::NodeSelector>& selector) {
  if (!selector) return std::nullopt;
  return api::NodeMatcher(*selector);
}

}  // namespace

framework::ReasonCode reason_code(VolumeConflict conflict) {
  switch (conflict) {
    case VolumeConflict::kNodeAffinity: return framework::ReasonCode::kVolumeNodeAffinity;
    case VolumeConflict::kNoVolume: return framework::ReasonCode::kNoVolumeToBind;
    case VolumeConflict::kNoSpace: return framework::ReasonCode::kNotEnoughStorage;
    case VolumeConflict::kVolumeMissing: return framework::ReasonCode::kBoundVolumeMissing;
  }
  return framework::ReasonCode::kOther;
}

Result<PodClaims> sort_claims(const api::Pod& pod, const cache::ClusterObjects& objects, const AssumedVolumes& assumed,
                              bool count_each_mount) {
  PodClaims sorted;
  std::vector<std::string> seen;
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<std::string> name = claim_name_of(pod, volume);
    if (!name) continue;
    const ClaimPtr stored = objects.persistent_volume_claims.get(pod.metadata.name_space, *name);
    if (stored == nullptr) {
      const std::string key = fmt::format("{}/{}", pod.metadata.name_space.text(), *name);
      return fail(fmt::format("error getting PVC \"{}\": persistentvolumeclaims \"{}\" not found", key, key));
    }
    const ClaimPtr claim = assumed.claims.current(stored);
    if (volume.source.ephemeral) {
      if (auto why = why_not_made_for(pod, *claim)) return fail(*std::move(why));
    }
    if (!count_each_mount) {
      if (std::ranges::find(seen, *name) != seen.end()) continue;
      seen.push_back(*name);
    }
    if (is_fully_bound(*claim)) {
      sorted.bound.push_back(claim);
      continue;
    }
    const Symbol class_name = class_of(*claim);
    const api::StorageClass* storage_class = objects.storage_classes.find(class_name.text());
    if (storage_class != nullptr && !storage_class->volume_binding_mode) {
      return fail(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", class_name.text()));
    }
    const bool waits = storage_class != nullptr && is_delayed(*storage_class) && claim->spec.volume_name.empty();
    (waits ? sorted.delayed : sorted.immediate).push_back(claim);
  }
  return sorted;
}

Result<void> check_node_affinity(const std::optional<api::NodeMatcher>& affinity, const api::Labels& node_labels) {
  if (!affinity || affinity->matches("", node_labels)) return {};
  return fail(affinity->error().value_or("no matching NodeSelectorTerms"));
}

// --- VolumeAffinity
// ---------------------------------------------------------------------------------------------------

VolumeAffinity::VolumeAffinity(const api::PersistentVolume& volume) {
  if (const auto& affinity = *volume.spec.node_affinity) plain_ = compile(affinity->required);
  const InTreePlugin* plugin = in_tree_plugin_of(volume.spec.source);
  if (plugin == nullptr || !plugin->is_migrated) return;
  plugin_ = plugin;
  if (const Result<std::string> handle = csi_handle_of(volume); !handle) {
    translation_error_ = Error("could not translate pv: " + handle.error().what());
  } else {
    translated_ = compile(csi_node_affinity(volume, *plugin));
  }
}

Result<const std::optional<api::NodeMatcher>*> VolumeAffinity::on(const api::CsiNode* node) const {
  if (plugin_ == nullptr || !is_migrated_on(node, *plugin_)) return &plain_;
  if (translation_error_) return fail(*translation_error_);
  return &translated_;
}

// --- VolumeFinder: what does not depend on the node
// -------------------------------------------------------------------

VolumeFinder::VolumeFinder(PodClaims claims, const cache::ClusterObjects& objects, const AssumedVolumes& assumed)
    : objects_(objects) {
  static const Symbol selected_node("volume.kubernetes.io/selected-node");
  for (const ClaimPtr& claim : claims.bound) {
    BoundClaim& bound = bound_.emplace_back();
    bound.volume = assumed.volumes.current(objects.persistent_volumes.get(claim->spec.volume_name));
    if (bound.volume != nullptr) bound.affinity.emplace(*bound.volume);
  }
  for (const ClaimPtr& claim : claims.delayed) {
    DelayedClaim& delayed = delayed_.emplace_back();
    delayed.claim = claim;
    delayed.request = storage_of(claim->spec.resources.requests);
    delayed.selected_node = claim->metadata.annotations->find(selected_node);
    if (delayed.selected_node == nullptr) {
      by_request_.push_back(static_cast<std::uint32_t>(delayed_.size() - 1));
      prepare_matching(delayed, objects, assumed);
    }
    prepare_provisioning(delayed, objects);
  }
  std::ranges::sort(by_request_, [&](std::uint32_t a, std::uint32_t b) {
    const auto order = delayed_[a].request <=> delayed_[b].request;
    return order != 0 ? order < 0 : a < b;
  });
}

void VolumeFinder::prepare_matching(DelayedClaim& delayed, const cache::ClusterObjects& objects,
                                    const AssumedVolumes& assumed) const {
  static const Symbol available("Available");
  const api::PersistentVolumeClaim& claim = *delayed.claim;
  api::LabelMatcher selector = api::LabelMatcher::everything();
  if (claim.spec.selector) {
    Result<api::LabelMatcher> compiled = api::LabelMatcher::compile(*claim.spec.selector);
    if (!compiled) {
      delayed.matching_error = Error(fmt::format("error creating internal label selector for claim: {}: {}",
                                                 api::full_name(claim.metadata), compiled.error().what()));
      return;
    }
    selector = *std::move(compiled);
  }

  struct Sized {
    const IndexedVolume* indexed;
    VolumePtr volume;
    api::Quantity capacity;
  };
  std::vector<Sized> sized;
  for (const auto& indexed : assumed.volumes_of_class(objects, class_of(claim))) {
    VolumePtr volume = assumed.volumes.current(indexed->volume);
    const api::NodeMatcher* affinity = indexed->affinity ? &*indexed->affinity : nullptr;
    const auto& reserved_for = volume->spec.claim_ref;
    if (reserved_for && !is_reserved_for(*reserved_for, claim)) continue;
    if (!could_hold(claim, delayed.request, *volume)) continue;
    if (reserved_for) {
      delayed.reserved.push_back({std::move(volume), affinity});
    } else if (volume->status.phase == available && selector.matches(*volume->metadata.labels) &&
               has_access_modes(claim, *volume)) {
      api::Quantity capacity = storage_of(volume->spec.capacity);
      sized.push_back({indexed.get(), std::move(volume), std::move(capacity)});
    }
  }
  std::ranges::sort(sized, [](const Sized& a, const Sized& b) {
    const auto order = a.capacity <=> b.capacity;
    return order != 0 ? order < 0 : a.volume->metadata.name < b.volume->metadata.name;
  });

  for (Sized& each : sized) {
    const auto number = static_cast<std::uint32_t>(delayed.candidates.size());
    const IndexedVolume& indexed = *each.indexed;
    delayed.candidates.push_back({std::move(each.volume), indexed.affinity ? &*indexed.affinity : nullptr});
    if (indexed.pinned_key.empty()) {
      delayed.unpinned.push_back(number);
      continue;
    }
    auto at = std::ranges::find(delayed.pinned, indexed.pinned_key, &DelayedClaim::Pinned::key);
    if (at == delayed.pinned.end()) at = delayed.pinned.insert(at, {indexed.pinned_key, {}});
    for (const Symbol value : indexed.pinned_values) at->by_value[value].push_back(number);
  }
}

void VolumeFinder::prepare_provisioning(DelayedClaim& delayed, const cache::ClusterObjects& objects) const {
  static const Symbol no_provisioner("kubernetes.io/no-provisioner"), storage("storage");
  const api::PersistentVolumeClaim& claim = *delayed.claim;
  const Symbol class_name = class_of(claim);
  if (class_name.empty()) {
    delayed.provisioning_error = Error(fmt::format("no class for claim \"{}\"", api::full_name(claim.metadata)));
    return;
  }
  const api::StorageClass* storage_class = objects.storage_classes.find(class_name.text());
  if (storage_class == nullptr) {
    delayed.provisioning_error = Error(fmt::format("failed to find storage class \"{}\"", class_name.text()));
    return;
  }
  const Symbol provisioner = storage_class->provisioner;
  delayed.can_be_provisioned = !provisioner.empty() && provisioner != no_provisioner;
  if (!storage_class->allowed_topologies.empty()) {
    delayed.topologies = compile_topologies(storage_class->allowed_topologies);
  }

  const api::CsiDriver* driver = objects.csi_drivers.find(provisioner.text());
  if (!claim.spec.resources.requests.contains(storage) || driver == nullptr ||
      !driver->spec.storage_capacity.value_or(false)) {
    return;
  }
  delayed.capacities.emplace();
  objects.csi_storage_capacities.for_each([&](const std::shared_ptr<const api::CsiStorageCapacity>& capacity) {
    if (capacity->storage_class_name != class_name || !has_room(*capacity, delayed.request.value())) return;
    // A null selector, and one that does not compile, give no node access.
    Result<api::LabelMatcher> nodes = api::LabelMatcher::compile(capacity->node_topology);
    if (nodes && !nodes->is_nothing()) delayed.capacities->push_back({capacity.get(), *std::move(nodes)});
  });
}

// --- VolumeFinder: one node
// -------------------------------------------------------------------------------------------

Result<void> VolumeFinder::check_bound(const cache::NodeState& node, Answer& answer) const {
  const api::CsiNode* csi_node = nullptr;
  bool has_looked = false;
  for (const BoundClaim& bound : bound_) {
    if (bound.volume == nullptr) {
      answer.add(VolumeConflict::kVolumeMissing);
      return {};
    }
    if (bound.affinity->is_translatable() && !std::exchange(has_looked, true)) {
      csi_node = objects_.csi_nodes.find(node.name.text());
    }
    const auto affinity = bound.affinity->on(csi_node);
    if (!affinity) return fail(affinity.error());
    if (**affinity && !(**affinity)->matches("", node.labels())) {
      answer.add(VolumeConflict::kNodeAffinity);
      return {};
    }
  }
  return {};
}

VolumePtr VolumeFinder::match(const DelayedClaim& delayed, const api::Labels& labels,
                              const std::vector<VolumeDecision::Binding>& taken) {
  const auto is_taken = [&](const Candidate& candidate) {
    return std::ranges::find(taken, candidate.volume, &VolumeDecision::Binding::volume) != taken.end();
  };
  for (const Candidate& candidate : delayed.reserved) {
    if (!is_taken(candidate)) return matches(candidate.affinity, labels) ? candidate.volume : nullptr;
  }

  // The smallest of those that the node can use. The lists are ascending, so the first match of each is its smallest.
  std::size_t best = delayed.candidates.size();
  const auto look_through = [&](const std::vector<std::uint32_t>& numbers) {
    for (const std::uint32_t number : numbers) {
      if (number >= best) return;
      const Candidate& candidate = delayed.candidates[number];
      if (!is_taken(candidate) && matches(candidate.affinity, labels)) best = number;
    }
  };
  for (const DelayedClaim::Pinned& pinned : delayed.pinned) {
    const Symbol* value = labels.find(pinned.key);
    if (value == nullptr) continue;
    if (const auto it = pinned.by_value.find(*value); it != pinned.by_value.end()) look_through(it->second);
  }
  look_through(delayed.unpinned);
  return best < delayed.candidates.size() ? delayed.candidates[best].volume : nullptr;
}

// Whether the claim can be provisioned there; a conflict is added if not.
Result<bool> VolumeFinder::provision(const DelayedClaim& delayed, const api::Labels& labels, Answer& answer) {
  if (delayed.provisioning_error) return fail(*delayed.provisioning_error);
  const auto is_in = [&](const api::LabelMatcher& nodes) { return nodes.matches(labels); };
  if (!delayed.can_be_provisioned || (delayed.topologies && std::ranges::none_of(*delayed.topologies, is_in))) {
    answer.add(VolumeConflict::kNoVolume);
    return false;
  }
  const api::CsiStorageCapacity* capacity = nullptr;
  if (delayed.capacities) {
    const auto at = std::ranges::find_if(*delayed.capacities, is_in, &Capacity::nodes);
    if (at == delayed.capacities->end()) {
      answer.add(VolumeConflict::kNoSpace);
      return false;
    }
    capacity = at->object;
  }
  answer.decision.provisions.push_back({delayed.claim, capacity});
  return true;
}

Result<VolumeFinder::Answer> VolumeFinder::find(const cache::NodeState& node) const {
  Answer answer;
  if (const Result<void> checked = check_bound(node, answer); !checked) return fail(checked.error());

  std::vector<const DelayedClaim*> to_provision;
  for (const DelayedClaim& delayed : delayed_) {
    if (delayed.selected_node == nullptr) continue;
    if (node.name != *delayed.selected_node) {
      answer.add(VolumeConflict::kNoVolume);
      return answer;
    }
    to_provision.push_back(&delayed);
  }
  for (const std::uint32_t index : by_request_) {
    const DelayedClaim& delayed = delayed_[index];
    if (delayed.matching_error) return fail(*delayed.matching_error);
    if (VolumePtr volume = match(delayed, node.labels(), answer.decision.bindings)) {
      answer.decision.bindings.push_back({std::move(volume), delayed.claim});
    } else {
      to_provision.push_back(&delayed);
    }
  }
  for (const DelayedClaim* delayed : to_provision) {
    const Result<bool> is_provisioned = provision(*delayed, node.labels(), answer);
    if (!is_provisioned) return fail(is_provisioned.error());
    if (!*is_provisioned) break;
  }
  return answer;
}

}  // namespace berth::plugins
