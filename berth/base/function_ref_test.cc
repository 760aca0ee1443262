#include "berth/base/function_ref.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace berth {
namespace {

int twice(int n) {
  return 2 * n;
}
int apply(FunctionRef<int(int)> fn, int n) {
  return fn(n);
}

TEST(FunctionRef, CallsLambdasFunctionsAndObjects) {
  struct AddOne {
    int operator()(int n) const { return n + 1; }
  };
  const AddOne add_one;
  int offset = 10;
  EXPECT_EQ(apply([&offset](int n) { return n + offset; }, 1), 11);
  EXPECT_EQ(apply(twice, 4), 8);
  EXPECT_EQ(apply(&twice, 4), 8);
  EXPECT_EQ(apply(add_one, 4), 5);
  EXPECT_EQ(apply(AddOne(), 4), 5);
}

TEST(FunctionRef, RefersToTheCallableInsteadOfCopyingIt) {
  int calls = 0;
  auto count = [calls]() mutable { return ++calls; };
  const FunctionRef<int()> ref = count;
  const FunctionRef<int()> copy = ref;
  ref();
  copy();
  EXPECT_EQ(count(), 3);
}

TEST(FunctionRef, ForwardsReferencesAndMoveOnlyValues) {
  std::string text = "a";
  const auto append = [](std::string& to, std::unique_ptr<int> n) { to += std::to_string(*n); };
  const FunctionRef<void(std::string&, std::unique_ptr<int>)> ref = append;
  ref(text, std::make_unique<int>(7));
  EXPECT_EQ(text, "a7");
}

TEST(FunctionRef, DropsAResultThatIsNotWanted) {
  int calls = 0;
  const auto count = [&calls] { return ++calls; };
  const FunctionRef<void()> ref = count;
  ref();
  EXPECT_EQ(calls, 1);
}

static_assert(!std::is_constructible_v<FunctionRef<int(int)>, std::string>);
static_assert(sizeof(FunctionRef<void()>) == 2 * sizeof(void*));

}  // namespace
}  // namespace berth
