#include "berth/plugins/assumed_volumes.h"

#include <algorithm>

#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

// The shortest "label In values" that every node of the only term has to meet.
const api::NodeSelectorRequirement* pin_of(const api::NodeSelector& selector) {
  if (selector.node_selector_terms.size() != 1) return nullptr;
  const api::NodeSelectorRequirement* pin = nullptr;
  for (const api::NodeSelectorRequirement& expression : selector.node_selector_terms.front().match_expressions) {
    if (expression.op != "In" || expression.key.empty()) continue;
    if (pin == nullptr || expression.values.size() < pin->values.size()) pin = &expression;
  }
  return pin;
}

std::shared_ptr<const IndexedVolume> index(const VolumePtr& volume) {
  auto indexed = std::make_shared<IndexedVolume>();
  indexed->volume = volume;
  const auto& affinity = *volume->spec.node_affinity;
  if (affinity && affinity->required) {
    indexed->affinity.emplace(*affinity->required);
    if (const api::NodeSelectorRequirement* pin = pin_of(*affinity->required)) {
      indexed->pinned_key = pin->key;
      indexed->pinned_values = pin->values;
    }
  }
  return indexed;
}

}  // namespace

const std::vector<std::shared_ptr<const IndexedVolume>>& AssumedVolumes::volumes_of_class(
    const cache::ClusterObjects& objects, Symbol storage_class) const {
  static const std::vector<Indexed> none;
  if (version_ != objects.persistent_volumes.version()) {
    const auto known = std::exchange(indexed_, {});
    by_class_.clear();
    objects.persistent_volumes.for_each([&](const VolumePtr& volume) {
      // The old entry keeps the old object alive, so an address says which one it is.
      const auto it = known.find(volume.get());
      const Indexed& indexed = indexed_[volume.get()] = it != known.end() ? it->second : index(volume);
      by_class_[class_of(*volume)].push_back(indexed);
    });
    version_ = objects.persistent_volumes.version();
  }
  const auto it = by_class_.find(storage_class);
  return it == by_class_.end() ? none : it->second;
}

}  // namespace berth::plugins
