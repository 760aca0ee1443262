// What the fuzz targets of the codecs check: an object that can be read can be written, and reads back the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/api/object.h"
#include "berth/base/check.h"
#include "berth/codec/json.h"

namespace berth::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Objects of one kind are the same if their JSON is; their hashes then have to be, too.
inline void check_same(const api::AnyObject& a, const api::AnyObject& b) {
  BERTH_CHECK(&a.kind() == &b.kind(), "{} became {}", a.kind().kind, b.kind().kind);
  const std::string first = codec::object_to_json(a);
  const std::string second = codec::object_to_json(b);
  BERTH_CHECK(first == second, "{}\nbecame\n{}", first, second);
  BERTH_CHECK(api::hash_value(*a.kind().type, a.get()) == api::hash_value(*b.kind().type, b.get()), "{}", first);
}

// The object in the form in which it is kept after it was written and read once: what a format cannot express (times
// within a second, for one) is gone then. Writing and reading it again must not change it.
template <typename Write, typename Read>
void check_round_trip(const api::AnyObject& object, Write write, Read read) {
  const auto once = read(write(object));
  // A quantity far beyond any real one ("1E38881") may print more digits than are read: see kMaxQuantityDigits.
  if (!once && once.error().what().find("digits") != std::string::npos) return;
  BERTH_CHECK(once.has_value(), "{}: {}", once.error().message(), write(object));
  const auto twice = read(write(*once));
  BERTH_CHECK(twice.has_value(), "{}: {}", twice.error().message(), write(*once));
  check_same(*once, *twice);
}

}  // namespace berth::fuzz
