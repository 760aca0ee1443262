#include "berth/explain/volume_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/api/label_selector.h"
#include "berth/api/node_selector.h"
#include "berth/explain/stable_order.h"
#include "berth/explain/words.h"
#include "berth/plugins/volume_claims.h"

namespace berth::explain {

namespace {

std::int64_t storage_in(const api::ResourceList& list) {
  static const Symbol storage("storage");
  const api::Quantity* found = list.find(storage);
  return found == nullptr ? 0 : found->value();
}

std::string modes_text(const std::vector<Symbol>& modes) {
  std::vector<std::string> texts;
  for (const Symbol mode : modes) texts.push_back(mode.str());
  return listed(texts);
}

Symbol mode_of(const std::optional<Symbol>& mode) {
  static const Symbol file_system("Filesystem");
  return mode.value_or(file_system);
}

bool is_reserved_for(const api::ObjectReference& reference, const api::PersistentVolumeClaim& claim) {
  return reference.name == claim.metadata.name && reference.name_space == claim.metadata.name_space &&
         (reference.uid.empty() || reference.uid == claim.metadata.uid);
}

const api::NodeSelector* affinity_of(const api::PersistentVolume& volume) {
  const auto& affinity = *volume.spec.node_affinity;
  return affinity && affinity->required ? &*affinity->required : nullptr;
}

// "zone" of topology.kubernetes.io/zone and of drivers' own keys like it.
std::string_view short_key(std::string_view key) {
  if (key == "kubernetes.io/hostname") return "node";
  const std::size_t slash = key.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? key : key.substr(slash + 1);
  return last == "zone" || last == "region" ? last : std::string_view();
}

}  // namespace

bool PodClaim::is_bound() const {
  return claim != nullptr && plugins::is_fully_bound(*claim);
}

bool PodClaim::waits_for_pod() const {
  return claim != nullptr && !is_bound() && claim->spec.volume_name.empty() && storage_class != nullptr &&
         storage_class->volume_binding_mode == Symbol("WaitForFirstConsumer");
}

bool PodClaim::has_provisioner() const {
  return storage_class != nullptr && !storage_class->provisioner.empty() &&
         storage_class->provisioner != "kubernetes.io/no-provisioner";
}

std::vector<PodClaim> claims_of(const Cluster& cluster, const api::Pod& pod) {
  std::vector<PodClaim> result;
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<std::string> claim_name = plugins::claim_name_of(pod, volume);
    if (!claim_name || std::ranges::find(result, *claim_name, &PodClaim::name) != result.end()) continue;
    PodClaim& each = result.emplace_back();
    each.volume = volume.name;
    each.name = *claim_name;
    each.is_ephemeral = volume.source.ephemeral.has_value();
    each.claim = cluster.objects.persistent_volume_claims.get(pod.metadata.name_space, *claim_name);
    if (each.claim == nullptr) continue;
    each.class_name = plugins::class_of(*each.claim);
    each.storage_class = cluster.objects.storage_classes.find(each.class_name.text());
  }
  return result;
}

std::int64_t wanted_bytes(const api::PersistentVolumeClaim& claim) {
  return storage_in(claim.spec.resources.requests);
}
std::int64_t offered_bytes(const api::PersistentVolume& volume) {
  return storage_in(volume.spec.capacity);
}
std::string bytes_text(std::int64_t bytes) {
  static const Symbol memory("memory");
  return amount(memory, bytes, Round::kDown);
}

std::vector<std::string> mismatches(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume) {
  std::vector<std::string> texts;
  const auto& reference = volume.spec.claim_ref;
  if (reference && !is_reserved_for(*reference, claim)) {
    texts.push_back(fmt::format("is {} {}/{}", volume.status.phase == "Released" ? "not released by" : "bound to",
                                reference->name_space.text(), reference->name));
  } else if (!reference && !volume.status.phase.empty() && volume.status.phase != "Available") {
    texts.push_back(fmt::format("is {}", volume.status.phase.text()));
  }
  if (offered_bytes(volume) < wanted_bytes(claim)) texts.push_back("offers " + bytes_text(offered_bytes(volume)));
  if (plugins::class_of(claim) != plugins::class_of(volume)) {
    const Symbol own = plugins::class_of(volume);
    texts.push_back(own.empty() ? "has no class" : fmt::format("is of class {}", own.text()));
  }
  const bool has_modes = std::ranges::all_of(claim.spec.access_modes, [&](Symbol mode) {
    return std::ranges::find(volume.spec.access_modes, mode) != volume.spec.access_modes.end();
  });
  if (!has_modes) {
    texts.push_back(volume.spec.access_modes.empty()
                        ? std::string("has no access modes")
                        : fmt::format("has {} only", modes_text(volume.spec.access_modes)));
  }
  if (mode_of(claim.spec.volume_mode) != mode_of(volume.spec.volume_mode)) {
    texts.push_back(fmt::format("is {}", mode_of(volume.spec.volume_mode).text()));
  }
  if (claim.spec.selector) {
    const auto selector = api::LabelMatcher::compile(*claim.spec.selector);
    if (selector && !selector->matches(*volume.metadata.labels)) {
      texts.push_back(fmt::format("does not have {}", selector_text(claim.spec.selector)));
    }
  }
  if (volume.metadata.deletion_timestamp.is_set()) texts.emplace_back("is being deleted");
  return texts;
}

