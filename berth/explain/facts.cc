#include "berth/explain/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "berth/api/taint.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/spread_rules.h"

namespace berth::explain {

// --- Resources -----------------------------------------------------------------------------------------------------

std::vector<Shortage> shortages(const Evaluation& evaluation, const cache::NodeState& node,
                                const FailingFilter& resources_fit) {
  static const Symbol cpu("cpu"), memory("memory"), ephemeral("ephemeral-storage"), pods("pods");
  const auto is_short = [&](Symbol resource) {
    const framework::Reason reason = resource == pods
                                         ? framework::Reason(framework::ReasonCode::kTooManyPods)
                                         : framework::Reason(framework::ReasonCode::kInsufficientResource, resource);
    return std::ranges::find(resources_fit.reasons, reason) != resources_fit.reasons.end();
  };
  std::vector<Shortage> result;
  const auto add = [&](Symbol resource, std::int64_t needed, std::int64_t allocatable, std::int64_t requested) {
    if (!is_short(resource)) return;
    const Shortage::Kind kind = allocatable <= 0       ? Shortage::Kind::kNone
                                : needed > allocatable ? Shortage::Kind::kTooSmall
                                                       : Shortage::Kind::kTaken;
    result.push_back({resource, needed, allocatable, allocatable - requested, kind});
  };
  const api::ResourceVector& needed = evaluation.pod.compiled->usage.requested;
  const api::ResourceVector& has = node.allocatable;
  const api::ResourceVector& used = node.requested;
  add(cpu, needed.milli_cpu, has.milli_cpu, used.milli_cpu);
  add(memory, needed.memory, has.memory, used.memory);
  add(ephemeral, needed.ephemeral_storage, has.ephemeral_storage, used.ephemeral_storage);
  for (const auto& [resource, amount] : needed.scalars) {
    const auto in = [name = resource](const api::ResourceVector& vector) {
      const std::int64_t* found = vector.scalars.find(name);
      return found != nullptr ? *found : 0;
    };
    add(resource, amount, in(has), in(used));
  }
  add(pods, 1, has.allowed_pods, static_cast<std::int64_t>(node.pods.size()));
  return result;
}

// --- Node selectors and affinity -----------------------------------------------------------------------------------

std::vector<Demand> node_demands(const api::PodTemplate& pod) {
  using Op = api::LabelRequirement::Op;
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"In", Op::kIn},      {"NotIn", Op::kNotIn}, {"Exists", Op::kExists}, {"DoesNotExist", Op::kDoesNotExist},
      {"Gt", Op::kGreater}, {"Lt", Op::kLess}};
  std::vector<Demand> demands;
  const auto add = [&](std::optional<std::size_t> expression, Symbol key, Symbol op, std::vector<Symbol> values) {
    const auto found = std::ranges::find(kOps, op.text(), &std::pair<std::string_view, Op>::first);
    if (found == std::end(kOps)) return;
    std::vector<std::string> errors;
    auto compiled = api::LabelRequirement::compile(key, found->second, values, "", errors);
    if (!errors.empty()) return;
    std::string text = requirement_text(key.text(), op.text(), values);
    demands.push_back({expression, key, op, std::move(values), std::move(compiled), std::move(text)});
  };
  for (const auto& [key, value] : pod.node_selector) add(std::nullopt, key, Symbol("In"), {value});
  if (!pod.affinity || !pod.affinity->node_affinity || !pod.affinity->node_affinity->required) return demands;
  const auto& terms = pod.affinity->node_affinity->required->node_selector_terms;
  if (terms.size() != 1) return demands;
  for (std::size_t i = 0; i < terms[0].match_expressions.size(); ++i) {
    const api::NodeSelectorRequirement& each = terms[0].match_expressions[i];
    add(i, each.key, each.op, each.values);
  }
  return demands;
}

std::vector<LabelValue> label_values(const Cluster& cluster, Symbol key) {
  std::map<Symbol, std::size_t, SymbolTextLess> counts;
  const cache::NodeTable& table = cluster.cache.nodes();
  table.nodes().for_each([&](std::size_t row) {
    const Symbol* value = table.at(static_cast<cache::RowId>(row)).labels().find(key);
    if (value != nullptr) ++counts[*value];
  });
  std::vector<LabelValue> values;
  for (const auto& [value, nodes] : counts) values.push_back({value, nodes});
  sort_stably(values, std::ranges::greater(), &LabelValue::nodes);
  return values;
}

