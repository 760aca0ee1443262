#include "berth/validation/scheduling_rules.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "berth/api/names.h"
#include "berth/base/nearest_name.h"
#include "berth/validation/validate.h"

namespace berth::validation {

namespace {

constexpr std::array<std::string_view, 4> kSelectorOperators = {"In", "NotIn", "Exists", "DoesNotExist"};
constexpr std::array<std::string_view, 6> kNodeSelectorOperators = {"In",           "NotIn", "Exists",
                                                                    "DoesNotExist", "Gt",    "Lt"};

Error not_an_operator(const Path& path, Symbol op, std::span<const std::string_view> known) {
  Error error = config::invalid(path, config::show(op), "not a valid selector operator");
  const std::string_view meant = nearest_name(op.text(), known);
  return meant.empty() ? error : std::move(error).with_fix(fmt::format("did you mean {}?", meant));
}

// `values` of an operator that takes a set, or none; false if the operator is neither.
bool check_values_of_set(Symbol op, const std::vector<Symbol>& values, const Path& path, Errors& errors) {
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.push_back(config::required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
    }
    return true;
  }
  if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.push_back(config::forbidden(path.child("values"),
                                         "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
    return true;
  }
  return false;
}

void check_node_term(const api::NodeSelectorTerm& term, const Path& path, Errors& errors) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const api::NodeSelectorRequirement& each = term.match_expressions[i];
    const Path at = path.child("matchExpressions").index(i);
    if (each.op == "Gt" || each.op == "Lt") {
      if (each.values.size() != 1) {
        errors.push_back(
            config::required(at.child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
    } else if (!check_values_of_set(each.op, each.values, at, errors)) {
      errors.push_back(not_an_operator(at.child("operator"), each.op, kNodeSelectorOperators));
    }
    check_label_key(each.key.text(), at.child("key"), errors);
  }
}

void check_weight(std::int32_t weight, const Path& path, Errors& errors) {
  if (weight < 1 || weight > 100) {
    errors.push_back(config::invalid(path.child("weight"), config::show(weight), "must be in the range 1-100"));
  }
}

void check_topology_key(Symbol key, const Path& path, Errors& errors) {
  if (key.empty()) {
    errors.push_back(config::required(path.child("topologyKey"), "can not be empty"));
  } else {
    check_label_key(key.text(), path.child("topologyKey"), errors);
  }
}

void check_selector_of(const std::optional<api::LabelSelector>& selector, const Path& path, Errors& errors) {
  if (selector) check_label_selector(*selector, path, errors);
}

void check_pod_term(const api::PodAffinityTerm& term, const Path& path, Errors& errors) {
  check_selector_of(term.label_selector, path.child("labelSelector"), errors);
  check_selector_of(term.namespace_selector, path.child("namespaceSelector"), errors);
  for (std::size_t i = 0; i < term.namespaces.size(); ++i) {
    check_dns_label(term.namespaces[i].text(), path.child("namespaces").index(i), errors);
  }
  check_topology_key(term.topology_key, path, errors);
}

void check_pod_affinity(const std::optional<api::PodAffinity>& affinity, const Path& path, Errors& errors) {
  if (!affinity) return;
  for (std::size_t i = 0; i < affinity->required.size(); ++i) {
    check_pod_term(affinity->required[i], path.child("requiredDuringSchedulingIgnoredDuringExecution").index(i),
                   errors);
  }
  for (std::size_t i = 0; i < affinity->preferred.size(); ++i) {
    const Path at = path.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
    check_weight(affinity->preferred[i].weight, at, errors);
    check_pod_term(affinity->preferred[i].pod_affinity_term, at.child("podAffinityTerm"), errors);
  }
}

void check_toleration(const api::Toleration& toleration, const Path& path, Errors& errors) {
  if (!toleration.key.empty()) check_label_key(toleration.key.text(), path.child("key"), errors);
  if (toleration.key.empty() && toleration.op != "Exists") {
    errors.push_back(config::invalid(path.child("operator"), config::show(toleration.op),
                                     "operator must be Exists when `key` is empty, which means \"match all values and "
                                     "all keys\""));
  }
  if (toleration.toleration_seconds && toleration.effect != "NoExecute") {
    errors.push_back(config::invalid(path.child("effect"), config::show(toleration.effect),
                                     "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (toleration.op == "Exists" && !toleration.value.empty()) {
    errors.push_back(config::invalid(path.child("operator"), config::show(toleration.value),
                                     "value must be empty when `operator` is 'Exists'"));
  }
  if (toleration.op.empty() || toleration.op == "Equal") {
    for (const std::string& what : api::label_value_errors(toleration.value.text())) {
      errors.push_back(config::invalid(path.child("operator"), config::show(toleration.value), what));
    }
  }
  // Gt and Lt are behind a feature gate; who writes them knows.
  check_choice(toleration.op, {"Equal", "Exists", "Gt", "Lt"}, path.child("operator"), errors);
  check_choice(toleration.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, path.child("effect"), errors);
}

}  // namespace

void check_label_selector(const api::LabelSelector& selector, const Path& path, Errors& errors) {
  check_labels(selector.match_labels, path.child("matchLabels"), errors);
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const api::LabelSelectorRequirement& each = selector.match_expressions[i];
    const Path at = path.child("matchExpressions").index(i);
    if (!check_values_of_set(each.op, each.values, at, errors)) {
      errors.push_back(not_an_operator(at.child("operator"), each.op, kSelectorOperators));
    }
    check_label_key(each.key.text(), at.child("key"), errors);
    for (std::size_t k = 0; k < each.values.size(); ++k) {
      for (const std::string& what : api::label_value_errors(each.values[k].text())) {
        errors.push_back(config::invalid(at.child("values").index(k), config::show(each.values[k].text()), what));
      }
    }
  }
}

void check_affinity(const api::Affinity& affinity, const Path& path, Errors& errors) {
  if (const auto& node = affinity.node_affinity) {
    const Path at = path.child("nodeAffinity");
    if (node->required) {
      const Path terms = at.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
      if (node->required->node_selector_terms.empty()) {
        errors.push_back(config::required(terms, "must have at least one node selector term"));
      }
      for (std::size_t i = 0; i < node->required->node_selector_terms.size(); ++i) {
        check_node_term(node->required->node_selector_terms[i], terms.index(i), errors);
      }
    }
    for (std::size_t i = 0; i < node->preferred.size(); ++i) {
      const Path term = at.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
      check_weight(node->preferred[i].weight, term, errors);
      check_node_term(node->preferred[i].preference, term.child("preference"), errors);
    }
  }
  check_pod_affinity(affinity.pod_affinity, path.child("podAffinity"), errors);
  check_pod_affinity(affinity.pod_anti_affinity, path.child("podAntiAffinity"), errors);
}

void check_tolerations(const std::vector<api::Toleration>& tolerations, const Path& path, Errors& errors) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) check_toleration(tolerations[i], path.index(i), errors);
}

void check_spread(const std::vector<api::TopologySpreadConstraint>& constraints, const Path& path, Errors& errors) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const api::TopologySpreadConstraint& each = constraints[i];
    const Path at = path.index(i);
    check_at_least(1, std::int64_t{each.max_skew}, at.child("maxSkew"), errors);
    check_topology_key(each.topology_key, at, errors);
    if (each.when_unsatisfiable.empty()) {
      errors.push_back(config::required(at.child("whenUnsatisfiable"), "DoNotSchedule or ScheduleAnyway"));
    }
    check_choice(each.when_unsatisfiable, {"DoNotSchedule", "ScheduleAnyway"}, at.child("whenUnsatisfiable"), errors);
    check_at_least(1, each.min_domains, at.child("minDomains"), errors);
    if (each.min_domains && each.when_unsatisfiable == "ScheduleAnyway") {
      errors.push_back(
          config::invalid(at.child("minDomains"), config::show(*each.min_domains),
                          "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"));
    }
    check_choice(each.node_affinity_policy, {"Honor", "Ignore"}, at.child("nodeAffinityPolicy"), errors);
    check_choice(each.node_taints_policy, {"Honor", "Ignore"}, at.child("nodeTaintsPolicy"), errors);
    check_selector_of(each.label_selector, at.child("labelSelector"), errors);
    for (std::size_t k = 0; k < i; ++k) {
      const bool is_same = constraints[k].topology_key == each.topology_key &&
                           constraints[k].when_unsatisfiable == each.when_unsatisfiable;
      if (is_same) {
        const std::string both = fmt::format("{{{}, {}}}", each.topology_key.text(), each.when_unsatisfiable.text());
        errors.push_back(config::duplicate(at.child("{topologyKey, whenUnsatisfiable}"), config::show(both)));
      }
    }
  }
}

}  // namespace berth::validation
