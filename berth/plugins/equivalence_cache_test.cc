// What EquivalenceCache keeps, shares and forgets. That its decisions are right is shown by
// equivalence_cache_history_test.cc.
#include "berth/framework/equivalence_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/framework/per_node.h"
#include "berth/plugins/equivalence_cache_testing.h"

namespace berth::plugins {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;
using framework::Decision;
using framework::EquivalenceCache;
using framework::PodToPlace;
using testing::kHost;
using testing::term;
using testing::World;

// Nodes are asked again once for all classes that differ only in labels or in rules about other pods.
TEST(EquivalenceCache, ClassesWithTheSameNeedsShareATable) {
  World world;
  for (int i = 0; i < 4; ++i) {
    world.cache.set_node(NodeBuilder(fmt::format("n{}", i)).allocatable("cpu", "8").build());
  }
  EquivalenceCache memory(*world.profile, world.view);
  std::vector<api::PodPtr> pods;
  for (const char* app : {"a", "b", "c"}) {
    PodBuilder builder(app);
    builder.label("app", app).request("cpu", "1");
    if (*app == 'c') {
      builder.priority(5);
      builder.spec().affinity.emplace().pod_anti_affinity.emplace().required.push_back(term(app, kHost));
      builder.spec().containers[0].image = Symbol("another");
    }
    pods.push_back(builder.build());
  }
  pods.push_back(PodBuilder("d").request("cpu", "2").build());
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(memory.classes(), 4u);
  EXPECT_EQ(memory.tables(), 2u);
  EXPECT_EQ(memory.counts().tables_built, 2u);

  ASSERT_TRUE(world.cache.add(PodBuilder("e", *pods[0]).on("n0").build()));
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(memory.counts().rows_asked_again, 2u);
  EXPECT_EQ(memory.counts().classes_built, 4u);
}

TEST(EquivalenceCache, SharesTheVerdictAboutASiblingWhileNothingChanges) {
  World world;
  world.cache.set_node(NodeBuilder("n1").allocatable("cpu", "1").build());
  EquivalenceCache memory(*world.profile, world.view);
  const api::PodPtr first = PodBuilder("a").request("cpu", "2").build();
  const api::PodPtr second = PodBuilder("b", *first).build();
  EXPECT_EQ(memory.decide(world.to_place(first), world.nominated, 0).row, cache::kNoRow);
  EXPECT_EQ(memory.decide(world.to_place(second), world.nominated, 0).row, cache::kNoRow);
  EXPECT_EQ(memory.counts().classes_built, 1u);
  EXPECT_EQ(memory.counts().rows_asked_again, 0u);
  EXPECT_EQ(memory.counts().shared_rejections, 1u);

  world.cache.set_node(NodeBuilder("n1").allocatable("cpu", "4").build());
  EXPECT_EQ(memory.decide(world.to_place(second), world.nominated, 0).row, 0u);
}

TEST(EquivalenceCache, ForgetsTheClassNotAskedForTheLongest) {
  World world;
  world.cache.set_node(NodeBuilder("n1").allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view, {.max_bytes = 12'000});
  std::vector<api::PodPtr> pods;
  for (int i = 0; i < 5; ++i) pods.push_back(PodBuilder("a").label("app", fmt::format("{}", i)).build());
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(memory.classes(), 3u);
  EXPECT_EQ(memory.tables(), 1u);
  memory.decide(world.to_place(pods.back()), world.nominated, 0);
  EXPECT_EQ(memory.counts().classes_built, 5u);
  memory.decide(world.to_place(pods.front()), world.nominated, 0);
  EXPECT_EQ(memory.counts().classes_built, 6u);
}

// What is kept of a class grows with the cluster; no new class has to come for the bound to hold.
TEST(EquivalenceCache, ForgetsClassesWhenTheClusterHasGrown) {
  World world;
  world.cache.set_node(NodeBuilder("n").allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view, {.max_bytes = 100'000});
  std::vector<api::PodPtr> pods;
  for (int i = 0; i < 20; ++i) pods.push_back(PodBuilder("a").label("job", fmt::format("{}", i)).build());
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(memory.classes(), 20u);

  for (int i = 0; i < 500; ++i) {
    world.cache.set_node(NodeBuilder(fmt::format("n{}", i)).allocatable("cpu", "8").build());
  }
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_GE(memory.classes(), 5u);
  EXPECT_LT(memory.classes(), 15u);
}

// Every Job labels its pods with its own UID, so each is a class. In a small cluster that is most of what they take.
TEST(EquivalenceCache, BoundsTheClassesOfASmallCluster) {
  World world;
  world.cache.set_node(NodeBuilder("n").allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view, {.max_bytes = 100'000});
  for (int i = 0; i < 200; ++i) {
    memory.decide(world.to_place(PodBuilder("a").label("job", fmt::format("{}", i)).build()), world.nominated, 0);
  }
  EXPECT_GE(memory.classes(), 10u);
  EXPECT_LT(memory.classes(), 50u);
}

TEST(EquivalenceCache, TakesTheStepsIfScoresAreTooLargeToBeKept) {
  World world;
  world.use_plugins(
      "    score:\n      disabled:\n      - name: NodeResourcesFit\n"
      "      enabled:\n      - name: NodeResourcesFit\n        weight: 100000000\n");
  for (const char* cpu : {"2", "8", "4"}) {
    world.cache.set_node(NodeBuilder(std::string("n") + cpu).allocatable("cpu", cpu).build());
  }
  EquivalenceCache memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("a").request("cpu", "1").build());
  EXPECT_EQ(memory.decide(pod, world.nominated, 0).row, 1u);
  EXPECT_EQ(memory.decide(pod, world.nominated, 0).row, 1u);
  EXPECT_EQ(memory.counts().step_by_step, 2u);
}

// Likes and takes nodes by the label of the pod, which is not among what the pod needs of a node.
class ByLabel final : public framework::Plugin, public framework::PerNodeFilter, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "ByLabel"; }
  framework::Status filter(const PodToPlace& pod, const cache::NodeState& node) const override {
    const Symbol* avoided = pod->metadata.labels->find(Symbol("avoids"));
    const bool passes = avoided == nullptr || *avoided != node.name;
    return passes ? framework::Status() : framework::Status::unschedulable("node(s) are avoided");
  }
  bool is_filter_by_class() const override { return true; }
  std::int64_t score(const PodToPlace& pod, const cache::NodeState& node) const override {
    const Symbol* liked = pod->metadata.labels->find(Symbol("likes"));
    return liked != nullptr && *liked == node.name ? 100 : 0;
  }
  bool is_score_by_class() const override { return true; }
};

TEST(EquivalenceCache, PluginsThatLookAtTheClassAreAskedForEachClass) {
  for (const char* points : {"filter score", "score"}) {
    SCOPED_TRACE(points);
    World world;
    std::string plugins;
    for (const std::string_view point : {"filter", "score"}) {
      if (std::string_view(points).find(point) == std::string_view::npos) continue;
      plugins += fmt::format("    {}:\n      enabled:\n      - name: ByLabel\n", point);
      if (point == "score") plugins += "        weight: 100\n";
    }
    world.add_plugin<ByLabel>("ByLabel", {config::ExtensionPoint::kFilter, config::ExtensionPoint::kScore}, plugins);
    for (int i = 0; i < 3; ++i) {
      world.cache.set_node(NodeBuilder(fmt::format("n{}", i)).allocatable("cpu", "8").build());
    }
    EquivalenceCache memory(*world.profile, world.view);
    std::vector<api::PodPtr> pods;
    for (const char* node : {"n0", "n1", "n2"}) {
      pods.push_back(PodBuilder(node).label("likes", node).request("cpu", "1").build());
    }
    for (int round = 0; round < 3; ++round) {
      for (const api::PodPtr& pod : pods) {
        const Decision decision = memory.decide(world.to_place(pod), world.nominated, 0);
        EXPECT_EQ(world.cache.nodes().at(decision.row).name.text(), pod->metadata.name);
      }
    }
    EXPECT_EQ(memory.counts().classes_built, 3u);
    EXPECT_EQ(memory.tables(), 3u);
    EXPECT_EQ(memory.counts().step_by_step, 0u);
  }
}

// Goes by the class for a while, then by the name of the pod.
class ByName final : public framework::Plugin, public framework::PerNodeFilter {
 public:
  explicit ByName(const bool& goes_by_class) : goes_by_class_(goes_by_class) {}
  std::string_view name() const override { return "ByName"; }
  framework::Status filter(const PodToPlace& pod, const cache::NodeState&) const override {
    return goes_by_class_ || pod->metadata.name == "welcome" ? framework::Status()
                                                             : framework::Status::unschedulable("not welcome");
  }
  bool is_filter_by_class() const override { return goes_by_class_; }

 private:
  const bool& goes_by_class_;
};

// A pod's class was known, cannot be kept any more, and what the plugins now say is about this pod, not its sibling.
TEST(EquivalenceCache, AsksAboutThePodItselfOnceItsClassCannotBeKept) {
  bool goes_by_class = true;
  World world;
  (void)world.registry.add({.name = "ByName", .points = {config::ExtensionPoint::kFilter}, .build = [&](const auto&) {
                              return std::make_unique<ByName>(goes_by_class);
                            }});
  world.use_plugins("    filter:\n      enabled:\n      - name: ByName\n");
  world.cache.set_node(NodeBuilder("a").allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view);
  const api::PodPtr first = PodBuilder("unwelcome").request("cpu", "1").build();
  EXPECT_EQ(memory.decide(world.to_place(first), world.nominated, 0).row, 0u);

  goes_by_class = false;
  world.cache.set_node(NodeBuilder("b").allocatable("cpu", "8").build());
  const api::PodPtr second = PodBuilder("welcome", *first).build();
  EXPECT_EQ(memory.decide(world.to_place(second), world.nominated, 0).feasible_nodes, 2u);
  EXPECT_EQ(memory.decide(world.to_place(first), world.nominated, 0).feasible_nodes, 0u);
}

// Does not get on with nodes that have pods: fails there, or likes them more than anybody can.
class UpsetByPods final : public framework::Plugin, public framework::PerNodeFilter, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "UpsetByPods"; }
  framework::Status filter(const PodToPlace&, const cache::NodeState& node) const override {
    return node.pods.empty() ? framework::Status() : framework::Status::error("a pod is in the way");
  }
  bool is_filter_by_class() const override { return true; }
  std::int64_t score(const PodToPlace&, const cache::NodeState& node) const override {
    return node.pods.empty() ? 100 : 110;
  }
  bool is_score_by_class() const override { return true; }
};

constexpr std::string_view kFilterError = R"(running "UpsetByPods" filter plugin: a pod is in the way)";

TEST(EquivalenceCache, ReportsAnErrorThatComesUpAfterAChange) {
  World world;
  world.add_plugin<UpsetByPods>("UpsetByPods", {config::ExtensionPoint::kFilter},
                                "    filter:\n      enabled:\n      - name: UpsetByPods\n");
  for (const char* node : {"a", "b", "c"}) world.cache.set_node(NodeBuilder(node).allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view);
  const api::PodPtr pod = PodBuilder("p").request("cpu", "1").build();
  ASSERT_TRUE(memory.decide(world.to_place(pod), world.nominated, 0).error.is_success());

  const api::PodPtr placed = PodBuilder("q", *pod).on("a").build();
  ASSERT_TRUE(world.cache.add(placed));
  const Decision failed = memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(failed.row, cache::kNoRow);
  EXPECT_EQ(failed.error.message(), kFilterError);

  ASSERT_TRUE(world.cache.remove(*placed));
  EXPECT_EQ(memory.decide(world.to_place(pod), world.nominated, 0).row, 0u);
}

// The node is empty; it would not be with the pod that was promised it.
TEST(EquivalenceCache, ReportsAnErrorAboutANominatedPod) {
  World world;
  world.add_plugin<UpsetByPods>("UpsetByPods", {config::ExtensionPoint::kFilter},
                                "    filter:\n      enabled:\n      - name: UpsetByPods\n");
  for (const char* node : {"a", "b", "c"}) world.cache.set_node(NodeBuilder(node).allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("p").request("cpu", "1").build());
  const api::PodPtr promised = PodBuilder("promised").priority(10).build();
  world.nominated.add(Symbol("a"), {promised, world.cache.compile(*promised), nullptr});
  EXPECT_EQ(memory.decide(pod, world.nominated, 0).error.message(), kFilterError);
  world.nominated.clear();
  EXPECT_EQ(memory.decide(pod, world.nominated, 0).row, 0u);
}

TEST(EquivalenceCache, ReportsAnInvalidScoreThatComesUpAfterAChange) {
  World world;
  world.add_plugin<UpsetByPods>("UpsetByPods", {config::ExtensionPoint::kScore},
                                "    score:\n      enabled:\n      - name: UpsetByPods\n        weight: 1\n");
  for (const char* node : {"a", "b", "c"}) world.cache.set_node(NodeBuilder(node).allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view);
  const api::PodPtr pod = PodBuilder("p").request("cpu", "1").build();
  ASSERT_EQ(memory.decide(world.to_place(pod), world.nominated, 0).row, 0u);

  ASSERT_TRUE(world.cache.add(PodBuilder("q", *pod).on("a").build()));
  const Decision failed = memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(failed.row, cache::kNoRow);
  EXPECT_EQ(failed.error.message(),
            "applying score defaultWeights on Score plugins: plugin \"UpsetByPods\" returns an invalid score 110, it "
            "should in the range of [0, 100] after normalizing");
}

// Below zero, and so after normalization.
class Grumpy final : public framework::Plugin, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "Grumpy"; }
  std::int64_t score(const PodToPlace&, const cache::NodeState& node) const override {
    return node.row == 0 ? 10 : -10;
  }
  framework::PodScorer::Normalization score_normalization() const override {
    return framework::PodScorer::Normalization::kDefault;
  }
  bool is_score_by_class() const override { return true; }
};

