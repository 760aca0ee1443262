#include "berth/plugins/node_affinity.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

constexpr std::string_view kNoMatch =
    "UnschedulableAndUnresolvable | node(s) didn't match Pod's node affinity/selector";

api::NodeSelectorRequirement in(std::string_view key, const std::vector<std::string_view>& values) {
  api::NodeSelectorRequirement requirement{.key = Symbol(key), .op = Symbol("In"), .values = {}};
  for (const std::string_view value : values) requirement.values.emplace_back(value);
  return requirement;
}
api::NodeSelectorTerm by_label(std::string_view key, std::string_view value) {
  return {.match_expressions = {in(key, {value})}, .match_fields = {}};
}
api::NodeSelectorTerm by_name(const std::vector<std::string_view>& names) {
  return {.match_expressions = {}, .match_fields = {in("metadata.name", names)}};
}
Shape requiring(std::vector<api::NodeSelectorTerm> terms) {
  return [terms = std::move(terms)](api::PodTemplate& pod) {
    if (!pod.affinity) pod.affinity.emplace();
    pod.affinity->node_affinity.emplace().required = api::NodeSelector{terms};
  };
}
Shape preferring(std::vector<api::PreferredSchedulingTerm> terms) {
  return [terms = std::move(terms)](api::PodTemplate& pod) {
    pod.affinity.emplace().node_affinity.emplace().preferred = terms;
  };
}

TEST(NodeAffinity, SelectorAndRequiredTermsHaveToMatch) {
  const PodSketch pod("p");
  const Shape selecting_ssd = [](api::PodTemplate& spec) { spec.node_selector[Symbol("disk")] = Symbol("ssd"); };
  const struct {
    std::string_view what;
    PodSketch pod;
    std::string_view verdict;
  } cases[] = {
      {"nothing demanded", pod, "PreFilter Skip"},
      {"selector matches", pod.shaped(selecting_ssd), "Success"},
      {"a term of two matches", pod.shaped(requiring({by_label("zone", "z"), by_label("zone", "a")})), "Success"},
      {"no term matches", pod.shaped(requiring({by_label("zone", "z")})), kNoMatch},
      {"selector matches, term does not", pod.shaped(selecting_ssd).shaped(requiring({by_label("zone", "z")})),
       kNoMatch},
      {"no terms match nothing", pod.shaped(requiring({})), kNoMatch},
      {"an empty term matches nothing", pod.shaped(requiring({{}})), kNoMatch},
      {"a term that does not parse matches nothing", pod.shaped(requiring({by_label("not a key", "a")})), kNoMatch},
      {"the name", pod.shaped(requiring({by_name({"n"})})), "Success"},
      {"names that contradict",
       pod.shaped(requiring(
           {{.match_expressions = {}, .match_fields = {in("metadata.name", {"n"}), in("metadata.name", {"m"})}}})),
       "PreFilter UnschedulableAndUnresolvable | pod affinity terms conflict"},
  };
  PluginWorld world;
  world.node(NodeSketch("n").labelled("zone", "a").labelled("disk", "ssd"));
  for (const auto& each : cases) EXPECT_EQ(world.verdict(make_node_affinity, each.pod, "n"), each.verdict) << each.what;
}

TEST(NodeAffinity, TermsThatNameNodesRestrictTheAttempt) {
  PluginWorld world;
  const auto plugin = world.make(make_node_affinity);
  const auto names_of = [&](std::vector<api::NodeSelectorTerm> terms) {
    return dynamic_cast<const framework::FilterPlugin&>(*plugin)
        .pre_filter(world.to_place(PodSketch("p").shaped(requiring(std::move(terms)))), world.view())
        .node_names;
  };
  EXPECT_EQ(names_of({by_name({"b"}), by_name({"a"})}), (std::vector{Symbol("a"), Symbol("b")}));
  EXPECT_EQ(names_of({by_name({"b"}), by_label("zone", "a")}), std::nullopt);
}

TEST(NodeAffinity, ScoresByTheWeightsOfPreferredTerms) {
  PluginWorld world;
  world.node(NodeSketch("n").labelled("zone", "a").labelled("disk", "ssd"));
  const PodSketch pod("p");
  EXPECT_EQ(world.score(make_node_affinity, pod, "n"), -1);
  EXPECT_EQ(world.score(make_node_affinity,
                        pod.shaped(preferring({{5, by_label("zone", "a")},
                                               {3, by_label("disk", "ssd")},
                                               {7, by_label("zone", "b")},
                                               {0, by_label("zone", "a")},
                                               {9, {}}})),
                        "n"),
            8);
  const auto plugin = world.make(make_node_affinity);
  const auto made = dynamic_cast<const framework::ScorePlugin&>(*plugin).pre_score(
      world.to_place(pod.shaped(preferring({{5, by_label("not a key", "a")}}))), world.view(), world.nodes.nodes());
  EXPECT_EQ(made.status.code(), framework::Code::kError);
}

TEST(NodeAffinity, AddedAffinityCountsForEveryPod) {
  PluginWorld world;
  config::NodeAffinityArgs args;
  api::NodeAffinity& added = args.added_affinity.emplace();
  added.required = api::NodeSelector{{by_label("zone", "a")}};
  added.preferred = {{5, by_label("disk", "ssd")}};
  world.args = args;
  world.node(NodeSketch("in").labelled("zone", "a").labelled("disk", "ssd")).node(NodeSketch("out"));
  EXPECT_EQ(world.verdict(make_node_affinity, PodSketch("p"), "in"), "Success");
  EXPECT_EQ(world.verdict(make_node_affinity, PodSketch("p"), "out"),
            "UnschedulableAndUnresolvable | node(s) didn't match scheduler-enforced node affinity");
  EXPECT_EQ(world.verdict(make_node_affinity, PodSketch("p").shaped(requiring({by_label("zone", "b")})), "in"),
            kNoMatch);
  EXPECT_EQ(world.score(make_node_affinity, PodSketch("p"), "in"), 5);
  EXPECT_EQ(world.score(make_node_affinity, PodSketch("p").shaped(preferring({{4, by_label("zone", "a")}})), "in"), 9);
}

TEST(NodeAffinity, AddedAffinityMustParse) {
  PluginWorld world;
  config::NodeAffinityArgs args;
  args.added_affinity.emplace().required = api::NodeSelector{{by_label("not a key", "a")}};
  world.args = args;
  const auto made = world.try_make(make_node_affinity);
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().message().starts_with(
      "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: "
      "Invalid value: \"not a key\""))
      << made.error().message();
}

}  // namespace
}  // namespace berth::plugins
