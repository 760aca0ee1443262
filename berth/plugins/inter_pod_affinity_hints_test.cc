#include "berth/plugins/inter_pod_affinity_hints.h"

#include <map>

#include "berth/plugins/hint_testing.h"

namespace berth::plugins::testing {
namespace {

const PodSketch kPod("waiting"), kOther = PodSketch("other").on("node");
const PodSketch kWeb = kOther.labelled("app", "web"), kDb = kOther.labelled("app", "db");
const NodeSketch kNode("node"), kZ1 = kNode.labelled("zone", "z1"), kZ2 = kNode.labelled("zone", "z2");

api::PodAffinityTerm term(std::string_view key, const api::LabelSelector& selector) {
  api::PodAffinityTerm made;
  made.topology_key = Symbol(key);
  made.label_selector = selector;
  return made;
}
Shape wanting(const api::PodAffinityTerm& wanted) {
  return [wanted](api::PodTemplate& pod) {
    if (!pod.affinity) pod.affinity.emplace();
    if (!pod.affinity->pod_affinity) pod.affinity->pod_affinity.emplace();
    pod.affinity->pod_affinity->required.push_back(wanted);
  };
}
Shape hating(const api::PodAffinityTerm& hated) {
  return [hated](api::PodTemplate& pod) {
    if (!pod.affinity) pod.affinity.emplace();
    if (!pod.affinity->pod_anti_affinity) pod.affinity->pod_anti_affinity.emplace();
    pod.affinity->pod_anti_affinity->required.push_back(hated);
  };
}

const api::PodAffinityTerm kWebInZone = term("zone", selecting("app", "web"));
const api::PodAffinityTerm kInvalid = term("zone", selecting("app", "not valid!"));
const PodSketch kWantsWeb = kPod.shaped(wanting(kWebInZone)), kHatesWeb = kPod.shaped(hating(kWebInZone));

class InterPodAffinityHints : public ::testing::Test {
 protected:
  queue::Hint bind(HintAnswer (*hint)(const api::Pod&, const EventObjects&, const InterPodAffinityHintOptions&)) {
    return [this, hint](const api::Pod& pod, const EventObjects& objects) { return hint(pod, objects, options_); };
  }
  InterPodAffinityHintOptions options_{
      .compile = compile_once(), .find_namespace_labels = {}, .is_anti_affinity_key = {}, .quirks = {}};
};

TEST_F(InterPodAffinityHints, WakeWhenAPodThatMattersChanges) {
  const std::vector<Case> cases = {
      {"a wanted pod comes", kWantsWeb, added(kWeb), kQueue},
      {"a wanted pod without a node comes", kWantsWeb, added(kWeb.on("")), kSkip},
      {"a wanted pod of another namespace comes", kWantsWeb, added(kWeb.in("elsewhere")), kSkip},
      {"another pod comes", kWantsWeb, added(kDb), kSkip},
      {"a pod becomes a wanted one", kWantsWeb, updated(kDb, kWeb), kQueue},
      {"a wanted pod changes", kWantsWeb, updated(kWeb, kWeb.labelled("a", "b")), kSkip},
      {"a wanted pod goes", kWantsWeb, deleted(kWeb), kSkip},
      {"a hated pod goes", kHatesWeb, deleted(kWeb), kQueue},
      {"a hated pod that was nominated goes", kHatesWeb, deleted(kWeb.on("").nominated_to("node")), kQueue},
      {"another pod goes", kHatesWeb, deleted(kDb), kSkip},
      {"a hated pod is hated no more", kHatesWeb, updated(kWeb, kDb), kQueue},
      {"a pod becomes a hated one", kHatesWeb, updated(kDb, kWeb), kSkip},
      {"a hated pod comes", kHatesWeb, added(kWeb), kSkip},
      {"a pod that hates it goes", kPod.labelled("app", "web"), deleted(kOther.shaped(hating(kWebInZone))), kQueue},
      {"a pod that hates others goes", kPod, deleted(kOther.shaped(hating(kWebInZone))), kSkip},
      {"its own labels change", kPod, updated(kPod, kPod.labelled("a", "b")), kQueue},
      {"a term that does not parse", kPod.shaped(wanting(kInvalid)), added(kWeb), kError},
      {"an anti-affinity term that does not parse", kPod.shaped(hating(kInvalid)), added(kWeb), kError},
      {"a term of the deleted pod that does not parse", kPod, deleted(kOther.shaped(hating(kInvalid))), kError},
      {"no object", kPod, {}, kError},
  };
  check(bind(inter_pod_affinity_after_pod_change), cases);
  options_.quirks = HintQuirks::upstream();
  check(bind(inter_pod_affinity_after_pod_change), cases);
}

TEST_F(InterPodAffinityHints, WantAllTermsButHateAny) {
  const api::PodAffinityTerm v1 = term("host", selecting("version", "v1"));
  const PodSketch both = kWeb.labelled("version", "v1"), wants = kWantsWeb.shaped(wanting(v1)),
                  hates = kHatesWeb.shaped(hating(v1));
  check(bind(inter_pod_affinity_after_pod_change),
        {{"a pod that has all it wants", wants, added(both), kQueue},
         {"a pod that has half of it", wants, added(kWeb), kSkip},
         {"a pod goes that has half of what it hates", hates, deleted(kWeb), kQueue},
         {"a pod loses half of what it hates", hates, updated(both, kWeb), kQueue},
         {"a pod goes that hates half of it", kPod.labelled("app", "web"),
          deleted(kOther.shaped(hating(kWebInZone)).shaped(hating(v1))), kQueue}});
  options_.quirks = HintQuirks::upstream();
  check(bind(inter_pod_affinity_after_pod_change),
        {{"upstream: a pod goes that has half of what it hates", hates, deleted(kWeb), kSkip},
         {"upstream: a pod loses half of what it hates", hates, updated(both, kWeb), kQueue},
         {"upstream: a pod goes that hates half of it", kPod.labelled("app", "web"),
          deleted(kOther.shaped(hating(kWebInZone)).shaped(hating(v1))), kSkip}});
}

TEST_F(InterPodAffinityHints, SelectNamespacesByTheirLabels) {
  std::map<Symbol, api::Labels, SymbolTextLess> namespaces;
  namespaces[Symbol("gold")] = {{"tier", Symbol("gold")}};
  options_.find_namespace_labels = [&namespaces](Symbol name) {
    const auto found = namespaces.find(name);
    return found == namespaces.end() ? nullptr : &found->second;
  };
  api::PodAffinityTerm in_gold = kWebInZone;
  in_gold.namespace_selector = selecting("tier", "gold");
  const PodSketch wants = kPod.shaped(wanting(in_gold));
  check(bind(inter_pod_affinity_after_pod_change),
        {{"a namespace that is selected", wants, added(kWeb.in("gold")), kQueue},
         {"a namespace that is not", wants, added(kWeb), kSkip}});
  options_.quirks = HintQuirks::upstream();
  check(bind(inter_pod_affinity_after_pod_change),
        {{"upstream: a namespace that is selected", wants, added(kWeb.in("gold")), kSkip}});
}

TEST_F(InterPodAffinityHints, WakeAPodThatMayBeTheFirstOfItsGroupNow) {
  const PodSketch self = kWantsWeb.labelled("app", "web");
  check(bind(inter_pod_affinity_after_pod_change),
        {{"the last of the others goes", self, deleted(kWeb), kQueue},
         {"the last of the others leaves the group", self, updated(kWeb, kDb), kQueue},
         {"a pod that it does not want goes", self, deleted(kDb), kSkip}});
  check(bind(inter_pod_affinity_after_node_change),
        {{"their node leaves its zone", self, updated(kZ1, kNode), kQueue}});
  options_.quirks = HintQuirks::upstream();
  check(bind(inter_pod_affinity_after_pod_change), {{"upstream: the last goes", self, deleted(kWeb), kSkip}});
  check(bind(inter_pod_affinity_after_node_change),
        {{"upstream: their node leaves its zone", self, updated(kZ1, kNode), kSkip}});
}

TEST_F(InterPodAffinityHints, WakeWhenNodesMoveBetweenDomains) {
  const std::vector<Case> cases = {
      {"a new node in a zone", kWantsWeb, added(kZ1), kQueue},
      {"a new node in no zone", kWantsWeb, added(kNode), kSkip},
      {"a new node for a pod that hates", kHatesWeb, added(kNode), kQueue},
      {"the zone appears", kWantsWeb, updated(kNode, kZ1), kQueue},
      {"the zone changes", kWantsWeb, updated(kZ1, kZ2), kQueue},
      {"the zone stays", kWantsWeb, updated(kZ1, kZ1.labelled("a", "b")), kSkip},
      {"the zone appears for a pod that hates", kHatesWeb, updated(kNode, kZ1), kSkip},
      {"the zone vanishes for a pod that hates", kHatesWeb, updated(kZ1, kNode), kQueue},
      {"the zone changes for a pod that hates", kHatesWeb, updated(kZ1, kZ2), kQueue},
      {"a term that does not parse", kPod.shaped(wanting(kInvalid)), added(kZ1), kError},
      {"an anti-affinity term that does not parse", kPod.shaped(hating(kInvalid)), added(kZ1), kError},
      {"an anti-affinity term that does not parse, but a wanted zone", kWantsWeb.shaped(hating(kInvalid)), added(kZ1),
       kQueue},
      {"an object of another kind", kPod, added(kPod), kError},
  };
  check(bind(inter_pod_affinity_after_node_change), cases);
  options_.quirks = HintQuirks::upstream();
  check(bind(inter_pod_affinity_after_node_change), cases);
}

TEST_F(InterPodAffinityHints, RememberThatOthersMayKeepThePodOff) {
  const std::vector<Case> right = {{"a new node", kPod, added(kNode), kQueue},
                                   {"a node that is gone", kPod, deleted(kZ1), kQueue},
                                   {"a node that leaves its zone", kPod, updated(kZ1, kNode), kQueue},
                                   {"a node that changes zones", kPod, updated(kZ1, kZ2), kQueue},
                                   {"a node that gets a zone", kPod, updated(kNode, kZ1), kSkip}};
  check(bind(inter_pod_affinity_after_node_change), right);
  options_.is_anti_affinity_key = [](Symbol key) { return key == "rack"; };
  check(bind(inter_pod_affinity_after_node_change),
        {{"nobody keeps others out of zones", kPod, updated(kZ1, kZ2), kSkip},
         {"a nominated pod may have kept it out of a zone that is gone", kPod, updated(kZ1, kNode), kQueue}});
  options_.quirks = HintQuirks::upstream();
  check(bind(inter_pod_affinity_after_node_change), {{"upstream: a new node", kPod, added(kNode), kSkip},
                                                     {"upstream: a zone changes", kPod, updated(kZ1, kZ2), kSkip}});
  EXPECT_EQ(inter_pod_affinity_hints(Symbol("p"), options_).back().event.actions,
            queue::action::kAdd | queue::action::kUpdateNodeLabel);
}

}  // namespace
}  // namespace berth::plugins::testing
