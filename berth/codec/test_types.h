// For tests: a type with a field of every kind, and random objects of any type with a schema.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/object.h"
#include "berth/api/schema.h"
#include "berth/base/rng.h"

namespace berth::codec::testing {

struct Inner {
  std::string name;
  std::int32_t weight = 0;
  bool operator==(const Inner&) const = default;
};

// Lies inline in JSON, as the source of a volume does.
struct Source {
  std::string path;
  std::optional<Inner> nested;
  bool operator==(const Source&) const = default;
};

// Lies inline and is shared, as the template of a pod is.
struct Shared {
  std::vector<Symbol> tags;
  std::int64_t count = 0;
  bool operator==(const Shared&) const = default;
};

struct Sample {
  bool flag = false;
  std::int32_t small = 0;
  std::int64_t large = 0;
  double ratio = 0;
  std::string text;
  Symbol symbol;
  api::Quantity quantity;
  Instant time;
  api::MicroTime micro_time;
  Duration duration;
  api::IntOrString port;
  api::RawJson raw;
  Inner inner;
  std::vector<Inner> list;
  std::vector<Symbol> required_list;
  FlatMap<std::string> map;
  std::optional<std::int32_t> optional;
  std::optional<std::vector<Symbol>> optional_list;
  Box<Inner> box;
  Interned<api::Labels> labels;
  Source source;
  Interned<Shared> shared;
  bool operator==(const Sample&) const = default;
};

}  // namespace berth::codec::testing

namespace berth::api {

template <>
inline const Schema& schema_of<codec::testing::Inner>() {
  using codec::testing::Inner;
  static const Schema schema("Inner", {field<&Inner::name>("name", 1, kAlways), field<&Inner::weight>("weight", 2)});
  return schema;
}

template <>
inline const Schema& schema_of<codec::testing::Source>() {
  using codec::testing::Source;
  static const Schema schema("Source", {field<&Source::path>("path", 1), field<&Source::nested>("nested", 2)});
  return schema;
}

// Reading adds up: normalize() counts the tags.
template <>
inline const Schema& schema_of<codec::testing::Shared>() {
  using codec::testing::Shared;
  static const Schema schema("Shared", {field<&Shared::tags>("tags", 21), field<&Shared::count>("count", 22)},
                             [](void* object) {
                               auto& shared = *static_cast<Shared*>(object);
                               shared.count = static_cast<std::int64_t>(shared.tags.size());
                             });
  return schema;
}

template <>
inline const Schema& schema_of<codec::testing::Sample>() {
  using codec::testing::Sample;
  static const Schema schema("Sample", {
                                           field<&Sample::flag>("flag", 1),
                                           field<&Sample::small>("small", 2),
                                           field<&Sample::large>("large", 3),
                                           field<&Sample::ratio>("ratio", 4),
                                           field<&Sample::text>("text", 5),
                                           field<&Sample::symbol>("symbol", 6),
                                           field<&Sample::quantity>("quantity", 7),
                                           field<&Sample::time>("time", 8),
                                           field<&Sample::micro_time>("microTime", 9),
                                           field<&Sample::duration>("duration", 10),
                                           field<&Sample::port>("port", 11),
                                           field<&Sample::raw>("raw", 12),
                                           field<&Sample::inner>("inner", 13, kOmitZero),
                                           field<&Sample::list>("list", 14),
                                           field<&Sample::required_list>("requiredList", 15, kAlways),
                                           field<&Sample::map>("map", 16),
                                           field<&Sample::optional>("optional", 17),
                                           field<&Sample::optional_list>("optionalList", 18),
                                           field<&Sample::box>("box", 19),
                                           field<&Sample::labels>("labels", 23),
                                           inline_field<&Sample::source>(20),
                                           shared_part<&Sample::shared>(),
                                       });
  return schema;
}

}  // namespace berth::api

