#include "berth/queue/hints.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::always;

const Symbol kFirst("first"), kSecond("second"), kThird("third");

HintRegistration registration(Symbol profile, std::string_view plugin, ClusterEvent event) {
  return {profile, Symbol(plugin), event, always(HintAnswer::kQueue), HintScope::kClass};
}

struct Table {
  explicit Table(std::vector<HintRegistration> registrations, std::vector<Symbol> profiles = {kFirst, kSecond})
      : hints(profiles, std::move(registrations), names) {}
  PluginNames names;
  HintTable hints;
};

std::vector<std::string> plugin_names(Table& table, const HintTable::Match::Profile& profile) {
  std::vector<std::string> result;
  for (const HintTable::Entry* entry : profile.entries) result.push_back(table.names.name(entry->plugin).str());
  return result;
}

TEST(HintTable, MatchesInOrderOfRegistration) {
  Table table({registration(kFirst, "B", testing::node_add()), registration(kFirst, "A", testing::volume_add()),
               registration(kFirst, "C", {resource::kNode, action::kAll}),
               registration(kFirst, "A", testing::node_add())});
  const HintTable::Match& match = table.hints.match(testing::node_add());
  ASSERT_EQ(match.profiles.size(), 1u);
  EXPECT_EQ(plugin_names(table, match.profiles[0]), (std::vector<std::string>{"B", "C", "A"}));
  EXPECT_EQ(match.label, "NodeAdd");
  EXPECT_FALSE(match.is_wildcard);
  EXPECT_TRUE(match.is_of_interest);
}

TEST(HintTable, AnEventThatNobodyRegisteredForIsOfNoInterest) {
  Table table({registration(kFirst, "A", testing::node_add())});
  const HintTable::Match& match = table.hints.match(testing::volume_add());
  EXPECT_FALSE(match.is_of_interest);
  EXPECT_TRUE(match.profiles.empty());
}

TEST(HintTable, OneInterestedProfileIsEnough) {
  Table table({registration(kSecond, "A", testing::node_add())});
  const HintTable::Match& match = table.hints.match(testing::node_add());
  EXPECT_TRUE(match.is_of_interest);
  EXPECT_EQ(match.profile(kFirst), nullptr);
  ASSERT_NE(match.profile(kSecond), nullptr);
  EXPECT_TRUE(match.plugins_of_any_profile.contains(table.names.id(Symbol("A"))));
}

TEST(HintTable, AWildcardIsAlwaysOfInterestAndAsksNobody) {
  Table table({registration(kFirst, "A", testing::node_add())});
  const HintTable::Match& match = table.hints.match(unschedulable_timeout());
  EXPECT_TRUE(match.is_wildcard);
  EXPECT_TRUE(match.is_of_interest);
  EXPECT_TRUE(match.profiles.empty());
}

TEST(HintTable, TellsApartEventsThatDifferInTheLabelOnly) {
  Table table({});
  EXPECT_EQ(table.hints.match(unschedulable_timeout()).label, "UnschedulableTimeout");
  EXPECT_EQ(table.hints.match(force_activate()).label, "ForceActivate");
}

TEST(HintTable, AMatchStaysWhereItIs) {
  Table table({registration(kFirst, "A", testing::node_add())});
  const HintTable::Match* first = &table.hints.match(testing::node_add());
  for (ActionSet actions = 1; actions < 512; ++actions) table.hints.match({resource::kPod, actions});
  EXPECT_EQ(&table.hints.match(testing::node_add()), first);
}

TEST(HintTable, KnowsProfilesWithoutRegistrations) {
  Table table({registration(kThird, "A", testing::node_add())}, {kFirst});
  EXPECT_TRUE(table.hints.has_profile(kFirst));
  EXPECT_TRUE(table.hints.has_profile(kThird));  // by its registration
  EXPECT_FALSE(table.hints.has_profile(kSecond));
  EXPECT_TRUE(table.hints.entries(kFirst).empty());
  EXPECT_TRUE(table.hints.entries(kSecond).empty());
  EXPECT_EQ(table.hints.entries(kThird).size(), 1u);
}

TEST(PluginSet, IsASetOfSmallNumbers) {
  PluginSet set;
  EXPECT_TRUE(set.empty());
  set.insert(0);
  set.insert(63);
  set.insert(63);
  EXPECT_EQ(set.size(), 2);
  EXPECT_TRUE(set.contains(0));
  EXPECT_TRUE(set.contains(63));
  EXPECT_FALSE(set.contains(1));
  std::vector<int> members;
  set.for_each([&members](PluginId plugin) { members.push_back(plugin); });
  EXPECT_EQ(members, (std::vector<int>{0, 63}));

  PluginSet other;
  other.insert(5);
  EXPECT_FALSE(set.intersects(other));
  EXPECT_TRUE((set | other).intersects(other));
}

TEST(PluginNames, NumbersNamesInTheOrderItMeetsThem) {
  PluginNames names;
  EXPECT_EQ(names.id(Symbol("B")), 0);
  EXPECT_EQ(names.id(Symbol("A")), 1);
  EXPECT_EQ(names.id(Symbol("B")), 0);
  EXPECT_EQ(names.name(1), "A");
}

TEST(PluginNamesDeathTest, RefusesMorePluginsThanASetHolds) {
  PluginNames names;
  for (std::size_t i = 0; i < kMaxPlugins; ++i) names.id(Symbol(fmt::format("plugin-{}", i)));
  EXPECT_DEATH(names.id(Symbol("one-too-many")), "more than 64 plugins; the next is one-too-many");
}

}  // namespace
}  // namespace berth::queue
