#include "berth/api/compiled_pod.h"

#include <algorithm>

#include "berth/api/names.h"

namespace berth::api {

namespace {

const Symbol& any_address() {
  static const Symbol address("0.0.0.0");
  return address;
}

Result<PodTermMatcher> compile_term(const PodAffinityTerm& term) {
  PodTermMatcher compiled;
  auto pods = LabelMatcher::compile(term.label_selector);
  if (!pods) return fail(pods.error());
  auto namespace_selector = LabelMatcher::compile(term.namespace_selector);
  if (!namespace_selector) return fail(namespace_selector.error());
  compiled.pods = std::move(*pods);
  compiled.topology_key = term.topology_key;
  compiled.is_own_namespace = term.namespaces.empty() && !term.namespace_selector;
  compiled.namespaces = term.namespaces;
  compiled.namespace_selector = std::move(*namespace_selector);
  return compiled;
}

// Empty if a term does not compile; then the error is added, named after the list.
std::vector<PodTermMatcher> compile_terms(const std::vector<PodAffinityTerm>& terms, std::string_view list,
                                          std::vector<std::string>& errors) {
  std::vector<PodTermMatcher> compiled;
  for (const PodAffinityTerm& term : terms) {
    auto matcher = compile_term(term);
    if (!matcher) {
      errors.push_back(std::string(list) + ": " + matcher.error().what());
      return {};
    }
    compiled.push_back(std::move(*matcher));
  }
  return compiled;
}

std::vector<WeightedPodTerm> compile_terms(const std::vector<WeightedPodAffinityTerm>& terms, std::string_view list,
                                           std::vector<std::string>& errors) {
  std::vector<WeightedPodTerm> compiled;
  for (const WeightedPodAffinityTerm& term : terms) {
    auto matcher = compile_term(term.pod_affinity_term);
    if (!matcher) {
      errors.push_back(std::string(list) + ": " + matcher.error().what());
      return {};
    }
    compiled.push_back(WeightedPodTerm{term.weight, std::move(*matcher)});
  }
  return compiled;
}

void compile_pod_affinity(const Affinity& affinity, CompiledPod& compiled) {
  static const PodAffinity kNone;
  const PodAffinity& with = affinity.pod_affinity ? *affinity.pod_affinity : kNone;
  const PodAffinity& without = affinity.pod_anti_affinity ? *affinity.pod_anti_affinity : kNone;
  compiled.has_pod_affinity = affinity.pod_affinity || affinity.pod_anti_affinity;
  std::vector<std::string> errors;
  compiled.required_affinity = compile_terms(with.required, "requiredAffinityTerms", errors);
  compiled.required_anti_affinity = compile_terms(without.required, "requiredAntiAffinityTerms", errors);
  compiled.preferred_affinity = compile_terms(with.preferred, "preferredAffinityTerms", errors);
  compiled.preferred_anti_affinity = compile_terms(without.preferred, "preferredAntiAffinityTerms", errors);
  if (!errors.empty()) compiled.pod_affinity_error = aggregate_errors(errors);
}

SpreadConstraint::Action action_of(Symbol when_unsatisfiable) {
  if (when_unsatisfiable == "DoNotSchedule") return SpreadConstraint::Action::kDoNotSchedule;
  if (when_unsatisfiable == "ScheduleAnyway") return SpreadConstraint::Action::kScheduleAnyway;
  return SpreadConstraint::Action::kNone;
}

SpreadConstraint compile_spread(const TopologySpreadConstraint& constraint) {
  SpreadConstraint compiled;
  compiled.max_skew = constraint.max_skew;
  compiled.topology_key = constraint.topology_key;
  compiled.action = action_of(constraint.when_unsatisfiable);
  compiled.match_label_keys = constraint.match_label_keys;
  compiled.min_domains = constraint.min_domains.value_or(1);
  compiled.honors_node_affinity = !constraint.node_affinity_policy || *constraint.node_affinity_policy == "Honor";
  compiled.honors_node_taints = constraint.node_taints_policy && *constraint.node_taints_policy == "Honor";
  if (auto pods = LabelMatcher::compile(constraint.label_selector)) {
    compiled.pods = std::move(*pods);
  } else {
    compiled.selector_error = pods.error().what();
  }
  return compiled;
}

void add_host_ports(const Container& container, std::vector<HostPort>& ports) {
  static const Symbol kTcp("TCP");
  for (const ContainerPort& port : container.ports) {
    if (port.host_port <= 0) continue;
    ports.push_back(HostPort{port.host_ip.empty() ? any_address() : port.host_ip,
                             port.protocol.empty() ? kTcp : port.protocol, port.host_port});
  }
}

// Sidecars first, then the containers; an init container that ends gives its ports back.
std::vector<HostPort> host_ports_of(const PodTemplate& pod) {
  std::vector<HostPort> ports;
  for (const Container& container : pod.init_containers) {
    if (container.restart_policy && *container.restart_policy == "Always") add_host_ports(container, ports);
  }
  for (const Container& container : pod.containers) add_host_ports(container, ports);
  return ports;
}

ResourceList scoring_requests_of(const PodTemplate& pod) {
  ResourceList defaults;
  defaults[Symbol("cpu")] = Quantity::from_milli(kDefaultMilliCpuRequest);
  defaults[Symbol("memory")] = Quantity::from_units(kDefaultMemoryRequest);
  return pod_requests(pod, PodRequestsOptions{.pod_level = false, .non_missing = &defaults});
}

// Host ports are all that ports ask of a node.
void keep_what_nodes_are_asked(std::vector<Container>& containers) {
  for (Container& container : containers) {
    container.name = Symbol();
    container.image = Symbol();
    std::erase_if(container.ports, [](const ContainerPort& port) { return port.host_port <= 0; });
  }
}

}  // namespace

bool conflicts(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == any_address() || b.ip == any_address());
}

