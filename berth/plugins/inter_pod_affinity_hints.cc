#include "berth/plugins/inter_pod_affinity_hints.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

using Terms = std::vector<api::PodTermMatcher>;

// The required terms of one pod, and how they match other pods.
class RequiredTerms {
 public:
  RequiredTerms(const api::Pod& owner, const InterPodAffinityHintOptions& options)
      : owner_(owner), compiled_(options.compile(owner)), options_(options) {}

  // A list with a term that does not parse compiles to an empty one.
  bool has_bad_affinity() const {
    const auto& affinity = owner_.spec->affinity;
    return affinity && affinity->pod_affinity && affinity->pod_affinity->required.size() != wanted().size();
  }
  bool has_bad_anti_affinity() const {
    const auto& affinity = owner_.spec->affinity;
    return affinity && affinity->pod_anti_affinity && affinity->pod_anti_affinity->required.size() != hated().size();
  }

  const Terms& wanted() const { return compiled_->required_affinity; }
  const Terms& hated() const { return compiled_->required_anti_affinity; }

  bool wants(const api::Pod& pod) const { return all_match(wanted(), pod); }
  // A pod with affinity to itself may go anywhere if there is nobody else to be near to.
  bool wants_itself() const { return wants(owner_); }

  bool hates(const api::Pod& pod) const {
    if (options_.quirks.anti_affinity_needs_all_terms) return all_match(hated(), pod);
    return std::ranges::any_of(hated(), [&](const api::PodTermMatcher& term) { return matches(term, pod); });
  }
  // There is a domain that the pod had to keep away from because of `before` and does not because of `after`.
  bool hates_less(const api::Pod& before, const api::Pod& after) const {
    if (options_.quirks.anti_affinity_needs_all_terms) {
      return all_match(hated(), before) && !all_match(hated(), after);
    }
    const auto still_keeps_off = [&](Symbol topology_key) {
      return std::ranges::any_of(hated(), [&](const api::PodTermMatcher& term) {
        return term.topology_key == topology_key && matches(term, after);
      });
    };
    return std::ranges::any_of(hated(), [&](const api::PodTermMatcher& term) {
      return matches(term, before) && !still_keeps_off(term.topology_key);
    });
  }

 private:
  bool matches(const api::PodTermMatcher& term, const api::Pod& pod) const {
    static const api::Labels none;
    const api::Labels* labels = nullptr;
    if (!options_.quirks.namespace_selectors_see_no_labels && options_.find_namespace_labels) {
      labels = options_.find_namespace_labels(pod.metadata.name_space);
    }
    return term.matches(owner_.metadata.name_space, pod, labels != nullptr ? *labels : none);
  }
  bool all_match(const Terms& terms, const api::Pod& pod) const {
    return !terms.empty() && std::ranges::all_of(terms, [&](const auto& term) { return matches(term, pod); });
  }

  const api::Pod& owner_;
  std::shared_ptr<const api::CompiledPod> compiled_;
  const InterPodAffinityHintOptions& options_;
};

enum class KeyChange : std::uint8_t { kNone, kAppeared, kVanished, kMoved };

KeyChange change_of(Symbol key, const api::Labels& before, const api::Labels& after) {
  const Symbol *was = before.find(key), *is = after.find(key);
  if (was == nullptr) return is == nullptr ? KeyChange::kNone : KeyChange::kAppeared;
  if (is == nullptr) return KeyChange::kVanished;
  return *was == *is ? KeyChange::kNone : KeyChange::kMoved;
}

// The node leaves a domain that a pod keeps others away from, or takes such a pod with it into another one. A pod that
// is nominated to the node is not among those that is_anti_affinity_key() knows. It keeps others off whatever domain
// the node is in, so a move changes nothing about it, but without the label it keeps off nobody.
bool leaves_domain_of_others(const api::Labels& before, const api::Labels& after,
                             const InterPodAffinityHintOptions& options) {
  return std::ranges::any_of(before, [&](const auto& label) {
    const KeyChange change = change_of(label.key, before, after);
    if (change == KeyChange::kVanished) return true;
    return change == KeyChange::kMoved && (!options.is_anti_affinity_key || options.is_anti_affinity_key(label.key));
  });
}

}  // namespace

