#include "berth/fuzz/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "berth/fuzz/generator.h"
#include "berth/fuzz/run.h"

namespace berth::fuzz {
namespace {

bool has_line(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(Shrink, LeavesTheLinesThatTheFailureNeeds) {
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) lines.push_back("pod p" + std::to_string(i));
  const auto fails = [](const std::vector<std::string>& candidate) {
    return has_line(candidate, "p17") && has_line(candidate, "p42");
  };
  EXPECT_EQ(shrink(lines, fails).lines, (std::vector<std::string>{"p17", "p42"}));
}

TEST(Shrink, DropsFieldsAndLowersNumbers) {
  const auto fails = [](const std::vector<std::string>& candidate) {
    return has_line(candidate, "pods ") && has_line(candidate, "cpu=") && !has_line(candidate, "cpu=0");
  };
  const Shrunk shrunk = shrink({"nodes 3 n", "after 5s pods 40 p cpu=16 memory=2Gi"}, fails);
  EXPECT_EQ(shrunk.lines, (std::vector<std::string>{"pods cpu=1"}));
}

TEST(Shrink, StopsWhenItsBudgetIsSpent) {
  std::size_t asked = 0;
  const auto fails = [&](const std::vector<std::string>&) { return ++asked > 1000; };
  const Shrunk shrunk = shrink(generate(1).lines, fails, 10);
  EXPECT_EQ(shrunk.tries, 10u);
  EXPECT_EQ(asked, 10u);
}

TEST(Shrink, BringsARealFailureDownToItsCore) {
  // What the scenario expects cannot hold as long as the two pods are there.
  std::vector<std::string> lines = generate(4).lines;
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("expect"); });
  lines.emplace_back("node spare cpu=4");
  lines.emplace_back("pod late cpu=1");
  lines.emplace_back("run until idle");
  lines.emplace_back("expect pod late pending");
  const auto problem = find_problem(lines);
  ASSERT_TRUE(problem.has_value());
  const auto fails = [&](const std::vector<std::string>& candidate) {
    const auto found = find_problem(candidate);
    return found && found->kind == problem->kind;
  };
  const Shrunk shrunk = shrink(lines, fails);
  EXPECT_LE(shrunk.lines.size(), 4u) << join_lines(shrunk.lines);
  EXPECT_TRUE(has_line(shrunk.lines, "expect pod late pending"));
}

}  // namespace
}  // namespace berth::fuzz
