#include "berth/daemon/cbor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace berth::daemon::cbor {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// RFC 8949, appendix A.
TEST(Cbor, WritesIntegersAsTheRfcShows) {
  const std::pair<std::int64_t, std::string_view> cases[] = {
      {0, "00"},
      {1, "01"},
      {10, "0a"},
      {23, "17"},
      {24, "1818"},
      {25, "1819"},
      {100, "1864"},
      {1000, "1903e8"},
      {1000000, "1a000f4240"},
      {1000000000000, "1b000000e8d4a51000"},
      {std::numeric_limits<std::int64_t>::max(), "1b7fffffffffffffff"},
      {-1, "20"},
      {-10, "29"},
      {-100, "3863"},
      {-1000, "3903e7"},
      {std::numeric_limits<std::int64_t>::min(), "3b7fffffffffffffff"},
  };
  for (const auto& [value, expected] : cases) EXPECT_EQ(hex(integer(value)), expected) << value;
}

TEST(Cbor, WritesByteStringsAsTheRfcShows) {
  EXPECT_EQ(hex(bytes("")), "40");
  EXPECT_EQ(hex(bytes("\x01\x02\x03\x04")), "4401020304");
  EXPECT_EQ(hex(bytes(std::string(24, 'a'))).substr(0, 6), "581861");
  EXPECT_EQ(hex(bytes(std::string(256, 'a'))).substr(0, 8), "59010061");
}

TEST(Cbor, WritesArraysAsTheRfcShows) {
  EXPECT_EQ(hex(array({})), "80");
  const std::string numbers[] = {integer(1), integer(2), integer(3)};
  EXPECT_EQ(hex(array(numbers)), "83010203");
  std::vector<std::string> many;
  for (int i = 1; i <= 25; ++i) many.push_back(integer(i));
  EXPECT_EQ(hex(array(many)), "98190102030405060708090a0b0c0d0e0f101112131415161718181819");
}

TEST(Cbor, SortsTheKeysOfMapsByTheirBytes) {
  EXPECT_EQ(hex(Map().str()), "a0");
  Map map;
  map.add("b", integer(2)).add("aa", integer(3)).add("a", integer(1)).add_unless_empty("none", "");
  EXPECT_EQ(hex(std::move(map).str()),
            "a3416101416202426161"
            "03")
      << "shorter keys come first";
}

TEST(Cbor, TellsWhatItIs) {
  EXPECT_EQ(hex(self_described(integer(0))), "d9d9f700");
}

}  // namespace
}  // namespace berth::daemon::cbor
