#include "berth/base/error.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Error, JoinsPlacesFromTheInsideOut) {
  const Error error = Error("bad").in("cpu").in("requests").in("[0]").in("containers").in("spec");
  EXPECT_EQ(error.where(), "spec.containers[0].requests.cpu");
  EXPECT_EQ(error.what(), "bad");
}

TEST(Error, PutsTheFileInFrontOfThePath) {
  EXPECT_EQ(Error("bad").in("spec").in_file("pods.yaml:12").message(), "pods.yaml:12: spec: bad");
  EXPECT_EQ(Error("bad").in_file("pods.yaml").message(), "pods.yaml: bad");
}

TEST(Error, PrintsOnlyThePartsThatAreThere) {
  EXPECT_EQ(Error("bad").message(), "bad");
  EXPECT_EQ(Error("bad").with_fix("quote the value").message(), "bad (quote the value)");
  EXPECT_EQ(Error("bad").in("spec").with_fix("quote the value").message(), "spec: bad (quote the value)");
}

TEST(Error, IgnoresAnEmptyPlace) {
  EXPECT_EQ(Error("bad").in("cpu").in("").in_file("").where(), "cpu");
}

TEST(Error, TravelsInAResult) {
  const auto half = [](int n) -> Result<int> {
    if (n % 2 != 0) return fail("odd");
    return n / 2;
  };
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_EQ(half(3).error(), Error("odd"));
  EXPECT_NE(half(3).error(), Error("odd").in("n"));
}

}  // namespace
}  // namespace berth
