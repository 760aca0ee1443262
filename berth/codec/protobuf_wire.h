// The grammar of protobuf's wire format: tags, varints, lengths, and how to step over a field that is not known.
//
// Reading neither throws nor allocates, and nothing is read beyond the end: the cursor is the border between bytes that
// anybody may have sent and the rest of the codec. Writing appends to a string.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>

namespace berth::codec {

// How the value of a field is written. Every tag says it, so a field can be skipped without being known.
enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,  // a length and as many bytes: texts, messages, packed numbers
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFixed32 = 5,
};

// The largest field number that protobuf allows.
inline constexpr std::uint32_t kMaxFieldNumber = (1u << 29) - 1;

// A position in a message. The functions return false at malformed bytes; then `problem` says what is wrong.
class WireCursor {
 public:
  WireCursor() = default;
  explicit WireCursor(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  bool at_end() const { return at_ == end_; }
  const char* position() const { return at_; }
  const char* problem() const { return problem_; }

  bool varint(std::uint64_t& value) {
    if (at_ != end_ && static_cast<signed char>(*at_) >= 0) [[likely]] {
      value = static_cast<unsigned char>(*at_++);
      return true;
    }
    return long_varint(value);
  }

  // The end of a group is not a field: it is found here only where no group began, and is an error.
  bool tag(std::uint32_t& number, WireType& type) {
    std::uint64_t bits = 0;
    if (!varint(bits)) return false;
    type = static_cast<WireType>(bits & 7);
    if (bits >> 3 == 0 || bits >> 3 > kMaxFieldNumber) return fail("field number out of range");
    number = static_cast<std::uint32_t>(bits >> 3);
    if (type == WireType::kGroupEnd) return fail("end of a group that did not begin");
    return true;
  }

  bool bytes(std::string_view& value) {
    std::uint64_t size = 0;
    if (!varint(size)) return false;
    if (size > left()) return fail("length goes beyond the end of the message");
    value = {at_, static_cast<std::size_t>(size)};
    at_ += size;
    return true;
  }

  bool fixed64(std::uint64_t& value) {
    if (left() < sizeof(value)) return fail(kTruncated);
    std::memcpy(&value, at_, sizeof(value));
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    at_ += sizeof(value);
    return true;
  }

  // Steps over the value of a field whose tag has been read.
  bool skip(WireType type) {
    std::string_view ignored;
    return type == WireType::kBytes ? bytes(ignored) : skip_other(type);
  }

 private:
  static constexpr const char* kTruncated = "message ends in the middle of a field";

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }

  bool advance(std::size_t bytes) {
    if (left() < bytes) return fail(kTruncated);
    at_ += bytes;
    return true;
  }

  bool skip_other(WireType type) {
    // Groups nest; they are counted, not followed, so that no input makes this deep.
    std::size_t open_groups = 0;
    while (true) {
      std::uint64_t ignored = 0;
      std::string_view ignored_bytes;
      switch (type) {
        case WireType::kVarint:
          if (!varint(ignored)) return false;
          break;
        case WireType::kFixed64:
          if (!advance(8)) return false;
          break;
        case WireType::kBytes:
          if (!bytes(ignored_bytes)) return false;
          break;
        case WireType::kFixed32:
          if (!advance(4)) return false;
          break;
        case WireType::kGroupBegin: ++open_groups; break;
        case WireType::kGroupEnd:
          if (open_groups == 0) return fail("end of a group that did not begin");
          --open_groups;
          break;
        default: return fail("unknown wire type");
      }
      if (open_groups == 0) return true;
      std::uint64_t bits = 0;
      if (!varint(bits)) return false;
      if (bits >> 3 == 0 || bits >> 3 > kMaxFieldNumber) return fail("field number out of range");
      type = static_cast<WireType>(bits & 7);
    }
  }

  // As Go reads it: of the tenth byte the bits beyond 64 are dropped, an eleventh is an error.
  bool long_varint(std::uint64_t& value) {
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail(kTruncated);
      const auto byte = static_cast<unsigned char>(*at_++);
      result |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        value = result;
        return true;
      }
    }
    return fail("varint is longer than 10 bytes");
  }

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* problem_ = "";
};

// Writes fields at the end of a string.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  void varint(std::uint32_t number, std::uint64_t value) {
    tag(number, WireType::kVarint);
    append_varint(value);
  }

  void fixed64(std::uint32_t number, std::uint64_t value) {
    tag(number, WireType::kFixed64);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    out_.append(bytes, sizeof(bytes));
  }

  void bytes(std::uint32_t number, std::string_view value) {
    tag(number, WireType::kBytes);
    append_varint(value.size());
    out_.append(value);
  }

  // `fill` writes the fields of the message with this writer. An empty message is written too: its presence may matter.
  template <typename Fill>
  void message(std::uint32_t number, Fill fill) {
    tag(number, WireType::kBytes);
    const std::size_t length_at = out_.size();
    out_.push_back('\0');  // Most messages are shorter than 128 bytes; others are moved once their length is known.
    fill();
    const std::size_t size = out_.size() - length_at - 1;
    char length[protozero::max_varint_length];
    const auto length_bytes = static_cast<std::size_t>(protozero::add_varint_to_buffer(length, size));
    out_[length_at] = length[0];
    if (length_bytes > 1) out_.insert(length_at + 1, length + 1, length_bytes - 1);
  }

 private:
  void tag(std::uint32_t number, WireType type) {
    append_varint(std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
  }
  void append_varint(std::uint64_t value) {
    char bytes[protozero::max_varint_length];
    out_.append(bytes, static_cast<std::size_t>(protozero::add_varint_to_buffer(bytes, value)));
  }

  std::string& out_;
};

}  // namespace berth::codec
