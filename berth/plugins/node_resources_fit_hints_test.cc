#include "berth/plugins/node_resources_fit_hints.h"

#include "berth/plugins/hint_testing.h"

namespace berth::plugins::testing {
namespace {

const PodSketch kPod("waiting"), kOther("other");
const NodeSketch kNode = NodeSketch("node").having("pods", "10").having("cpu", "1").having("memory", "1Gi");
const Symbol kGpu("example.com/gpu");

class NodeResourcesFitHints : public ::testing::Test {
 protected:
  queue::Hint bind(HintAnswer (*hint)(const api::Pod&, const EventObjects&, const NodeResourcesFitHintOptions&)) {
    return [this, hint](const api::Pod& pod, const EventObjects& objects) { return hint(pod, objects, options_); };
  }
  NodeResourcesFitHintOptions options_{.compile = compile_once(),
                                       .ignored_resources = {},
                                       .ignored_resource_groups = {},
                                       .has_device_class = {},
                                       .in_place_pod_vertical_scaling = true,
                                       .in_place_pod_level_resources_vertical_scaling = true,
                                       .dra_extended_resource = true,
                                       .quirks = {}};
};

TEST_F(NodeResourcesFitHints, WakeWhenAPodMakesRoom) {
  const PodSketch wanting = kPod.shaped(asking("cpu", "1"));
  const PodSketch large = kOther.shaped(asking("cpu", "2")).shaped(asking("memory", "2Gi")).on("node");
  const PodSketch less_cpu = large.shaped(asking("cpu", "1")), less_memory = large.shaped(asking("memory", "1Gi"));
  check(bind(node_resources_fit_after_pod_change),
        {{"a pod goes", wanting, deleted(large), kQueue},
         {"a nominated pod goes", wanting, deleted(kOther.nominated_to("node")), kQueue},
         {"a pod without a node goes", wanting, deleted(kOther), kSkip},
         {"a pod asks for less", wanting, updated(large, less_cpu), kQueue},
         {"a pod asks for less of something else", wanting, updated(large, less_memory), kSkip},
         {"a pod asks for more", wanting, updated(less_cpu, large), kSkip},
         {"a pod without a node asks for less", wanting, updated(large.on(""), less_cpu.on("")), kSkip},
         {"the pod itself asks for less", wanting, updated(wanting, kPod), kQueue},
         {"a pod that asks for nothing", kPod, updated(large, less_cpu), kSkip},
         {"no old object", wanting, added(large), kError}});
  options_.in_place_pod_vertical_scaling = false;
  check(bind(node_resources_fit_after_pod_change),
        {{"without resizing in place", wanting, updated(large, less_cpu), kSkip}});
  EXPECT_EQ(node_resources_fit_hints(Symbol("p"), options_).front().event.actions, queue::action::kDelete);
}

TEST_F(NodeResourcesFitHints, WakeForNodesThatCouldHoldThePodAlone) {
  const PodSketch wanting = kPod.shaped(asking("cpu", "1")), large = kPod.shaped(asking("cpu", "2"));
  const PodSketch graphic = kPod.shaped(asking(kGpu.text(), "1"));
  check(bind(node_resources_fit_after_node_change),
        {{"a new node", wanting, added(kNode), kQueue},
         {"a new node that is too small", large, added(kNode), kSkip},
         {"a new node without room for pods", kPod, added(kNode.having("pods", "0")), kSkip},
         {"more of what it needs", wanting, updated(kNode.having("cpu", "500m"), kNode), kQueue},
         {"more of something else", wanting, updated(kNode.having("memory", "1Mi"), kNode), kSkip},
         {"less", wanting, updated(kNode, kNode.having("memory", "1Mi")), kSkip},
         {"room for more pods", kPod, updated(kNode.having("pods", "1"), kNode), kQueue},
         {"more, but still too small", large, updated(kNode, kNode.having("cpu", "1500m")), kSkip},
         {"an extended resource that appears", graphic, updated(kNode, kNode.having(kGpu.text(), "1")), kQueue},
         {"an extended resource that is missing", graphic, added(kNode), kSkip},
         {"a node that is gone", wanting, deleted(kNode), kError}});
}

TEST_F(NodeResourcesFitHints, LeaveExtendedResourcesToDevices) {
  options_.has_device_class = [](Symbol resource) { return resource == kGpu; };
  const PodSketch graphic = kPod.shaped(asking(kGpu.text(), "1"));
  check(bind(node_resources_fit_after_node_change),
        {{"a new node without it", graphic, added(kNode), kQueue},
         {"a node that changes", graphic, updated(kNode, kNode.having("memory", "2Gi")), kQueue},
         {"a node that has some, but not enough", kPod.shaped(asking(kGpu.text(), "2")),
          added(kNode.having(kGpu.text(), "1")), kSkip}});
  options_.dra_extended_resource = false;
  check(bind(node_resources_fit_after_node_change), {{"without the feature", graphic, added(kNode), kSkip}});
}

TEST_F(NodeResourcesFitHints, DoNotCountIgnoredResources) {
  const PodSketch graphic = kPod.shaped(asking(kGpu.text(), "1"));
  options_.ignored_resources = {kGpu};
  check(bind(node_resources_fit_after_node_change), {{"by name", graphic, added(kNode), kQueue}});
  options_.ignored_resources = {};
  options_.ignored_resource_groups = {Symbol("example.com")};
  check(bind(node_resources_fit_after_node_change), {{"by group", graphic, added(kNode), kQueue}});
  options_.quirks = HintQuirks::upstream();
  check(bind(node_resources_fit_after_node_change), {{"upstream counts them", graphic, added(kNode), kSkip}});
}

TEST_F(NodeResourcesFitHints, WakeForDeviceClassesOfTheName) {
  const auto offering = [](std::optional<Symbol> name) {
    api::DeviceClass device_class;
    device_class.metadata.name = "gpus";
    device_class.spec.extended_resource_name = name;
    return device_class;
  };
  const PodSketch graphic = kPod.shaped(asking(kGpu.text(), "1"));
  const PodSketch by_class = kPod.shaped(asking("deviceclass.resource.kubernetes.io/gpus", "1"));
  check(bind(node_resources_fit_after_device_class_change),
        {{"a new class", graphic, added(offering(kGpu)), kQueue},
         {"a new class of another name", graphic, added(offering(Symbol("example.com/nic"))), kSkip},
         {"a new class without a name", graphic, added(offering({})), kSkip},
         {"a new class that is asked for itself", by_class, added(offering({})), kQueue},
         {"a name that is new", graphic, updated(offering({}), offering(kGpu)), kQueue},
         {"the same name", graphic, updated(offering(kGpu), offering(kGpu)), kSkip},
         {"a class that was there", by_class, updated(offering({}), offering(kGpu)), kSkip},
         {"a pod that asks for nothing", kPod, added(offering(kGpu)), kSkip},
         {"an object of another kind", graphic, added(kNode), kError}});
}

}  // namespace
}  // namespace berth::plugins::testing
