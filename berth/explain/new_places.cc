#include "berth/explain/new_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "berth/explain/facts.h"
#include "berth/explain/volume_facts.h"
#include "berth/explain/words.h"

namespace berth::explain {

namespace {

// How many places of one pool are tried.
constexpr std::size_t kMaxPlaces = 12;

const Symbol& zone_key() {
  static const Symbol zone("topology.kubernetes.io/zone");
  return zone;
}
const Symbol& hostname_key() {
  static const Symbol hostname("kubernetes.io/hostname");
  return hostname;
}

bool is_place_key(Symbol key) {
  const std::string_view text = key.text();
  return text.ends_with("/zone") || text.ends_with("/region");
}

// The labels that decide where the pod can go, with values that something names.
class PlaceKeys {
 public:
  PlaceKeys(const Cluster& cluster, const Evaluation& evaluation) {
    const api::Pod& pod = *evaluation.pod;
    for (const api::TopologySpreadConstraint& each : pod.spec->topology_spread_constraints) {
      if (each.when_unsatisfiable != "DoNotSchedule") continue;
      add(each.topology_key);
      if (each.topology_key != hostname_key()) new_domain_keys_.insert(each.topology_key);
    }
    for (const api::PodTermMatcher& term : evaluation.pod.compiled->required_affinity) add(term.topology_key);
    for (const api::PodTermMatcher& term : evaluation.pod.compiled->required_anti_affinity) {
      add(term.topology_key);
      if (term.topology_key != hostname_key()) new_domain_keys_.insert(term.topology_key);
    }
    for (const Demand& demand : node_demands(*pod.spec)) {
      if (demand.op == "In" && is_place_key(demand.key)) add(demand.key, demand.values);
    }
    for (const PodClaim& claim : claims_of(cluster, pod)) add_claim(cluster, claim);
  }

  const std::map<Symbol, std::vector<Symbol>, SymbolTextLess>& values() const { return values_; }
  // A domain in which there is no node yet would do: of a spread constraint or an anti-affinity.
  bool may_be_new(Symbol key) const { return new_domain_keys_.contains(key); }

