#include "berth/text/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace berth::text {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30, kMi = 1 << 20;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// The one format of numbers.
TEST(Words, PutEveryKindOfNumberInOneFormat) {
  const Symbol cpu("cpu"), memory("memory"), storage("storage"), huge("hugepages-2Mi"), gpu("example.com/gpu");
  const std::pair<std::string, std::string_view> cases[] = {
      {grouped(0), "0"},
      {grouped(999), "999"},
      {grouped(1000), "1,000"},
      {grouped(std::size_t{12'500}), "12,500"},
      {grouped(-1'234'567), "-1,234,567"},
      {grouped(-999), "-999"},
      {counted(0, "pod"), "0 pods"},
      {counted(1, "pod"), "1 pod"},
      {counted(std::size_t{2000}, "pod"), "2,000 pods"},
      {counted(1, "try", "tries"), "1 try"},
      {counted(1500, "try", "tries"), "1,500 tries"},
      {percent(0), "0%"},
      {percent(0.001), "<1%"},
      {percent(0.5), "50%"},
      {percent(0.999), ">99%"},
      {percent(1), "100%"},
      {percent(1.2), "120%"},
      {percent(25), "2,500%"},
      {amount(cpu, 300, Round::kUp), "300m"},
      {amount(cpu, 2000, Round::kUp), "2"},
      {amount(cpu, 1500, Round::kUp), "1.5"},
      {amount(cpu, 1250, Round::kUp), "1250m"},
      {amount(cpu, 35'280, Round::kUp), "35.28"},
      {amount(cpu, 35'005, Round::kUp), "35.005"},
      {amount(cpu, 125'061'848, Round::kDown), "125061.8"},
      {amount(cpu, -300, Round::kUp), "-300m"},
      {amount(cpu, kLargest, Round::kUp), "9223372036854775.807"},
      {amount(memory, 2 * kGi, Round::kUp), "2Gi"},
      {amount(memory, kGi + kGi / 2, Round::kUp), "1.5Gi"},
      {amount(memory, 64 * kMi, Round::kUp), "64Mi"},
      {amount(memory, 100, Round::kUp), "100"},
      {amount(memory, kGi + 1, Round::kUp), "1.1Gi"},
      {amount(memory, kGi + 1, Round::kDown), "1Gi"},
      {amount(memory, 2 * kGi - 1, Round::kUp), "2Gi"},
      {amount(memory, 2 * kGi - 1, Round::kDown), "1.9Gi"},
      {amount(memory, -kGi, Round::kDown), "-1Gi"},
      {amount(memory, std::numeric_limits<std::int64_t>::min(), Round::kUp), "-8191.9Pi"},
      {amount(storage, 10 * kGi, Round::kUp), "10Gi"},
      {amount(huge, 4 * kMi, Round::kUp), "4Mi"},
      {amount(gpu, 3, Round::kUp), "3"},
      {amount_of(gpu, 3, Round::kUp), "3 example.com/gpu"},
      {amount_of(memory, kGi, Round::kUp), "1Gi memory"},
      {share_of(cpu, 1500, 4000), "1.5 of 4 (38%)"},
      {share_of(memory, 0, kGi), "0 of 1Gi (0%)"},
      {share_of(gpu, 2, 0), "2 of 0"},
      {short_time(Duration()), "0s"},
      {short_time(Duration::nanoseconds(1)), "<0.1ms"},
      {short_time(Duration::microseconds(400)), "0.4ms"},
      {short_time(Duration::microseconds(2500)), "2.5ms"},
      {short_time(Duration::milliseconds(12)), "12ms"},
      {short_time(Duration::milliseconds(999)), "999ms"},
      {short_time(Duration::milliseconds(1250)), "1.2s"},
      {short_time(Duration::seconds(45)), "45s"},
      {short_time(Duration::seconds(60)), "1m"},
      {short_time(Duration::seconds(200)), "3m20s"},
      {short_time(Duration::minutes(125)), "2h5m"},
      {short_time(Duration::hours(24)), "1d"},
      {short_time(Duration::hours(28)), "1d4h"},
      {short_time(Duration::seconds(-90)), "-1m30s"},
      {short_time(0.25), "250ms"},
  };
  for (const auto& [put, expected] : cases) EXPECT_EQ(put, expected);
}

TEST(Words, ListsAreCutWithACount) {
  std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(listed(std::span(names).first(0)), "");
  EXPECT_EQ(listed(std::span(names).first(1)), "a");
  EXPECT_EQ(listed(std::span(names).first(2)), "a and b");
  EXPECT_EQ(listed(std::span(names).first(3), 2), "a, b and c");
  EXPECT_EQ(listed(names, 2), "a, b and 3 more");
  EXPECT_EQ(listed(names, std::numeric_limits<std::size_t>::max()), "a, b, c, d and e");
  names.resize(5001, "x");
  EXPECT_EQ(listed(names, 1), "a and 5,000 more");
}

TEST(Words, NumbersInNamesCountAsNumbers) {
  std::vector<std::string> names = {"n-10", "n-2", "m", "n-1", "n-02"};
  std::ranges::sort(names, natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"m", "n-1", "n-02", "n-2", "n-10"}));
}

}  // namespace
}  // namespace berth::text
