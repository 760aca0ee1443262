#include "berth/plugins/dynamic_resources.h"

#include "berth/framework/attempt.h"
#include "berth/framework/profile.h"
#include "berth/plugins/default_plugins.h"
#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

Shape claiming(std::string_view claim_name) {
  return [=](api::PodTemplate& pod) {
    pod.resource_claims.push_back(
        {.name = Symbol("gpu"), .resource_claim_name = Symbol(claim_name), .resource_claim_template_name = {}});
  };
}

TEST(DynamicResources, HasNothingToDoForPodsWithoutClaims) {
  PluginWorld world;
  world.node(NodeSketch("n"));
  EXPECT_EQ(world.verdict(make_dynamic_resources, PodSketch("p").shaped(asking("cpu", "1")), "n"), "PreFilter Skip");
  EXPECT_EQ(world.score(make_dynamic_resources, PodSketch("p"), "n"), 0);
  const auto plugin = world.make(make_dynamic_resources);
  EXPECT_TRUE(dynamic_cast<const framework::PreEnqueuePlugin&>(*plugin).pre_enqueue(PodSketch("p")).is_success());
  EXPECT_TRUE(dynamic_cast<framework::PreBindPlugin&>(*plugin)
                  .pre_bind(world.to_place(PodSketch("p")), world.view(), Symbol("n"))
                  .status.is_skip());
}

TEST(DynamicResources, RejectsPodsWithClaims) {
  PluginWorld world;
  world.node(NodeSketch("n"));
  EXPECT_EQ(world.verdict(make_dynamic_resources, PodSketch("p").shaped(claiming("devices")), "n"),
            "PreFilter UnschedulableAndUnresolvable | pod has resource claims, which are not supported yet");
}

TEST(DynamicResources, HoldsAPodBackUntilItsClaimExists) {
  PluginWorld world;
  const auto plugin = world.make(make_dynamic_resources);
  const auto& gate = dynamic_cast<const framework::PreEnqueuePlugin&>(*plugin);
  const PodSketch pod = PodSketch("p").shaped(claiming("devices"));
  EXPECT_TRUE(gate.pre_enqueue(pod).is_rejected());
  api::ResourceClaim claim;
  claim.metadata.name = "devices";
  claim.metadata.name_space = Symbol("default");
  ASSERT_TRUE(world.objects.set(any(claim)));
  EXPECT_TRUE(gate.pre_enqueue(pod).is_success());
}

TEST(DynamicResources, RejectsNodesThatWouldNeedDevicesForAnExtendedResource) {
  PluginWorld world;
  world.node(NodeSketch("without")).node(NodeSketch("with").having("example.com/gpu", "1"));
  const PodSketch pod = PodSketch("p").shaped(asking("example.com/gpu", "1"));
  EXPECT_EQ(world.verdict(make_dynamic_resources, pod, "without"), "PreFilter Skip");
  api::DeviceClass device_class;
  device_class.metadata.name = "gpus";
  device_class.spec.extended_resource_name = Symbol("example.com/gpu");
  ASSERT_TRUE(world.objects.set(any(device_class)));
  EXPECT_EQ(world.verdict(make_dynamic_resources, pod, "with"), "Success");
  EXPECT_EQ(
      world.verdict(make_dynamic_resources, pod, "without"),
      "UnschedulableAndUnresolvable | node(s) would need devices for an extended resource, which is not supported "
      "yet");
}

// PostFilter sees whether the attempt had come to PreFilter of this plugin.
TEST(DynamicResources, FailsAtPostFilterIfItsPreFilterWasNotReached) {
  PluginWorld world;
  world.node(NodeSketch("n").having("pods", "0"));
  config::Profile configuration;
  configuration.scheduler_name = "default-scheduler";
  configuration.plugins = config::default_plugins(world.gates);
  const auto profile = framework::Profile::build(configuration, default_registry(), world.gates, world.objects);
  ASSERT_TRUE(profile) << profile.error().message();
  const auto* plugin = dynamic_cast<const framework::PostFilterPlugin*>((*profile)->plugin("DynamicResources"));
  ASSERT_NE(plugin, nullptr);
  const auto post_filter = [&](const PodSketch& sketch) {
    const framework::PodToPlace pod = world.to_place(sketch);
    const framework::ClusterView view = world.view();
    const framework::NominatedPods nominated;
    const auto pre_filter = framework::run_pre_filter(**profile, pod, view);
    std::optional<framework::FilterResult> filtered;
    if (pre_filter.status.is_success()) {
      filtered = framework::run_filters(**profile, pre_filter, pod, view, nominated);
    }
    const framework::FailedAttempt attempt(**profile, pod, view, nominated, pre_filter,
                                           filtered ? &*filtered : nullptr);
    return PluginWorld::text_of(plugin->post_filter(attempt).status);
  };
  EXPECT_EQ(post_filter(PodSketch("p")), "Unschedulable | no new claims to deallocate");
  const Shape contradicting = [](api::PodTemplate& pod) {
    const auto named = [](std::string_view name) {
      return api::NodeSelectorRequirement{.key = Symbol("metadata.name"), .op = Symbol("In"), .values = {Symbol(name)}};
    };
    pod.affinity.emplace().node_affinity.emplace().required =
        api::NodeSelector{{{.match_expressions = {}, .match_fields = {named("a"), named("b")}}}};
  };
  EXPECT_EQ(post_filter(PodSketch("p").shaped(contradicting)), "Error | not found");
}

}  // namespace
}  // namespace berth::plugins