 private:
  void add(Symbol key, const std::vector<Symbol>& named = {}) {
    if (key == hostname_key() || key.empty()) return;
    std::vector<Symbol>& values = values_[key];
    for (const Symbol value : named) {
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  }
  void add_claim(const Cluster& cluster, const PodClaim& claim) {
    if (claim.claim == nullptr) return;
    const std::string& bound = claim.claim->spec.volume_name;
    if (const api::PersistentVolume* volume = cluster.objects.persistent_volumes.find(bound)) {
      for (const PlaceDemand& demand : place_demands(*volume)) add(demand.key, demand.values);
    }
    if (!claim.waits_for_pod()) return;
    for (const api::TopologySelectorTerm& term : claim.storage_class->allowed_topologies) {
      for (const auto& each : term.match_label_expressions) add(each.key, each.values);
    }
    cluster.objects.csi_storage_capacities.for_each([&](const auto& capacity) {
      if (capacity->storage_class_name != claim.class_name || !capacity->node_topology) return;
      for (const auto& [key, value] : capacity->node_topology->match_labels) add(key, {value});
    });
    for (const VolumePtr& volume : candidate_volumes(cluster, *claim.claim)) {
      for (const PlaceDemand& demand : place_demands(*volume)) add(demand.key, demand.values);
    }
  }

  std::map<Symbol, std::vector<Symbol>, SymbolTextLess> values_;
  std::set<Symbol, SymbolTextLess> new_domain_keys_;
};

std::string in_text(Symbol key, Symbol value) {
  if (key == zone_key() || is_place_key(key)) return "in " + place_text(key, {value});
  return fmt::format("with {}={}", key.text(), value.text());
}

bool is_well(const Cluster& cluster, cache::RowId row) {
  const api::Node& node = *cluster.cache.nodes().at(row).node;
  return !node.spec.unschedulable &&
         std::ranges::none_of(node.spec.taints, [](const api::Taint& taint) { return !node_state_of(taint).empty(); });
}

// The labels that a node of the pool would have in the other domain: the label itself, others that name the same zone
// (drivers have keys of their own), and the region of the nodes that are there.
std::vector<std::pair<Symbol, Symbol>> moved_labels(const Cluster& cluster, const api::Labels& model, Symbol key,
                                                    Symbol value) {
  std::vector<std::pair<Symbol, Symbol>> labels = {{key, value}};
  const Symbol* old = model.find(key);
  const cache::NodeTable& table = cluster.cache.nodes();
  const api::Labels* there = nullptr;
  for (const cache::RowId row : cluster.rows_by_name()) {
    const Symbol* found = table.at(row).labels().find(key);
    if (found == nullptr || *found != value) continue;
    there = &table.at(row).labels();
    break;
  }
  for (const auto& [other, other_value] : model) {
    if (other == key || !is_place_key(other)) continue;
    const Symbol* known = there == nullptr ? nullptr : there->find(other);
    if (known != nullptr) {
      labels.emplace_back(other, *known);
    } else if (old != nullptr && other_value == *old) {
      labels.emplace_back(other, value);
    }
  }
  return labels;
}

std::vector<NewPlace> places_of(const Cluster& cluster, const Pool& pool, const PlaceKeys& keys) {
  const cache::NodeTable& table = cluster.cache.nodes();
  std::vector<NewPlace> places;
  if (keys.values().empty()) {
    places.push_back({pool.model, {}, pool.name, ""});
    return places;
  }
  std::vector<NewPlace> elsewhere;
  for (const auto& [key, named] : keys.values()) {
    // Where the pool is already.
    std::set<Symbol, SymbolTextLess> own;
    for (const bool wants_well : {true, false}) {
      for (const cache::RowId row : pool.rows) {
        const Symbol* value = table.at(row).labels().find(key);
        if (value == nullptr || is_well(cluster, row) != wants_well || !own.insert(*value).second) continue;
        places.push_back({row, {}, pool.name, in_text(key, *value)});
      }
    }
    // Where others are, and what is named by a volume, a class or a selector. A pool whose nodes do not have the label
    // would not get it by being elsewhere.
    if (own.empty() && !is_place_key(key)) continue;
    std::vector<Symbol> values = named;
    for (const LabelValue& each : label_values(cluster, key)) {
      if (std::ranges::find(values, each.value) == values.end()) values.push_back(each.value);
    }
    const api::Labels& model = table.at(pool.model).labels();
    for (const Symbol value : values) {
      if (own.contains(value)) continue;
      elsewhere.push_back({pool.model, moved_labels(cluster, model, key, value), pool.name, in_text(key, value)});
    }
    if (keys.may_be_new(key)) {
      const Symbol fresh("a new domain");
      const std::string_view name = key == zone_key() ? "zone" : key.text();
      elsewhere.push_back(
          {pool.model, {{key, fresh}}, pool.name, fmt::format("in a {} where there is no node yet", name)});
    }
  }
  if (places.empty()) places.push_back({pool.model, {}, pool.name, ""});
  places.insert(places.end(), elsewhere.begin(), elsewhere.end());
  if (places.size() > kMaxPlaces) places.resize(kMaxPlaces);
  return places;
}

}  // namespace

std::vector<std::vector<NewPlace>> new_places(const Cluster& cluster, const Evaluation& evaluation) {
  const PlaceKeys keys(cluster, evaluation);
  std::vector<std::vector<NewPlace>> result;
  for (const Pool& pool : pools_of(cluster)) result.push_back(places_of(cluster, pool, keys));
  return result;
}

NewNode new_node_at(const Cluster& cluster, const NewPlace& place, std::size_t number) {
  const cache::NodeState& model = cluster.cache.nodes().at(place.model);
  NewNode result = new_node_like(cluster, model, number);
  if (!place.labels.empty()) {
    api::Node node = *result.node;
    api::Labels labels = *node.metadata.labels;
    for (const auto& [key, value] : place.labels) labels[key] = value;
    node.metadata.labels = std::move(labels);
    result.node = std::make_shared<const api::Node>(std::move(node));
  }
  if (const auto of_model = cluster.objects.csi_nodes.get(model.name.text())) {
    api::CsiNode csi_node = *of_model;
    csi_node.metadata.name = result.node->metadata.name;
    csi_node.metadata.uid.clear();
    result.csi_node = std::make_shared<const api::CsiNode>(std::move(csi_node));
  }
  return result;
}

}  // namespace berth::explain
