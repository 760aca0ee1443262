#include "berth/explain/wake_ups.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/words.h"
#include "berth/plugins/names.h"
#include "berth/queue/cluster_event.h"

namespace berth::explain {

namespace {

namespace action = queue::action;
namespace name = plugins::name;
namespace resource = queue::resource;

struct Words {
  std::string_view resource;
  queue::ActionSet actions;  // all of them
  std::string_view text;
};
// The first rows that together cover what is registered for are used.
constexpr Words kWords[] = {
    {resource::kNode, action::kAdd, "a node is added"},
    {resource::kNode, action::kDelete, "a node goes"},
    {resource::kNode, action::kUpdateNodeAllocatable, "a node gets more allocatable resources"},
    {resource::kNode, action::kUpdateNodeLabel, "a node's labels change"},
    {resource::kNode, action::kUpdateNodeTaint, "a node loses a taint or its cordon"},
    {resource::kNode, action::kUpdateNodeDeclaredFeature, "a node declares other features"},
    {resource::kPod, action::kUpdatePodScaleDown, "it or a pod on some node asks for less"},
    {resource::kPod, action::kUpdatePodToleration, "it gets another toleration"},
    {resource::kPod, action::kUpdatePodSchedulingGatesEliminated, "its scheduling gates are removed"},
    {resource::kPod, action::kUpdatePodGeneratedResourceClaim, "its resource claims are made"},
    {resource::kPod, action::kAdd, "a pod gets a node"},
    {resource::kPod, action::kUpdatePodLabel, "the labels of a pod change"},
    {resource::kPod, action::kDelete, "a pod on some node ends"},
};

std::string_view kind_text(Symbol about) {
  if (about == resource::kPersistentVolume) return "a PersistentVolume";
  if (about == resource::kPersistentVolumeClaim) return "a PersistentVolumeClaim";
  if (about == resource::kNamespace) return "a namespace";
  if (about == resource::kDeviceClass) return "a DeviceClass";
  if (about == resource::kAny) return "any object";
  return about.text();
}

// "a StorageClass is added or changes"
std::string other_kind(Symbol about, queue::ActionSet actions) {
  std::string_view name = kind_text(about);
  const std::size_t slash = name.find('/');
  const std::string thing =
      slash == std::string_view::npos ? std::string(name) : fmt::format("a {}", name.substr(slash + 1));
  std::vector<std::string_view> verbs;
  if ((actions & action::kAdd) != 0) verbs.emplace_back("is added");
  if ((actions & action::kUpdate) != 0) verbs.emplace_back("changes");
  if ((actions & action::kDelete) != 0) verbs.emplace_back("goes");
  std::string text = thing;
  for (std::size_t i = 0; i < verbs.size(); ++i) text += fmt::format("{}{}", i == 0 ? " " : " or ", verbs[i]);
  return text;
}

void add_once(std::vector<std::string>& texts, std::string text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
}

bool is_pod(Symbol about) {
  return about == resource::kPod || about == resource::kAssignedPod || about == resource::kUnschedulablePod;
}

void describe(const queue::ClusterEvent& event, std::vector<std::string>& texts) {
  const std::string_view about = is_pod(event.resource) ? resource::kPod : event.resource.text();
  if (event.actions == action::kAll || (about != resource::kPod && about != resource::kNode)) {
    add_once(texts, other_kind(event.resource, event.actions));
    return;
  }
  for (const Words& words : kWords) {
    if (words.resource == about && (event.actions & words.actions) == words.actions) {
      add_once(texts, std::string(words.text));
    }
  }
}

// Every single action: "NodeAdd", "NodeUpdateNodeTaint".
void label(const queue::ClusterEvent& event, std::vector<std::string>& labels) {
  if (!queue::action_name(event.actions).empty()) {
    add_once(labels, event.label().str());
    return;
  }
  queue::ActionSet rest = event.actions;
  if ((rest & action::kUpdate) == action::kUpdate) {
    add_once(labels, queue::ClusterEvent(event.resource, action::kUpdate).label().str());
    rest &= ~action::kUpdate;
  }
  for (queue::ActionSet bit = 1; bit <= action::kAll; bit <<= 1) {
    if ((rest & bit) != 0) add_once(labels, queue::ClusterEvent(event.resource, bit).label().str());
  }
}

// --- What a plugin's hints let through for this pod

class Causes {
 public:
  Causes(const api::Pod& pod, const api::CompiledPod& compiled, const WakeDetails& details)
      : pod_(pod), compiled_(compiled), details_(details) {}

