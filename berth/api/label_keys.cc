#include "berth/api/label_keys.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

namespace {

// All terms of affinity and anti-affinity, hard and soft.
template <typename Template, typename Look>
void for_each_term(Template& pod, Look look) {
  if (!pod.affinity) return;
  for (auto* affinity : {&pod.affinity->pod_affinity, &pod.affinity->pod_anti_affinity}) {
    if (!*affinity) continue;
    for (auto& term : (*affinity)->required) look(term);
    for (auto& weighted : (*affinity)->preferred) look(weighted.pod_affinity_term);
  }
}

void merge(const std::vector<Symbol>& keys, std::string_view op, const Labels& labels, LabelSelector& selector) {
  for (const Symbol key : keys) {
    const Symbol* value = labels.find(key);
    if (value == nullptr) continue;
    LabelSelectorRequirement requirement{.key = key, .op = Symbol(op), .values = {*value}};
    auto& expressions = selector.match_expressions;
    if (std::ranges::find(expressions, requirement) == expressions.end()) expressions.push_back(std::move(requirement));
  }
}

}  // namespace

bool has_label_keys(const PodTemplate& pod) {
  bool found = false;
  for_each_term(pod, [&](const PodAffinityTerm& term) {
    found |= !term.match_label_keys.empty() || !term.mismatch_label_keys.empty();
  });
  return found;
}

void merge_label_keys(PodTemplate& pod, const Labels& labels) {
  for_each_term(pod, [&](PodAffinityTerm& term) {
    if (!term.label_selector) return;
    merge(term.match_label_keys, "In", labels, *term.label_selector);
    merge(term.mismatch_label_keys, "NotIn", labels, *term.label_selector);
  });
}

}  // namespace berth::api
