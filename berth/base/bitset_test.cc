#include "berth/base/bitset.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "berth/base/rng.h"

namespace berth {
namespace {

std::vector<std::size_t> members(const Bitset& bits) {
  std::vector<std::size_t> out;
  bits.for_each([&out](std::size_t bit) { out.push_back(bit); });
  return out;
}

TEST(Bitset, SetsAndResetsOneBit) {
  Bitset bits(130);
  bits.set(0);
  bits.set(64);
  bits.set(129);
  EXPECT_EQ(members(bits), (std::vector<std::size_t>{0, 64, 129}));
  bits.reset(64);
  bits.set(1);
  bits.reset(0);
  bits.set(5, true);
  bits.set(129, false);
  EXPECT_EQ(members(bits), (std::vector<std::size_t>{1, 5}));
  EXPECT_TRUE(bits.test(5));
  EXPECT_FALSE(bits.test(64));
}

TEST(Bitset, KeepsBitsPastTheEndZero) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 129u}) {
    Bitset bits(size);
    for (std::size_t word = 0; word < bits.words().size(); ++word) bits.set_word(word, ~std::uint64_t{0});
    EXPECT_EQ(bits.count(), size);
    bits.clear();
    EXPECT_EQ(bits, Bitset(size));
  }
}

TEST(Bitset, ForgetsWhatShrinkingCutOff) {
  Bitset bits(100);
  for (std::size_t bit = 0; bit < 100; ++bit) bits.set(bit);
  bits.resize(70);
  EXPECT_EQ(bits.count(), 70u);
  bits.resize(200);
  EXPECT_EQ(bits.count(), 70u);
  EXPECT_EQ(bits.find_from(70), Bitset::kNotFound);
}

TEST(Bitset, DiffersFromOneOfAnotherSize) {
  EXPECT_NE(Bitset(10), Bitset(11));
  EXPECT_EQ(Bitset(10), Bitset(10));
}

TEST(Bitset, FindsNothingInAnEmptyOne) {
  EXPECT_EQ(Bitset().find_first(), Bitset::kNotFound);
  EXPECT_EQ(Bitset(65).find_first(), Bitset::kNotFound);
  EXPECT_EQ(Bitset(65).find_from(64), Bitset::kNotFound);
  EXPECT_EQ(Bitset(65).find_from(1'000), Bitset::kNotFound);
  EXPECT_EQ(Bitset(65).find_from(Bitset::kNotFound), Bitset::kNotFound);
  EXPECT_FALSE(Bitset().any());
}

TEST(Bitset, AgreesWithASetOfNumbers) {
  Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = 1 + rng.below(200);
    Bitset a(size);
    Bitset b(size);
    std::set<std::size_t> set_a;
    std::set<std::size_t> set_b;
    const std::uint64_t density = 1 + rng.below(20);
    for (std::size_t i = 0; i < size; ++i) {
      if (rng.chance(1, density)) a.set(i), set_a.insert(i);
      if (rng.chance(1, 3)) b.set(i), set_b.insert(i);
    }
    Bitset both = a;
    both &= b;
    Bitset either = a;
    either |= b;
    Bitset only_a = a;
    only_a.and_not(b);
    bool meet = false;
    for (std::size_t i = 0; i < size; ++i) {
      const bool in_a = set_a.contains(i);
      const bool in_b = set_b.contains(i);
      meet |= in_a && in_b;
      ASSERT_EQ(a.test(i), in_a);
      ASSERT_EQ(both.test(i), in_a && in_b);
      ASSERT_EQ(either.test(i), in_a || in_b);
      ASSERT_EQ(only_a.test(i), in_a && !in_b);
      const auto from = set_a.lower_bound(i);
      ASSERT_EQ(a.find_from(i), from == set_a.end() ? Bitset::kNotFound : *from);
    }
    ASSERT_EQ(a.intersects(b), meet);
    ASSERT_EQ(a.count(), set_a.size());
    ASSERT_EQ(a.any(), !set_a.empty());
    ASSERT_EQ(a.find_first(), set_a.empty() ? Bitset::kNotFound : *set_a.begin());
    ASSERT_EQ(members(a), std::vector<std::size_t>(set_a.begin(), set_a.end()));
  }
}

TEST(BitsetDeathTest, RefusesBitsAndSetsOfTheWrongSize) {
  Bitset bits(10);
  EXPECT_DEATH(bits.set(10), "bit 10 of 10");
  EXPECT_DEATH(bits &= Bitset(11), "sets of 10 and 11 bits");
}

}  // namespace
}  // namespace berth