TEST(EquivalenceCache, ReportsAScoreThatNormalizationLeavesInvalid) {
  World world;
  world.add_plugin<Grumpy>("Grumpy", {config::ExtensionPoint::kScore},
                           "    score:\n      enabled:\n      - name: Grumpy\n        weight: 1\n");
  for (const char* node : {"a", "b"}) world.cache.set_node(NodeBuilder(node).allocatable("cpu", "8").build());
  EquivalenceCache memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("p").request("cpu", "1").build());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(memory.decide(pod, world.nominated, 0).error.message(),
              "applying score defaultWeights on Score plugins: plugin \"Grumpy\" returns an invalid score -100, it "
              "should in the range of [0, 100] after normalizing");
  }
}

// Upstream's plugins hand what PreScore worked out to Score. Some do without, others fail for every pod.
TEST(EquivalenceCache, ScoresWithoutPreScoreAsUpstreamDoes) {
  struct Case {
    std::string_view plugin;
    std::string_view error;
  };
  const std::vector<Case> cases = {
      {"TaintToleration", R"(failed to read "PreScoreTaintToleration" from cycleState: not found)"},
      {"PodTopologySpread", R"(error reading "PreScorePodTopologySpread" from cycleState: not found)"},
      {"InterPodAffinity", R"(failed to read "PreScoreInterPodAffinity" from cycleState: not found)"},
      {"NodeAffinity", ""},
      {"NodeResourcesFit", ""},
      {"NodeResourcesBalancedAllocation", ""},
      {"VolumeBinding", ""},
  };
  for (const auto& [plugin, reason] : cases) {
    SCOPED_TRACE(plugin);
    World world;
    world.use_plugins(fmt::format("    preScore:\n      disabled:\n      - name: {}\n", plugin) +
                      (plugin == "VolumeBinding"
                           ? "    score:\n      enabled:\n      - name: VolumeBinding\n        weight: 1\n"
                           : ""));
    for (const char* node : {"a", "b"}) world.cache.set_node(NodeBuilder(node).allocatable("cpu", "8").build());
    const std::string error =
        reason.empty() ? "" : fmt::format("running Score plugins: plugin \"{}\" failed with: {}", plugin, reason);
    EquivalenceCache memory(*world.profile, world.view);
    const PodToPlace pod = world.to_place(PodBuilder("p").request("cpu", "1").build());
    for (int i = 0; i < 2; ++i) {
      const Decision decision = memory.decide(pod, world.nominated, 0);
      EXPECT_EQ(decision.error.message(), error);
      EXPECT_EQ(decision.row, reason.empty() ? 0u : cache::kNoRow);
    }
    const auto pre_filter = run_pre_filter(*world.profile, pod, world.view);
    const auto filtered = run_filters(*world.profile, pre_filter, pod, world.view, world.nominated);
    EXPECT_EQ(run_scores(*world.profile, pod, world.view, filtered.feasible).status.message(), error);
  }
}

