#include "berth/codec/input_bytes.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

namespace berth::codec {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string error_of(std::string bytes, std::size_t max_bytes = kMaxUnpackedBytes) {
  const auto text = to_text(std::move(bytes), max_bytes);
  return text ? "" : text.error().what();
}

TEST(InputBytes, AreUnpackedIfCompressed) {
  const std::string text = "kind: Pod\n";
  EXPECT_EQ(to_text(text), text);
  EXPECT_EQ(to_text(gzip(text)), text);
  EXPECT_EQ(to_text(gzip(text) + gzip("---\n")), text + "---\n");
  EXPECT_EQ(to_text(zstd(text)), text);
  EXPECT_EQ(to_text(zstd(text) + zstd("---\n")), text + "---\n");
  EXPECT_EQ(to_text(zstd(gzip(text))), text);
  EXPECT_EQ(to_text(gzip(std::string(3 << 20, 'x')))->size(), std::size_t{3} << 20);
  EXPECT_EQ(to_text(zstd(std::string(3 << 20, 'x')))->size(), std::size_t{3} << 20);
}

TEST(InputBytes, ThatAreCutOffOrDamagedAreRefused) {
  const std::string packed = gzip("kind: Pod\nmetadata: {name: a}\n"), other = zstd("kind: Pod\nmetadata: {name: a}\n");
  EXPECT_EQ(error_of(packed.substr(0, packed.size() - 9)), "the gzip data ends in the middle");
  EXPECT_EQ(error_of(other.substr(0, other.size() - 5)), "the zstd data ends in the middle");
  EXPECT_TRUE(error_of("\x1F\x8B" + std::string(30, 'x')).starts_with("the gzip data is damaged: "));
  EXPECT_TRUE(error_of("\x28\xB5\x2F\xFD" + std::string(30, 'x')).starts_with("the zstd data is damaged: "));
}

TEST(InputBytes, ThatWouldFillTheMemoryAreRefused) {
  const std::string zeros(std::size_t{4} << 20, '\0');
  const std::string expected = "it unpacks to more than 1048576 bytes, which is as much as is read";
  EXPECT_EQ(error_of(gzip(zeros), 1 << 20), expected);
  EXPECT_EQ(error_of(zstd(zeros), 1 << 20), expected);
  EXPECT_EQ(error_of(gzip(gzip(gzip("a")))), "it is compressed more than 2 times");
}

TEST(InputBytes, AreUtf16WithoutAByteOrderMarkToo) {
  using std::string_literals::operator""s;
  EXPECT_EQ(to_text("k\0i\0n\0d\0"s), "kind");
  EXPECT_EQ(to_text("\0k\0i\0n\0d"s), "kind");
  // Other bytes stay what they are.
  EXPECT_EQ(to_text("k\0\0\0"s), "k\0\0\0"s);
  EXPECT_EQ(to_text("kind"s), "kind");
}

TEST(InputBytes, OfPowerShellAreUtf16) {
  using std::string_literals::operator""s;
  EXPECT_EQ(to_text("\xFF\xFE"s + "k\0:\0 \0\xE4\0\x3D\xD8\x00\xDE"s), "k: \xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(to_text("\xFE\xFF"s + "\0k\0:\0 \0\xE4\xD8\x3D\xDE\x00"s), "k: \xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(to_text("\xFE\xFF\xD8\x3D\0k"s), "\xEF\xBF\xBDk");
}

}  // namespace
}  // namespace berth::codec
