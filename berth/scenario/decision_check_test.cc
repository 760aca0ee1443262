// The checker of decisions, and scenarios with plugins that are not kube-scheduler's.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/framework/per_node.h"
#include "berth/scenario/runner.h"

namespace berth::scenario {
namespace {

using framework::PodToPlace;

// Goes by the name of the pod, and may say by mistake that it looks at the class alone.
class Avoids final : public framework::Plugin, public framework::PerNodeFilter {
 public:
  explicit Avoids(bool goes_by_class) : goes_by_class_(goes_by_class) {}
  std::string_view name() const override { return "Avoids"; }
  framework::Status filter(const PodToPlace& pod, const cache::NodeState& node) const override {
    if (pod->metadata.name != "second" || node.name != "n1") return {};
    return framework::Status::unschedulable("node(s) are avoided");
  }
  bool is_filter_by_class() const override { return goes_by_class_; }

 private:
  bool goes_by_class_;
};

// Gives more than there is to give.
class TooGood final : public framework::Plugin, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "TooGood"; }
  std::int64_t score(const PodToPlace&, const cache::NodeState&) const override { return 200; }
};

template <typename Plugin, typename... Args>
AddPlugins plugin(const char* name, config::ExtensionPoint point, Args... args) {
  return [=](framework::PluginRegistry& registry) {
    return registry.add(
        {.name = name, .points = {point}, .build = [=](const auto&) -> Result<std::unique_ptr<framework::Plugin>> {
           return std::make_unique<Plugin>(args...);
         }});
  };
}

Result<RunResult> run_with(std::string_view text, AddPlugins add_plugins, const RunOptions& options = {}) {
  const auto scenario = parse(text, {.file = "t.berth", .read = {}, .add_plugins = std::move(add_plugins)});
  if (!scenario) return fail(scenario.error().front());
  return run(*scenario, options);
}

constexpr std::string_view kAvoiding = R"(
config <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: Avoids}]}}}]
END
node n1 cpu=4
pod first cpu=1
run until idle
pod second cpu=1
run until idle
expect pod first on n1
)";

TEST(DecisionCheck, NamesThePluginWhoseCachedAnswerIsWrong) {
  RunOptions options;
  options.check_decisions = true;
  const auto result = run_with(kAvoiding, plugin<Avoids>("Avoids", config::ExtensionPoint::kFilter, true), options);
  ASSERT_TRUE(result.has_value()) << result.error().message();
  ASSERT_EQ(result->failures.size(), 1u);
  EXPECT_EQ(result->failures[0].expected, "the decision about pod default/second to be the same from scratch");
  EXPECT_EQ(result->failures[0].actual,
            "Filter plugin Avoids: cached for node n1: success, asked anew: Unschedulable (node(s) are avoided)");
}

TEST(DecisionCheck, FindsNothingIfThePluginIsNotCached) {
  RunOptions options;
  options.check_decisions = true;
  const auto result = run_with(std::string(kAvoiding) + "expect pod second unschedulable by Avoids\n",
                               plugin<Avoids>("Avoids", config::ExtensionPoint::kFilter, false), options);
  ASSERT_TRUE(result.has_value()) << result.error().message();
  for (const Failure& failure : result->failures) ADD_FAILURE() << to_text(failure);
  EXPECT_EQ(result->expectations, 2u);
}

TEST(OwnPlugins, AreUnknownWithoutBeingAdded) {
  const auto scenario = parse("node n1\nexpect pod a unschedulable by Avoids\n");
  ASSERT_FALSE(scenario.has_value());
  EXPECT_EQ(scenario.error().front().what(), "there is no plugin \"Avoids\"");
}

TEST(OwnPlugins, AScoreOverAHundredIsReportedWithPluginAndValue) {
  const auto result = run_with(R"(
config <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: TooGood}]}}}]
END
nodes 2 n cpu=4
pod a cpu=1
run until idle within 1m
)",
                               plugin<TooGood>("TooGood", config::ExtensionPoint::kScore));
  ASSERT_TRUE(result.has_value()) << result.error().message();
  ASSERT_EQ(result->failures.size(), 1u);
  EXPECT_EQ(
      result->failures[0].actual,
      "still busy at 1m0s: 1 pod in backoff (pod default/a: applying score defaultWeights on Score plugins: plugin "
      "\"TooGood\" returns an invalid score 200, it should in the range of [0, 100] after normalizing)");
}

}  // namespace
}  // namespace berth::scenario
