#include "berth/whatif/verdicts.h"

#include <gtest/gtest.h>

#include "berth/whatif/testing.h"
#include "berth/whatif/what_if.h"

namespace berth::whatif {
namespace {

using testing::node;
using testing::objects_in;
using testing::pod;

Difference ask(const std::string& dump, const Changes& changes) {
  const auto difference = what_if(objects_in(dump), changes);
  if (!difference) {
    ADD_FAILURE() << difference.error().message();
    return {};
  }
  return *difference;
}

Changes drain(const std::string& node) {
  Changes changes;
  changes.drain = {node};
  return changes;
}

std::string web(const std::string& name, const std::string& where, const std::string& cpu = "1",
                const std::string& more = "") {
  return pod(name, {.node = where, .cpu = cpu, .owner = "ReplicaSet " + name.substr(0, name.find('-')), .more = more});
}

TEST(Verdicts, AreGoodIfAllPodsFitElsewhere) {
  const Difference difference =
      ask(node("n-1", "4") + node("n-2", "4") + web("a-1", "n-1") + web("b-1", "n-1"), drain("n-1"));
  ASSERT_EQ(difference.verdicts.size(), 1u);
  EXPECT_TRUE(difference.ok);
  EXPECT_EQ(difference.verdicts[0].kind, "drain");
  EXPECT_EQ(difference.verdicts[0].subject, "n-1");
  EXPECT_EQ(difference.verdicts[0].sentence, "Drain of n-1: all 2 pods fit elsewhere.");
  EXPECT_EQ(difference.verdicts[0].wanted, 2);
  EXPECT_EQ(difference.verdicts[0].placed, 2);
}

TEST(Verdicts, CountEachPodOnce) {
  // b-1 is evicted by the drain and has no place, so it is not told a second time.
  const Difference difference =
      ask(node("n-1", "4") + node("n-2", "1") + web("a-1", "n-1") + web("b-1", "n-1", "3"), drain("n-1"));
  ASSERT_EQ(difference.verdicts.size(), 1u);
  EXPECT_FALSE(difference.ok);
  EXPECT_TRUE(difference.verdicts[0].sentence.starts_with("Drain of n-1: 1 of 2 pods fits nowhere else: default/b-"))
      << difference.verdicts[0].sentence;
  EXPECT_EQ(difference.verdicts[0].pods.size(), 1u);
}

TEST(Verdicts, TraceAPreemptedPodToTheChange) {
  const Difference difference =
      ask(node("n-1", "2") + node("n-2", "2") + web("high-1", "n-1", "2", "priority: 5") + web("low-1", "n-2", "2"),
          drain("n-1"));
  ASSERT_EQ(difference.verdicts.size(), 2u);
  EXPECT_TRUE(difference.verdicts[0].ok);
  EXPECT_EQ(difference.verdicts[1].kind, "preemption");
  EXPECT_FALSE(difference.verdicts[1].ok);
  ASSERT_EQ(difference.pending.size(), 1u);
  ASSERT_EQ(difference.pending[0].causes.size(), 1u);
  const Cause& cause = difference.pending[0].causes[0];
  EXPECT_EQ(cause.change, "drain n-1");
  EXPECT_TRUE(cause.preemptor.starts_with("default/high-")) << cause.preemptor;
  EXPECT_TRUE(cause.sentence.ends_with("which is the replacement of default/high-1 (evicted by the drain of n-1)"))
      << cause.sentence;
}

TEST(Verdicts, TellWhatSettlingDidApart) {
  const Difference difference = ask(
      node("n-1", "4") + node("n-2", "1") + web("low-1", "n-1", "3") + pod("high", {.cpu = "3", .more = "priority: 5"}),
      drain("n-2"));
  EXPECT_TRUE(difference.ok);
  EXPECT_TRUE(difference.preemptions.empty());
  ASSERT_EQ(difference.settling.preemptions.size(), 1u);
  EXPECT_EQ(difference.settling.preemptions[0].victims, std::vector<std::string>{"default/low-1"});
  ASSERT_EQ(difference.settling.pending.size(), 1u);
  EXPECT_EQ(difference.settling.pending[0].causes[0].sentence, "preempted by default/high, which was pending");
}

TEST(Verdicts, NodesThatDoNotHelpAreBadNewsOnlyIfTheyAreAllThatIsAskedFor) {
  const std::string dump = node("n-1", "1") + node("n-2", "1") + pod("big", {.cpu = "8"});
  Changes changes;
  changes.add_nodes.push_back(*parse_nodes_to_add("n-1=1"));
  EXPECT_FALSE(ask(dump, changes).ok);
  changes.drain = {"n-1"};
  EXPECT_TRUE(ask(dump, changes).ok);
}

}  // namespace
}  // namespace berth::whatif