// A plugin that scores each node by what `Rules` says. The profile has it beside kube-scheduler's own.
class Scored : public framework::Plugin, public framework::ScorePlugin {
 public:
  std::string_view name() const override { return "Scored"; }
};

void add_nodes(World& world, std::initializer_list<const char*> names) {
  for (const char* name : names) world.cache.set_node(NodeBuilder(name).allocatable("cpu", "8").build());
}

constexpr std::string_view kScoredPlugins = "    score:\n      enabled:\n      - name: Scored\n        weight: 100\n";

std::string invalid_score(std::string_view value) {
  return fmt::format(
      R"(applying score defaultWeights on Score plugins: plugin "Scored" returns an invalid score {}, it should in )"
      "the range of [0, 100] after normalizing",
      value);
}

// Normalizes to what it likes.
template <std::int64_t kResult, framework::PodScorer::Scope kScope>
class BadNormalization final : public Scored {
  class Scorer final : public framework::PodScorer {
   public:
    std::int64_t score(const cache::NodeState& node) const override { return node.name == "a" ? 1 : 0; }
    Normalization normalization() const override { return Normalization::kOwn; }
    void normalize(const cache::NodeTable&, const Bitset& rows, std::span<std::int64_t> scores) const override {
      rows.for_each([&](std::size_t row) { scores[row] = kResult; });
    }
    Scope scope() const override { return kScope; }
    bool catch_up(const cache::NodeTable&, std::span<const cache::Change>) override { return true; }
    bool begin(const cache::NodeTable&, const Bitset&) override { return true; }
  };