namespace berth::codec::testing {

inline std::string random_text(Rng& rng) {
  constexpr std::array<std::string_view, 20> kPieces = {"a",  "b",  "web", "-", "1", "0",  " ", ":",    ".", "true",
                                                        "\n", "\\", "\"",  "<", "#", "\t", "é", "null", "'", "😀"};
  std::string text;
  for (std::uint64_t i = 0, n = rng.below(6); i < n; ++i) text += kPieces[rng.below(kPieces.size())];
  return text;
}

// Fills a default value of `type`. Texts are hostile, numbers at their ends now and then.
inline void fill_randomly(Rng& rng, const api::Type& type, void* value, int depth = 0) {
  using api::Kind;
  constexpr std::array<std::string_view, 8> kQuantities = {"1", "250m", "1.5Gi", "12e6", "0", "-3", "100n", "1E3"};
  constexpr std::array<std::string_view, 6> kRaw = {"{}", "[1,2.5]", "\"x\"", "{\"a\":{\"b\":null}}", "true", "-7"};
  const auto random_integer = [&rng](std::int64_t low, std::int64_t high) {
    return rng.chance(1, 8) ? (rng.chance(1, 2) ? low : high) : rng.in_range(-1000, 1000);
  };
  switch (type.kind) {
    case Kind::kBool: *static_cast<bool*>(value) = rng.chance(1, 2); return;
    case Kind::kInt32:
      *static_cast<std::int32_t*>(value) = static_cast<std::int32_t>(
          random_integer(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
      return;
    case Kind::kInt64:
      *static_cast<std::int64_t*>(value) =
          random_integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
      return;
    case Kind::kDouble: *static_cast<double*>(value) = rng.unit() * (rng.chance(1, 4) ? 1e18 : 10); return;
    case Kind::kString: *static_cast<std::string*>(value) = random_text(rng); return;
    case Kind::kSymbol: *static_cast<Symbol*>(value) = Symbol(random_text(rng)); return;
    case Kind::kQuantity:
      *static_cast<api::Quantity*>(value) = *api::Quantity::parse(kQuantities[rng.below(kQuantities.size())]);
      return;
    case Kind::kTime:
      *static_cast<Instant*>(value) = Instant::from_unix_seconds(rng.in_range(-1'000'000'000, 4'000'000'000));
      return;
    case Kind::kMicroTime:
      static_cast<api::MicroTime*>(value)->at =
          Instant::from_unix_nanoseconds(rng.in_range(0, 4'000'000'000'000'000) * 1000);
      return;
    case Kind::kDuration:
      *static_cast<Duration*>(value) = Duration::milliseconds(rng.in_range(-5000, 5'000'000));
      return;
    case Kind::kIntOrString: {
      auto& either = *static_cast<api::IntOrString*>(value);
      if (rng.chance(1, 2)) {
        either.text = random_text(rng);
      } else {
        either.number = static_cast<std::int32_t>(rng.in_range(0, 65535));
      }
      return;
    }
    case Kind::kRawJson: static_cast<api::RawJson*>(value)->text = kRaw[rng.below(kRaw.size())]; return;
    case Kind::kObject:
      for (const api::Field& field : type.schema().fields()) {
        if (rng.chance(2, 3)) fill_randomly(rng, *field.type, field.in(value), depth + 1);
      }
      return;
    case Kind::kList:
      for (std::uint64_t i = 0, n = depth < 6 ? rng.below(3) : 0; i < n; ++i) {
        fill_randomly(rng, *type.element, type.append(value), depth + 1);
      }
      return;
    case Kind::kMap:
      for (std::uint64_t i = 0, n = depth < 6 ? rng.below(3) : 0; i < n; ++i) {
        const std::size_t before = type.size(value);
        void* slot = type.insert(value, Symbol(random_text(rng)));
        if (type.size(value) != before) fill_randomly(rng, *type.element, slot, depth + 1);
      }
      return;
    case Kind::kOptional:
      if (depth < 8) fill_randomly(rng, *type.element, type.emplace(value), depth + 1);
      return;
    case Kind::kInterned: {
      void* fresh = type.make();
      fill_randomly(rng, *type.element, fresh, depth + 1);
      type.seal(value, fresh, nullptr, 0);
      return;
    }
  }
}

}  // namespace berth::codec::testing
