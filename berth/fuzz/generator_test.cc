#include "berth/fuzz/generator.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/scenario/scenario.h"

namespace berth::fuzz {
namespace {

constexpr std::uint64_t kSeeds = 300;

TEST(Generator, WritesScenariosThatParse) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto parsed = scenario::parse(join_lines(generate(seed).lines));
    ASSERT_TRUE(parsed.has_value()) << "seed " << seed << ": " << parsed.error().front().message();
  }
}

TEST(Generator, WritesTheSameScenarioForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(generate(seed).lines, generate(seed).lines);
    EXPECT_NE(generate(seed).lines, generate(seed + 1).lines);
  }
}

TEST(Generator, MakesUseOfEverythingNowAndThen) {
  std::map<std::string_view, int> seeds;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const std::string_view feature : generate(seed).features) ++seeds[feature];
  }
  for (const std::string_view feature : {"affinity",
                                         "anti-affinity",
                                         "spread",
                                         "taints",
                                         "ports",
                                         "gates",
                                         "priorities",
                                         "claims",
                                         "volumes",
                                         "budgets",
                                         "namespaces",
                                         "script",
                                         "crash",
                                         "clock jump",
                                         "broken watches",
                                         "lost-watches",
                                         "drain",
                                         "node failure",
                                         "statefulset",
                                         "daemonset",
                                         "job",
                                         "late claim",
                                         "namespace relabelled",
                                         "pod recreated",
                                         "ungated"}) {
    EXPECT_GE(seeds[feature], 5) << feature;
  }
}

}  // namespace
}  // namespace berth::fuzz