  // Nothing if the plugin has no words of its own for the event.
  std::optional<std::vector<std::string>> of(Symbol plugin, const queue::ClusterEvent& event) const {
    const bool is_about_pods = is_pod(event.resource);
    const bool is_about_nodes = event.resource == resource::kNode;
    std::vector<std::string> texts;
    const auto on = [&](queue::ActionSet actions, const std::function<std::string()>& text) {
      if ((event.actions & actions) != 0) texts.push_back(text());
    };
    if (event.resource == resource::kAny) return std::nullopt;
    if (plugin == name::kNodeResourcesFit && is_about_pods) {
      on(action::kDelete, [&] { return "a pod on some node ends" + in_brackets(details_.shortage); });
      on(action::kUpdatePodScaleDown,
         [&] { return fmt::format("it asks for less or a pod on some node asks for less {}", resource_names()); });
      return texts;
    }
    if (plugin == name::kNodeResourcesFit && is_about_nodes) {
      on(action::kAdd, [&] { return fmt::format("a node {} is added", with_request()); });
      on(action::kUpdateNodeAllocatable,
         [&] { return fmt::format("the allocatable resources of a node grow to {}", request_text()); });
      return texts;
    }
    if (plugin == name::kNodeAffinity && is_about_nodes) {
      const std::string demand = node_affinity_text();
      on(action::kAdd, [&] { return fmt::format("a node with {} is added", demand); });
      on(action::kUpdateNodeLabel, [&] { return fmt::format("a node gets labels so that it has {}", demand); });
      return texts;
    }
    if (plugin == name::kTaintToleration && is_about_nodes) {
      on(action::kAdd, [] { return "a node without a taint that it does not tolerate is added"; });
      on(action::kUpdateNodeTaint, [&] {
        return "a node loses its last taint that the pod does not tolerate" +
               in_brackets(listed(details_.taints, kMaxNamed));
      });
      return texts;
    }
    if (plugin == name::kNodeUnschedulable && is_about_nodes) {
      on(action::kAdd, [] { return "a node that is not cordoned is added"; });
      on(action::kUpdateNodeTaint, [&] {
        return details_.cordoned.empty() ? std::string("a node is uncordoned")
                                         : fmt::format("{} {} uncordoned", either(details_.cordoned), "is");
      });
      return texts;
    }
    if (plugin == name::kNodeUnschedulable && is_about_pods) {
      return std::vector<std::string>{"it gets a toleration of node.kubernetes.io/unschedulable"};
    }
    if (plugin == name::kNodePorts && is_about_pods) {
      std::vector<std::string> ports;
      for (const api::HostPort& port : compiled_.host_ports) ports.push_back(std::to_string(port.port));
      return std::vector<std::string>{fmt::format("a pod that holds host port {} ends", either(ports))};
    }
    if (plugin == name::kInterPodAffinity) return of_pod_affinity(event);
    if (plugin == name::kPodTopologySpread) return of_spread(event);
    if (event.resource == resource::kPersistentVolumeClaim) return of_claims(event);
    return std::nullopt;
  }

 private:
  static std::string in_brackets(const std::string& text) { return text.empty() ? "" : fmt::format(" ({})", text); }
  static std::string either(const std::vector<std::string>& things) {
    if (things.size() > kMaxNamed + 1) {
      return fmt::format("one of {}", listed(things, kMaxNamed));
    }
    std::string text;
    for (std::size_t i = 0; i < things.size(); ++i) text += (i == 0 ? "" : " or ") + things[i];
    return text;
  }

  std::vector<std::pair<Symbol, std::int64_t>> request() const {
    const api::ResourceVector& needed = compiled_.usage.requested;
    std::vector<std::pair<Symbol, std::int64_t>> result = {{Symbol("cpu"), needed.milli_cpu},
                                                           {Symbol("memory"), needed.memory},
                                                           {Symbol("ephemeral-storage"), needed.ephemeral_storage}};
    for (const auto& [scalar, value] : needed.scalars) result.emplace_back(scalar, value);
    std::erase_if(result, [](const auto& entry) { return entry.second <= 0; });
    return result;
  }
  std::string request_text() const {
    std::vector<std::string> texts;
    for (const auto& [each, value] : request()) texts.push_back(amount_of(each, value, Round::kUp));
    return texts.empty() ? "room for another pod" : "at least " + listed(texts);
  }
  std::string with_request() const { return "with " + request_text(); }
  std::string resource_names() const {
    std::vector<std::string> texts;
    for (const auto& [each, value] : request()) texts.push_back(each.str());
    return texts.empty() ? "of anything" : either(texts);
  }