HintAnswer inter_pod_affinity_after_pod_change(const api::Pod& pod, const EventObjects& objects,
                                               const InterPodAffinityHintOptions& options) {
  const ObjectsOf<api::Pod> other(objects);
  if (!other.has_any()) return HintAnswer::kError;
  if (other.has_both() && is_same_pod(pod, *other.after)) return HintAnswer::kQueue;
  if ((other.after != nullptr && !has_place(*other.after)) || (other.before != nullptr && !has_place(*other.before))) {
    return HintAnswer::kSkip;
  }
  const RequiredTerms terms(pod, options);
  if (terms.has_bad_affinity() || terms.has_bad_anti_affinity()) return HintAnswer::kError;
  if (other.before == nullptr) return queue_if(terms.wants(*other.after));

  const bool is_wanted = other.after != nullptr && terms.wants(*other.after);
  const bool was_wanted = terms.wants(*other.before);
  if (is_wanted && !was_wanted) return HintAnswer::kQueue;
  if (was_wanted && !is_wanted && !options.quirks.affinity_to_nobody_wakes_nobody && terms.wants_itself()) {
    return HintAnswer::kQueue;
  }
  if (other.after != nullptr) return queue_if(terms.hates_less(*other.before, *other.after));

  if (terms.hates(*other.before)) return HintAnswer::kQueue;
  const RequiredTerms of_deleted(*other.before, options);
  if (of_deleted.has_bad_anti_affinity()) return HintAnswer::kError;
  return queue_if(of_deleted.hates(pod));
}

HintAnswer inter_pod_affinity_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                                const InterPodAffinityHintOptions& options) {
  const ObjectsOf<api::Node> node(objects);
  if (!node.has_any()) return HintAnswer::kError;
  // The pods of a deleted node are gone for those that want to be near them or away from them.
  if (node.after == nullptr) return queue_if(!options.quirks.anti_affinity_of_others_is_ignored);
  const RequiredTerms terms(pod, options);
  if (terms.has_bad_affinity()) return HintAnswer::kError;
  const api::Labels& after = *node.after->metadata.labels;
  if (node.before == nullptr) {
    if (std::ranges::any_of(terms.wanted(), [&](const auto& term) { return after.contains(term.topology_key); })) {
      return HintAnswer::kQueue;
    }
    if (terms.has_bad_anti_affinity()) return HintAnswer::kError;
    // Without terms of its own the pod was kept off by others, who are not on the new node.
    return queue_if(!terms.hated().empty() ||
                    (!options.quirks.anti_affinity_of_others_is_ignored && terms.wanted().empty()));
  }
  const api::Labels& before = *node.before->metadata.labels;
  const bool counts_vanishing = !options.quirks.affinity_to_nobody_wakes_nobody && terms.wants_itself();
  for (const api::PodTermMatcher& term : terms.wanted()) {
    const KeyChange change = change_of(term.topology_key, before, after);
    if (change == KeyChange::kAppeared || change == KeyChange::kMoved) return HintAnswer::kQueue;
    if (change == KeyChange::kVanished && counts_vanishing) return HintAnswer::kQueue;
  }
  if (terms.has_bad_anti_affinity()) return HintAnswer::kError;
  for (const api::PodTermMatcher& term : terms.hated()) {
    const KeyChange change = change_of(term.topology_key, before, after);
    if (change == KeyChange::kVanished || change == KeyChange::kMoved) return HintAnswer::kQueue;
  }
  return queue_if(!options.quirks.anti_affinity_of_others_is_ignored &&
                  leaves_domain_of_others(before, after, options));
}

HintAnswer inter_pod_affinity_after_namespace_change(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::Namespace> name_space(objects);
  if (!name_space.has_any()) return HintAnswer::kError;
  // The terms of others may have selected the pod's namespace.
  const api::Namespace& changed = name_space.after != nullptr ? *name_space.after : *name_space.before;
  if (pod.metadata.name_space.text() == changed.metadata.name) return HintAnswer::kQueue;
  if (!pod.spec->affinity) return HintAnswer::kSkip;
  const auto selects_namespaces = [](const auto& affinity) {
    return affinity && std::ranges::any_of(affinity->required, [](const api::PodAffinityTerm& term) {
             return bool(term.namespace_selector);
           });
  };
  return queue_if(selects_namespaces(pod.spec->affinity->pod_affinity) ||
                  selects_namespaces(pod.spec->affinity->pod_anti_affinity));
}

std::vector<HintRegistration> inter_pod_affinity_hints(Symbol profile, const InterPodAffinityHintOptions& options) {
  HintList hints(profile, name::kInterPodAffinity);
  hints.add(queue::resource::kPod, queue::action::kAdd | queue::action::kDelete | queue::action::kUpdatePodLabel,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return inter_pod_affinity_after_pod_change(pod, objects, options);
            });
  queue::ActionSet on_nodes = queue::action::kAdd | queue::action::kUpdateNodeLabel;
  if (!options.quirks.anti_affinity_of_others_is_ignored) on_nodes |= queue::action::kDelete;
  hints.add(queue::resource::kNode, on_nodes, [options](const api::Pod& pod, const EventObjects& objects) {
    return inter_pod_affinity_after_node_change(pod, objects, options);
  });
  if (!options.quirks.namespace_selectors_see_no_labels) {
    hints.add(queue::resource::kNamespace, queue::action::kAdd | queue::action::kDelete | queue::action::kUpdate,
              inter_pod_affinity_after_namespace_change);
  }
  return std::move(hints).take();
}

}  // namespace berth::plugins
