#include "berth/codec/input_bytes.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

namespace berth::codec {

namespace {

constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr int kMaxLayers = 2;
constexpr std::size_t kChunkBytes = 256 << 10;

Error too_large(std::size_t max_bytes) {
  return Error(fmt::format("it unpacks to more than {} bytes, which is as much as is read", max_bytes));
}

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

Result<std::string> unpack_gzip(std::string_view bytes, std::size_t max_bytes) {
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return fail("cannot set up zlib");
  const std::unique_ptr<z_stream, InflateEnd> ends(&stream);
  std::string text;
  std::string chunk(kChunkBytes, '\0');
  std::string_view rest = bytes;
  while (true) {
    const std::size_t given = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = chunk.size() - stream.avail_out;
    if (text.size() + made > max_bytes) return fail(too_large(max_bytes));
    text.append(chunk, 0, made);
    rest.remove_prefix(given - stream.avail_in);
    if (result == Z_STREAM_END) {
      // Files that were put together from several unpack to all of them. Zeros behind are padding.
      if (!rest.starts_with(kGzipMagic)) return text;
      inflateReset(&stream);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return fail(
          Error(fmt::format("the gzip data is damaged: {}", stream.msg != nullptr ? stream.msg : "no reason given"))
              .with_fix("write the file again"));
    } else if (made == 0 && rest.empty()) {
      return fail(Error("the gzip data ends in the middle").with_fix("the file was cut off: write it again"));
    }
  }
}

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Result<std::string> unpack_zstd(std::string_view bytes, std::size_t max_bytes) {
  const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  if (context == nullptr) return fail("cannot set up zstd");
  std::string text;
  std::string chunk(kChunkBytes, '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t result = 0;
  while (in.pos < in.size || result != 0) {
    const std::size_t before = in.pos;
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    result = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(result) != 0) {
      return fail(Error(fmt::format("the zstd data is damaged: {}", ZSTD_getErrorName(result)))
                      .with_fix("write the file again"));
    }
    if (text.size() + out.pos > max_bytes) return fail(too_large(max_bytes));
    text.append(chunk, 0, out.pos);
    if (result != 0 && in.pos == before && out.pos == 0) {
      return fail(Error("the zstd data ends in the middle").with_fix("the file was cut off: write it again"));
    }
  }
  return text;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&text](std::uint32_t bits) { text += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | (code >> 6));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

// `bytes` without the byte order mark. What is no character becomes U+FFFD, as everywhere.
std::string from_utf16(std::string_view bytes, bool is_big_endian) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::string text;
  text.reserve(bytes.size() / 2 + bytes.size() / 8);
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return is_big_endian ? (first << 8U) | second : (second << 8U) | first;
  };
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t code = unit(at);
    if (code < 0xD800 || code > 0xDFFF) {
      append_utf8(text, code);
    } else if (code < 0xDC00 && at + 3 < bytes.size() && unit(at + 2) >= 0xDC00 && unit(at + 2) <= 0xDFFF) {
      append_utf8(text, 0x10000 + ((code - 0xD800) << 10U) + (unit(at + 2) - 0xDC00));
      at += 2;
    } else {
      append_utf8(text, kReplacement);
    }
  }
  return text;
}

// No text of YAML or JSON begins with characters of which every second byte is zero, unless it is UTF-16.
bool looks_like_utf16(std::string_view bytes, bool is_big_endian) {
  if (bytes.size() < 4 || bytes.size() % 2 != 0) return false;
  const std::size_t zero = is_big_endian ? 0 : 1;
  return bytes[zero] == '\0' && bytes[zero + 2] == '\0' && bytes[1 - zero] != '\0' && bytes[3 - zero] != '\0';
}

}  // namespace

Result<std::string> to_text(std::string bytes, std::size_t max_bytes) {
  for (int layer = 0; bytes.starts_with(kGzipMagic) || bytes.starts_with(kZstdMagic); ++layer) {
    if (layer == kMaxLayers) return fail(fmt::format("it is compressed more than {} times", kMaxLayers));
    auto unpacked = bytes.starts_with(kGzipMagic) ? unpack_gzip(bytes, max_bytes) : unpack_zstd(bytes, max_bytes);
    if (!unpacked) return unpacked;
    bytes = *std::move(unpacked);
  }
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(std::string_view(bytes).substr(2), false);
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(std::string_view(bytes).substr(2), true);
  for (const bool is_big_endian : {false, true}) {
    if (looks_like_utf16(bytes, is_big_endian)) return from_utf16(bytes, is_big_endian);
  }
  return bytes;
}

}  // namespace berth::codec
