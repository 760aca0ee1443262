// What would help a pod whose affinity to other pods is not met: the topology key, the namespace or the label that was
// meant.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "berth/config/suggest.h"
#include "berth/explain/help_search.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

using Terms = std::vector<api::PodAffinityTerm>;

const Terms* terms_of(const api::PodTemplate& spec) {
  return spec.affinity && spec.affinity->pod_affinity ? &spec.affinity->pod_affinity->required : nullptr;
}

// A change of the terms that are equal to `term`, wherever they stand.
PodChange change_of(const api::PodAffinityTerm& term, std::function<void(api::PodAffinityTerm&)> change) {
  return [term, change = std::move(change)](api::PodTemplate& spec) {
    if (!spec.affinity || !spec.affinity->pod_affinity) return;
    for (api::PodAffinityTerm& each : spec.affinity->pod_affinity->required) {
      if (each == term) change(each);
    }
  };
}

Step without_affinity() {
  Step step{.kind = "affinity", .text = "do without its required pod affinity"};
  step.pod = [](api::PodTemplate& spec) {
    if (!spec.affinity || !spec.affinity->pod_affinity) return;
    auto& affinity = spec.affinity->pod_affinity;
    affinity->required.clear();
    if (affinity->preferred.empty()) affinity.reset();
  };
  return step;
}

// A key that nodes have, instead of one that none has: the one that it was probably meant to be, or a common one.
std::vector<Step> other_keys(HelpSearch& search, const api::PodAffinityTerm& term) {
  if (!label_values(search.cluster, term.topology_key).empty()) return {};
  const std::vector<Symbol> known = label_keys(search.cluster);
  std::vector<std::string_view> texts;
  for (const Symbol key : known) texts.push_back(key.text());
  std::vector<std::string_view> keys;
  const std::string_view nearest = config::nearest_name(term.topology_key.text(), texts);
  if (!nearest.empty()) keys.push_back(nearest);
  constexpr std::array<std::string_view, 2> kUsual = {"topology.kubernetes.io/zone", "kubernetes.io/hostname"};
  for (const std::string_view key : kUsual) {
    if (key != nearest && std::ranges::find(texts, key) != texts.end()) keys.push_back(key);
  }
  std::vector<Step> steps;
  for (const std::string_view key : keys) {
    Step step{
        .kind = "affinity",
        .text = fmt::format("use the topologyKey {} instead of {} in its pod affinity", key, term.topology_key.text())};
    step.pod = change_of(term, [key = Symbol(key)](api::PodAffinityTerm& each) { each.topology_key = key; });
    steps.push_back(std::move(step));
  }
  return steps;
}

// The namespaces that pods with the right labels are in, the one with most pods first.
std::vector<Step> other_namespaces(HelpSearch& search, const api::PodAffinityTerm& term, std::size_t index) {
  std::map<Symbol, std::size_t, SymbolTextLess> counts;
  for (const Neighbour& each : search.neighbourhood().in_other_namespaces(index)) {
    ++counts[each.pod->metadata.name_space];
  }
  std::vector<std::pair<Symbol, std::size_t>> ordered(counts.begin(), counts.end());
  std::ranges::sort(ordered, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first.text() < b.first.text();
  });
  std::vector<Step> steps;
  for (const auto& [name_space, count] : ordered) {
    if (steps.size() == kMaxGuesses) break;
    Step step{.kind = "affinity",
              .text = fmt::format("let its pod affinity look for {} in namespace {} too (namespaces)",
                                  selector_text(term.label_selector), name_space.text())};
    step.pod =
        change_of(term, [own = search.pod().metadata.name_space, added = name_space](api::PodAffinityTerm& each) {
          // Without either, a term means the pod's own namespace, which it would forget now.
          if (each.namespaces.empty() && !each.namespace_selector) each.namespaces.push_back(own);
          each.namespaces.push_back(added);
        });
    steps.push_back(std::move(step));
  }
  return steps;
}

