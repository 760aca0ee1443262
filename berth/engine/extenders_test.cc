#include "berth/engine/extenders.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::engine {
namespace {

using framework::Code;
using Names = std::vector<std::string>;

config::Extender extender(std::string url, bool ignorable = false) {
  config::Extender made;
  made.url_prefix = std::move(url);
  made.filter_verb = "filter";
  made.prioritize_verb = "prioritize";
  made.preempt_verb = "preempt";
  made.bind_verb = "bind";
  made.weight = 1;
  made.ignorable = ignorable;
  return made;
}

config::Extender managing(config::Extender made, std::initializer_list<std::string_view> resources) {
  for (const std::string_view name : resources) made.managed_resources.push_back({std::string(name), false});
  return made;
}

api::PodPtr pod_named(std::string name) {
  api::Pod pod;
  pod.metadata.uid = "uid-" + name;
  pod.metadata.name = std::move(name);
  pod.metadata.name_space = Symbol("default");
  return std::make_shared<const api::Pod>(std::move(pod));
}

enum class Where { kRequest, kLimit, kInitRequest, kInitLimit };

api::PodPtr pod_asking(std::string_view resource, Where where) {
  api::PodTemplate spec;
  spec.containers.emplace_back();  // one that asks for nothing comes first
  const bool is_init = where == Where::kInitRequest || where == Where::kInitLimit;
  const bool is_limit = where == Where::kLimit || where == Where::kInitLimit;
  api::ResourceRequirements& resources = (is_init ? spec.init_containers : spec.containers).emplace_back().resources;
  (is_limit ? resources.limits : resources.requests)[Symbol(resource)] = api::Quantity::parse("1").value();
  api::Pod pod = *pod_named("p");
  pod.spec.shared = spec;
  return std::make_shared<const api::Pod>(std::move(pod));
}

std::vector<api::NodePtr> nodes(std::initializer_list<std::string_view> names) {
  std::vector<api::NodePtr> made;
  for (const std::string_view name : names) {
    api::Node node;
    node.metadata.name = std::string(name);
    made.push_back(std::make_shared<const api::Node>(std::move(node)));
  }
  return made;
}

Names names_of(const std::vector<api::NodePtr>& nodes) {
  Names names;
  for (const api::NodePtr& node : nodes) names.push_back(node->metadata.name);
  return names;
}

Outcome answering(ExtenderReply reply) {
  Outcome outcome;
  outcome.extender_reply = std::move(reply);
  return outcome;
}
Outcome failing(Outcome::Kind kind, std::string message) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = std::move(message);
  return outcome;
}

using Reasons = std::vector<std::pair<std::string_view, std::string>>;

Outcome filtered(std::initializer_list<std::string_view> passed, const Reasons& failed = {},
                 const Reasons& unresolvable = {}) {
  ExtenderFiltered reply;
  for (const std::string_view name : passed) reply.nodes.push_back(Symbol(name));
  for (const auto& [node, why] : failed) reply.failed.emplace_back(Symbol(node), why);
  for (const auto& [node, why] : unresolvable) reply.failed_and_unresolvable.emplace_back(Symbol(node), why);
  return answering(std::move(reply));
}
Outcome filter_error(std::string error) {
  ExtenderFiltered reply;
  reply.error = std::move(error);
  return answering(std::move(reply));
}

Outcome prioritized(std::initializer_list<std::pair<std::string_view, std::int64_t>> scores) {
  ExtenderPrioritized reply;
  for (const auto& [node, score] : scores) reply.scores.emplace_back(Symbol(node), score);
  return answering(std::move(reply));
}

// --- Who is asked ----------------------------------------------------------------------------------------------------

TEST(Extenders, AreInterestedInPodsThatAskForAManagedResourceAnywhere) {
  const Extenders extenders({extender("all"), managing(extender("gpu"), {"example.com/tpu", "example.com/gpu"})});
  EXPECT_TRUE(extenders.is_interested(0, *pod_named("plain")));
  EXPECT_FALSE(extenders.is_interested(1, *pod_named("plain")));
  for (const Where where : {Where::kRequest, Where::kLimit, Where::kInitRequest, Where::kInitLimit}) {
    EXPECT_TRUE(extenders.is_interested(1, *pod_asking("example.com/gpu", where))) << static_cast<int>(where);
    EXPECT_FALSE(extenders.is_interested(1, *pod_asking("cpu", where))) << static_cast<int>(where);
  }
}

