// The least node that would take the pod, made up from what the pod demands: for pods that no pool of the cluster has a
// node for. "add a node with at least 48 cpu and 512Gi memory free and disktype=ssd".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "berth/explain/help_search.h"
#include "berth/plugins/names.h"
#include "berth/plugins/node_volume_limits.h"

namespace berth::explain {

namespace {

// How many combinations of topology domains are tried for the new node.
constexpr std::size_t kMaxVariants = 64;
// How many values of one topology key.
constexpr std::size_t kMaxValues = 8;

// How many corrections of the pod's affinity are tried with a new node.
constexpr std::size_t kMaxCorrections = 3;

constexpr std::string_view kHostname = "kubernetes.io/hostname";

using LabelMap = std::map<Symbol, Symbol, SymbolTextLess>;

struct Wanted {
  LabelMap labels;
  std::optional<std::string> name;  // if only a node of that name will do
  bool is_possible = true;

  void set(Symbol key, Symbol value) {
    const auto [it, is_new] = labels.try_emplace(key, value);
    // Two demands that no node meets both.
    if (!is_new && it->second != value) is_possible = false;
  }

  void meet(const api::NodeSelectorRequirement& demand) {
    if (demand.op == "Exists") {
      labels.try_emplace(demand.key, Symbol("true"));
    } else if (demand.op == "In" && !demand.values.empty()) {
      const auto known = labels.find(demand.key);
      const bool is_met =
          known != labels.end() && std::ranges::find(demand.values, known->second) != demand.values.end();
      if (!is_met) set(demand.key, demand.values[0]);
    } else if ((demand.op == "Gt" || demand.op == "Lt") && demand.values.size() == 1) {
      const long long bound = std::atoll(demand.values[0].str().c_str());
      set(demand.key, Symbol(std::to_string(demand.op == "Gt" ? bound + 1 : bound - 1)));
    }
  }