 public:
  framework::PreScored pre_score(const PodToPlace&, const framework::ClusterView&, const Bitset&) const override {
    return {.status = {}, .scorer = std::make_unique<Scorer>()};
  }
};

template <typename Plugin>
std::string error_of_second_decision() {
  World world;
  world.add_plugin<Plugin>("Scored", {config::ExtensionPoint::kScore}, std::string(kScoredPlugins));
  add_nodes(world, {"a", "b"});
  EquivalenceCache memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("p").request("cpu", "1").build());
  (void)memory.decide(pod, world.nominated, 0);
  const Decision decision = memory.decide(pod, world.nominated, 0);
  EXPECT_EQ(decision.row, cache::kNoRow);
  return decision.error.message();
}

TEST(EquivalenceCache, ReportsAScoreThatIsInvalidAfterNormalizingWhateverItsScope) {
  using Scope = framework::PodScorer::Scope;
  EXPECT_EQ((error_of_second_decision<BadNormalization<101, Scope::kNode>>()), invalid_score("101"));
  EXPECT_EQ((error_of_second_decision<BadNormalization<101, Scope::kClass>>()), invalid_score("101"));
  EXPECT_EQ((error_of_second_decision<BadNormalization<-1, Scope::kCluster>>()), invalid_score("-1"));
  EXPECT_EQ((error_of_second_decision<BadNormalization<INT64_MAX, Scope::kFeasible>>()),
            invalid_score("9223372036854775807"));
  EXPECT_EQ((error_of_second_decision<BadNormalization<INT64_MIN, Scope::kAttempt>>()),
            invalid_score("-9223372036854775808"));
}

