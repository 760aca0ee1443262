// What the scheduler works out once for all pods of a template: requests, selectors and affinity terms, ready to match.
//
// A CompiledPod is immutable and says nothing about a single pod: what depends on a pod's namespace, labels or status
// is added where it is used. Its address is the pod's class as long as somebody holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/api/label_selector.h"
#include "berth/api/node_selector.h"
#include "berth/api/pod.h"
#include "berth/api/pod_requests.h"

namespace berth::api {

// A port of the node that the pod takes. The defaults are filled in: any address is "0.0.0.0", the protocol "TCP".
struct HostPort {
  Symbol ip;
  Symbol protocol;
  std::int32_t port = 0;
  bool operator==(const HostPort&) const = default;
};

// Two pods cannot share a node if any of their ports conflict: same protocol and port, same address or any address.
bool conflicts(const HostPort& a, const HostPort& b);

struct PodTermMatcher {
  LabelMatcher pods;
  Symbol topology_key;
  // In these namespaces, and in those whose labels match. A term that names neither means the namespace of the pod that
  // has the term.
  bool is_own_namespace = false;
  std::vector<Symbol> namespaces;
  LabelMatcher namespace_selector;

  // `owner_namespace` is that of the pod that has the term, `namespace_labels` belong to the namespace of `pod`.
  bool matches(Symbol owner_namespace, const Pod& pod, const Labels& namespace_labels) const;
  bool names(Symbol owner_namespace, Symbol name_space) const;
};

struct WeightedPodTerm {
  std::int32_t weight = 0;
  PodTermMatcher term;
};

struct SpreadConstraint {
  // DoNotSchedule filters, ScheduleAnyway scores, anything else does nothing.
  enum class Action : std::uint8_t { kNone, kDoNotSchedule, kScheduleAnyway };

  std::int32_t max_skew = 0;
  Symbol topology_key;
  Action action = Action::kNone;
  // Without what matchLabelKeys add, which depends on the labels of the pod. Nothing if the selector does not compile.
  LabelMatcher pods;
  std::optional<std::string> selector_error;
  std::vector<Symbol> match_label_keys;
  std::int32_t min_domains = 1;
  bool honors_node_affinity = true;
  bool honors_node_taints = false;

  // The selector with the values that the pod has at the keys of matchLabelKeys.
  LabelMatcher selector_for(const Labels& pod_labels) const;
};

struct CompiledPod {
  // What the pods count for before they run: see usage_of() for one that does.
  PodUsage usage;
  // By container, with defaults for CPU and memory and without a look at spec.resources: what scoring by load uses.
  ResourceList scoring_requests;

  RequiredNodeAffinity required_node_affinity;
  PreferredNodeTerms preferred_node_terms;
  std::optional<std::string> preferred_node_terms_error;

  bool has_pod_affinity = false;  // a podAffinity or podAntiAffinity is there, even if it is empty
  std::vector<PodTermMatcher> required_affinity;
  std::vector<PodTermMatcher> required_anti_affinity;
  std::vector<WeightedPodTerm> preferred_affinity;
  std::vector<WeightedPodTerm> preferred_anti_affinity;
  // "requiredAffinityTerms: ..."; a list with an error is empty above.
  std::optional<std::string> pod_affinity_error;

  // All of them, in order.
  std::vector<SpreadConstraint> spread_constraints;

  std::vector<HostPort> host_ports;
  bool has_volume_claims = false;    // persistent volume claims, ephemeral ones included
  bool has_resource_claims = false;  // of dynamic resource allocation

  // The same for all templates of one CompiledPods that ask the same of a node by itself: see needs_of(). Null if the
  // template was compiled alone, or has claims: what those ask of a node depends on the claims, not on the template.
  std::shared_ptr<const PodTemplate> needs;
};

std::shared_ptr<const CompiledPod> compile(const PodTemplate& pod);

// What pods ask of a node by itself: the template without what is about other pods (affinity to them, spreading), about
// the order of pods (priority, gates) or about neither (names, images, deadlines).
PodTemplate needs_of(const PodTemplate& pod);
// Of every field: templates may differ in nothing but one name, as those of a DaemonSet do in the node they are for,
// and needs with the same hash have to be compared one by one.
std::uint64_t hash_of_needs(const PodTemplate& needs);

// What this pod counts for on its node. Cheap unless the pod has been resized.
PodUsage usage_of(const Pod& pod, const CompiledPod& compiled);
// Whether usage_of() is the same for two pods of one template.
bool takes_the_same(const Pod& a, const Pod& b, const CompiledPod& compiled);

// Compiles each template once. Not thread safe. Results that nobody else holds any more are dropped from time to time.
class CompiledPods {
 public:
  std::shared_ptr<const CompiledPod> get(const Interned<PodTemplate>& pod);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Interned<PodTemplate> pod;  // keeps the key valid
    std::shared_ptr<const CompiledPod> compiled;
  };
  static constexpr std::size_t kFirstSweepSize = 256;
  std::unordered_map<const void*, Entry> entries_;
  InternPool needs_;
  std::size_t sweep_at_ = kFirstSweepSize;
};

}  // namespace berth::api