bool PodTermMatcher::names(Symbol owner_namespace, Symbol name_space) const {
  if (is_own_namespace) return name_space == owner_namespace;
  return std::ranges::find(namespaces, name_space) != namespaces.end();
}

bool PodTermMatcher::matches(Symbol owner_namespace, const Pod& pod, const Labels& namespace_labels) const {
  return (names(owner_namespace, pod.metadata.name_space) || namespace_selector.matches(namespace_labels)) &&
         pods.matches(*pod.metadata.labels);
}

LabelMatcher SpreadConstraint::selector_for(const Labels& pod_labels) const {
  LabelMatcher selector = pods;
  for (const Symbol key : match_label_keys) {
    if (const Symbol* value = pod_labels.find(key)) selector.require_equal(key, *value);
  }
  return selector;
}

namespace {

std::shared_ptr<CompiledPod> compile_alone(const PodTemplate& pod) {
  static const PodStatus kNoStatus;
  auto compiled = std::make_shared<CompiledPod>();
  compiled->usage = pod_usage(pod, kNoStatus);
  compiled->scoring_requests = scoring_requests_of(pod);
  compiled->required_node_affinity = RequiredNodeAffinity(pod);
  if (pod.affinity) {
    compile_pod_affinity(*pod.affinity, *compiled);
    if (pod.affinity->node_affinity) {
      auto preferred = PreferredNodeTerms::compile(pod.affinity->node_affinity->preferred);
      if (preferred) {
        compiled->preferred_node_terms = std::move(*preferred);
      } else {
        compiled->preferred_node_terms_error = preferred.error().what();
      }
    }
  }
  for (const TopologySpreadConstraint& constraint : pod.topology_spread_constraints) {
    compiled->spread_constraints.push_back(compile_spread(constraint));
  }
  compiled->host_ports = host_ports_of(pod);
  compiled->has_volume_claims = std::ranges::any_of(pod.volumes, [](const Volume& volume) {
    return volume.source.persistent_volume_claim.has_value() || volume.source.ephemeral.has_value();
  });
  compiled->has_resource_claims = !pod.resource_claims.empty();
  return compiled;
}

}  // namespace

std::shared_ptr<const CompiledPod> compile(const PodTemplate& pod) {
  return compile_alone(pod);
}

PodTemplate needs_of(const PodTemplate& pod) {
  PodTemplate needs = pod;
  needs.topology_spread_constraints.clear();
  if (needs.affinity) {
    needs.affinity->pod_affinity.reset();
    needs.affinity->pod_anti_affinity.reset();
    if (*needs.affinity == Affinity()) needs.affinity.reset();
  }
  std::erase_if(needs.volumes, [](const Volume& volume) { return volume.source == VolumeSource(); });
  for (Volume& volume : needs.volumes) volume.name.clear();
  keep_what_nodes_are_asked(needs.init_containers);
  keep_what_nodes_are_asked(needs.containers);
  needs.priority_class_name = Symbol();
  needs.priority.reset();
  needs.preemption_policy.reset();
  needs.scheduling_gates.clear();
  needs.scheduling_group.reset();
  needs.scheduler_name = Symbol();
  needs.service_account_name = Symbol();
  needs.termination_grace_period_seconds.reset();
  needs.active_deadline_seconds.reset();
  return needs;
}

std::uint64_t hash_of_needs(const PodTemplate& needs) {
  return hash_value(type_of<PodTemplate>(), &needs);
}

PodUsage usage_of(const Pod& pod, const CompiledPod& compiled) {
  return has_resources_in_status(pod.status) ? pod_usage(*pod.spec, pod.status) : compiled.usage;
}

bool takes_the_same(const Pod& a, const Pod& b, const CompiledPod& compiled) {
  if (!has_resources_in_status(a.status) && !has_resources_in_status(b.status)) return true;
  return usage_of(a, compiled) == usage_of(b, compiled);
}

std::shared_ptr<const CompiledPod> CompiledPods::get(const Interned<PodTemplate>& pod) {
  if (const auto found = entries_.find(pod.identity()); found != entries_.end()) return found->second.compiled;
  if (entries_.size() >= sweep_at_) {
    std::erase_if(entries_, [](const auto& entry) { return entry.second.compiled.use_count() == 1; });
    sweep_at_ = std::max(kFirstSweepSize, entries_.size() * 2);
  }
  auto compiled = compile_alone(*pod);
  if (!compiled->has_volume_claims && !compiled->has_resource_claims) {
    PodTemplate needs = needs_of(*pod);
    const std::uint64_t hash = hash_of_needs(needs);
    compiled->needs = needs_.intern(std::move(needs), hash).pointer();
  }
  entries_.emplace(pod.identity(), Entry{pod, compiled});
  return compiled;
}

}  // namespace berth::api
