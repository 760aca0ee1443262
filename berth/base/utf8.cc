#include "berth/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace berth {
namespace {

// What may follow a first byte: how many bytes, and the range of the first of them. The range is narrower than 80..BF
// where it must exclude overlong forms, surrogates or what lies above U+10FFFF.
struct Continuation {
  std::size_t bytes;
  unsigned char low;
  unsigned char high;
};

constexpr Continuation kNoSequence{0, 0, 0};

Continuation continuation_of(unsigned char first) {
  if (first < 0xC2) return kNoSequence;
  if (first < 0xE0) return {1, 0x80, 0xBF};
  if (first == 0xE0) return {2, 0xA0, 0xBF};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first < 0xF0) return {2, 0x80, 0xBF};
  if (first == 0xF0) return {3, 0x90, 0xBF};
  if (first < 0xF4) return {3, 0x80, 0xBF};
  if (first == 0xF4) return {3, 0x80, 0x8F};
  return kNoSequence;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080ull;
  const char* bytes = text.data();
  const std::size_t size = text.size();
  std::size_t at = 0;
  while (at < size) {
    if (size - at >= sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes + at, sizeof(word));
      if ((word & kHighBits) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    const auto first = static_cast<unsigned char>(bytes[at]);
    if (first < 0x80) {
      ++at;
      continue;
    }
    const Continuation expected = continuation_of(first);
    if (expected.bytes == 0 || size - at <= expected.bytes) return at;
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    if (second < expected.low || second > expected.high) return at;
    for (std::size_t i = 2; i <= expected.bytes; ++i) {
      if ((static_cast<unsigned char>(bytes[at + i]) & 0xC0) != 0x80) return at;
    }
    at += expected.bytes + 1;
  }
  return std::nullopt;
}

}  // namespace berth