TEST(Extenders, AreAskedInTheOrderOfTheConfigurationWithIgnorableOnesLast) {
  config::Extender without_filter = extender("e");
  without_filter.filter_verb.clear();
  const Extenders extenders({extender("a", true), extender("b"), managing(extender("c"), {"example.com/gpu"}),
                             extender("d", true), without_filter, extender("f")});
  EXPECT_EQ(extenders.to_ask(ExtenderVerb::kFilter, *pod_named("p")), (std::vector<std::size_t>{1, 5, 0, 3}));
  EXPECT_EQ(extenders.to_ask(ExtenderVerb::kBind, *pod_named("p")), (std::vector<std::size_t>{1, 4, 5, 0, 3}));
  EXPECT_EQ(extenders.to_ask(ExtenderVerb::kPreempt, *pod_asking("example.com/gpu", Where::kLimit)),
            (std::vector<std::size_t>{1, 2, 4, 5, 0, 3}));
}

TEST(Extenders, SayWhichVerbsTheyHave) {
  config::Extender only_filter;
  only_filter.filter_verb = "filter";
  const Extenders extenders({managing(only_filter, {"example.com/gpu"})});
  EXPECT_TRUE(extenders.supports(0, ExtenderVerb::kFilter));
  EXPECT_FALSE(extenders.supports(0, ExtenderVerb::kPrioritize));
  EXPECT_FALSE(extenders.supports(0, ExtenderVerb::kPreempt));
  EXPECT_FALSE(extenders.supports(0, ExtenderVerb::kBind));
  EXPECT_FALSE(extenders.any_to_ask(ExtenderVerb::kFilter, *pod_named("plain")));
  EXPECT_TRUE(extenders.any_to_ask(ExtenderVerb::kFilter, *pod_asking("example.com/gpu", Where::kRequest)));
  EXPECT_FALSE(extenders.empty());
  EXPECT_TRUE(Extenders().empty());
}

TEST(Extenders, ListTheResourcesThatTheSchedulerLeavesToThem) {
  config::Extender a = extender("a");
  a.managed_resources = {{"example.com/gpu", true}, {"example.com/fpga", false}};
  config::Extender b = extender("b");
  b.managed_resources = {{"example.com/net", true}};
  EXPECT_EQ(Extenders({a, b}).ignored_by_scheduler(), (Names{"example.com/gpu", "example.com/net"}));
}

// --- Filter ----------------------------------------------------------------------------------------------------------

TEST(ExtenderFilterRound, AsksEachAboutTheNodesThatTheOnesBeforeLeft) {
  const Extenders extenders({extender("a"), extender("b")});
  ExtenderFilterRound round(extenders, pod_named("p"), nodes({"n1", "n2", "n3"}));

  auto call = round.next();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->extender, 0u);
  EXPECT_EQ(call->verb, ExtenderVerb::kFilter);
  EXPECT_EQ(std::get<ExtenderNodes>(call->request).pod->metadata.name, "p");
  EXPECT_EQ(names_of(std::get<ExtenderNodes>(call->request).nodes), (Names{"n1", "n2", "n3"}));
  round.reply(filtered({"n3", "n1"}, {{"n2", "no licence"}}));

  call = round.next();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->extender, 1u);
  EXPECT_EQ(names_of(std::get<ExtenderNodes>(call->request).nodes), (Names{"n1", "n3"}));
  round.reply(filtered({"n1", "n3"}));

  EXPECT_FALSE(round.next());
  EXPECT_FALSE(round.error());
  EXPECT_TRUE(round.has_shrunk());
  EXPECT_EQ(names_of(round.feasible()), (Names{"n1", "n3"}));
  ASSERT_EQ(round.failed().size(), 1u);
  EXPECT_EQ(round.failed()[0].first, "n2");
  EXPECT_EQ(round.failed()[0].second, framework::Status::unschedulable("no licence"));
}

TEST(ExtenderFilterRound, IsOverAtOnceIfNobodyIsToBeAsked) {
  const Extenders nobody;
  ExtenderFilterRound round(nobody, pod_named("p"), nodes({"n1"}));
  EXPECT_FALSE(round.next());
  EXPECT_FALSE(round.has_shrunk());
  EXPECT_EQ(names_of(round.feasible()), (Names{"n1"}));

  const Extenders one({extender("a")});
  ExtenderFilterRound without_nodes(one, pod_named("p"), {});
  EXPECT_FALSE(without_nodes.next());
}

