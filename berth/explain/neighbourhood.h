// The pods of a cluster as a pod's required affinity and anti-affinity see them: which ones it has to be near to, which
// ones it has to keep away from, and which ones want it to keep away; by topology domain, worked out once for all
// nodes.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/explain/cluster.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/facts.h"

namespace berth::explain {

class Neighbourhood {
 public:
  // Goes through all pods once, if the pod has terms or others have.
  Neighbourhood(const Cluster& cluster, const Evaluation& evaluation);

  // Pods in the domains of the nodes that the pod's required anti-affinity names.
  std::vector<Neighbour> avoided(std::span<const cache::RowId> rows) const;
  // Pods in the domains of the nodes whose required anti-affinity names the pod.
  std::vector<Neighbour> avoiding(std::span<const cache::RowId> rows) const;
  // Indices of the pod's required affinity terms that no pod in the node's domain meets.
  std::vector<std::size_t> unmet_terms(cache::RowId row) const;

  // Pods that the required affinity term names, wherever they are.
  const std::vector<Neighbour>& wanted(std::size_t term) const { return wanted_[term]; }
  // Pods on nodes with the labels that the term asks for, in namespaces that it does not look into.
  const std::vector<Neighbour>& in_other_namespaces(std::size_t term) const { return elsewhere_[term]; }
  // The topology keys of required anti-affinity that names the pod.
  std::vector<Symbol> keys_of_others() const;
  // All pods whose required anti-affinity names the pod.
  std::vector<Neighbour> all_avoiding() const;

 private:
  struct Term {
    Symbol topology_key;
    std::map<cache::DomainId, std::vector<Neighbour>> by_domain;
  };
  std::vector<Neighbour> in_domains(const std::vector<Term>& terms, std::span<const cache::RowId> rows) const;

  const Cluster& cluster_;
  std::vector<Term> affinity_;
  std::vector<Term> anti_affinity_;
  std::vector<Term> of_others_;  // one per topology key
  std::vector<std::vector<Neighbour>> wanted_;
  std::vector<std::vector<Neighbour>> elsewhere_;
};

}  // namespace berth::explain
