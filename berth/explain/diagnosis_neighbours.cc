#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "berth/config/suggest.h"
#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/words.h"

namespace berth::explain {

std::string neighbours_text(const std::vector<Neighbour>& neighbours) {
  const auto owner_text = [](const Neighbour& each) {
    const api::OwnerReference* owner = api::controller_of(each.pod->metadata);
    return owner == nullptr
               ? std::string()
               : fmt::format("{} {}/{}", owner->kind.text(), each.pod->metadata.name_space.text(), owner->name);
  };
  const std::string first = neighbours.empty() ? "" : owner_text(neighbours[0]);
  const bool is_shared = !first.empty() && std::ranges::all_of(neighbours, [&](const Neighbour& each) {
    return owner_text(each) == first;
  });
  if (neighbours.size() > 1 && is_shared) return "pods of " + first;
  std::vector<std::string> names;
  std::set<const api::Pod*> seen;  // only looked up, never gone through
  for (const Neighbour& each : neighbours) {
    if (!seen.insert(each.pod.get()).second) continue;
    names.push_back(fmt::format("{} on {}", api::full_name(each.pod->metadata), each.node));
  }
  return listed(names, kMaxNamed);
}

Phrase ports_phrase(const Cluster& cluster, const Evaluation& evaluation, const Members& members) {
  std::vector<Neighbour> holders;
  std::set<std::int32_t> ports;
  for (const NodeFinding* member : members) {
    PortConflict conflict = port_conflict(evaluation, cluster.cache.nodes().at(member->row));
    ports.insert(conflict.port);
    std::ranges::move(conflict.holders, std::back_inserter(holders));
  }
  std::vector<std::string> texts;
  for (const std::int32_t port : ports) texts.push_back(std::to_string(port));
  return has(fmt::format("host port {} taken", listed(texts)), "by " + neighbours_text(holders));
}

Phrase spread_phrase(const SpreadState* state, bool lacks_label) {
  if (state == nullptr) return verb("would break", "would break", "its topology spread constraints");
  if (lacks_label) return has_not(fmt::format("the label {}, over which it is spread", state->topology_key.text()));
  std::vector<std::pair<std::int64_t, std::string>> counts;
  for (const auto& [domain, count] : state->counts) {
    counts.emplace_back(-count, fmt::format("{} has {}", domain, count));
  }
  std::ranges::sort(counts);
  std::vector<std::string> texts;
  for (auto& [count, text] : counts) texts.push_back(std::move(text));
  std::string all = listed(texts, kMaxNamed + 1);
  const bool is_padded = std::ssize(state->counts) < state->min_domains;
  // Which domain has the fewest is what it is about.
  if (texts.size() > kMaxNamed + 2 && !is_padded) all += fmt::format(", the least {}", state->least);
  if (is_padded) {
    all += fmt::format("; minDomains is {} and there {}, so the least counts as 0", state->min_domains,
                       state->counts.size() == 1 ? "is 1 domain" : fmt::format("are {} domains", state->counts.size()));
  }
  return verb("would break", "would break", fmt::format("its spread over {}", state->topology_key.text()),
              fmt::format("maxSkew is {}, and {}", state->max_skew, all));
}

namespace {

std::string namespaces_text(const api::PodAffinityTerm& term, Symbol own) {
  if (term.namespaces.empty() && !term.namespace_selector) return "namespace " + own.str();
  std::vector<std::string> names;
  for (const Symbol each : term.namespaces) names.push_back(each.str());
  if (names.empty()) return "namespaces with " + selector_text(term.namespace_selector);
  return (names.size() == 1 ? "namespace " : "namespaces ") + listed(names) +
         (term.namespace_selector ? " and those with " + selector_text(term.namespace_selector) : "");
}

// Why a term of the pod's affinity is not met anywhere near: the key, the namespace, or the pods.
std::string unmet_term_text(const Cluster& cluster, const Evaluation& evaluation, const Neighbourhood& neighbourhood,
                            std::size_t index) {
  const api::PodAffinityTerm& term = evaluation.pod->spec->affinity->pod_affinity->required[index];
  const std::string selector = selector_text(term.label_selector);
  const std::string where = namespaces_text(term, evaluation.pod->metadata.name_space);
  const std::string_view key = term.topology_key.text();
  if (label_values(cluster, term.topology_key).empty()) {
    std::vector<std::string_view> keys;
    const std::vector<Symbol> known = label_keys(cluster);
    for (const Symbol each : known) keys.push_back(each.text());
    const std::string_view nearest = config::nearest_name(key, keys);
    return fmt::format("no node has the label {}, its topologyKey{}", key,
                       nearest.empty() ? "" : fmt::format("; there is a label {}", nearest));
  }
  const std::vector<Neighbour>& wanted = neighbourhood.wanted(index);
  if (!wanted.empty()) {
    return fmt::format("those with {} in {} are elsewhere: {}", selector, where, neighbours_text(wanted));
  }
  const std::vector<Neighbour>& elsewhere = neighbourhood.in_other_namespaces(index);
  if (!elsewhere.empty()) {
    return fmt::format("none with {} in {}, where the term looks; {} would match", selector, where,
                       neighbours_text(elsewhere));
  }
  std::vector<std::string> waiting;
  const api::PodTermMatcher& matcher = evaluation.pod.compiled->required_affinity[index];
  for (const auto& [full, pod] : cluster.pods) {
    if (!pod->spec.node_name.empty() || api::is_terminal(*pod) || pod->metadata.uid == evaluation.pod->metadata.uid) {
      continue;
    }
    if (matcher.names(evaluation.pod->metadata.name_space, pod->metadata.name_space) &&
        matcher.pods.matches(*pod->metadata.labels)) {
      waiting.push_back(full);
    }
  }
  return fmt::format("none with {} within {}{}", selector, key,
                     waiting.empty()
                         ? ""
                         : fmt::format("; {} {} it but {} not on a node yet", listed(waiting, kMaxNamed),
                                       waiting.size() == 1 ? "has" : "have", waiting.size() == 1 ? "is" : "are"));
}

}  // namespace

Phrase pod_affinity_phrase(const Cluster& cluster, const Evaluation& evaluation, const Neighbourhood& neighbourhood,
                           const Members& members) {
  std::vector<cache::RowId> rows;
  for (const NodeFinding* member : members) rows.push_back(member->row);
  const FailingFilter& failing = members.front()->primary_filter();
  if (failing.has(framework::ReasonCode::kExistingPodsAntiAffinity)) {
    return is("near pods whose anti-affinity keeps it away", neighbours_text(neighbourhood.avoiding(rows)));
  }
  if (failing.has(framework::ReasonCode::kPodAntiAffinity)) {
    return is("near pods that its anti-affinity avoids", neighbours_text(neighbourhood.avoided(rows)));
  }
  std::set<std::size_t> terms;
  for (const NodeFinding* member : members) {
    for (const std::size_t term : neighbourhood.unmet_terms(member->row)) terms.insert(term);
  }
  std::vector<std::string> texts;
  for (const std::size_t term : terms) texts.push_back(unmet_term_text(cluster, evaluation, neighbourhood, term));
  return is("not near the pods that its affinity asks for", fmt::format("{}", fmt::join(texts, "; ")));
}

}  // namespace berth::explain