TEST(ExtenderFilterRound, StopsWhenNoNodeIsLeft) {
  const Extenders extenders({extender("a"), extender("b")});
  ExtenderFilterRound round(extenders, pod_named("p"), nodes({"n1"}));
  ASSERT_TRUE(round.next());
  round.reply(filtered({}));
  EXPECT_FALSE(round.next());
  EXPECT_TRUE(round.has_shrunk());
  EXPECT_TRUE(round.feasible().empty());
  EXPECT_TRUE(round.failed().empty());  // the extender gave no reason
}

TEST(ExtenderFilterRound, CallsANodeUnresolvableThatStandsInBothLists) {
  const Extenders extenders({extender("a")});
  ExtenderFilterRound round(extenders, pod_named("p"), nodes({"n1", "n2", "n3"}));
  ASSERT_TRUE(round.next());
  round.reply(filtered({"n3"}, {{"n1", "busy"}, {"n2", "busy"}}, {{"n1", "never"}}));
  ASSERT_EQ(round.failed().size(), 2u);
  EXPECT_EQ(round.failed()[0].first, "n1");
  EXPECT_EQ(round.failed()[0].second, framework::Status::unresolvable("never"));
  EXPECT_EQ(round.failed()[1].first, "n2");
  EXPECT_EQ(round.failed()[1].second.code(), Code::kUnschedulable);
}

TEST(ExtenderFilterRound, TakesTheLaterWordOnANodeThatTwoExtendersName) {
  const Extenders extenders({extender("a"), extender("b")});
  ExtenderFilterRound round(extenders, pod_named("p"), nodes({"n1", "n2"}));
  ASSERT_TRUE(round.next());
  round.reply(filtered({"n2"}, {}, {{"n1", "never"}}));
  ASSERT_TRUE(round.next());
  round.reply(filtered({"n2"}, {{"n1", "busy"}}));
  ASSERT_EQ(round.failed().size(), 1u);
  EXPECT_EQ(round.failed()[0].second, framework::Status::unschedulable("busy"));
}

struct FilterFailure {
  std::string_view what;
  Outcome outcome;
  std::string error;
};

std::vector<FilterFailure> filter_failures() {
  return {
      {"refused", failing(Outcome::Kind::kRefused, "failed filter with extender at URL http://x/filter, code 500"),
       "failed filter with extender at URL http://x/filter, code 500"},
      {"unknown outcome", failing(Outcome::Kind::kUnknown, "context deadline exceeded"), "context deadline exceeded"},
      {"unknown outcome without a message", failing(Outcome::Kind::kUnknown, ""),
       "extender \"http://x\" did not answer"},
      {"Error is set", filter_error("out of order"), "out of order"},
      {"a node that was not sent", filtered({"n1", "n9"}),
       "extender \"http://x\" claims a filtered node \"n9\" which is not found in the input node list"},
      {"the reply of another verb", prioritized({}), "extender \"http://x\" answered something else"},
  };
}

TEST(ExtenderFilterRound, FailsTheAttemptWithTheErrorOfAnExtenderThatIsNotIgnorable) {
  for (const FilterFailure& failure : filter_failures()) {
    SCOPED_TRACE(failure.what);
    const Extenders extenders({extender("http://x"), extender("http://y")});
    ExtenderFilterRound round(extenders, pod_named("p"), nodes({"n1", "n2"}));
    ASSERT_TRUE(round.next());
    round.reply(failure.outcome);
    EXPECT_FALSE(round.next());
    ASSERT_TRUE(round.error());
    EXPECT_EQ(round.error()->message(), failure.error);
  }
}

TEST(ExtenderFilterRound, PassesOverAnIgnorableExtenderThatFails) {
  for (const FilterFailure& failure : filter_failures()) {
    SCOPED_TRACE(failure.what);
    const Extenders extenders({extender("http://x", true), extender("http://y", true)});
    ExtenderFilterRound round(extenders, pod_named("p"), nodes({"n1", "n2"}));
    ASSERT_TRUE(round.next());
    round.reply(failure.outcome);
    const auto call = round.next();
    ASSERT_TRUE(call);
    EXPECT_EQ(call->extender, 1u);
    EXPECT_EQ(names_of(std::get<ExtenderNodes>(call->request).nodes), (Names{"n1", "n2"}));
    round.reply(filtered({"n1", "n2"}));
    EXPECT_FALSE(round.error());
    EXPECT_FALSE(round.has_shrunk());
    EXPECT_TRUE(round.failed().empty());
  }
}

// --- Prioritize ------------------------------------------------------------------------------------------------------

