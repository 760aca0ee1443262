#include "berth/plugins/incoming_pod.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace berth::plugins {

namespace {

constexpr auto kById = [](Symbol a, Symbol b) { return a.id() < b.id(); };

void sort_and_unify(std::vector<Symbol>& symbols) {
  std::sort(symbols.begin(), symbols.end(), kById);
  const auto repeated = std::ranges::unique(symbols);
  symbols.erase(repeated.begin(), repeated.end());
}

IncomingTerm expand(const api::PodTermMatcher& term, std::int32_t weight, Symbol own_namespace,
                    const cache::ClusterObjects& objects, bool negative_selector_selects_all) {
  IncomingTerm expanded{.term = &term, .weight = weight, .is_everywhere = false, .namespaces = term.namespaces};
  if (term.is_own_namespace) expanded.namespaces = {own_namespace};
  const api::LabelMatcher& selector = term.namespace_selector;
  static const api::Labels no_labels;
  expanded.is_everywhere = selector.is_everything() || (negative_selector_selects_all && selector.matches(no_labels));
  if (!expanded.is_everywhere && !selector.is_nothing()) {
    objects.namespaces.for_each([&](const std::shared_ptr<const api::Namespace>& each) {
      if (selector.matches(*each->metadata.labels)) expanded.namespaces.emplace_back(each->metadata.name);
    });
  }
  sort_and_unify(expanded.namespaces);
  return expanded;
}

const api::Labels& labels_of(Symbol name_space, const cache::ClusterObjects& objects) {
  static const api::Labels none;
  const api::Labels* labels = objects.namespace_labels(name_space);
  return labels != nullptr ? *labels : none;
}

}  // namespace

bool IncomingTerm::matches(Symbol name_space, const api::Labels& labels) const {
  return (is_everywhere || std::ranges::binary_search(namespaces, name_space, kById)) && term->pods.matches(labels);
}

IncomingPod::IncomingPod(const framework::PodToPlace& pod, Part part, const cache::ClusterObjects& objects,
                         const PluginQuirks& quirks)
    : pod_(pod),
      negative_selector_selects_all_(quirks.negative_namespace_selector_selects_all),
      namespace_labels_(labels_of(pod->metadata.name_space, objects)),
      checked_(objects.namespaces.version()) {
  const auto add = [&](std::vector<IncomingTerm>& terms, const api::PodTermMatcher& term, std::int32_t weight) {
    terms.push_back(expand(term, weight, pod->metadata.name_space, objects, negative_selector_selects_all_));
    looks_everywhere_ = looks_everywhere_ || terms.back().is_everywhere;
    std::ranges::copy(terms.back().namespaces, std::back_inserter(namespaces_));
  };
  const api::CompiledPod& compiled = *pod_.compiled;
  if (part == Part::kRequired) {
    for (const api::PodTermMatcher& term : compiled.required_affinity) add(affinity_, term, 0);
    for (const api::PodTermMatcher& term : compiled.required_anti_affinity) add(anti_affinity_, term, 0);
  } else {
    for (const api::WeightedPodTerm& each : compiled.preferred_affinity) add(affinity_, each.term, each.weight);
    for (const api::WeightedPodTerm& each : compiled.preferred_anti_affinity) {
      add(anti_affinity_, each.term, each.weight);
    }
  }
  sort_and_unify(namespaces_);
}

bool IncomingPod::wants(Symbol name_space, const api::Labels& labels) const {
  return !affinity_.empty() &&
         std::ranges::all_of(affinity_, [&](const IncomingTerm& term) { return term.matches(name_space, labels); });
}

bool IncomingPod::is_current(const cache::ClusterObjects& objects) const {
  if (labels_of(pod().metadata.name_space, objects) != namespace_labels_) return false;
  const auto means_the_same = [&](const IncomingTerm& term) {
    const IncomingTerm now =
        expand(*term.term, term.weight, pod().metadata.name_space, objects, negative_selector_selects_all_);
    return now.namespaces == term.namespaces;
  };
  return std::ranges::all_of(affinity_, means_the_same) && std::ranges::all_of(anti_affinity_, means_the_same);
}

std::uint64_t IncomingPod::objects_version(const cache::ClusterObjects& objects) const {
  const std::uint64_t version = objects.namespaces.version();
  if (version == checked_) return 0;
  if (!is_current(objects)) return version;
  checked_ = version;
  return 0;
}

}  // namespace berth::plugins
