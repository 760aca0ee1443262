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
    const std::string reason = resource == pods ? "Too many pods" : "Insufficient " + resource.str();
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

std::string_view node_state_of(const api::Taint& taint) {
  static constexpr std::pair<std::string_view, std::string_view> kStates[] = {
      {"node.kubernetes.io/not-ready", "not ready"},
      {"node.kubernetes.io/unreachable", "unreachable"},
      {"node.kubernetes.io/unschedulable", "cordoned"},
      {"node.kubernetes.io/memory-pressure", "under memory pressure"},
      {"node.kubernetes.io/disk-pressure", "under disk pressure"},
      {"node.kubernetes.io/pid-pressure", "under PID pressure"},
      {"node.kubernetes.io/network-unavailable", "without network"},
      {"node.kubernetes.io/out-of-service", "out of service"},
      {"node.cloudprovider.kubernetes.io/uninitialized", "not initialised by the cloud provider yet"},
      {"node.cloudprovider.kubernetes.io/shutdown", "shut down"},
  };
  const auto found =
      std::ranges::find(kStates, taint.key.text(), &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kStates) ? std::string_view() : found->second;
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

namespace {

const api::Labels& namespace_labels(const Cluster& cluster, Symbol name_space) {
  static const api::Labels kNone;
  const api::Labels* labels = cluster.objects.namespace_labels(name_space);
  return labels != nullptr ? *labels : kNone;
}

// Calls fn(const PlacedPod&, const NodeState&) for each pod on a node of the same domain, by name of node.
template <typename Fn>
void for_each_pod_in_domain(const Cluster& cluster, Symbol topology_key, cache::RowId row, Fn&& fn) {
  const cache::TopologyColumn& domains = cluster.cache.nodes().topology(topology_key);
  const cache::DomainId domain = domains.domain_of(row);
  if (domain == cache::kNoDomain) return;
  for (const cache::RowId other : cluster.rows_by_name()) {
    if (domains.domain_of(other) != domain) continue;
    const cache::NodeState& node = cluster.cache.nodes().at(other);
    for (const cache::PlacedPod& placed : node.pods) fn(placed, node);
  }
}

}  // namespace

std::vector<Neighbour> avoided_pods(const Cluster& cluster, const Evaluation& evaluation, cache::RowId row) {
  std::vector<Neighbour> result;
  const Symbol name_space = evaluation.pod->metadata.name_space;
  for (const api::PodTermMatcher& term : evaluation.pod.compiled->required_anti_affinity) {
    for_each_pod_in_domain(cluster, term.topology_key, row,
                           [&](const cache::PlacedPod& placed, const cache::NodeState& node) {
                             const api::Labels& labels = namespace_labels(cluster, placed.pod->metadata.name_space);
                             if (!term.matches(name_space, *placed.pod, labels)) return;
                             result.push_back({placed.pod, node.name.str()});
                           });
  }
  return result;
}

std::vector<Neighbour> avoiding_pods(const Cluster& cluster, const Evaluation& evaluation, cache::RowId row) {
  std::vector<Neighbour> result;
  const api::Pod& pod = *evaluation.pod;
  const api::Labels& own_namespace = namespace_labels(cluster, pod.metadata.name_space);
  for (const cache::RowId other : cluster.rows_by_name()) {
    const cache::NodeState& node = cluster.cache.nodes().at(other);
    for (const cache::PlacedPod& placed : node.pods) {
      const bool avoids =
          std::ranges::any_of(placed.compiled->required_anti_affinity, [&](const api::PodTermMatcher& term) {
            const cache::TopologyColumn& domains = cluster.cache.nodes().topology(term.topology_key);
            return domains.domain_of(row) != cache::kNoDomain && domains.domain_of(row) == domains.domain_of(other) &&
                   term.matches(placed.pod->metadata.name_space, pod, own_namespace);
          });
      if (avoids) result.push_back({placed.pod, node.name.str()});
    }
  }
  return result;
}

std::vector<std::size_t> unmet_affinity_terms(const Cluster& cluster, const Evaluation& evaluation, cache::RowId row) {
  std::vector<std::size_t> result;
  const Symbol name_space = evaluation.pod->metadata.name_space;
  const auto& terms = evaluation.pod.compiled->required_affinity;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    bool is_met = false;
    for_each_pod_in_domain(cluster, terms[i].topology_key, row,
                           [&](const cache::PlacedPod& placed, const cache::NodeState&) {
                             const api::Labels& labels = namespace_labels(cluster, placed.pod->metadata.name_space);
                             is_met = is_met || terms[i].matches(name_space, *placed.pod, labels);
                           });
    if (!is_met) result.push_back(i);
  }
  return result;
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
    state.counts_itself = rule.pods.matches(*evaluation.pod->metadata.labels);
    const cache::TopologyColumn& domains = table.topology(rule.topology_key);
    const auto count_of = [&](std::size_t row) -> std::int64_t& {
      return state.counts[domains.value(domains.domain_of(static_cast<cache::RowId>(row))).str()];
    };
    rows.for_each([&](std::size_t row) { count_of(row); });
    table.for_each_cohort_in(evaluation.pod->metadata.name_space, [&](const cache::Cohort& cohort) {
      if (!rule.counts(cohort)) return;
      rows.for_each([&](std::size_t row) {
        const auto on_row = cohort.pods_on_row.find(static_cast<cache::RowId>(row));
        if (on_row != cohort.pods_on_row.end()) count_of(row) += on_row->second;
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
