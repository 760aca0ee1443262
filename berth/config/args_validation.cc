#include "berth/config/args_validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>

#include "berth/config/document.h"
#include "berth/config/json_reader.h"
#include "berth/config/names.h"

namespace berth::config {

namespace {

constexpr std::int32_t kMaxShapeScore = 10;
constexpr std::int64_t kMaxResourceWeight = 100;

std::string show(const std::vector<UtilizationShapePoint>& shape) {
  std::string out;
  for (const UtilizationShapePoint& point : shape) {
    fmt::format_to(std::back_inserter(out), "{}{{\"Utilization\":{},\"Score\":{}}}", out.empty() ? "" : ",",
                   point.utilization, point.score);
  }
  return "[" + out + "]";
}

void check_label_name(const Path& path, std::string_view name, ErrorList& errors) {
  for (const std::string& problem : check_label_key(name)) errors.add(invalid(path, config::show(name), problem));
}

void check_shape(const Path& path, const std::vector<UtilizationShapePoint>& shape, ErrorList& errors) {
  if (shape.empty()) {
    errors.add(required(path, "at least one point must be specified"));
    return;
  }
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    errors.add(invalid(path.index(i).child("utilization"), config::show(shape[i].utilization),
                       "values must be sorted in increasing order"));
    break;
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const UtilizationShapePoint& point = shape[i];
    if (point.utilization < 0 || point.utilization > 100) {
      errors.add(
          invalid(path.index(i).child("utilization"), config::show(point.utilization), "not in valid range [0, 100]"));
    }
    if (point.score < 0 || point.score > kMaxShapeScore) {
      errors.add(invalid(path.index(i).child("score"), config::show(point.score),
                         fmt::format("not in valid range [0, {}]", kMaxShapeScore)));
    }
  }
}

void validate(const Path& path, const DefaultPreemptionArgs& args, const FeatureGates&, ErrorList& errors) {
  const Path percentage = path.child("minCandidateNodesPercentage");
  const Path absolute = path.child("minCandidateNodesAbsolute");
  const std::string shown_percentage = config::show(args.min_candidate_nodes_percentage);
  const std::string shown_absolute = config::show(args.min_candidate_nodes_absolute);
  if (args.min_candidate_nodes_percentage < 0 || args.min_candidate_nodes_percentage > 100) {
    errors.add(invalid(percentage, shown_percentage, "not in valid range [0, 100]"));
  }
  if (args.min_candidate_nodes_absolute < 0) {
    errors.add(invalid(absolute, shown_absolute, "not in valid range [0, inf)"));
  }
  if (args.min_candidate_nodes_percentage == 0 && args.min_candidate_nodes_absolute == 0) {
    errors.add(invalid(percentage, shown_percentage, "cannot be zero at the same time as minCandidateNodesAbsolute"));
    errors.add(invalid(absolute, shown_absolute, "cannot be zero at the same time as minCandidateNodesPercentage"));
  }
}

void validate(const Path& path, const InterPodAffinityArgs& args, const FeatureGates&, ErrorList& errors) {
  if (args.hard_pod_affinity_weight < 0 || args.hard_pod_affinity_weight > 100) {
    errors.add(invalid(path.child("hardPodAffinityWeight"), config::show(args.hard_pod_affinity_weight),
                       "not in valid range [0, 100]"));
  }
}

// Kubernetes prints a list that is not there as null and an empty one as []; an api::NodeSelectorRequirement does not
// tell the two apart, the text of the arguments does.
class GivenArgs {
 public:
  GivenArgs(const Path& path, const api::RawJson& raw) : prefix_(path.text()) {
    if (auto root = read_json_value(raw.text)) document_.root = *std::move(root);
  }

  std::string show(const Path& path, const std::vector<Symbol>& values) const {
    std::string inner = path.text().substr(prefix_.size());
    if (inner.starts_with('.')) inner.erase(0, 1);
    // Kubernetes leaves a step out of the paths of preferred terms.
    constexpr std::string_view kPreferred = "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[";
    if (inner.starts_with(kPreferred)) inner.insert(inner.find(']', kPreferred.size()) + 1, ".preference");
    const Value* given = document_.at(inner);
    const bool is_null = values.empty() && (given == nullptr || given->kind != Value::Kind::kList);
    return is_null ? "null" : config::show(values);
  }