// Has a scorer for the first pod only.
class ForgetsItsScorer final : public Scored {
  class Scorer final : public framework::PodScorer {
   public:
    std::int64_t score(const cache::NodeState& node) const override { return node.name == "b" ? 100 : 0; }
    Scope scope() const override { return Scope::kFeasible; }
    bool catch_up(const cache::NodeTable&, std::span<const cache::Change>) override { return true; }
  };

 public:
  framework::PreScored pre_score(const PodToPlace&, const framework::ClusterView&, const Bitset&) const override {
    if (asked_++ > 0) return {.status = {}, .scorer = nullptr};
    return {.status = {}, .scorer = std::make_unique<Scorer>()};
  }

 private:
  mutable int asked_ = 0;
};

TEST(EquivalenceCache, TakesTheStepsIfAPluginHasNoScorerAnyMore) {
  World world;
  world.add_plugin<ForgetsItsScorer>("Scored", {config::ExtensionPoint::kScore}, std::string(kScoredPlugins));
  add_nodes(world, {"a", "b"});
  EquivalenceCache memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("p").request("cpu", "1").build());
  for (int i = 0; i < 3; ++i) EXPECT_NE(memory.decide(pod, world.nominated, 0).row, cache::kNoRow);
  EXPECT_GE(memory.counts().step_by_step, 1u);
}

// --- Wrong scopes ----------------------------------------------------------------------------------------------------

