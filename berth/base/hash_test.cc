#include "berth/base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

namespace berth {
namespace {

TEST(Hash, IsTheSameInEveryRun) {
  // Written down once: a change of these numbers is a change of every recorded order that rests on them.
  EXPECT_EQ(hash_bytes(""), 0x8637948910430871ull);
  EXPECT_EQ(hash_bytes("kube-system"), 0xCE25B4008C322DECull);
  EXPECT_EQ(hash_bytes("topology.kubernetes.io/zone"), 0xAF1BDF3791F6EA6Cull);
  EXPECT_EQ(hash_bytes("kube-system", 1), 0x27ABC02512E9B5FFull);
  EXPECT_EQ(hash_combine(1, 2), 0x4B631972F50A9D75ull);
  EXPECT_EQ(hash_word(1), 0xB499582FB868D383ull);
}

TEST(Hash, SeesEveryByteAtEveryLength) {
  for (std::size_t length = 0; length <= 70; ++length) {
    const std::string text(length, 'a');
    std::set<std::uint64_t> seen = {hash_bytes(text), hash_bytes(text + 'a'), hash_bytes(text, 1)};
    EXPECT_EQ(seen.size(), 3u) << "length " << length;
    for (std::size_t i = 0; i < length; ++i) {
      std::string changed = text;
      changed[i] = 'b';
      EXPECT_TRUE(seen.insert(hash_bytes(changed)).second) << "length " << length << ", byte " << i;
    }
  }
}

TEST(Hash, DoesNotDependOnWhereTheTextLies) {
  const std::string text = "topology.kubernetes.io/zone";
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string moved = std::string(shift, 'x') + text;
    EXPECT_EQ(hash_bytes(std::string_view(moved).substr(shift)), hash_bytes(text));
  }
}

TEST(Hash, SpreadsNumberedNamesOverBothEnds) {
  // 64 buckets by the top bits and by the low bits, as a table of a power of two uses them. 100,000 names should put
  // about 1,562 in each, with a standard deviation of 39; six of those are allowed.
  constexpr int kNames = 100'000;
  std::vector<int> by_top(64);
  std::vector<int> by_low(64);
  for (int i = 0; i < kNames; ++i) {
    const std::uint64_t hash = hash_bytes("node-" + std::to_string(i));
    ++by_top[hash >> 58];
    ++by_low[hash & 63];
  }
  for (int bucket = 0; bucket < 64; ++bucket) {
    EXPECT_NEAR(by_top[static_cast<std::size_t>(bucket)], kNames / 64, 6 * 39);
    EXPECT_NEAR(by_low[static_cast<std::size_t>(bucket)], kNames / 64, 6 * 39);
  }
}

TEST(Hash, FlipsAboutHalfOfTheBitsForOneBitOfInput) {
  int flipped = 0;
  int trials = 0;
  for (int n = 0; n < 200; ++n) {
    std::string text = "pod-" + std::to_string(n) + "-abcdefghijklm";
    const std::uint64_t before = hash_bytes(text);
    for (char& c : text) {
      c = static_cast<char>(c ^ 1);
      flipped += std::popcount(before ^ hash_bytes(text));
      c = static_cast<char>(c ^ 1);
      ++trials;
    }
  }
  EXPECT_NEAR(static_cast<double>(flipped) / trials, 32.0, 0.5);
}

TEST(Hash, CombinesInOrder) {
  EXPECT_NE(hash_combine(1, 2), hash_combine(2, 1));
  EXPECT_NE(hash_combine(0, 0), hash_combine(0, 1));
  EXPECT_NE(hash_combine(0, 0), hash_combine(1, 0));
}

}  // namespace
}  // namespace berth
