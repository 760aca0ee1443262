#include "berth/queue/nominator.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "berth/queue/quirks.h"
#include "berth/queue/release.h"
#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::make_pod;
using testing::PodBuilder;

const Symbol kN1("n1"), kN2("n2");

Nominating to(Symbol node) {
  return {.mode = Nominating::Mode::kOverride, .node_name = node};
}
const Nominating kKeep;
const Nominating kClear = to(Symbol());

struct Nominations {
  explicit Nominations(FindPod find_pod = {}, Quirks quirks = Quirks::none())
      : nominator(std::move(find_pod), rules_for(Release::kV1_36).nominations, quirks) {}
  std::vector<std::string> all() const {
    std::vector<std::string> lines;
    nominator.for_each([&lines](Symbol node, const Nominator::Nomination& nomination) {
      lines.push_back(node.str() + ":" + nomination.name);
    });
    return lines;
  }
  Nominator nominator;
};
using Lines = std::vector<std::string>;

TEST(Nominator, KeepsWhatThePodsStatusSays) {
  Nominations nominations;
  nominations.nominator.add(*PodBuilder("a").nominated("n1").build(), kKeep);
  nominations.nominator.add(*make_pod("b"), kKeep);
  EXPECT_EQ(nominations.all(), Lines{"n1:a"});
  EXPECT_EQ(nominations.nominator.node_of("a-uid"), kN1);
  EXPECT_TRUE(nominations.nominator.node_of("b-uid").empty());
}

TEST(Nominator, OverridesWhatThePodsStatusSays) {
  Nominations nominations;
  nominations.nominator.add(*PodBuilder("a").nominated("n1").build(), to(kN2));
  EXPECT_EQ(nominations.all(), Lines{"n2:a"});
}

TEST(Nominator, ListsEachNodeOnceAndNotTheNodeWithoutAName) {
  Quirks quirks;
  quirks.cleared_nomination_stays = true;
  Nominations nominations({}, quirks);
  nominations.nominator.add(*make_pod("a"), to(kN1));
  nominations.nominator.add(*make_pod("b"), to(kN1));
  nominations.nominator.add(*make_pod("c"), kClear);
  Lines nodes;
  nominations.nominator.for_each_node([&](Symbol node) { nodes.push_back(node.str()); });
  EXPECT_EQ(nodes, Lines{"n1"});
}

TEST(Nominator, APodHasOneNomination) {
  Nominations nominations;
  nominations.nominator.add(*make_pod("a"), to(kN1));
  nominations.nominator.add(*make_pod("a"), to(kN2));
  EXPECT_EQ(nominations.all(), Lines{"n2:a"});
  EXPECT_TRUE(nominations.nominator.for_node(kN1).empty());
}

TEST(Nominator, ListsANodesPodsInTheOrderTheyWereNominated) {
  Nominations nominations;
  for (const char* name : {"c", "a", "b"}) nominations.nominator.add(*make_pod(name), to(kN1));
  nominations.nominator.add(*make_pod("z"), to(kN2));
  nominations.nominator.add(*make_pod("c"), to(kN1));  // again: it goes to the end
  EXPECT_EQ(nominations.all(), (Lines{"n1:a", "n1:b", "n1:c", "n2:z"}));
}

TEST(Nominator, RemovesByUid) {
  Nominations nominations;
  nominations.nominator.add(*make_pod("a"), to(kN1));
  EXPECT_FALSE(nominations.nominator.remove("another"));
  EXPECT_TRUE(nominations.nominator.remove("a-uid"));
  EXPECT_FALSE(nominations.nominator.remove("a-uid"));
  EXPECT_EQ(nominations.all(), Lines{});
}

TEST(Nominator, IgnoresPodsThatAreGoneOrPlaced) {
  std::map<std::string, api::PodPtr> known;
  Nominations nominations([&known](Symbol, std::string_view name) -> api::PodPtr {
    const auto found = known.find(std::string(name));
    return found == known.end() ? nullptr : found->second;
  });
  known["waiting"] = make_pod("waiting");
  known["placed"] = PodBuilder("placed").node("n9").build();
  for (const char* name : {"waiting", "placed", "gone"}) nominations.nominator.add(*make_pod(name), to(kN1));
  EXPECT_EQ(nominations.all(), Lines{"n1:waiting"});

  known.erase("waiting");
  nominations.nominator.add(*make_pod("waiting"), to(kN2));
  EXPECT_EQ(nominations.all(), Lines{}) << "the old nomination goes even if no new one is made";
}

TEST(Nominator, AnUpdateThatDoesNotCarryTheNominationYetKeepsIt) {
  Nominations nominations;
  nominations.nominator.add(*make_pod("a"), to(kN1));
  nominations.nominator.update(*make_pod("a"), *PodBuilder("a").label("x", "y").build());
  EXPECT_EQ(nominations.all(), Lines{"n1:a"});
}

TEST(Nominator, AnUpdateThatChangesOrClearsTheStatusCounts) {
  Nominations nominations;
  const api::PodPtr plain = make_pod("a");
  const api::PodPtr on_n1 = PodBuilder("a").nominated("n1").build();
  const api::PodPtr on_n2 = PodBuilder("a").nominated("n2").build();
  nominations.nominator.add(*on_n1, kKeep);
  nominations.nominator.update(*on_n1, *on_n2);
  EXPECT_EQ(nominations.all(), Lines{"n2:a"});
  nominations.nominator.update(*on_n2, *plain);
  EXPECT_EQ(nominations.all(), Lines{});
  nominations.nominator.update(*plain, *on_n1);
  EXPECT_EQ(nominations.all(), Lines{"n1:a"});
}

TEST(Nominator, AnUpdateToAnotherUidMovesTheNomination) {
  Nominations nominations;
  nominations.nominator.add(*make_pod("a"), to(kN1));
  nominations.nominator.update(*make_pod("a"), *PodBuilder("a").uid("a-2").build());
  EXPECT_TRUE(nominations.nominator.node_of("a-uid").empty());
  EXPECT_EQ(nominations.nominator.node_of("a-2"), kN1);
}

TEST(Nominator, ClearingEndsTheNomination) {
  Nominations nominations;
  nominations.nominator.add(*make_pod("a"), to(kN1));
  nominations.nominator.add(*make_pod("a"), kClear);
  EXPECT_EQ(nominations.all(), Lines{});
}

TEST(NominatorQuirks, Q07AClearedNominationStaysAsOneToTheNodeWithoutName) {
  Nominations nominations({}, Quirks{.cleared_nomination_stays = true});
  nominations.nominator.add(*make_pod("a"), to(kN1));
  nominations.nominator.add(*make_pod("a"), kClear);
  EXPECT_EQ(nominations.all(), Lines{":a"});
}

}  // namespace
}  // namespace berth::queue