 private:
  std::string prefix_;
  Document document_;
};

constexpr std::string_view kNodeOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
constexpr std::string_view kFieldOperators[] = {"In", "NotIn"};

bool is_integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('+')) return false;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void check_label_requirement(const Path& path, const api::NodeSelectorRequirement& requirement, const GivenArgs& given,
                             ErrorList& errors) {
  const std::string_view op = requirement.op.text();
  const std::vector<Symbol>& values = requirement.values;
  if (std::ranges::find(kNodeOperators, op) == std::end(kNodeOperators)) {
    errors.add(not_supported(path.child("operator"), config::show(requirement.op), kNodeOperators));
    return;
  }
  if (const auto problems = check_label_key(requirement.key.text()); !problems.empty()) {
    errors.add(
        invalid(path.child("key"), config::show(requirement.key.text()), fmt::format("{}", fmt::join(problems, "; "))));
  }
  const Path values_path = path.child("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.add(invalid(values_path, given.show(values_path, values),
                         "for 'in', 'notin' operators, values set can't be empty"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.add(invalid(values_path, config::show(values), "values set must be empty for exists and does not exist"));
    }
  } else {
    if (values.size() != 1) {
      errors.add(invalid(values_path, given.show(values_path, values),
                         "for 'Gt', 'Lt' operators, exactly one value is required"));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_integer(values[i].text())) continue;
      errors.add(invalid(values_path.index(i), config::show(values[i].text()),
                         "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto problems = check_label_value(values[i].text());
    if (problems.empty()) continue;
    errors.add(invalid(values_path.index(i).key(requirement.key.text()), config::show(values[i].text()),
                       fmt::format("{}", fmt::join(problems, "; "))));
  }
}

void check_field_requirement(const Path& path, const api::NodeSelectorRequirement& requirement, const GivenArgs& given,
                             ErrorList& errors) {
  if (std::ranges::find(kFieldOperators, requirement.op.text()) == std::end(kFieldOperators)) {
    errors.add(not_supported(path.child("operator"), config::show(requirement.op), kFieldOperators));
  } else if (requirement.values.size() != 1) {
    const Path values = path.child("values");
    errors.add(invalid(values, given.show(values, requirement.values), "must have one element"));
  }
}

// Terms that are empty match nothing and are not looked at.
void check_term(const Path& path, const api::NodeSelectorTerm& term, const GivenArgs& given, ErrorList& errors) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    check_label_requirement(path.child("matchExpressions").index(i), term.match_expressions[i], given, errors);
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    check_field_requirement(path.child("matchFields").index(i), term.match_fields[i], given, errors);
  }
}

void validate_node_affinity(const Path& path, const NodeAffinityArgs& args, const GivenArgs& given, ErrorList& errors) {
  if (!args.added_affinity) return;
  const Path affinity = path.child("addedAffinity");
  if (const auto& required = args.added_affinity->required) {
    const Path terms = affinity.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
    for (std::size_t i = 0; i < required->node_selector_terms.size(); ++i) {
      check_term(terms.index(i), required->node_selector_terms[i], given, errors);
    }
  }
  const auto& preferred = args.added_affinity->preferred;
  const Path terms = affinity.child("preferredDuringSchedulingIgnoredDuringExecution");
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    if (preferred[i].weight != 0) check_term(terms.index(i), preferred[i].preference, given, errors);
  }
}

void validate(const Path& path, const NodeResourcesBalancedAllocationArgs& args, const FeatureGates&,
              ErrorList& errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < args.resources.size(); ++i) {
    const ResourceSpec& resource = args.resources[i];
    const Path at = path.child("resources").index(i);
    if (!seen.insert(resource.name).second) errors.add(duplicate(at.child("name"), config::show(resource.name)));
    if (resource.weight != 1) errors.add(invalid(at.child("weight"), config::show(resource.weight), "must be 1"));
  }
}

