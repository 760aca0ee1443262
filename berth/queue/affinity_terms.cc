#include "berth/queue/affinity_terms.h"

#include <algorithm>

#include "berth/api/label_selector.h"

namespace berth::queue {

bool has_required_affinity_to(const api::Pod& waiting, const api::Pod& assigned, const api::Labels* namespace_labels,
                              bool broken_term_voids_all) {
  const auto& affinity = waiting.spec->affinity;
  if (!affinity || !affinity->pod_affinity) return false;
  static const api::Labels no_labels;
  bool found = false;
  for (const api::PodAffinityTerm& term : affinity->pod_affinity->required) {
    const auto pods = api::LabelMatcher::compile(term.label_selector);
    const auto namespaces = api::LabelMatcher::compile(term.namespace_selector);
    if (!pods || !namespaces) {
      if (broken_term_voids_all) return false;
      continue;
    }
    const Symbol name_space = assigned.metadata.name_space;
    const bool is_own_namespace_meant = term.namespaces.empty() && !term.namespace_selector;
    const bool in_namespace =
        is_own_namespace_meant ? name_space == waiting.metadata.name_space
                               : std::ranges::find(term.namespaces, name_space) != term.namespaces.end() ||
                                     namespaces->matches(namespace_labels != nullptr ? *namespace_labels : no_labels);
    found = found || (in_namespace && pods->matches(*assigned.metadata.labels));
  }
  return found;
}

}  // namespace berth::queue
