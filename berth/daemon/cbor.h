// CBOR (RFC 8949) as Kubernetes writes it: definite lengths, the shortest form of every head, map keys in bytewise
// lexical order (section 4.2.1), and strings as byte strings, because the API machinery does not check Go strings for
// UTF-8. Each function returns one encoded data item.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::daemon::cbor {

std::string integer(std::int64_t value);
std::string bytes(std::string_view value);
std::string array(std::span<const std::string> items);

// Collects members; an absent value is left out, as `omitempty` does.
class Map {
 public:
  // `item` is encoded.
  Map& add(std::string_view key, std::string item);
  Map& add_unless_empty(std::string_view key, std::string_view value);
  std::string str() &&;

 private:
  std::vector<std::pair<std::string, std::string>> members_;  // encoded
};

// The item in the tag 55799, whose bytes d9d9f7 tell that this is CBOR (section 3.4.6).
std::string self_described(std::string_view item);

}  // namespace berth::daemon::cbor
