#include "berth/plugins/pod_topology_spread_hints.h"

#include "berth/plugins/hint_testing.h"

namespace berth::plugins::testing {
namespace {

const PodSketch kPod("waiting"), kOther = PodSketch("other").on("node");
const NodeSketch kNode = NodeSketch("node").labelled("zone", "z1");

api::TopologySpreadConstraint spread_over(std::string_view key, const api::LabelSelector& selector) {
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = 1;
  constraint.topology_key = Symbol(key);
  constraint.when_unsatisfiable = Symbol("DoNotSchedule");
  constraint.label_selector = selector;
  return constraint;
}
Shape spreading(const api::TopologySpreadConstraint& constraint) {
  return [constraint](api::PodTemplate& pod) { pod.topology_spread_constraints.push_back(constraint); };
}

const PodSketch kSpreading = kPod.shaped(spreading(spread_over("zone", selecting("app", "web"))));
const PodSketch kBroken = kPod.shaped(spreading(spread_over("zone", selecting("app", "not valid!"))));

class PodTopologySpreadHints : public ::testing::Test {
 protected:
  queue::Hint bind(HintAnswer (*hint)(const api::Pod&, const EventObjects&, const PodTopologySpreadHintOptions&)) {
    return [this, hint](const api::Pod& pod, const EventObjects& objects) { return hint(pod, objects, options_); };
  }
  PodTopologySpreadHintOptions options_{.compile = compile_once(),
                                        .default_constraints = {},
                                        .default_selector = {},
                                        .match_label_keys = true,
                                        .quirks = {}};
};

TEST_F(PodTopologySpreadHints, WakeWhenACountedPodChanges) {
  const PodSketch web = kOther.labelled("app", "web"), db = kOther.labelled("app", "db");
  check(bind(pod_topology_spread_after_pod_change),
        {{"one comes", kSpreading, added(web), kQueue},
         {"one goes", kSpreading, deleted(web), kQueue},
         {"one that is nominated goes", kSpreading, deleted(web.on("").nominated_to("node")), kQueue},
         {"one without a node comes", kSpreading, added(web.on("")), kSkip},
         {"one in another namespace goes", kSpreading, deleted(web.in("elsewhere")), kSkip},
         {"one that is not counted goes", kSpreading, deleted(db), kSkip},
         {"one begins to count", kSpreading, updated(db, web), kQueue},
         {"one ends to count", kSpreading, updated(web, db), kQueue},
         {"one changes and counts as before", kSpreading, updated(web, web.labelled("a", "b")), kSkip},
         {"the pod itself changes its labels", kSpreading, updated(kSpreading, kSpreading.labelled("app", "web")),
          kQueue},
         {"a selector that does not parse", kBroken, added(web), kError},
         {"a selector that does not parse, but the pod is elsewhere", kBroken, added(web.in("elsewhere")), kSkip},
         {"no object", kSpreading, {}, kError}});
}

TEST_F(PodTopologySpreadHints, WakeThePodThatToleratesMoreIfTaintsMatter) {
  api::TopologySpreadConstraint constraint = spread_over("zone", selecting("app", "web"));
  constraint.node_taints_policy = Symbol("Honor");
  const PodSketch honoring = kPod.shaped(spreading(constraint));
  check(bind(pod_topology_spread_after_pod_change),
        {{"taints matter", honoring, updated(honoring, honoring.shaped(tolerating("gpu"))), kQueue},
         {"taints do not matter", kSpreading, updated(kSpreading, kSpreading.shaped(tolerating("gpu"))), kSkip},
         {"another pod tolerates more", honoring, updated(kOther, kOther.shaped(tolerating("gpu"))), kSkip}});
}

TEST_F(PodTopologySpreadHints, CountPodsWithTheSameLabelAtMatchLabelKeys) {
  api::TopologySpreadConstraint constraint = spread_over("zone", selecting("app", "web"));
  constraint.match_label_keys = {Symbol("version")};
  const PodSketch v2 = kPod.labelled("version", "v2").shaped(spreading(constraint));
  const PodSketch web = kOther.labelled("app", "web");
  const std::vector<Case> same = {{"the same version", v2, deleted(web.labelled("version", "v2")), kQueue}};
  const EventObjects of_other_version = deleted(web.labelled("version", "v1"));
  check(bind(pod_topology_spread_after_pod_change), same);
  check(bind(pod_topology_spread_after_pod_change), {{"another version", v2, of_other_version, kSkip}});
  options_.match_label_keys = false;
  check(bind(pod_topology_spread_after_pod_change), {{"without the feature", v2, of_other_version, kQueue}});
}

TEST_F(PodTopologySpreadHints, WakeWhenDomainsChange) {
  const NodeSketch other_zone = kNode.labelled("zone", "z2"), without("node");
  check(bind(pod_topology_spread_after_node_change),
        {{"a new node", kSpreading, added(kNode), kQueue},
         {"a new node without the key", kSpreading, added(without), kSkip},
         {"a node that is gone", kSpreading, deleted(kNode), kQueue},
         {"a node without the key that is gone", kSpreading, deleted(without), kSkip},
         {"the key appears", kSpreading, updated(without, kNode), kQueue},
         {"the key vanishes", kSpreading, updated(kNode, without), kQueue},
         {"the node moves", kSpreading, updated(kNode, other_zone), kQueue},
         {"the taints change", kSpreading, updated(kNode, kNode.tainted("gpu", "NoSchedule")), kQueue},
         {"the taints of a node without the key change", kSpreading,
          updated(without, without.tainted("gpu", "NoSchedule")), kSkip},
         {"another label changes", kSpreading, updated(kNode, kNode.labelled("a", "b")), kSkip},
         {"a pod without constraints", kPod, added(without), kQueue},
         {"a selector that does not parse", kBroken, added(kNode), kError}});
}

TEST_F(PodTopologySpreadHints, WakeWhenANodeLeavesThePodsNodeAffinity) {
  const Shape on_ssd = [](api::PodTemplate& pod) { pod.node_selector[Symbol("disk")] = Symbol("ssd"); };
  const PodSketch picky = kSpreading.shaped(on_ssd);
  const EventObjects leaves = updated(kNode.labelled("disk", "ssd"), kNode.labelled("disk", "hdd"));
  check(bind(pod_topology_spread_after_node_change),
        {{"it leaves", picky, leaves, kQueue}, {"it does not matter", kSpreading, leaves, kSkip}});
  options_.quirks = HintQuirks::upstream();
  check(bind(pod_topology_spread_after_node_change), {{"upstream: it leaves", picky, leaves, kSkip}});
}

TEST_F(PodTopologySpreadHints, UseTheDefaultConstraintsForPodsWithoutAny) {
  api::TopologySpreadConstraint soft = spread_over("rack", {});
  soft.when_unsatisfiable = Symbol("ScheduleAnyway");
  soft.label_selector.reset();
  api::TopologySpreadConstraint hard = spread_over("zone", {});
  hard.label_selector.reset();
  options_.default_constraints = hard_constraints({soft, hard});
  ASSERT_EQ(options_.default_constraints.size(), 1u);
  options_.default_selector = [](const api::Pod& pod) { return api::LabelMatcher::of_labels(*pod.metadata.labels); };
  const PodSketch web = kPod.labelled("app", "web");
  check(bind(pod_topology_spread_after_pod_change),
        {{"one of its group goes", web, deleted(kOther.labelled("app", "web")), kQueue},
         {"another goes", web, deleted(kOther.labelled("app", "db")), kSkip},
         {"a pod without a group", kPod, deleted(kOther), kSkip}});
  check(bind(pod_topology_spread_after_node_change), {{"a node without the key", web, added(NodeSketch("n")), kSkip}});
  EXPECT_EQ(pod_topology_spread_hints(Symbol("p"), options_).front().scope, HintScope::kPod);
  options_.default_constraints.clear();
  EXPECT_EQ(pod_topology_spread_hints(Symbol("p"), options_).front().scope, HintScope::kClass);
}

}  // namespace
}  // namespace berth::plugins::testing
