// Schema tables: what each Kubernetes type looks like on the wire, said once.
//
// A type's schema lists its fields: the C++ member, the JSON name and the protobuf field number. The JSON, YAML and
// protobuf codecs, the hash behind interning and the strict-mode checks are ordinary functions that walk these tables
// (berth/codec), so adding a field to a type is one line here and nothing elsewhere:
//
//   template <>
//   const Schema& schema_of<Taint>() {
//     static const Schema schema("Taint", {
//         field<&Taint::key>("key", 1, kAlways),
//         field<&Taint::value>("value", 2),
//         ...
//     });
//     return schema;
//   }
//
// Members may be: bool (Flag in lists), int32_t, int64_t, double, std::string, Symbol, Quantity, Instant (metav1.Time),
// MicroTime, Duration (metav1.Duration), IntOrString, RawJson, any struct with a schema, and std::vector, FlatMap,
// std::optional, Box and Interned of these. Tables are built on first use, are immutable and may be read from any
// thread.
//
// Two kinds of member are not fields of their own on the wire. One without a JSON name lies inline in JSON and is a
// message in protobuf (Go's embedded structs: a volume's source). One with neither name nor number lies inline in both:
// the part of a pod's spec that pods share. Inlining goes one level deep.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "berth/api/quantity.h"
#include "berth/base/box.h"
#include "berth/base/flat_map.h"
#include "berth/base/interned.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"

namespace berth::api {

// metav1.MicroTime: an instant that is written with microseconds.
struct MicroTime {
  Instant at;
  bool operator==(const MicroTime&) const = default;
};

// intstr.IntOrString. As a string if `text` is set.
struct IntOrString {
  std::int32_t number = 0;
  std::optional<std::string> text;
  bool operator==(const IntOrString&) const = default;
};

// A bool in a list, because the elements of std::vector<bool> have no address.
struct Flag {
  bool value = false;
  bool operator==(const Flag&) const = default;
};

// JSON that is kept as it came (runtime.RawExtension): opaque parameters that other programs read.
struct RawJson {
  std::string text;
  bool operator==(const RawJson&) const = default;
};

enum class Kind : std::uint8_t {
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kString,
  kSymbol,
  kQuantity,
  kTime,
  kMicroTime,
  kDuration,
  kIntOrString,
  kRawJson,
  kObject,
  kList,
  kMap,
  kOptional,
  kInterned,
};

class Schema;

template <typename T>
const Schema& schema_of();

// Says in the header of a type that its table stands in the .cc file.
#define BERTH_HAS_SCHEMA(T) \
  template <>               \
  const Schema& schema_of<T>()

// How to handle values of one C++ type without knowing it at compile time. Which functions are set depends on `kind`.
struct Type {
  Kind kind;
  const Type* element = nullptr;        // kList, kOptional, kInterned: of the content; kMap: of the values
  const Schema& (*schema)() = nullptr;  // kObject

  // kList, kMap
  std::size_t (*size)(const void*) = nullptr;
  const void* (*at)(const void*, std::size_t) = nullptr;
  // kList: appends a default element and returns it.
  void* (*append)(void*) = nullptr;
  // kMap: the value at the key, made if need be. The codecs find duplicates by comparing size() before and after.
  void* (*insert)(void*, Symbol) = nullptr;
  Symbol (*key_at)(const void*, std::size_t) = nullptr;
  // kOptional: makes a default content and returns it.
  void* (*emplace)(void*) = nullptr;
  // kOptional: the content or null. kInterned: the content, never null.
  const void* (*content)(const void*) = nullptr;
  // kInterned: a fresh content to fill, and what becomes of it. seal() takes it over into `slot`, sharing it through
  // the pool if there is one; discard() throws it away.
  void* (*make)() = nullptr;
  void (*seal)(void* slot, void* fresh, InternPool* pool, std::uint64_t hash) = nullptr;
  void (*discard)(void* fresh) = nullptr;
  // kInterned: the shared value itself, and putting it into another slot of the same type.
  std::shared_ptr<const void> (*hold)(const void* slot) = nullptr;
  void (*share)(void* slot, std::shared_ptr<const void> held) = nullptr;
};

template <typename T>
const Type& type_of();

// Whether a field is written when it holds the zero value of its type. Go writes fields without `omitempty`, and
// structs always; a list or map written empty, and an unset time, are written as null.
enum Presence : std::uint8_t { kOmitEmpty, kAlways, kOmitZero };

struct Field {
  std::string_view json_name;  // empty: inline in JSON
  std::uint32_t number;        // 0: inline in protobuf, or not in protobuf at all (configuration)
  std::uint32_t offset;
  const Type* type;
  Presence presence;

