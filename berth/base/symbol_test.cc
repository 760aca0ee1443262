#include "berth/base/symbol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "berth/base/known_symbol.h"

namespace berth {
namespace {

TEST(Symbol, IsKnownOnlyAfterSomebodyMadeIt) {
  EXPECT_EQ(known_symbol("a text that nobody has made a symbol of"), std::nullopt);
  EXPECT_EQ(known_symbol("a text that nobody has made a symbol of"), std::nullopt) << "asking makes none";
  const Symbol made("a text that somebody makes a symbol of");
  EXPECT_EQ(known_symbol("a text that somebody makes a symbol of"), made);
  EXPECT_EQ(known_symbol(""), Symbol());
}

TEST(Symbol, IsEqualExactlyWhenItsTextIs) {
  const std::string spelled = std::string("kube") + "-system";
  EXPECT_EQ(Symbol("kube-system"), Symbol(spelled));
  EXPECT_NE(Symbol("kube-system"), Symbol("kube-public"));
  EXPECT_TRUE(Symbol("default") == std::string_view("default"));
  EXPECT_FALSE(Symbol("default") == std::string_view("defaul"));
}

TEST(Symbol, OfTheEmptyTextIsTheDefaultOne) {
  EXPECT_EQ(Symbol(""), Symbol());
  EXPECT_TRUE(Symbol("").empty());
  EXPECT_EQ(Symbol().text(), "");
  EXPECT_EQ(Symbol().id(), 0u);
  EXPECT_FALSE(Symbol("x").empty());
}

TEST(Symbol, KeepsItsOwnCopyOfTheText) {
  std::string text = "short-lived";
  const Symbol symbol(text);
  text = "overwritten";
  EXPECT_EQ(symbol.text(), "short-lived");
  EXPECT_EQ(symbol.str(), "short-lived");
}

TEST(Symbol, MayHoldAnyBytes) {
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(Symbol(with_zero).text(), with_zero);
  EXPECT_NE(Symbol(with_zero), Symbol("a"));
  EXPECT_EQ(Symbol("\xff\xfe").text(), "\xff\xfe");
}

TEST(Symbol, MayBeLongerThanABlockOfTexts) {
  const Symbol before("before-long");
  const std::string text(100'000, 'l');
  const Symbol symbol(text);
  const Symbol after("after-long");
  EXPECT_EQ(symbol.text(), text);
  EXPECT_EQ(Symbol(text), symbol);
  EXPECT_EQ(before.text(), "before-long");
  EXPECT_EQ(after.text(), "after-long");
}

TEST(Symbol, StaysPutWhileTheTableGrows) {
  constexpr int kCount = 200'000;
  std::vector<Symbol> symbols;
  std::vector<std::string_view> texts;
  std::unordered_set<Symbol> distinct;
  for (int i = 0; i < kCount; ++i) {
    symbols.emplace_back("growing-" + std::to_string(i));
    texts.push_back(symbols.back().text());
    distinct.insert(symbols.back());
  }
  EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kCount));
  for (int i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string text = "growing-" + std::to_string(i);
    ASSERT_EQ(symbols[at].text(), text);
    ASSERT_EQ(symbols[at].text().data(), texts[at].data());
    ASSERT_EQ(Symbol(text), symbols[at]);
  }
}

TEST(Symbol, SortsByTextAndNotByAge) {
  std::vector<Symbol> symbols = {Symbol("zz-first"), Symbol("mm-second"), Symbol("aa-third"), Symbol(), Symbol("\x80")};
  std::sort(symbols.begin(), symbols.end(), SymbolTextLess());
  const std::vector<Symbol> expected = {Symbol(), Symbol("aa-third"), Symbol("mm-second"), Symbol("zz-first"),
                                        Symbol("\x80")};
  EXPECT_EQ(symbols, expected);
  EXPECT_FALSE(SymbolTextLess()(symbols[0], symbols[0]));
}

TEST(Symbol, IsTheSameInEveryThread) {
  // All threads intern the same texts, in different orders, so that they meet in the middle of adding and growing.
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kTexts = 20'000;
  std::vector<std::vector<Symbol>> seen(kThreads, std::vector<Symbol>(kTexts));
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&seen, t] {
        // 7,919 is prime and does not divide kTexts: each thread visits every text once.
        for (std::size_t i = 0; i < kTexts; ++i) {
          const std::size_t n = (t % 2 == 0 ? i : i * 7'919 + t) % kTexts;
          const std::string text = "threaded-" + std::to_string(n);
          const Symbol symbol(text);
          seen[t][n] = symbol.text() == text ? symbol : Symbol("wrong text");
        }
      });
    }
  }
  std::set<std::uint32_t> ids;
  for (std::size_t n = 0; n < kTexts; ++n) {
    ASSERT_EQ(seen[0][n].text(), "threaded-" + std::to_string(n));
    for (std::size_t t = 1; t < kThreads; ++t) ASSERT_EQ(seen[t][n], seen[0][n]) << "thread " << t << ", text " << n;
    ids.insert(seen[0][n].id());
  }
  EXPECT_EQ(ids.size(), kTexts);
}

}  // namespace
}  // namespace berth