// A label value that pods have, instead of one that none has.
std::vector<Step> other_values(HelpSearch& search, const api::PodAffinityTerm& term, std::size_t index) {
  if (!term.label_selector || !search.neighbourhood().wanted(index).empty()) return {};
  const api::PodTermMatcher& matcher = search.evaluation.pod.compiled->required_affinity[index];
  std::vector<Step> steps;
  for (const auto& [key, value] : term.label_selector->match_labels) {
    std::set<Symbol, SymbolTextLess> values;
    for (const auto& [full, pod] : search.cluster.pods) {
      if (pod->spec.node_name.empty() || api::is_terminal(*pod)) continue;
      if (!matcher.names(search.pod().metadata.name_space, pod->metadata.name_space)) continue;
      if (const Symbol* found = pod->metadata.labels->find(key)) values.insert(*found);
    }
    std::vector<std::string_view> texts;
    for (const Symbol each : values) texts.push_back(each.text());
    const std::string_view nearest = config::nearest_name(value.text(), texts);
    if (nearest.empty() || nearest == value.text()) continue;
    Step step{.kind = "affinity",
              .text = fmt::format("let its pod affinity select {}={} instead of {}={}", key.text(), nearest, key.text(),
                                  value.text())};
    step.pod = change_of(term, [label = key, chosen = Symbol(nearest)](api::PodAffinityTerm& each) {
      each.label_selector->match_labels[label] = chosen;
    });
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

namespace {

std::vector<Step> corrections(HelpSearch& search) {
  const Terms* terms = terms_of(*search.pod().spec);
  // A term that does not parse leaves no terms.
  if (terms == nullptr || terms->size() != search.evaluation.pod.compiled->required_affinity.size()) return {};
  const bool is_about_affinity = std::ranges::any_of(search.diagnosis.findings, [](const NodeFinding& finding) {
    return std::ranges::any_of(finding.failing,
                               [](const auto& each) { return each.plugin == name::kInterPodAffinity; });
  });
  if (!is_about_affinity) return {};
  std::vector<Step> steps;
  for (std::size_t i = 0; i < terms->size(); ++i) {
    std::ranges::move(other_keys(search, (*terms)[i]), std::back_inserter(steps));
    std::ranges::move(other_namespaces(search, (*terms)[i], i), std::back_inserter(steps));
    std::ranges::move(other_values(search, (*terms)[i], i), std::back_inserter(steps));
  }
  return steps;
}

// A pod that the terms select, in a namespace that they look into; nothing if one pod cannot meet them all.
std::optional<api::Pod> pod_for(const HelpSearch& search, const Terms& terms) {
  api::Pod pod;
  api::Labels labels;
  pod.metadata.name = "new pod";
  pod.metadata.uid = "new pod";
  for (const api::PodAffinityTerm& term : terms) {
    if (!term.label_selector || term.namespace_selector) return std::nullopt;
    const Symbol where = term.namespaces.empty() ? search.pod().metadata.name_space : term.namespaces.front();
    if (!pod.metadata.name_space.empty() && pod.metadata.name_space != where) return std::nullopt;
    pod.metadata.name_space = where;
    for (const auto& [key, value] : term.label_selector->match_labels) labels[key] = value;
    for (const api::LabelSelectorRequirement& each : term.label_selector->match_expressions) {
      if (each.op == "In" && !each.values.empty()) labels[each.key] = each.values.front();
      if (each.op == "Exists") labels[each.key] = Symbol("true");
    }
  }
  pod.metadata.labels = std::move(labels);
  return pod;
}

}  // namespace

std::vector<Step> affinity_steps(HelpSearch& search) {
  std::vector<Step> steps = corrections(search);
  const Terms* terms = terms_of(*search.pod().spec);
  if (terms != nullptr && !terms->empty()) steps.push_back(without_affinity());
  return steps;
}

void correct_affinity(HelpSearch& search) {
  for (const Step& step : corrections(search)) {
    if (const auto where = search.best_node(step)) return search.say_on(step, *where);
  }
}

// If there is no pod yet of those that it wants to be near to.
void start_neighbour(HelpSearch& search) {
  const Terms* terms = terms_of(*search.pod().spec);
  if (terms == nullptr || terms->size() != search.evaluation.pod.compiled->required_affinity.size()) return;
  for (std::size_t i = 0; i < terms->size(); ++i) {
    if (!search.neighbourhood().wanted(i).empty()) return;
  }
  std::optional<api::Pod> pod = terms->empty() ? std::nullopt : pod_for(search, *terms);
  if (!pod) return;
  std::vector<std::string> selectors;
  for (const api::PodAffinityTerm& term : *terms) selectors.push_back(selector_text(term.label_selector));
  std::size_t tried = 0;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kInterPodAffinity)) continue;
    const std::string node_name = search.cluster.name_of(finding.row);
    pod->spec.node_name = Symbol(node_name);
    Step step{.kind = "neighbours",
              .text = fmt::format("start a pod with {} in namespace {} on {}", listed(selectors),
                                  pod->metadata.name_space.text(), node_name)};
    step.new_pods.push_back(std::make_shared<const api::Pod>(*pod));
    if (search.fits_on(node_name, step)) return search.say_there(step, node_name);
    if (++tried == kMaxGuesses) return;
  }
}

std::optional<Step> affinity_step(HelpSearch& search, cache::RowId row) {
  const std::span rows(&row, 1);
  const bool is_kept_off =
      !search.neighbourhood().avoided(rows).empty() || !search.neighbourhood().avoiding(rows).empty();
  if (is_kept_off || search.neighbourhood().unmet_terms(row).empty()) return std::nullopt;
  return without_affinity();
}

void drop_affinity(HelpSearch& search) {
  const Terms* terms = terms_of(*search.pod().spec);
  if (terms == nullptr || terms->empty()) return;
  const Step step = without_affinity();
  if (const auto where = search.best_node(step)) search.say_on(step, *where);
}

}  // namespace berth::explain
