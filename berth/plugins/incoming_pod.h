// The pod that is to be placed, as InterPodAffinity compares it with placed ones: its own affinity terms with the
// namespaces that they mean at present, and whether the terms of others mean it.
//
// The two directions see namespaces differently. A namespaceSelector of the pod to be placed is turned into the list of
// namespaces that match it now. That of a placed pod is matched with the labels of the namespace of the pod to be
// placed; a namespace that is not known has none.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"
#include "berth/framework/pod_to_place.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

struct IncomingTerm {
  const api::PodTermMatcher* term = nullptr;
  std::int32_t weight = 0;  // of a preferred term
  bool is_everywhere = false;
  std::vector<Symbol> namespaces;  // without meaning if is_everywhere; sorted by id

  Symbol topology_key() const { return term->topology_key; }
  bool matches(Symbol name_space, const api::Labels& labels) const;
  bool matches(const cache::PodClass& pod_class) const { return matches(pod_class.name_space, *pod_class.labels); }
};

class IncomingPod {
 public:
  enum class Part : std::uint8_t { kRequired, kPreferred };

  IncomingPod(const framework::PodToPlace& pod, Part part, const cache::ClusterObjects& objects,
              const PluginQuirks& quirks);

  const api::Pod& pod() const { return *pod_.pod; }
  const std::vector<IncomingTerm>& affinity() const { return affinity_; }
  const std::vector<IncomingTerm>& anti_affinity() const { return anti_affinity_; }
  bool has_terms() const { return !affinity_.empty() || !anti_affinity_.empty(); }

  // A placed pod that the pod can be near to has to match all terms of affinity(); without any, none does.
  bool wants(Symbol name_space, const api::Labels& labels) const;

  // Whether a placed pod's term means this pod.
  bool is_meant_by(const api::PodTermMatcher& term, Symbol owner_namespace) const {
    return term.matches(owner_namespace, pod(), namespace_labels_);
  }

  // Calls fn(const PodClass&) for each class that a term of its own may match.
  template <typename Fn>
  void for_each_candidate(const cache::NodeTable& table, Fn&& fn) const {
    if (looks_everywhere_) {
      table.for_each_class(fn);
    } else {
      for (const Symbol name_space : namespaces_) table.for_each_class_in(name_space, fn);
    }
  }

  // 0 for as long as the namespaces say the same as when this was made, another number afterwards.
  std::uint64_t objects_version(const cache::ClusterObjects& objects) const;

 private:
  bool is_current(const cache::ClusterObjects& objects) const;

  framework::PodToPlace pod_;
  bool negative_selector_selects_all_;
  api::Labels namespace_labels_;
  std::vector<IncomingTerm> affinity_;
  std::vector<IncomingTerm> anti_affinity_;
  bool looks_everywhere_ = false;
  std::vector<Symbol> namespaces_;  // of all terms, each once
  mutable std::uint64_t checked_;   // version of the namespaces that is known to say the same
};

}  // namespace berth::plugins