  // "disktype=ssd and zone in (a, b)"
  std::string node_affinity_text() const {
    const api::PodTemplate& spec = *pod_.spec;
    std::vector<std::string> parts;
    for (const auto& [key, value] : spec.node_selector) {
      parts.push_back(fmt::format("{}={}", key.text(), value.text()));
    }
    if (spec.affinity && spec.affinity->node_affinity && spec.affinity->node_affinity->required) {
      std::vector<std::string> terms;
      for (const api::NodeSelectorTerm& term : spec.affinity->node_affinity->required->node_selector_terms) {
        std::vector<std::string> texts;
        for (const auto& each : term.match_expressions) {
          texts.push_back(requirement_text(each.key.text(), each.op.text(), each.values));
        }
        for (const auto& each : term.match_fields) {
          texts.push_back(requirement_text(each.key.text(), each.op.text(), each.values));
        }
        if (!texts.empty()) terms.push_back(listed(texts));
      }
      if (!terms.empty()) parts.push_back(either(terms));
    }
    return parts.empty() ? "what its node affinity asks for" : listed(parts);
  }

  std::string where(const api::PodAffinityTerm& term) const {
    if (term.namespaces.empty() && !term.namespace_selector) return "namespace " + pod_.metadata.name_space.str();
    std::vector<std::string> names;
    for (const Symbol each : term.namespaces) names.push_back("namespace " + each.str());
    if (term.namespace_selector) names.push_back("a namespace with " + selector_text(term.namespace_selector));
    return either(names);
  }
  std::string pods_of(const std::vector<api::PodAffinityTerm>& terms, std::string_view between) const {
    std::string text;
    for (const api::PodAffinityTerm& term : terms) {
      text +=
          fmt::format("{}with {} in {}", text.empty() ? "" : between, selector_text(term.label_selector), where(term));
    }
    return text;
  }
  static std::string keys_of(const std::vector<api::PodAffinityTerm>& terms) {
    std::vector<std::string> keys;
    for (const api::PodAffinityTerm& term : terms) add_once(keys, term.topology_key.str());
    return either(keys);
  }

  std::vector<std::string> of_pod_affinity(const queue::ClusterEvent& event) const {
    static const std::vector<api::PodAffinityTerm> kNone;
    const auto& affinity = pod_.spec->affinity;
    const auto& wanted = affinity && affinity->pod_affinity ? affinity->pod_affinity->required : kNone;
    const auto& avoided = affinity && affinity->pod_anti_affinity ? affinity->pod_anti_affinity->required : kNone;
    std::vector<std::string> texts;
    if (is_pod(event.resource)) {
      if (!wanted.empty()) {
        texts.push_back(fmt::format("a pod {} is bound or gets the label", pods_of(wanted, " and ")));
      }
      if (!avoided.empty()) {
        texts.push_back(fmt::format("a pod {} ends or loses the label", pods_of(avoided, " or ")));
      }
      if (!details_.avoiders.empty()) {
        texts.push_back(fmt::format("{} ends", either(details_.avoiders)));
      } else if (!details_.knows_avoiders) {
        texts.emplace_back("a pod whose anti-affinity keeps it away ends");
      }
      return texts;
    }
    if (event.resource == resource::kNode) {
      if ((event.actions & action::kAdd) != 0) {
        texts.push_back(!wanted.empty() && avoided.empty()
                            ? fmt::format("a node with the label {} is added", keys_of(wanted))
                            : std::string("a node is added"));
      }
      if ((event.actions & action::kUpdateNodeLabel) != 0) {
        std::vector<api::PodAffinityTerm> all = wanted;
        all.insert(all.end(), avoided.begin(), avoided.end());
        texts.push_back(all.empty() ? std::string("a node changes the topology label of a pod that keeps it away")
                                    : fmt::format("the label {} of a node changes", keys_of(all)));
      }
      if ((event.actions & action::kDelete) != 0) texts.emplace_back("a node is removed");
      return texts;
    }
    if (event.resource != resource::kNamespace) return texts;
    const auto selects = [](const api::PodAffinityTerm& term) { return bool(term.namespace_selector); };
    const bool selects_namespaces = std::ranges::any_of(wanted, selects) || std::ranges::any_of(avoided, selects);
    texts.push_back(selects_namespaces ? std::string("a namespace is added or its labels change")
                                       : fmt::format("namespace {} changes", pod_.metadata.name_space.text()));
    return texts;
  }

  std::optional<std::vector<std::string>> of_spread(const queue::ClusterEvent& event) const {
    std::vector<std::string> selectors, keys;
    for (const api::TopologySpreadConstraint& each : pod_.spec->topology_spread_constraints) {
      if (each.when_unsatisfiable == "ScheduleAnyway") continue;
      add_once(selectors, "with " + selector_text(each.label_selector));
      add_once(keys, each.topology_key.str());
    }
    if (keys.empty()) return std::nullopt;
    if (is_pod(event.resource)) {
      return std::vector<std::string>{fmt::format("a pod {} in namespace {} is bound or ends or changes that label",
                                                  either(selectors), pod_.metadata.name_space.text())};
    }
    if (event.resource != resource::kNode) return std::nullopt;
    const std::string label = listed(keys);
    std::vector<std::string> texts;
    if ((event.actions & action::kAdd) != 0) {
      texts.push_back(
          fmt::format("a node with the label{} {} is added or removed", keys.size() == 1 ? "" : "s", label));
    }
    if ((event.actions & (action::kUpdateNodeLabel | action::kUpdateNodeTaint)) != 0) {
      texts.push_back(fmt::format("such a node changes {} or its taints", label));
    }
    return texts;
  }