  void* in(void* object) const { return static_cast<std::byte*>(object) + offset; }
  const void* in(const void* object) const { return static_cast<const std::byte*>(object) + offset; }
};

// Where a wire field leads: a field of the type itself, or, if `through` is set, of the type that lies inline there.
struct Slot {
  const Field* field;
  const Field* through;
};

class Schema {
 public:
  // Called when an object has been read, to bring it into the form Berth keeps.
  using Normalize = void (*)(void* object);

  Schema(std::string_view name, std::vector<Field> fields, Normalize when_read = nullptr);
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  std::string_view name() const { return name_; }
  const std::vector<Field>& fields() const { return fields_; }
  Normalize normalize() const { return normalize_; }

  // Null if there is no such field. `hint` makes fields that arrive in the order of the table cheap: start with 0 and
  // pass the same variable for each field of an object.
  const Slot* by_json_name(std::string_view name, std::size_t& hint) const;
  const Slot* by_number(std::uint32_t number) const {
    return number < by_number_.size() && by_number_[number].field != nullptr ? &by_number_[number] : nullptr;
  }

  // The member that lies inline in JSON and protobuf and is shared, if there is one.
  const Field* shared_part() const { return shared_part_; }

 private:
  std::string_view name_;
  std::vector<Field> fields_;
  Normalize normalize_;
  std::vector<Slot> by_json_name_;  // in the order of the table
  std::vector<Slot> by_number_;
  const Field* shared_part_ = nullptr;
};

// True if the value is what a default-constructed member holds: what Go's omitempty leaves out.
bool is_zero(const Type& type, const void* value);

// Equal for equal values; the same on every run of one process.
std::uint64_t hash_value(const Type& type, const void* value);

namespace schema_detail {

template <typename T>
struct Describe;  // specialised for containers below; anything else is a scalar or an object

template <typename T>
constexpr std::optional<Kind> scalar_kind() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Flag>) return Kind::kBool;
  if constexpr (std::is_same_v<T, std::int32_t>) return Kind::kInt32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Kind::kInt64;
  if constexpr (std::is_same_v<T, double>) return Kind::kDouble;
  if constexpr (std::is_same_v<T, std::string>) return Kind::kString;
  if constexpr (std::is_same_v<T, Symbol>) return Kind::kSymbol;
  if constexpr (std::is_same_v<T, Quantity>) return Kind::kQuantity;
  if constexpr (std::is_same_v<T, Instant>) return Kind::kTime;
  if constexpr (std::is_same_v<T, MicroTime>) return Kind::kMicroTime;
  if constexpr (std::is_same_v<T, Duration>) return Kind::kDuration;
  if constexpr (std::is_same_v<T, IntOrString>) return Kind::kIntOrString;
  if constexpr (std::is_same_v<T, RawJson>) return Kind::kRawJson;
  return std::nullopt;
}

template <typename T>
struct Describe {
  static Type type() {
    if constexpr (constexpr std::optional<Kind> kind = scalar_kind<T>(); kind.has_value()) {
      return Type{.kind = *kind};
    } else {
      return Type{.kind = Kind::kObject, .schema = &schema_of<T>};
    }
  }
};

template <typename T>
struct Describe<std::vector<T>> {
  using List = std::vector<T>;
  static Type type() {
    Type t{.kind = Kind::kList, .element = &type_of<T>()};
    t.size = [](const void* list) { return static_cast<const List*>(list)->size(); };
    t.at = [](const void* list, std::size_t i) -> const void* { return &(*static_cast<const List*>(list))[i]; };
    t.append = [](void* list) -> void* {
      // Most lists of an object are short and there are many objects: room to grow would cost more than it saves.
      List& items = *static_cast<List*>(list);
      if (items.size() == items.capacity()) items.reserve(items.size() + 1 + items.size() / 4);
      return &items.emplace_back();
    };
    return t;
  }
};

