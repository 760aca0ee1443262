#include "berth/explain/neighbourhood.h"

#include <algorithm>
#include <set>

namespace berth::explain {

namespace {

const api::Labels& namespace_labels(const Cluster& cluster, Symbol name_space) {
  static const api::Labels kNone;
  const api::Labels* labels = cluster.objects.namespace_labels(name_space);
  return labels != nullptr ? *labels : kNone;
}

}  // namespace

Neighbourhood::Neighbourhood(const Cluster& cluster, const Evaluation& evaluation) : cluster_(cluster) {
  const api::Pod& pod = *evaluation.pod;
  const api::CompiledPod& compiled = *evaluation.pod.compiled;
  const Symbol own = pod.metadata.name_space;
  const api::Labels& own_labels = namespace_labels(cluster, own);
  for (const api::PodTermMatcher& term : compiled.required_affinity) affinity_.push_back({term.topology_key, {}});
  for (const api::PodTermMatcher& term : compiled.required_anti_affinity) {
    anti_affinity_.push_back({term.topology_key, {}});
  }
  wanted_.resize(affinity_.size());
  elsewhere_.resize(affinity_.size());

  for (const cache::RowId row : cluster.rows_by_name()) {
    const cache::NodeState& node = cluster.cache.nodes().at(row);
    const auto domain_of = [&](Symbol key) { return cluster.cache.nodes().topology(key).domain_of(row); };
    for (const cache::PlacedPod& placed : node.pods) {
      for (const api::PodTermMatcher& term : placed.compiled->required_anti_affinity) {
        if (!term.matches(placed.pod->metadata.name_space, pod, own_labels)) continue;
        auto it = std::ranges::find(of_others_, term.topology_key, &Term::topology_key);
        if (it == of_others_.end()) it = of_others_.insert(it, Term{term.topology_key, {}});
        it->by_domain[domain_of(term.topology_key)].push_back({placed.pod, node.name.str()});
      }
      if (affinity_.empty() && anti_affinity_.empty()) continue;
      const api::Labels& labels = namespace_labels(cluster, placed.pod->metadata.name_space);
      for (std::size_t i = 0; i < affinity_.size(); ++i) {
        const api::PodTermMatcher& term = compiled.required_affinity[i];
        if (term.matches(own, *placed.pod, labels)) {
          affinity_[i].by_domain[domain_of(term.topology_key)].push_back({placed.pod, node.name.str()});
          wanted_[i].push_back({placed.pod, node.name.str()});
        } else if (term.pods.matches(*placed.pod->metadata.labels)) {
          elsewhere_[i].push_back({placed.pod, node.name.str()});
        }
      }
      for (std::size_t i = 0; i < anti_affinity_.size(); ++i) {
        const api::PodTermMatcher& term = compiled.required_anti_affinity[i];
        if (!term.matches(own, *placed.pod, labels)) continue;
        anti_affinity_[i].by_domain[domain_of(term.topology_key)].push_back({placed.pod, node.name.str()});
      }
    }
  }
}

std::vector<Neighbour> Neighbourhood::in_domains(const std::vector<Term>& terms,
                                                 std::span<const cache::RowId> rows) const {
  std::vector<Neighbour> result;
  for (const Term& term : terms) {
    const cache::TopologyColumn& column = cluster_.cache.nodes().topology(term.topology_key);
    std::set<cache::DomainId> seen;
    for (const cache::RowId row : rows) {
      const cache::DomainId domain = column.domain_of(row);
      if (domain == cache::kNoDomain || !seen.insert(domain).second) continue;
      const auto it = term.by_domain.find(domain);
      if (it != term.by_domain.end()) result.insert(result.end(), it->second.begin(), it->second.end());
    }
  }
  return result;
}

std::vector<Neighbour> Neighbourhood::avoided(std::span<const cache::RowId> rows) const {
  return in_domains(anti_affinity_, rows);
}
std::vector<Neighbour> Neighbourhood::avoiding(std::span<const cache::RowId> rows) const {
  return in_domains(of_others_, rows);
}

std::vector<std::size_t> Neighbourhood::unmet_terms(cache::RowId row) const {
  std::vector<std::size_t> unmet;
  for (std::size_t i = 0; i < affinity_.size(); ++i) {
    const cache::DomainId domain = cluster_.cache.nodes().topology(affinity_[i].topology_key).domain_of(row);
    if (domain == cache::kNoDomain || !affinity_[i].by_domain.contains(domain)) unmet.push_back(i);
  }
  return unmet;
}

std::vector<Symbol> Neighbourhood::keys_of_others() const {
  std::vector<Symbol> keys;
  for (const Term& term : of_others_) keys.push_back(term.topology_key);
  return keys;
}

std::vector<Neighbour> Neighbourhood::all_avoiding() const {
  std::vector<Neighbour> result;
  for (const Term& term : of_others_) {
    for (const auto& [domain, pods] : term.by_domain) {
      if (domain != cache::kNoDomain) result.insert(result.end(), pods.begin(), pods.end());
    }
  }
  return result;
}

}  // namespace berth::explain
