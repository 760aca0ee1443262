// The small containers that objects are made of: FlatMap, Box, Interned and its pool, ObjectPool.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "berth/base/box.h"
#include "berth/base/flat_map.h"
#include "berth/base/interned.h"
#include "berth/base/object_pool.h"

namespace berth {
namespace {

std::vector<std::string> keys_of(const FlatMap<int>& map) {
  std::vector<std::string> keys;
  for (const auto& entry : map) keys.push_back(entry.key.str());
  return keys;
}

TEST(FlatMap, IteratesInOrderOfTheKeysTextWhateverTheOrderOfInsertion) {
  FlatMap<int> map;
  for (const char* key : {"m", "z", "a", "k"}) map[Symbol(key)] = key[0];
  EXPECT_EQ(keys_of(map), (std::vector<std::string>{"a", "k", "m", "z"}));
  EXPECT_EQ(*map.find(Symbol("z")), 'z');
}

TEST(FlatMap, AssigningToAKeyThatIsThereKeepsItsSize) {
  FlatMap<int> map = {{"a", 1}, {"b", 2}};
  map[Symbol("a")] = 7;
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(*map.find(Symbol("a")), 7);
}

TEST(FlatMap, ErasingAMissingKeySaysSo) {
  FlatMap<int> map = {{"a", 1}};
  EXPECT_FALSE(map.erase(Symbol("b")));
  EXPECT_TRUE(map.erase(Symbol("a")));
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find(Symbol("a")), nullptr);
}

TEST(Box, CopiesTheValueNotThePointer) {
  Box<std::string> a(std::string("one"));
  Box<std::string> b = a;
  *b = "two";
  EXPECT_EQ(*a, "one");
  EXPECT_FALSE(a == b);
  b = a;
  EXPECT_TRUE(a == b);
}

TEST(Box, AnEmptyBoxEqualsOnlyAnEmptyBox) {
  const Box<int> empty;
  EXPECT_TRUE(empty == Box<int>());
  EXPECT_FALSE(empty == Box<int>(0));
}

TEST(Interned, ADefaultOneIsTheDefaultValueAndAllDefaultsAreTheSame) {
  const Interned<std::string> a, b;
  EXPECT_EQ(*a, "");
  EXPECT_TRUE(a.same_as(b));
}

TEST(Interned, EqualValuesWithoutAPoolAreEqualButNotShared) {
  const Interned<std::string> a(std::string("x")), b(std::string("x"));
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a.same_as(b));
}

TEST(InternPool, EqualValuesAreSharedAndOthersWithTheSameHashAreNot) {
  InternPool pool;
  const auto a = pool.intern(std::string("x"), 1), b = pool.intern(std::string("x"), 1);
  const auto c = pool.intern(std::string("y"), 1);
  EXPECT_TRUE(a.same_as(b));
  EXPECT_FALSE(a.same_as(c));
  EXPECT_EQ(*c, "y");
}

TEST(InternPool, TypesDoNotMix) {
  InternPool pool;
  const auto number = pool.intern(std::vector<int>(), 5);
  const auto text = pool.intern(std::string(), 5);
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_TRUE(number->empty());
  EXPECT_TRUE(text->empty());
}

TEST(InternPool, ForgetsValuesThatNobodyHoldsAsItGrows) {
  InternPool pool;
  for (int i = 0; i < 100'000; ++i) {
    const auto dropped_at_once = pool.intern(std::to_string(i), static_cast<std::uint64_t>(i));
  }
  EXPECT_LE(pool.size(), 2048u);
}

TEST(InternPool, MayBeUsedFromManyThreads) {
  InternPool pool;
  std::vector<std::thread> threads;
  std::vector<Interned<std::string>> results(8);
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&pool, &result = results[t]] {
      for (int i = 0; i < 1000; ++i) result = pool.intern(std::string("shared"), 9);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_TRUE(result.same_as(results.front()));
}

TEST(ObjectPool, ReusesWhatWasDestroyed) {
  ObjectPool<std::string> pool;
  std::string* first = pool.make("a text that does not fit into the small buffer of a string");
  pool.destroy(first);
  std::string* second = pool.make("b");
  EXPECT_EQ(first, second);
  pool.destroy(second);
}

}  // namespace
}  // namespace berth
