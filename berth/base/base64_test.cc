#include "berth/base/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

TEST(Base64, GoesBothWays) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", "\xFF\xFE"}) {
    EXPECT_EQ(from_base64(base64_of(text)), text);
  }
  EXPECT_EQ(base64_of("abcd"), "YWJjZA==");
  EXPECT_EQ(from_base64("YWJj\nZA==\n"), "abcd");
}

TEST(Base64, RefusesWhatGoRefuses) {
  for (const char* bad : {"a", "ab", "====", "a===", "YQ=a", "Y Q", "YW Jj", "%%%%"}) {
    EXPECT_FALSE(from_base64(bad)) << bad;
  }
}

TEST(Base64, NamesTheByteThatGoNames) {
  for (const char* text : {"", "YQ==", "YWI=", "YWJj", "YW\nJj"}) EXPECT_FALSE(first_invalid_base64(text)) << text;
  EXPECT_EQ(first_invalid_base64("%%"), 0u);
  EXPECT_EQ(first_invalid_base64("Y"), 0u);
  EXPECT_EQ(first_invalid_base64("YWJjZA"), 4u);
  EXPECT_EQ(first_invalid_base64("YWJj*"), 4u);
  EXPECT_EQ(first_invalid_base64("YQ="), 3u);
  EXPECT_EQ(first_invalid_base64("YQ==YQ=="), 4u);
}

}  // namespace
}  // namespace berth