std::vector<VolumePtr> candidate_volumes(const Cluster& cluster, const api::PersistentVolumeClaim& claim) {
  std::vector<VolumePtr> result;
  const Symbol class_name = plugins::class_of(claim);
  cluster.objects.persistent_volumes.for_each([&](const VolumePtr& volume) {
    if (plugins::class_of(*volume) != class_name) return;
    if (volume->spec.claim_ref && !is_reserved_for(*volume->spec.claim_ref, claim)) return;
    result.push_back(volume);
  });
  // Few mismatches first, then the largest.
  sort_stably(result, {}, [&](const VolumePtr& volume) {
    return std::pair(mismatches(claim, *volume).size(), -offered_bytes(*volume));
  });
  return result;
}

std::string place_text(Symbol key, const std::vector<Symbol>& values) {
  std::vector<std::string> texts;
  for (const Symbol value : values) texts.push_back(value.str());
  const std::string_view name = short_key(key.text());
  if (name.empty()) return requirement_text(key.text(), "In", values);
  return fmt::format("{} {}", name, listed(texts, 3));
}

std::vector<PlaceDemand> place_demands(const api::PersistentVolume& volume) {
  std::vector<PlaceDemand> demands;
  if (const api::NodeSelector* affinity = affinity_of(volume); affinity != nullptr) {
    if (affinity->node_selector_terms.size() == 1) {
      for (const api::NodeSelectorRequirement& each : affinity->node_selector_terms[0].match_expressions) {
        if (each.op == "In") demands.push_back({each.key, each.values});
      }
    }
  }
  for (const std::string_view label : {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
    const Symbol key(label);
    const Symbol* value = volume.metadata.labels->find(key);
    if (value == nullptr || value->text().find("__") != std::string_view::npos) continue;
    if (std::ranges::find(demands, key, &PlaceDemand::key) == demands.end()) demands.push_back({key, {*value}});
  }
  return demands;
}

std::string place_text(const api::PersistentVolume& volume) {
  const api::NodeSelector* affinity = affinity_of(volume);
  if (affinity != nullptr && affinity->node_selector_terms.size() != 1) {
    return fmt::format("{} node selector terms", affinity->node_selector_terms.size());
  }
  std::vector<std::string> texts;
  for (const PlaceDemand& each : place_demands(volume)) {
    std::string text = place_text(each.key, each.values);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  if (affinity != nullptr) {
    for (const api::NodeSelectorRequirement& each : affinity->node_selector_terms[0].match_expressions) {
      if (each.op != "In") texts.push_back(requirement_text(each.key.text(), each.op.text(), each.values));
    }
  }
  return listed(texts);
}

std::vector<std::string> nodes_for(const Cluster& cluster, const api::PersistentVolume& volume) {
  std::vector<std::string> names;
  const api::NodeSelector* affinity = affinity_of(volume);
  std::optional<api::NodeMatcher> matcher;
  if (affinity != nullptr) matcher.emplace(*affinity);
  const std::vector<PlaceDemand> demands = place_demands(volume);
  for (const cache::RowId row : cluster.rows_by_name()) {
    const cache::NodeState& node = cluster.cache.nodes().at(row);
    if (matcher && !matcher->matches("", node.labels())) continue;
    const bool is_there = std::ranges::all_of(demands, [&](const PlaceDemand& demand) {
      const Symbol* value = node.labels().find(demand.key);
      return value == nullptr ? matcher.has_value() : std::ranges::find(demand.values, *value) != demand.values.end();
    });
    if (is_there || demands.empty()) names.push_back(node.name.str());
  }
  return names;
}

std::vector<api::PodPtr> users_of_claim(const Cluster& cluster, Symbol name_space, const std::string& claim_name,
                                        const api::Pod& but) {
  std::vector<api::PodPtr> users;
  for (const auto& [name, pod] : cluster.pods) {
    if (pod->metadata.name_space != name_space || pod->metadata.uid == but.metadata.uid) continue;
    if (pod->spec.node_name.empty() || api::is_terminal(*pod)) continue;
    if (plugins::uses_claim(*pod, claim_name, true)) users.push_back(pod);
  }
  return users;
}

const api::StorageClass* default_class(const Cluster& cluster) {
  static const Symbol annotation("storageclass.kubernetes.io/is-default-class"),
      old_annotation("storageclass.beta.kubernetes.io/is-default-class");
  const api::StorageClass* found = nullptr;
  cluster.objects.storage_classes.for_each([&](const auto& each) {
    const std::string* value = each->metadata.annotations->find(annotation);
    if (value == nullptr) value = each->metadata.annotations->find(old_annotation);
    // Of several, the newest counts.
    if (value == nullptr || *value != "true") return;
    if (found == nullptr || found->metadata.creation_timestamp < each->metadata.creation_timestamp) found = each.get();
  });
  return found;
}

}  // namespace berth::explain