TEST(ExtenderScoreRound, AddsScoresTimesWeightInWhateverOrderTheyCome) {
  config::Extender heavy = extender("heavy");
  heavy.weight = 3;
  config::Extender silent = extender("silent");
  silent.prioritize_verb.clear();
  const Extenders extenders({extender("light"), silent, managing(extender("gpu"), {"example.com/gpu"}), heavy});
  ExtenderScoreRound round(extenders, pod_named("p"), nodes({"n1", "n2", "n3"}));

  const std::vector<CallExtender> calls = round.calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].extender, 0u);
  EXPECT_EQ(calls[1].extender, 3u);
  EXPECT_EQ(calls[1].verb, ExtenderVerb::kPrioritize);
  EXPECT_EQ(names_of(std::get<ExtenderNodes>(calls[1].request).nodes), (Names{"n1", "n2", "n3"}));

  round.reply(3, prioritized({{"n2", 10}, {"n1", 1}, {"elsewhere", 9}}));
  EXPECT_FALSE(round.is_over());
  round.reply(0, prioritized({{"n3", 4}, {"n1", 2}}));
  EXPECT_TRUE(round.is_over());
  EXPECT_EQ(round.totals(), (std::vector<std::int64_t>{2 * 10 + 1 * 3 * 10, 10 * 3 * 10, 4 * 10}));
}

TEST(ExtenderScoreRound, IgnoresExtendersThatFail) {
  const Extenders extenders({extender("a"), extender("b"), extender("c")});
  ExtenderScoreRound round(extenders, pod_named("p"), nodes({"n1"}));
  round.reply(0, failing(Outcome::Kind::kRefused, "code 500"));
  round.reply(1, prioritized({{"n1", 5}}));
  round.reply(2, failing(Outcome::Kind::kUnknown, "timeout"));
  EXPECT_TRUE(round.is_over());
  EXPECT_EQ(round.totals(), (std::vector<std::int64_t>{50}));
}

TEST(ExtenderScoreRound, IsOverAtOnceIfNobodyScores) {
  config::Extender silent = extender("silent");
  silent.prioritize_verb.clear();
  const Extenders extenders({silent});
  const ExtenderScoreRound round(extenders, pod_named("p"), nodes({"n1", "n2"}));
  EXPECT_TRUE(round.calls().empty());
  EXPECT_TRUE(round.is_over());
  EXPECT_EQ(round.totals(), (std::vector<std::int64_t>{0, 0}));
}

TEST(ExtenderScoreRound, StaysWithinTheRangeWhateverAnExtenderSays) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const Extenders extenders({extender("a")});
  ExtenderScoreRound round(extenders, pod_named("p"), nodes({"n1", "n2"}));
  round.reply(0, prioritized({{"n1", most}, {"n1", most}, {"n2", least}, {"n2", -1}}));
  EXPECT_EQ(round.totals(), (std::vector<std::int64_t>{most, least}));
}

// --- Preempt ---------------------------------------------------------------------------------------------------------

ExtenderVictims victims(std::string_view node, std::initializer_list<std::string_view> pods, std::int64_t violations) {
  ExtenderVictims made{Symbol(node), {}, violations};
  for (const std::string_view pod : pods) made.pods.push_back(pod_named(std::string(pod)));
  return made;
}

Outcome preempted(std::vector<ExtenderPreempted::Victims> candidates) {
  return answering(ExtenderPreempted{std::move(candidates)});
}

// Pods a to z are on every node but "gone".
api::PodPtr find_pod(Symbol node, std::string_view uid) {
  if (node == "gone" || !uid.starts_with("uid-") || uid.size() != 5) return nullptr;
  return pod_named(std::string(uid.substr(4)));
}

// "n1:a,b/0"
Names texts(const std::vector<ExtenderVictims>& candidates) {
  Names made;
  for (const ExtenderVictims& candidate : candidates) {
    std::string text = candidate.node_name.str() + ":";
    for (const api::PodPtr& pod : candidate.pods) text += pod->metadata.name + ",";
    text.back() = '/';
    made.push_back(text + std::to_string(candidate.pdb_violations));
  }
  return made;
}