// Looks at an annotation of the pod, which is not part of its class, and says that it goes by class.
class ReadsAnnotation final : public framework::Plugin,
                              public framework::PerNodeFilter,
                              public framework::PerNodeScore {
 public:
  explicit ReadsAnnotation(bool filters) : filters_(filters) {}
  std::string_view name() const override { return "ReadsAnnotation"; }
  framework::Status filter(const PodToPlace& pod, const cache::NodeState& node) const override {
    return filters_ && is_named(pod, node) ? framework::Status::unschedulable("node(s) are annotated")
                                           : framework::Status();
  }
  bool is_filter_by_class() const override { return true; }
  std::int64_t score(const PodToPlace& pod, const cache::NodeState& node) const override {
    return !filters_ && is_named(pod, node) ? 100 : 0;
  }
  bool is_score_by_class() const override { return true; }

 private:
  static bool is_named(const PodToPlace& pod, const cache::NodeState& node) {
    const auto* value = pod->metadata.annotations->find(Symbol("node"));
    return value != nullptr && *value == node.name.text();
  }
  bool filters_;
};

std::vector<framework::WrongAnswer> wrong_answers_of(bool filters) {
  World world;
  (void)world.registry.add({.name = "ReadsAnnotation",
                            .points = {config::ExtensionPoint::kFilter, config::ExtensionPoint::kScore},
                            .build = [=](const auto&) { return std::make_unique<ReadsAnnotation>(filters); }});
  world.use_plugins("    multiPoint:\n      enabled:\n      - name: ReadsAnnotation\n");
  add_nodes(world, {"a", "b", "c"});
  std::vector<framework::WrongAnswer> found;
  EquivalenceCache memory(*world.profile, world.view,
                          {.check_every = 1, .on_wrong_answer = [&](const auto& wrong) { found.push_back(wrong); }});
  const api::PodPtr first = PodBuilder("first").request("cpu", "1").build();
  auto annotated = std::make_shared<api::Pod>(*PodBuilder("second", *first).build());
  annotated->metadata.annotations = api::Annotations{{"node", "b"}};
  (void)memory.decide(world.to_place(first), world.nominated, 0);
  EXPECT_TRUE(found.empty());
  (void)memory.decide(world.to_place(annotated), world.nominated, 0);
  EXPECT_EQ(memory.counts().classes_built, 1u);
  return found;
}

TEST(EquivalenceCache, NamesTheFilterPluginWhoseScopeIsWrong) {
  const auto found = wrong_answers_of(true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].plugin, "ReadsAnnotation");
  EXPECT_EQ(found[0].pod, "default/second");
  EXPECT_EQ(found[0].text,
            "Filter plugin ReadsAnnotation: cached for node b: success, asked anew: Unschedulable (node(s) are "
            "annotated)");
}

TEST(EquivalenceCache, NamesTheScorePluginWhoseScopeIsWrong) {
  const auto found = wrong_answers_of(false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].plugin, "ReadsAnnotation");
  EXPECT_EQ(found[0].text, "Score plugin ReadsAnnotation: cached for node b: 0, asked anew: 100");
}

// The record of an attempt says how many nodes were evaluated.
TEST(EquivalenceCache, ASharedRejectionHasVisitedAllNodesOfTheSample) {
  World world;
  for (const char* node : {"a", "b", "c"}) world.cache.set_node(NodeBuilder(node).allocatable("cpu", "1").build());
  EquivalenceCache memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("p").request("cpu", "2").build());
  const framework::Sample sample{.start = 1, .wanted = 2};
  EXPECT_EQ(memory.decide(pod, world.nominated, 0, sample).visited, 3u);
  EXPECT_EQ(memory.decide(pod, world.nominated, 0, sample).visited, 3u);
  EXPECT_EQ(memory.counts().shared_rejections, 1u);
}

TEST(EquivalenceCache, SpreadsPodsOverEqualNodes) {
  World world;
  for (int i = 0; i < 4; ++i) {
    world.cache.set_node(
        NodeBuilder(fmt::format("n{}", i)).allocatable("cpu", "8").allocatable("memory", "8Gi").build());
  }
  EquivalenceCache memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("a").request("cpu", "1").build());
  for (std::uint64_t rotation = 0; rotation < 8; ++rotation) {
    EXPECT_EQ(memory.decide(pod, world.nominated, rotation).row, rotation % 4);
  }
}

}  // namespace
}  // namespace berth::plugins
