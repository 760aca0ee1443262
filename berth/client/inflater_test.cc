#include "berth/client/inflater.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "berth/client/test_gzip.h"

namespace berth::client {
namespace {

constexpr std::size_t kNoLimit = std::size_t{1} << 30;

std::string text_of_many_words(int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += std::to_string(i) + " pods on " + std::to_string(i * i) + " nodes\n";
  return text;
}

TEST(Inflater, GivesTheSameWhereverItIsSplit) {
  const std::string text = text_of_many_words(30);
  const std::string packed = gzip(text);
  for (std::size_t at = 0; at <= packed.size(); ++at) {
    Inflater inflater;
    std::string unpacked;
    EXPECT_TRUE(inflater.unpack(std::string_view(packed).substr(0, at), unpacked, kNoLimit));
    EXPECT_EQ(inflater.is_complete(), at == 0 || at == packed.size()) << at;
    EXPECT_TRUE(inflater.unpack(std::string_view(packed).substr(at), unpacked, kNoLimit));
    EXPECT_EQ(unpacked, text) << at;
    EXPECT_TRUE(inflater.is_complete());
  }
}

TEST(Inflater, UnpacksByteByByteWhatIsLargerThanItsBuffer) {
  const std::string text = text_of_many_words(20'000);
  const std::string packed = gzip(text);
  Inflater inflater;
  std::string unpacked;
  for (const char& byte : packed) ASSERT_TRUE(inflater.unpack({&byte, 1}, unpacked, kNoLimit));
  EXPECT_EQ(unpacked, text);
  EXPECT_TRUE(inflater.is_complete());
}

// As much in one byte as there can be: its output fills the buffer to the brim, many times.
TEST(Inflater, UnpacksWhatFillsItsBufferExactly) {
  for (const std::size_t size : {0U, 32U * 1024, 32U * 1024 * 64}) {
    const std::string text(size, 'x');
    Inflater inflater;
    std::string unpacked;
    EXPECT_TRUE(inflater.unpack(gzip(text), unpacked, kNoLimit));
    EXPECT_EQ(unpacked, text);
    EXPECT_TRUE(inflater.is_complete());
  }
}

TEST(Inflater, RefusesWhatIsNotGzip) {
  const std::string packed = gzip("some text that is long enough to be packed");
  std::string changed = packed;
  changed[changed.size() - 6] = static_cast<char>(changed[changed.size() - 6] ^ 1);  // in its checksum
  for (const std::string& bad : {std::string("plain text"), changed, packed + "more", packed + packed}) {
    Inflater inflater;
    std::string unpacked;
    EXPECT_FALSE(inflater.unpack(bad, unpacked, kNoLimit));
  }
}

TEST(Inflater, RefusesWhatComesAfterTheEnd) {
  Inflater inflater;
  std::string unpacked;
  EXPECT_TRUE(inflater.unpack(gzip("all"), unpacked, kNoLimit));
  EXPECT_TRUE(inflater.unpack("", unpacked, kNoLimit));
  EXPECT_FALSE(inflater.unpack("more", unpacked, kNoLimit));
  EXPECT_EQ(unpacked, "all");
}

TEST(Inflater, StopsAtTheLimit) {
  const std::string packed = gzip(std::string(1'000'000, 'x'));
  Inflater exact;
  std::string unpacked;
  EXPECT_TRUE(exact.unpack(packed, unpacked, 1'000'000));
  Inflater small;
  unpacked.clear();
  EXPECT_FALSE(small.unpack(packed, unpacked, 999'999));
  EXPECT_LE(unpacked.size(), 999'999U);
}

}  // namespace
}  // namespace berth::client
