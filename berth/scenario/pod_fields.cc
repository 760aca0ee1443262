#include "berth/scenario/pod_fields.h"

#include <algorithm>
#include <array>
#include <limits>

#include "berth/config/scheduler_config.h"
#include "berth/scenario/values.h"
#include "berth/sim/world.h"

namespace berth::scenario {

namespace {

Done set_request(PodDraft& draft, Symbol resource, std::string_view value) {
  return set_to(draft.spec.containers.front().resources.requests[resource], read_amount(resource, value));
}

Done set_named_request(PodDraft& draft, std::string_view name, std::string_view value) {
  return set_request(draft, Symbol(name), value);
}

Done set_extended_request(PodDraft& draft, std::string_view name, std::string_view value) {
  const Symbol resource(name);
  return set_to(draft.spec.containers.front().resources.requests[resource], read_whole_amount(resource, value));
}

Done set_symbol(Symbol& place, std::string_view value) {
  auto text = read_text(value);
  if (!text) return std::unexpected(text.error());
  place = Symbol(*text);
  return {};
}

Done set_label(api::Labels& labels, std::string_view name, std::string_view value) {
  const auto key = read_label_key(name);
  if (!key) return std::unexpected(key.error());
  return set_to(labels[*key], read_label_value(value));
}

Done set_duration_annotation(PodDraft& draft, std::string_view key, std::string_view value) {
  const auto duration = read_duration(value);
  if (!duration) return std::unexpected(duration.error());
  draft.annotations[Symbol(key)] = duration->str();
  return {};
}

// --- Affinity --------------------------------------------------------------------------------------------------------

api::Affinity& affinity_of(PodDraft& draft) {
  if (!draft.spec.affinity) draft.spec.affinity.emplace();
  return *draft.spec.affinity;
}

api::PodAffinity& pod_affinity_of(PodDraft& draft, bool is_anti) {
  auto& affinity = is_anti ? affinity_of(draft).pod_anti_affinity : affinity_of(draft).pod_affinity;
  if (!affinity) affinity.emplace();
  return *affinity;
}

// SELECTOR[@TOPOLOGY]
Value<api::PodAffinityTerm> read_term(std::string_view text) {
  const std::size_t at = text.find('@');
  auto selector = read_selector(text.substr(0, at));
  if (!selector) return std::unexpected(selector.error());
  const auto topology = read_topology(at == std::string_view::npos ? "node" : text.substr(at + 1));
  if (!topology) return std::unexpected(topology.error());
  api::PodAffinityTerm term;
  term.label_selector = *std::move(selector);
  term.topology_key = *topology;
  return term;
}

// SELECTOR[@TOPOLOGY[@WEIGHT]]
Value<api::WeightedPodAffinityTerm> read_weighted_term(std::string_view text) {
  WeightedText weighted{text, 1};
  if (text.find('@') != text.rfind('@')) {
    const auto read = read_weighted(text);
    if (!read) return std::unexpected(read.error());
    weighted = *read;
  }
  auto term = read_term(weighted.text);
  if (!term) return std::unexpected(term.error());
  return api::WeightedPodAffinityTerm{weighted.weight, *std::move(term)};
}

template <bool kIsAnti>
Done add_term(PodDraft& draft, std::string_view, std::string_view value) {
  draft.last_term = kIsAnti ? PodDraft::LastTerm::kAway : PodDraft::LastTerm::kNear;
  return add_to(pod_affinity_of(draft, kIsAnti).required, read_term(value));
}

template <bool kIsAnti>
Done add_weighted_term(PodDraft& draft, std::string_view, std::string_view value) {
  draft.last_term = kIsAnti ? PodDraft::LastTerm::kPrefersAway : PodDraft::LastTerm::kPrefersNear;
  return add_to(pod_affinity_of(draft, kIsAnti).preferred, read_weighted_term(value));
}

// Null if there is none yet.
api::PodAffinityTerm* last_term(PodDraft& draft) {
  switch (draft.last_term) {
    case PodDraft::LastTerm::kNone: return nullptr;
    case PodDraft::LastTerm::kNear: return &pod_affinity_of(draft, false).required.back();
    case PodDraft::LastTerm::kAway: return &pod_affinity_of(draft, true).required.back();
    case PodDraft::LastTerm::kPrefersNear: return &pod_affinity_of(draft, false).preferred.back().pod_affinity_term;
    case PodDraft::LastTerm::kPrefersAway: return &pod_affinity_of(draft, true).preferred.back().pod_affinity_term;
  }
  return nullptr;
}

Done set_term_namespaces(PodDraft& draft, std::string_view, std::string_view value) {
  api::PodAffinityTerm* term = last_term(draft);
  if (term == nullptr) return std::unexpected("near=, away=, prefers-near= or prefers-away= before it");
  return set_to(term->namespaces, read_list(value));
}

Done set_term_namespace_selector(PodDraft& draft, std::string_view, std::string_view value) {
  api::PodAffinityTerm* term = last_term(draft);
  if (term == nullptr) return std::unexpected("near=, away=, prefers-near= or prefers-away= before it");
  return set_to(term->namespace_selector, read_selector(value));
}

api::NodeAffinity& node_affinity_of(PodDraft& draft) {
  auto& affinity = affinity_of(draft).node_affinity;
  if (!affinity) affinity.emplace();
  return *affinity;
}

Done add_required_nodes(PodDraft& draft, std::string_view, std::string_view value) {
  auto& required = node_affinity_of(draft).required;
  if (!required) required.emplace();
  return add_to(required->node_selector_terms, read_node_term(value));
}

Done add_preferred_nodes(PodDraft& draft, std::string_view, std::string_view value) {
  const auto weighted = read_weighted(value);
  if (!weighted) return std::unexpected(weighted.error());
  auto term = read_node_term(weighted->text);
  if (!term) return std::unexpected(term.error());
  node_affinity_of(draft).preferred.push_back({weighted->weight, *std::move(term)});
  return {};
}

// --- Spreading -------------------------------------------------------------------------------------------------------

// TOPOLOGY[:SKEW]
template <bool kIsHard>
Done add_spread(PodDraft& draft, std::string_view, std::string_view value) {
  const std::size_t colon = value.rfind(':');
  const auto topology = read_topology(value.substr(0, colon));
  if (!topology) return std::unexpected(topology.error());
  std::int64_t skew = 1;
  if (colon != std::string_view::npos) {
    const auto read = read_number(value.substr(colon + 1), 1, std::numeric_limits<std::int32_t>::max());
    if (!read) return std::unexpected("the greatest skew, at least 1, after the colon");
    skew = *read;
  }
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = static_cast<std::int32_t>(skew);
  constraint.topology_key = *topology;
  constraint.when_unsatisfiable = Symbol(kIsHard ? "DoNotSchedule" : "ScheduleAnyway");
  draft.spec.topology_spread_constraints.push_back(std::move(constraint));
  return {};
}

template <typename Set>
Done on_last_spread(PodDraft& draft, Set set) {
  auto& constraints = draft.spec.topology_spread_constraints;
  if (constraints.empty()) return std::unexpected("spread= or prefers-spread= before it");
  return set(constraints.back());
}

Done set_spread_selector(PodDraft& draft, std::string_view, std::string_view value) {
  return on_last_spread(draft, [&](api::TopologySpreadConstraint& constraint) {
    return set_to(constraint.label_selector, read_selector(value));
  });
}

Done set_min_domains(PodDraft& draft, std::string_view, std::string_view value) {
  return on_last_spread(draft, [&](api::TopologySpreadConstraint& constraint) {
    return set_to(constraint.min_domains, read_number(value, 1, std::numeric_limits<std::int32_t>::max()));
  });
}

template <auto kPolicy>
Done set_spread_policy(PodDraft& draft, std::string_view, std::string_view value) {
  if (value != "Honor" && value != "Ignore") return std::unexpected("Honor or Ignore");
  return on_last_spread(draft, [&](api::TopologySpreadConstraint& constraint) -> Done {
    constraint.*kPolicy = Symbol(value);
    return {};
  });
}

// --- The rest --------------------------------------------------------------------------------------------------------

Done set_priority(PodDraft& draft, std::string_view, std::string_view value) {
  return set_to(draft.spec.priority,
                read_number(value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

Done set_preemption(PodDraft& draft, std::string_view, std::string_view value) {
  if (value != "never" && value != "lower") return std::unexpected("never or lower");
  draft.spec.preemption_policy = Symbol(value == "never" ? "Never" : "PreemptLowerPriority");
  return {};
}

// PORT[/PROTOCOL]
Done add_port(PodDraft& draft, std::string_view, std::string_view value) {
  const std::size_t slash = value.find('/');
  std::string protocol(slash == std::string_view::npos ? "TCP" : value.substr(slash + 1));
  std::ranges::transform(protocol, protocol.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  const auto number = read_number(value.substr(0, slash), 1, 65'535);
  if (!number || (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")) {
    return std::unexpected("a port of the node such as 8080 or 53/UDP");
  }
  api::ContainerPort port;
  port.host_port = static_cast<std::int32_t>(*number);
  port.container_port = port.host_port;
  port.protocol = Symbol(protocol);
  draft.spec.containers.front().ports.push_back(port);
  return {};
}

Done add_claim(PodDraft& draft, std::string_view, std::string_view value) {
  if (value.empty()) return std::unexpected("the name of a claim");
  api::Volume volume;
  volume.name = "volume-" + std::to_string(draft.spec.volumes.size() + 1);
  volume.source.persistent_volume_claim.emplace().claim_name = std::string(value);
  draft.spec.volumes.push_back(std::move(volume));
  return {};
}

Done add_resource_claim(PodDraft& draft, std::string_view, std::string_view value) {
  if (value.empty()) return std::unexpected("the name of a resource claim");
  api::PodResourceClaim claim;
  claim.name = Symbol("claim-" + std::to_string(draft.spec.resource_claims.size() + 1));
  claim.resource_claim_name = Symbol(value);
  draft.spec.containers.front().resources.claims.push_back({.name = claim.name, .request = {}});
  draft.spec.resource_claims.push_back(claim);
  return {};
}

Done add_gate(PodDraft& draft, std::string_view, std::string_view value) {
  const auto name = read_label_key(value);
  if (!name) return std::unexpected(name.error());
  draft.spec.scheduling_gates.push_back({*name});
  return {};
}

constexpr auto kPodFields = std::to_array<FieldSpec<PodDraft>>({
    {{"cpu", "AMOUNT", "What it asks for"}, set_named_request},
    {{"memory", "AMOUNT", "What it asks for"}, set_named_request},
    {{"ephemeral-storage", "AMOUNT", "What it asks for"}, set_named_request},
    {{"limit.", "AMOUNT", "What it is limited to, and asks for unless it says otherwise: `limit.cpu=2`"},
     [](PodDraft& draft, std::string_view name, std::string_view value) {
       return set_to(draft.spec.containers.front().resources.limits[Symbol(name)], read_quantity(value));
     }},
    {{"gpu", "COUNT", "Short for nvidia.com/gpu"},
     [](PodDraft& draft, std::string_view, std::string_view value) {
       return set_extended_request(draft, "nvidia.com/gpu", value);
     }},
    {{"hugepages-", "AMOUNT", "Huge pages of a size: `hugepages-2Mi=512Mi`"}, set_named_request},
    {{"priority", "NUMBER", "Its priority; 0 if not given"}, set_priority},
    {{"class", "NAME", "Its priority class"},
     [](PodDraft& draft, std::string_view, std::string_view value) {
       return set_symbol(draft.spec.priority_class_name, value);
     }},
    {{"preemption", "never|lower", "Whether it may preempt"}, set_preemption},
    {{"runs", "DURATION", "Ends this long after it has started; for ever if not given"},
     [](PodDraft& draft, std::string_view, std::string_view value) {
       return set_duration_annotation(draft, sim::kRunsAnnotation, value);
     }},
    {{"terminates-in", "DURATION", "How long it takes to go when it is deleted"},
     [](PodDraft& draft, std::string_view, std::string_view value) {
       return set_duration_annotation(draft, sim::kTerminatesInAnnotation, value);
     }},
    {{"fails", "", "It ends Failed, not Succeeded"},
     [](PodDraft& draft, std::string_view, std::string_view) -> Done {
       draft.annotations[Symbol(sim::kFailsAnnotation)] = "true";
       return {};
     }},
    {{"label.", "VALUE", "A label: `label.app=web`"},
     [](PodDraft& draft, std::string_view name, std::string_view value) {
       return set_label(draft.labels, name, value);
     }},
    {{"annotation.", "VALUE", "An annotation"},
     [](PodDraft& draft, std::string_view name, std::string_view value) -> Done {
       draft.annotations[Symbol(name)] = std::string(value);
       return {};
     }},
    {{"node-selector.", "VALUE", "A label that its node must have"},
     [](PodDraft& draft, std::string_view name, std::string_view value) {
       return set_label(draft.spec.node_selector, name, value);
     }},
    {{"requires", "LABELS", "Node affinity; if repeated, one of them is enough"}, add_required_nodes},
    {{"prefers", "LABELS[@WEIGHT]", "Soft node affinity"}, add_preferred_nodes},
    {{"tolerates", "KEY[=VALUE][:EFFECT]", "A toleration; `*` tolerates everything"},
     [](PodDraft& draft, std::string_view, std::string_view value) {
       return add_to(draft.spec.tolerations, read_toleration(value));
     }},
    {{"near", "SELECTOR[@TOPOLOGY]", "Affinity to pods; the topology is `node` if not given"}, add_term<false>},
    {{"away", "SELECTOR[@TOPOLOGY]", "Anti-affinity"}, add_term<true>},
    {{"prefers-near", "SELECTOR[@TOPOLOGY[@WEIGHT]]", "Soft affinity"}, add_weighted_term<false>},
    {{"prefers-away", "SELECTOR[@TOPOLOGY[@WEIGHT]]", "Soft anti-affinity"}, add_weighted_term<true>},
    {{"namespaces", "A,B,...", "Of the `near` or `away` before it"}, set_term_namespaces},
    {{"namespace-selector", "SELECTOR", "Of the `near` or `away` before it"}, set_term_namespace_selector},
    {{"spread", "TOPOLOGY[:SKEW]", "Spread evenly, at most SKEW apart; over the pods that have its labels"},
     add_spread<true>},
    {{"prefers-spread", "TOPOLOGY[:SKEW]", "The same, if it can be"}, add_spread<false>},
    {{"spread-selector", "SELECTOR", "Which pods the `spread` before it counts"}, set_spread_selector},
    {{"min-domains", "COUNT", "Of the `spread` before it"}, set_min_domains},
    {{"node-affinity-policy", "Honor|Ignore", "Of the `spread` before it"},
     set_spread_policy<&api::TopologySpreadConstraint::node_affinity_policy>},
    {{"node-taints-policy", "Honor|Ignore", "Of the `spread` before it"},
     set_spread_policy<&api::TopologySpreadConstraint::node_taints_policy>},
    {{"gate", "NAME", "A scheduling gate; may be repeated"}, add_gate},
    {{"port", "PORT[/PROTOCOL]", "A port of the node; may be repeated"}, add_port},
    {{"claim", "NAME", "A persistent volume claim that it mounts; may be repeated"}, add_claim},
    {{"resource-claim", "NAME", "A resource claim that it uses; may be repeated"}, add_resource_claim},
    {{"image", "NAME", "Its container's image"},
     [](PodDraft& draft, std::string_view,
        std::string_view value) { return set_symbol(draft.spec.containers.front().image, value); }},
    {{"namespace", "NAME", "`default` if not given; or write the name as NAMESPACE/NAME"},
     [](PodDraft& draft, std::string_view, std::string_view value) { return set_symbol(draft.name_space, value); }},
    {{"scheduler", "NAME", "`default-scheduler` if not given"},
     [](PodDraft& draft, std::string_view, std::string_view value) {
       return set_symbol(draft.spec.scheduler_name, value);
     }},
    {{"node", "NAME", "It is on this node already"},
     [](PodDraft& draft, std::string_view, std::string_view value) { return set_symbol(draft.node_name, value); }},
    {{"nominated", "NODE", "It is nominated to this node already"},
     [](PodDraft& draft, std::string_view, std::string_view value) {
       return set_symbol(draft.nominated_node_name, value);
     }},
    {{"DOMAIN/NAME", "COUNT", "An extended resource: `example.com/fpga=1`"}, set_extended_request},
});

// A constraint counts the pods with the labels of its own pod, unless it says otherwise.
void complete_spread(PodDraft& draft) {
  for (api::TopologySpreadConstraint& constraint : draft.spec.topology_spread_constraints) {
    if (!constraint.label_selector) constraint.label_selector = api::LabelSelector{draft.labels, {}};
  }
}

}  // namespace

std::span<const FieldSpec<PodDraft>> pod_fields() {
  return kPodFields;
}

PodDraft new_pod() {
  PodDraft draft;
  draft.name_space = Symbol("default");
  draft.spec.scheduler_name = Symbol(config::kDefaultSchedulerName);
  draft.spec.restart_policy = Symbol("Always");
  api::Container container;
  container.name = Symbol("main");
  draft.spec.containers.push_back(std::move(container));
  return draft;
}

PodDraft draft_of(const api::Pod& pod) {
  PodDraft draft;
  draft.labels = *pod.metadata.labels;
  draft.annotations = *pod.metadata.annotations;
  draft.spec = *pod.spec;
  draft.name_space = pod.metadata.name_space;
  draft.node_name = pod.spec.node_name;
  draft.nominated_node_name = pod.status.nominated_node_name;
  if (draft.spec.containers.empty()) draft.spec.containers.emplace_back();
  return draft;
}

api::Pod finish(PodDraft draft) {
  return finish(std::move(draft), api::Pod());
}

api::Pod finish(PodDraft draft, const api::Pod& pod) {
  complete_spread(draft);
  api::Pod result = pod;
  result.metadata.name_space = draft.name_space;
  result.metadata.labels = std::move(draft.labels);
  result.metadata.annotations = std::move(draft.annotations);
  result.spec.node_name = draft.node_name;
  result.spec.shared = std::move(draft.spec);
  result.status.nominated_node_name = draft.nominated_node_name;
  return result;
}

}  // namespace berth::scenario
