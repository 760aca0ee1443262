#include "berth/sim/object_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "berth/base/rng.h"
#include "berth/sim/testing.h"

namespace berth::sim {
namespace {

using testing::any;
using testing::PodBuilder;

api::AnyObject pod(std::string_view name_space, std::string_view name) {
  return any(PodBuilder(name).name_space(name_space).build());
}

std::vector<std::string> names(const ObjectTable& table) {
  std::vector<std::string> all;
  table.for_each([&](const api::AnyObject& object) { all.push_back(api::full_name(object.metadata())); });
  return all;
}

TEST(ObjectTable, ListsByNamespaceAndName) {
  ObjectTable table;
  table.add(pod("b", "x"));
  table.add(pod("a", "z"));
  table.add(pod("a", "y"));
  EXPECT_EQ(names(table), (std::vector<std::string>{"a/y", "a/z", "b/x"}));
  table.add(pod("a", "x"));
  table.remove(Symbol("a"), "z");
  EXPECT_EQ(names(table), (std::vector<std::string>{"a/x", "a/y", "b/x"}));
}

TEST(ObjectTable, MayBeChangedByWhoGoesThroughIt) {
  ObjectTable table;
  for (const char* name : {"a", "b", "c"}) table.add(pod("n", name));
  std::vector<std::string> seen;
  table.for_each([&](const api::AnyObject& object) {
    seen.push_back(object.metadata().name);
    if (object.metadata().name == "a") {
      table.remove(Symbol("n"), "b");
      table.add(pod("n", "d"));
    }
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(names(table), (std::vector<std::string>{"n/a", "n/c", "n/d"}));
}

TEST(ObjectTable, AgreesWithAMapOverARandomHistory) {
  ObjectTable table;
  std::map<std::string, bool> expected;
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = fmt::format("p{}", rng.below(300));
    if (expected.contains(name)) {
      ASSERT_NE(table.find(Symbol("n"), name), nullptr);
      table.remove(Symbol("n"), name);
      expected.erase(name);
    } else {
      ASSERT_EQ(table.find(Symbol("n"), name), nullptr);
      table.add(pod("n", name));
      expected[name] = true;
    }
    if (i % 3000 == 0) {
      std::vector<std::string> all;
      for (const auto& [each, _] : expected) all.push_back("n/" + each);
      ASSERT_EQ(names(table), all);
    }
  }
  EXPECT_EQ(table.size(), expected.size());
}

}  // namespace
}  // namespace berth::sim
