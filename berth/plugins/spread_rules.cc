#include "berth/plugins/spread_rules.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "berth/api/taint.h"

namespace berth::plugins {

namespace {

SpreadRule rule_of(const api::SpreadConstraint& constraint, api::LabelMatcher pods) {
  return {.topology_key = constraint.topology_key,
          .pods = std::move(pods),
          .max_skew = constraint.max_skew,
          .min_domains = constraint.min_domains,
          .honors_node_affinity = constraint.honors_node_affinity,
          .honors_node_taints = constraint.honors_node_taints};
}

void keep_allowed_by_affinity(const api::RequiredNodeAffinity& affinity, const cache::NodeTable& table, Bitset& rows) {
  if (affinity.empty()) return;
  rows.for_each([&](std::size_t row) {
    const cache::NodeState& node = table.at(static_cast<cache::RowId>(row));
    if (!affinity.matches(node.name.text(), node.labels())) rows.reset(row);
  });
}

void keep_tolerated(std::span<const api::Toleration> tolerations, bool comparison_operators,
                    const cache::NodeTable& table, Bitset& rows) {
  std::vector<bool> is_tolerated(table.taint_lists());
  for (std::uint32_t list = 0; list < is_tolerated.size(); ++list) {
    is_tolerated[list] =
        api::find_untolerated_taint(table.taint_list(list), tolerations, comparison_operators) == nullptr;
  }
  const std::vector<std::uint32_t>& taints = table.columns().taints;
  rows.for_each([&](std::size_t row) {
    if (!is_tolerated[taints[row]]) rows.reset(row);
  });
}

}  // namespace

Result<SpreadRules> SpreadRules::of(const framework::PodToPlace& pod, Action action, const SpreadOptions& options,
                                    const cache::ClusterObjects& objects) {
  SpreadRules spread;
  spread.are_own = !pod.compiled->spread_constraints.empty();
  if (spread.are_own) {
    for (const api::SpreadConstraint& constraint : pod.compiled->spread_constraints) {
      if (constraint.action != action) continue;
      if (constraint.selector_error) return fail(*constraint.selector_error);
      spread.rules.push_back(rule_of(
          constraint, options.match_label_keys ? constraint.selector_for(*pod->metadata.labels) : constraint.pods));
    }
    return spread;
  }
  const auto has_action = [action](const api::SpreadConstraint& each) { return each.action == action; };
  if (std::ranges::none_of(options.default_constraints, has_action)) return spread;
  spread.group.emplace(pod.pod, objects);
  if (spread.group->selector().is_everything()) return spread;
  for (const api::SpreadConstraint& constraint : options.default_constraints) {
    if (has_action(constraint)) spread.rules.push_back(rule_of(constraint, spread.group->selector()));
  }
  return spread;
}

bool SpreadRules::honor_node_taints() const {
  return std::ranges::any_of(rules, &SpreadRule::honors_node_taints);
}

Bitset rows_with_all_keys(const SpreadRules& spread, const cache::NodeTable& table) {
  Bitset rows = table.nodes();
  for (const SpreadRule& rule : spread.rules) {
    const std::span<const cache::DomainId> domains = table.topology(rule.topology_key).by_row();
    rows.for_each([&](std::size_t row) {
      if (domains[row] == cache::kNoDomain) rows.reset(row);
    });
  }
  return rows;
}

std::vector<Bitset> included_rows(const SpreadRules& spread, const framework::PodToPlace& pod, const Bitset& rows,
                                  const cache::NodeTable& table, const SpreadOptions& options) {
  std::array<std::optional<Bitset>, 4> by_policies;
  std::vector<Bitset> included;
  for (const SpreadRule& rule : spread.rules) {
    std::optional<Bitset>& of_policies =
        by_policies[(rule.honors_node_affinity ? 1u : 0u) + (rule.honors_node_taints ? 2u : 0u)];
    if (!of_policies) {
      of_policies = rows;
      if (rule.honors_node_affinity) {
        keep_allowed_by_affinity(pod.compiled->required_node_affinity, table, *of_policies);
      }
      if (rule.honors_node_taints) {
        keep_tolerated(pod->spec->tolerations, options.comparison_operators, table, *of_policies);
      }
    }
    included.push_back(*of_policies);
  }
  return included;
}

bool is_worthless_after(const cache::Change& change, bool honor_node_taints) {
  using enum cache::Change::Kind;
  switch (change.kind) {
    case kPodAdded:
    case kPodRemoved:
    case kNodeCapacity:
    case kNodeOther: return false;
    case kNodeTaints: return honor_node_taints;
    case kNodeAdded:
    case kNodeRemoved:
    case kNodeLabels: return true;
  }
  return true;
}

}  // namespace berth::plugins