std::vector<Symbol> label_keys(const Cluster& cluster) {
  std::vector<Symbol> keys;
  const cache::NodeTable& table = cluster.cache.nodes();
  table.nodes().for_each([&](std::size_t row) {
    for (const auto& [key, value] : table.at(static_cast<cache::RowId>(row)).labels()) {
      const auto at = std::lower_bound(keys.begin(), keys.end(), key, SymbolTextLess());
      if (at == keys.end() || *at != key) keys.insert(at, key);
    }
  });
  return keys;
}

// --- Taints --------------------------------------------------------------------------------------------------------

std::vector<api::Taint> untolerated_taints(const api::Pod& pod, const api::Node& node) {
  std::vector<api::Taint> result;
  for (const api::Taint& taint : node.spec.taints) {
    if (api::keeps_pods_off(taint) && !api::tolerates(pod.spec->tolerations, taint)) result.push_back(taint);
  }
  return result;
}

// --- Other pods ----------------------------------------------------------------------------------------------------

PortConflict port_conflict(const Evaluation& evaluation, const cache::NodeState& node) {
  PortConflict conflict;
  for (const cache::PlacedPod& placed : node.pods) {
    for (const api::HostPort& wanted : evaluation.pod.compiled->host_ports) {
      const bool holds = std::ranges::any_of(placed.compiled->host_ports,
                                             [&](const api::HostPort& held) { return conflicts(wanted, held); });
      if (!holds) continue;
      if (conflict.port == 0) conflict.port = wanted.port;
      conflict.holders.push_back({placed.pod, node.name.str()});
      break;
    }
  }
  return conflict;
}

// --- Topology spread -----------------------------------------------------------------------------------------------

std::vector<SpreadState> spread_states(const Cluster& cluster, const Evaluation& evaluation) {
  using Action = api::SpreadConstraint::Action;
  const cache::NodeTable& table = cluster.cache.nodes();
  const plugins::SpreadOptions options;
  const auto spread = plugins::SpreadRules::of(evaluation.pod, Action::kDoNotSchedule, options, cluster.objects);
  if (!spread || spread->rules.empty() || !spread->are_own) return {};
  const Bitset with_keys = plugins::rows_with_all_keys(*spread, table);
  const std::vector<Bitset> included = plugins::included_rows(*spread, evaluation.pod, with_keys, table, options);

  std::vector<SpreadState> states;
  const auto& constraints = evaluation.pod.compiled->spread_constraints;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (constraints[c].action != Action::kDoNotSchedule) continue;
    const plugins::SpreadRule& rule = spread->rules[states.size()];
    const Bitset& rows = included[states.size()];
    SpreadState& state = states.emplace_back();
    state.constraint = c;
    state.topology_key = rule.topology_key;
    state.max_skew = rule.max_skew;
    state.min_domains = rule.min_domains;
    state.counts_itself = rule.pods.matches(*evaluation.pod->metadata.labels);
    const cache::TopologyColumn& domains = table.topology(rule.topology_key);
    const auto count_of = [&](std::size_t row) -> std::int64_t& {
      return state.counts[domains.value(domains.domain_of(static_cast<cache::RowId>(row))).str()];
    };
    rows.for_each([&](std::size_t row) { count_of(row); });
    table.for_each_class_in(evaluation.pod->metadata.name_space, [&](const cache::PodClass& pod_class) {
      if (!rule.counts(pod_class)) return;
      rows.for_each([&](std::size_t row) {
        const auto on_row = pod_class.pods_on_row.find(static_cast<cache::RowId>(row));
        if (on_row != pod_class.pods_on_row.end()) count_of(row) += on_row->second;
      });
    });
    if (std::ssize(state.counts) >= rule.min_domains && !state.counts.empty()) {
      state.least = std::numeric_limits<std::int64_t>::max();
      for (const auto& [domain, count] : state.counts) state.least = std::min(state.least, count);
    }
  }
  return states;
}

std::optional<std::int64_t> SpreadState::skew_on(const cache::NodeState& node) const {
  const Symbol* value = node.labels().find(topology_key);
  if (value == nullptr) return std::nullopt;
  const auto it = counts.find(value->str());
  return (it == counts.end() ? 0 : it->second) + (counts_itself ? 1 : 0) - least;
}

}  // namespace berth::explain