  std::optional<std::vector<std::string>> of_claims(const queue::ClusterEvent& event) const {
    std::vector<std::string> claims;
    for (const api::Volume& volume : pod_.spec->volumes) {
      if (volume.source.persistent_volume_claim) claims.push_back(volume.source.persistent_volume_claim->claim_name);
      if (volume.source.ephemeral) claims.push_back(fmt::format("{}-{}", pod_.metadata.name, volume.name));
    }
    if (claims.empty()) return std::nullopt;
    const bool is_update = (event.actions & action::kUpdate) != 0;
    return std::vector<std::string>{
        fmt::format("its PersistentVolumeClaim {} is created{}", either(claims), is_update ? " or changes" : "")};
  }

  const api::Pod& pod_;
  const api::CompiledPod& compiled_;
  const WakeDetails& details_;
};

}  // namespace

WakeDetails wake_details(const Cluster& cluster, const Evaluation& evaluation, const Diagnosis& diagnosis) {
  WakeDetails details;
  std::optional<double> nearest;
  bool keeps_away = false;
  for (const NodeFinding& finding : diagnosis.findings) {
    const cache::NodeState& node = cluster.cache.nodes().at(finding.row);
    for (const FailingFilter& failing : finding.failing) {
      if (failing.plugin == name::kNodeResourcesFit) {
        const std::vector<Shortage> found = shortages(evaluation, node, failing);
        const double distance = distance_of(found);
        const bool is_taken =
            std::ranges::all_of(found, [](const Shortage& each) { return each.kind == Shortage::Kind::kTaken; });
        if (found.empty() || !is_taken || (nearest && distance >= *nearest)) continue;
        nearest = distance;
        details.shortage = fmt::format("nearest: {}, lacks {}", node.name.text(), lacks_text(found));
      } else if (failing.plugin == name::kNodeUnschedulable) {
        details.cordoned.push_back(node.name.str());
      } else if (failing.plugin == name::kTaintToleration) {
        for (const api::Taint& taint : untolerated_taints(*evaluation.pod, *node.node)) {
          // The cordon is told of by itself.
          if (taint.key != "node.kubernetes.io/unschedulable") add_once(details.taints, taint_text(taint));
        }
      } else if (failing.plugin == name::kInterPodAffinity) {
        keeps_away = true;
      }
    }
  }
  if (keeps_away) {
    details.knows_avoiders = true;
    for (const Neighbour& each : Neighbourhood(cluster, evaluation).all_avoiding()) {
      add_once(details.avoiders, fmt::format("{} on {}", api::full_name(each.pod->metadata), each.node));
      // The sentence names a few.
      if (details.avoiders.size() > 2 * kMaxNamed) break;
    }
  }
  return details;
}

std::vector<WakeUp> wake_ups(const framework::Profile& profile, std::span<const Symbol> rejecting_plugins,
                             const api::Pod& pod, const api::CompiledPod& compiled, const WakeDetails& details) {
  const bool wants_devices = compiled.has_resource_claims || !compiled.usage.requested.scalars.empty();
  const std::vector<queue::HintRegistration> hints = profile.hints();
  const Causes specific(pod, compiled, details);
  std::vector<WakeUp> result;
  for (const Symbol plugin : rejecting_plugins) {
    WakeUp wake_up{.plugin = plugin, .sentence = {}, .causes = {}, .events = {}};
    for (const queue::HintRegistration& hint : hints) {
      if (hint.plugin != plugin) continue;
      label(hint.event, wake_up.events);
      if (!wants_devices && hint.event.resource == resource::kDeviceClass) continue;
      if (const auto texts = specific.of(plugin, hint.event)) {
        for (const std::string& text : *texts) add_once(wake_up.causes, text);
      } else {
        describe(hint.event, wake_up.causes);
      }
    }
    if (wake_up.causes.empty()) wake_up.causes.emplace_back("anything happens");
    const std::size_t count = wake_up.causes.size();
    for (std::size_t i = 0; i < count; ++i) {
      wake_up.sentence += fmt::format("{}{}", i == 0 ? "" : i + 1 == count ? ", or " : ", ", wake_up.causes[i]);
    }
    result.push_back(std::move(wake_up));
  }
  std::ranges::sort(result, SymbolTextLess(), &WakeUp::plugin);
  return result;
}

}  // namespace berth::explain