template <typename V>
struct Describe<FlatMap<V>> {
  using Map = FlatMap<V>;
  static Type type() {
    Type t{.kind = Kind::kMap, .element = &type_of<V>()};
    t.size = [](const void* map) { return static_cast<const Map*>(map)->size(); };
    t.at = [](const void* map, std::size_t i) -> const void* {
      return &static_cast<const Map*>(map)->at_index(i).value;
    };
    t.insert = [](void* map, Symbol key) -> void* { return &(*static_cast<Map*>(map))[key]; };
    t.key_at = [](const void* map, std::size_t i) { return static_cast<const Map*>(map)->at_index(i).key; };
    return t;
  }
};

template <typename Optional, typename T>
Type describe_optional() {
  Type t{.kind = Kind::kOptional, .element = &type_of<T>()};
  t.emplace = [](void* optional) -> void* { return &static_cast<Optional*>(optional)->emplace(); };
  t.content = [](const void* optional) -> const void* {
    const Optional& value = *static_cast<const Optional*>(optional);
    return value.has_value() ? &*value : nullptr;
  };
  return t;
}

template <typename T>
struct Describe<std::optional<T>> {
  static Type type() { return describe_optional<std::optional<T>, T>(); }
};

template <typename T>
struct Describe<Box<T>> {
  static Type type() { return describe_optional<Box<T>, T>(); }
};

template <typename T>
struct Describe<Interned<T>> {
  static Type type() {
    Type t{.kind = Kind::kInterned, .element = &type_of<T>()};
    t.content = [](const void* slot) -> const void* { return &**static_cast<const Interned<T>*>(slot); };
    t.make = []() -> void* { return std::make_unique<T>().release(); };
    t.discard = [](void* fresh) { const std::unique_ptr<T> owned(static_cast<T*>(fresh)); };
    t.seal = [](void* slot, void* fresh, InternPool* pool, std::uint64_t hash) {
      const std::unique_ptr<T> owned(static_cast<T*>(fresh));
      *static_cast<Interned<T>*>(slot) =
          pool != nullptr ? pool->intern(std::move(*owned), hash) : Interned<T>(std::move(*owned));
    };
    t.hold = [](const void* slot) -> std::shared_ptr<const void> {
      return static_cast<const Interned<T>*>(slot)->pointer();
    };
    t.share = [](void* slot, std::shared_ptr<const void> held) {
      *static_cast<Interned<T>*>(slot) = Interned<T>(std::static_pointer_cast<const T>(std::move(held)));
    };
    return t;
  }
};

// An object to measure the offsets of members on.
template <typename T>
const T& probe() {
  static const T object{};
  return object;
}

template <typename Member>
struct MemberOf;
template <typename Class, typename T>
struct MemberOf<T Class::*> {
  using Object = Class;
  using Value = T;
};

}  // namespace schema_detail

template <typename T>
const Type& type_of() {
  static const Type type = schema_detail::Describe<T>::type();
  return type;
}

template <auto Member>
Field field(std::string_view json_name, std::uint32_t number, Presence presence = kOmitEmpty) {
  using Object = typename schema_detail::MemberOf<decltype(Member)>::Object;
  using Value = typename schema_detail::MemberOf<decltype(Member)>::Value;
  const Object& probe = schema_detail::probe<Object>();
  const auto offset = reinterpret_cast<const std::byte*>(&(probe.*Member)) - reinterpret_cast<const std::byte*>(&probe);
  return Field{json_name, number, static_cast<std::uint32_t>(offset), &type_of<Value>(), presence};
}

// A member that lies inline in JSON and is the message `number` in protobuf.
template <auto Member>
Field inline_field(std::uint32_t number) {
  return field<Member>("", number);
}

// An Interned member that lies inline in JSON and protobuf.
template <auto Member>
Field shared_part() {
  return field<Member>("", 0);
}

}  // namespace berth::api