  void meet(const api::NodeSelectorTerm& term) {
    for (const api::NodeSelectorRequirement& each : term.match_expressions) meet(each);
    for (const api::NodeSelectorRequirement& each : term.match_fields) {
      if (each.key == "metadata.name" && each.op == "In" && !each.values.empty()) name = each.values[0].str();
    }
  }
};

// What the pod's selector and affinity and its bound volumes ask of a node.
Wanted wanted_of(const HelpSearch& search, const api::PodTemplate& spec) {
  Wanted wanted;
  for (const auto& [key, value] : spec.node_selector) wanted.set(key, value);
  if (spec.affinity && spec.affinity->node_affinity && spec.affinity->node_affinity->required) {
    const auto& terms = spec.affinity->node_affinity->required->node_selector_terms;
    if (!terms.empty()) wanted.meet(terms.front());
  }
  for (const api::Volume& volume : spec.volumes) {
    if (!volume.source.persistent_volume_claim) continue;
    const api::PersistentVolumeClaim* claim = search.cluster.objects.persistent_volume_claims.find(
        search.pod().metadata.name_space, volume.source.persistent_volume_claim->claim_name);
    if (claim == nullptr || claim->spec.volume_name.empty()) continue;
    const api::PersistentVolume* bound = search.cluster.objects.persistent_volumes.find(claim->spec.volume_name);
    if (bound == nullptr) continue;
    const std::optional<api::VolumeNodeAffinity>& affinity = *bound->spec.node_affinity;
    if (affinity && affinity->required && !affinity->required->node_selector_terms.empty()) {
      wanted.meet(affinity->required->node_selector_terms.front());
    }
    for (const std::string_view key : {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
      const Symbol* zone = bound->metadata.labels->find(Symbol(key));
      if (zone != nullptr)
        wanted.labels.try_emplace(Symbol(key), Symbol(zone->text().substr(0, zone->text().find("__"))));
    }
  }
  return wanted;
}

// Topology keys by which other pods decide whether the node will do.
std::set<Symbol, SymbolTextLess> topology_keys(HelpSearch& search, const api::CompiledPod& pod) {
  std::set<Symbol, SymbolTextLess> keys;
  for (const auto& term : pod.required_affinity) keys.insert(term.topology_key);
  for (const auto& term : pod.required_anti_affinity) keys.insert(term.topology_key);
  for (const auto& each : pod.spread_constraints) keys.insert(each.topology_key);
  for (const Symbol key : search.neighbourhood().keys_of_others()) keys.insert(key);
  return keys;
}

api::NodePtr make_node(const HelpSearch& search, const std::string& name, const LabelMap& wanted) {
  api::Node node;
  node.metadata.name = name;
  api::Labels labels;
  labels[Symbol(kHostname)] = Symbol(name);
  for (const auto& [key, value] : wanted) labels[key] = value;
  node.metadata.labels = std::move(labels);
  const api::ResourceVector& needed = search.evaluation.pod.compiled->usage.requested;
  api::ResourceList& has = node.status.allocatable;
  constexpr auto kBytes = api::Quantity::Format::kBinarySI;
  has[Symbol("cpu")] = api::Quantity::from_milli(needed.milli_cpu);
  has[Symbol("memory")] = api::Quantity::from_units(needed.memory, kBytes);
  has[Symbol("ephemeral-storage")] = api::Quantity::from_units(needed.ephemeral_storage, kBytes);
  has[Symbol("pods")] = api::Quantity::from_units(1, api::Quantity::Format::kDecimalSI);
  for (const auto& [resource, amount] : needed.scalars) {
    has[resource] = api::Quantity::from_units(
        amount, api::is_huge_page_resource(resource) ? kBytes : api::Quantity::Format::kDecimalSI);
  }
  node.status.capacity = has;
  return std::make_shared<const api::Node>(std::move(node));
}

// Drivers whose limit of attached volumes keeps the pod off nodes: a new node has to have room for more.
std::vector<std::string> drivers_at_their_limit(const HelpSearch& search) {
  constexpr std::size_t kMaxNodes = 8;  // nodes of one cluster hardly ever differ in their drivers
  std::set<std::string> drivers;
  std::size_t looked_at = 0;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    const bool is_at_limit = std::ranges::any_of(
        finding.failing, [](const FailingFilter& each) { return each.plugin == plugins::name::kNodeVolumeLimits; });
    if (!is_at_limit) continue;
    if (++looked_at > kMaxNodes) break;
    for (const plugins::VolumeLimit& limit :
         plugins::exceeded_volume_limits(search.pod(), search.node(finding.row), search.cluster.objects)) {
      drivers.insert(limit.driver.str());
    }
  }
  return {drivers.begin(), drivers.end()};
}

std::string text_of(const HelpSearch& search, const Wanted& wanted, const LabelMap& labels,
                    const std::set<Symbol, SymbolTextLess>& fresh) {
  const api::ResourceVector& needed = search.evaluation.pod.compiled->usage.requested;
  std::vector<std::string> amounts, other;
  const auto add = [&](std::string_view resource, std::int64_t value) {
    if (value > 0) amounts.push_back(amount_of(Symbol(resource), value, Round::kUp));
  };
  add("cpu", needed.milli_cpu);
  add("memory", needed.memory);
  add("ephemeral-storage", needed.ephemeral_storage);
  for (const auto& [resource, amount] : needed.scalars) add(resource.text(), amount);
  for (const auto& [key, value] : labels) {
    if (key == kHostname) continue;
    other.push_back(fresh.contains(key) ? fmt::format("a {} of its own", key.text())
                                        : fmt::format("{}={}", key.text(), value.text()));
  }
  std::string text = "add a node";
  if (wanted.name) text += " of the name " + *wanted.name;
  if (!amounts.empty()) text += fmt::format(" with at least {} free", listed(amounts));
  if (!other.empty()) text += fmt::format("{} with {}", amounts.empty() ? "" : " and", listed(other));
  if (const auto drivers = drivers_at_their_limit(search); !drivers.empty()) {
    text += fmt::format(" that can attach another volume of {}", listed(drivers));
  }
  return text;
}

// With `first` taken, which changes the pod; nothing may be.
bool describe_after(HelpSearch& search, const std::optional<Step>& first) {
  const api::PodPtr pod = first ? changed_pod(search.pod(), first->pod) : search.evaluation.pod.pod;
  const auto compiled = search.cluster.cache.compile(*pod);
  Wanted wanted = wanted_of(search, *pod->spec);
  const cache::NodeTable& table = search.cluster.cache.nodes();
  std::string name = wanted.name.value_or("new-node");
  // The node that it has to be is there already.
  if (wanted.name && table.row_of(Symbol(name)) != cache::kNoRow) return false;
  while (table.row_of(Symbol(name)) != cache::kNoRow) name += "-1";
  if (const auto it = wanted.labels.find(Symbol(kHostname)); it != wanted.labels.end()) {
    for (const LabelValue& each : label_values(search.cluster, it->first)) {
      if (each.value == it->second) return false;
    }
  }
  if (!wanted.is_possible) return false;

  // Other pods may leave only some domains: each is tried, and one that there is not yet.
  std::vector<std::pair<Symbol, std::vector<Symbol>>> choices;
  for (const Symbol key : topology_keys(search, *compiled)) {
    if (key == kHostname || wanted.labels.contains(key)) continue;
    std::vector<Symbol> values;
    for (const LabelValue& each : label_values(search.cluster, key)) {
      if (values.size() < kMaxValues) values.push_back(each.value);
    }
    values.emplace_back("new");
    choices.emplace_back(key, std::move(values));
  }
  std::size_t variants = 1;
  for (const auto& [key, values] : choices) variants *= values.size();
  for (std::size_t variant = 0; variant < std::min(variants, kMaxVariants); ++variant) {
    LabelMap labels = wanted.labels;
    std::set<Symbol, SymbolTextLess> fresh;
    std::size_t rest = variant;
    for (const auto& [key, values] : choices) {
      const Symbol value = values[rest % values.size()];
      rest /= values.size();
      labels[key] = value;
      if (value == values.back()) fresh.insert(key);
    }
    std::vector<Step> steps;
    if (first) steps.push_back(*first);
    steps.push_back({.kind = "node", .text = text_of(search, wanted, labels, fresh)});
    steps.back().new_nodes.push_back(make_node(search, name, labels));
    if (!search.fits_on(name, steps)) continue;
    search.say(steps, "", "it fits there");
    return true;
  }
  return false;
}

}  // namespace

void describe_node(HelpSearch& search) {
  if (describe_after(search, std::nullopt)) return;
  const std::vector<Step> steps = affinity_steps(search);
  // The last one does without the affinity, and is tried in any case.
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i < kMaxCorrections || i + 1 == steps.size()) {
      if (describe_after(search, steps[i])) return;
    }
  }
}

}  // namespace berth::explain