TEST(ExtenderPreemptRound, HandsWhatOneLeavesToTheNext) {
  const Extenders extenders({extender("a"), extender("b")});
  ExtenderPreemptRound round(extenders, pod_named("p"),
                             {victims("n1", {"a"}, 0), victims("n2", {"b", "c"}, 1), victims("n3", {"d"}, 0)});
  auto call = round.next();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->verb, ExtenderVerb::kPreempt);
  EXPECT_EQ(texts(std::get<ExtenderPreempt>(call->request).candidates), (Names{"n1:a/0", "n2:b,c/1", "n3:d/0"}));
  // Drops n1, takes a victim from n2, adds n7 with a pod that was nobody's victim.
  round.reply(preempted({{Symbol("n7"), {"uid-z"}, 2}, {Symbol("n3"), {"uid-d"}, 0}, {Symbol("n2"), {"uid-c"}, 0}}),
              find_pod);
  call = round.next();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->extender, 1u);
  EXPECT_EQ(texts(std::get<ExtenderPreempt>(call->request).candidates), (Names{"n2:c/0", "n3:d/0", "n7:z/2"}));
  round.reply(preempted({{Symbol("n3"), {"uid-d"}, 0}}), find_pod);
  EXPECT_FALSE(round.next());
  EXPECT_FALSE(round.error());
  EXPECT_EQ(texts(round.candidates()), (Names{"n3:d/0"}));
}

TEST(ExtenderPreemptRound, StopsWhenNoCandidateIsLeft) {
  const Extenders extenders({extender("a"), extender("b")});
  ExtenderPreemptRound round(extenders, pod_named("p"), {victims("n1", {"a"}, 0)});
  ASSERT_TRUE(round.next());
  round.reply(preempted({}), find_pod);
  EXPECT_FALSE(round.next());
  EXPECT_FALSE(round.error());
  EXPECT_TRUE(round.candidates().empty());

  ExtenderPreemptRound nothing_found(extenders, pod_named("p"), {});
  EXPECT_FALSE(nothing_found.next());
}

struct PreemptFailure {
  std::string_view what;
  Outcome outcome;
  std::string error;
};

std::vector<PreemptFailure> preempt_failures() {
  return {
      {"refused", failing(Outcome::Kind::kRefused, "code 500"), "code 500"},
      {"no reply", answering({}), "extender \"http://x\" answered something else"},
      {"an unknown pod", preempted({{Symbol("n1"), {"uid-a"}, 0}, {Symbol("n2"), {"nobody"}, 0}}),
       "extender: http://x claims to preempt pod (UID: nobody) on node: n2, but the pod is not found on that node"},
      {"an unknown node", preempted({{Symbol("gone"), {"uid-a"}, 0}}),
       "extender: http://x claims to preempt pod (UID: uid-a) on node: gone, but the pod is not found on that node"},
  };
}

TEST(ExtenderPreemptRound, FailsWithTheErrorOfAnExtenderThatIsNotIgnorable) {
  for (const PreemptFailure& failure : preempt_failures()) {
    SCOPED_TRACE(failure.what);
    const Extenders extenders({extender("http://x"), extender("http://y")});
    ExtenderPreemptRound round(extenders, pod_named("p"), {victims("n1", {"a"}, 0)});
    ASSERT_TRUE(round.next());
    round.reply(failure.outcome, find_pod);
    EXPECT_FALSE(round.next());
    ASSERT_TRUE(round.error());
    EXPECT_EQ(round.error()->message(), failure.error);
  }
}

TEST(ExtenderPreemptRound, PassesOverAnIgnorableExtenderThatFails) {
  for (const PreemptFailure& failure : preempt_failures()) {
    SCOPED_TRACE(failure.what);
    const Extenders extenders({extender("http://x", true)});
    ExtenderPreemptRound round(extenders, pod_named("p"), {victims("n1", {"a"}, 3)});
    ASSERT_TRUE(round.next());
    round.reply(failure.outcome, find_pod);
    EXPECT_FALSE(round.next());
    EXPECT_FALSE(round.error());
    EXPECT_EQ(texts(round.candidates()), (Names{"n1:a/3"}));
  }
}

TEST(ExtenderPreemptRound, WantsAVictimOnEachNode) {
  const Outcome outcome = preempted({{Symbol("n1"), {}, 0}, {Symbol("n2"), {"uid-b"}, 0}});
  const std::vector<ExtenderVictims> candidates = {victims("n1", {"a"}, 0), victims("n2", {"b"}, 0)};

  const Extenders strict({extender("a")});
  ExtenderPreemptRound fails(strict, pod_named("p"), candidates);
  ASSERT_TRUE(fails.next());
  fails.reply(outcome, find_pod);
  ASSERT_TRUE(fails.error());
  EXPECT_EQ(fails.error()->message(), "expected at least one victim pod on node \"n1\"");

  const Extenders ignorable({extender("a", true)});
  ExtenderPreemptRound drops(ignorable, pod_named("p"), candidates);
  ASSERT_TRUE(drops.next());
  drops.reply(outcome, find_pod);
  EXPECT_FALSE(drops.error());
  EXPECT_EQ(texts(drops.candidates()), (Names{"n2:b/0"}));
}

}  // namespace
}  // namespace berth::engine