void validate(const Path& path, const NodeResourcesFitArgs& args, const FeatureGates&, ErrorList& errors) {
  for (std::size_t i = 0; i < args.ignored_resources.size(); ++i) {
    check_label_name(path.child("ignoredResources").index(i), args.ignored_resources[i], errors);
  }
  for (std::size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
    const std::string& group = args.ignored_resource_groups[i];
    const Path at = path.child("ignoredResourceGroups").index(i);
    if (group.find('/') != std::string::npos) {
      errors.add(invalid(at, config::show(group), "resource group name can't contain '/'"));
    }
    check_label_name(at, group, errors);
  }

  const Path at = path.child("scoringStrategy");
  if (!args.scoring_strategy) {
    errors.add(required(at, "ScoringStrategy field is required"));
    return;
  }
  constexpr std::string_view kRatio = "RequestedToCapacityRatio";
  constexpr std::string_view kTypes[] = {"LeastAllocated", "MostAllocated", kRatio};
  const ScoringStrategy& strategy = *args.scoring_strategy;
  if (std::ranges::find(kTypes, strategy.type) == std::end(kTypes)) {
    errors.add(not_supported(at.child("type"), json_quote(strategy.type), kTypes));
  }
  for (std::size_t i = 0; i < strategy.resources.size(); ++i) {
    const ResourceSpec& resource = strategy.resources[i];
    if (resource.weight > 0 && resource.weight <= kMaxResourceWeight) continue;
    errors.add(
        invalid(at.child("resources").index(i).child("weight"), config::show(resource.weight),
                fmt::format("resource weight of {} not in valid range (0, {}]", resource.name, kMaxResourceWeight)));
  }
  const Path ratio = at.child("requestedToCapacityRatio");
  if (strategy.type == kRatio) {
    if (strategy.requested_to_capacity_ratio) {
      check_shape(ratio.child("shape"), strategy.requested_to_capacity_ratio->shape, errors);
    } else {
      errors.add(required(ratio, "must be specified when type is RequestedToCapacityRatio"));
    }
  } else if (strategy.requested_to_capacity_ratio) {
    errors.add(forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio"));
  }
}

void validate(const Path& path, const PodTopologySpreadArgs& args, const FeatureGates&, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {"System", "List"};
  constexpr std::string_view kActions[] = {"DoNotSchedule", "ScheduleAnyway"};
  const Path type = path.child("defaultingType");
  if (std::ranges::find(kTypes, args.defaulting_type) == std::end(kTypes)) {
    errors.add(not_supported(type, json_quote(args.defaulting_type), kTypes));
  } else if (args.defaulting_type == "System" && !args.default_constraints.empty()) {
    errors.add(invalid(type, json_quote(args.defaulting_type), "when .defaultConstraints are not empty"));
  }
  const auto& constraints = args.default_constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const api::TopologySpreadConstraint& constraint = constraints[i];
    const Path at = path.child("defaultConstraints").index(i);
    if (constraint.max_skew <= 0) {
      errors.add(invalid(at.child("maxSkew"), config::show(constraint.max_skew), "not in valid range (0, inf)"));
    }
    if (constraint.topology_key.empty()) {
      errors.add(required(at.child("topologyKey"), "can not be empty"));
    } else {
      check_label_name(at.child("topologyKey"), constraint.topology_key.text(), errors);
    }
    const Path action = at.child("whenUnsatisfiable");
    if (constraint.when_unsatisfiable.empty()) {
      errors.add(required(action, "can not be empty"));
    } else if (std::ranges::find(kActions, constraint.when_unsatisfiable.text()) == std::end(kActions)) {
      errors.add(not_supported(action, config::show(constraint.when_unsatisfiable), kActions));
    }
    if (constraint.label_selector) {
      errors.add(
          forbidden(at.child("labelSelector"), "constraint must not define a selector, as they deduced for each pod"));
    }
    const bool is_repeated =
        std::any_of(constraints.begin(), constraints.begin() + static_cast<std::ptrdiff_t>(i), [&](const auto& other) {
          return other.topology_key == constraint.topology_key &&
                 other.when_unsatisfiable == constraint.when_unsatisfiable;
        });
    if (is_repeated) {
      errors.add(duplicate(at, config::show(fmt::format("{{{}, {}}}", constraint.topology_key.text(),
                                                        constraint.when_unsatisfiable.text()))));
    }
  }
}

void validate(const Path& path, const VolumeBindingArgs& args, const FeatureGates& gates, ErrorList& errors) {
  if (args.bind_timeout_seconds < 0) {
    errors.add(invalid(path.child("bindTimeoutSeconds"), config::show(args.bind_timeout_seconds),
                       "invalid BindTimeoutSeconds, should not be a negative value"));
  }
  if (gates.enabled(Feature::kStorageCapacityScoring)) {
    check_shape(path.child("shape"), args.shape.value_or(std::vector<UtilizationShapePoint>{}), errors);
  } else if (args.shape) {
    errors.add(invalid(path.child("shape"), show(*args.shape),
                       "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"));
  }
}

void validate(const Path& path, const DynamicResourcesArgs& args, const FeatureGates& gates, ErrorList& errors) {
  const Path filter = path.child("filterTimeout");
  if (!gates.enabled(Feature::kDRASchedulerFilterTimeout)) {
    if (args.filter_timeout) errors.add(forbidden(filter, "DRASchedulingFilterTimeout feature gate is disabled"));
  } else if (args.filter_timeout && *args.filter_timeout < Duration()) {
    errors.add(invalid(filter, config::show(*args.filter_timeout), "must be zero or positive"));
  }
  const Path binding = path.child("bindingTimeout");
  if (!gates.enabled(Feature::kDRADeviceBindingConditions) || !gates.enabled(Feature::kDRAResourceClaimDeviceStatus)) {
    if (args.binding_timeout) {
      errors.add(
          forbidden(binding, "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"));
    }
  } else if (args.binding_timeout && *args.binding_timeout < Duration::seconds(1)) {
    errors.add(invalid(binding, config::show(*args.binding_timeout), "must be at least 1 second"));
  }
}

void validate(const Path&, const api::RawJson&, const FeatureGates&, ErrorList&) {}
void validate(const Path&, const std::monostate&, const FeatureGates&, ErrorList&) {}
void validate(const Path&, const NodeAffinityArgs&, const FeatureGates&, ErrorList&) {}  // validate_node_affinity()

}  // namespace

std::vector<Error> validate_args(const Path& path, const PluginConfig& plugin, const FeatureGates& gates) {
  ErrorList errors;
  if (const auto* affinity = std::get_if<NodeAffinityArgs>(&plugin.args)) {
    validate_node_affinity(path, *affinity, GivenArgs(path, plugin.raw), errors);
  } else {
    std::visit([&](const auto& args) { validate(path, args, gates, errors); }, plugin.args);
  }
  return errors.take();
}

}  // namespace berth::config
