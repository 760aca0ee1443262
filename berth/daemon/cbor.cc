#include "berth/daemon/cbor.h"

#include <algorithm>
#include <limits>

namespace berth::daemon::cbor {

namespace {

enum class Major : std::uint8_t { kUnsigned = 0, kNegative = 1, kBytes = 2, kArray = 4, kMap = 5 };

// The head of an item: major type and argument (section 3).
void append_head(std::string& out, Major major, std::uint64_t argument) {
  const auto type = static_cast<unsigned>(major) << 5U;
  const auto append = [&](unsigned information, unsigned bytes) {
    out.push_back(static_cast<char>(type | information));
    for (unsigned left = bytes; left > 0; --left) {
      out.push_back(static_cast<char>((argument >> (8 * (left - 1))) & 0xff));
    }
  };
  if (argument < 24) return append(static_cast<unsigned>(argument), 0);
  if (argument <= std::numeric_limits<std::uint8_t>::max()) return append(24, 1);
  if (argument <= std::numeric_limits<std::uint16_t>::max()) return append(25, 2);
  if (argument <= std::numeric_limits<std::uint32_t>::max()) return append(26, 4);
  append(27, 8);
}

}  // namespace

std::string integer(std::int64_t value) {
  std::string out;
  if (value >= 0) {
    append_head(out, Major::kUnsigned, static_cast<std::uint64_t>(value));
  } else {
    append_head(out, Major::kNegative, static_cast<std::uint64_t>(-1 - value));
  }
  return out;
}

std::string bytes(std::string_view value) {
  std::string out;
  append_head(out, Major::kBytes, value.size());
  return out.append(value);
}

std::string array(std::span<const std::string> items) {
  std::string out;
  append_head(out, Major::kArray, items.size());
  for (const std::string& item : items) out += item;
  return out;
}

Map& Map::add(std::string_view key, std::string item) {
  members_.emplace_back(bytes(key), std::move(item));
  return *this;
}

Map& Map::add_unless_empty(std::string_view key, std::string_view value) {
  return value.empty() ? *this : add(key, bytes(value));
}

std::string Map::str() && {
  // std::string compares as unsigned bytes, which is the order that is asked for.
  std::ranges::sort(members_, {}, &std::pair<std::string, std::string>::first);
  std::string out;
  append_head(out, Major::kMap, members_.size());
  for (const auto& [key, value] : members_) out.append(key).append(value);
  return out;
}

std::string self_described(std::string_view item) {
  return std::string("\xd9\xd9\xf7").append(item);
}

}  // namespace berth::daemon::cbor
