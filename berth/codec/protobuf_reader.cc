#include "berth/codec/protobuf_reader.h"

#include <fmt/format.h>

#include <bit>

#include "berth/base/utf8.h"
#include "berth/codec/decode.h"

namespace berth::codec {

using api::Field;
using api::Kind;
using api::Schema;
using api::Slot;
using api::Type;

namespace {

// Go's zero time, as seconds since 1970.
constexpr std::int64_t kGoZeroTimeSeconds = -62'135'596'800;

template <typename T>
T& as(void* target) {
  return *static_cast<T*>(target);
}

bool is_text(std::string_view bytes) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080ull;
  const char* data = bytes.data();
  const std::size_t size = bytes.size();
  std::uint64_t seen = 0;
  std::uint64_t word = 0;
  if (size >= sizeof(word)) {
    for (std::size_t i = 0; i + sizeof(word) < size; i += sizeof(word)) {
      std::memcpy(&word, data + i, sizeof(word));
      seen |= word;
    }
    std::memcpy(&word, data + size - sizeof(word), sizeof(word));
    seen |= word;
  } else {
    for (const char c : bytes) seen |= static_cast<unsigned char>(c);
  }
  return (seen & kHighBits) == 0 || is_valid_utf8(bytes);
}

// The fields of metav1.Timestamp, IntOrString, Quantity and their like: small messages whose schema is fixed.
struct SmallMessage {
  std::uint64_t integers[3] = {};  // by field number; 0 is not used
  std::string_view bytes[4] = {};
};

// Fields 1 to N, of the wire types given; others are skipped. Null if all is well.
template <std::size_t N>
const char* read_small(std::string_view message, const WireType (&types)[N], SmallMessage& into) {
  WireCursor in(message);
  while (!in.at_end()) {
    std::uint32_t number = 0;
    WireType wire{};
    if (!in.tag(number, wire)) return in.problem();
    if (number > N) {
      if (!in.skip(wire)) return in.problem();
      continue;
    }
    if (wire != types[number - 1]) return "a field has the wrong wire type";
    const bool read = wire == WireType::kVarint ? in.varint(into.integers[number]) : in.bytes(into.bytes[number]);
    if (!read) return in.problem();
  }
  return nullptr;
}

constexpr WireType kTimestampFields[] = {WireType::kVarint, WireType::kVarint};
constexpr WireType kDurationFields[] = {WireType::kVarint};
constexpr WireType kQuantityFields[] = {WireType::kBytes};
constexpr WireType kRawExtensionFields[] = {WireType::kBytes};
constexpr WireType kIntOrStringFields[] = {WireType::kVarint, WireType::kVarint, WireType::kBytes};

constexpr std::uint64_t kIntOrStringIsString = 1;

// metav1.Time is whole seconds: Go writes no nanoseconds and ignores those it reads.
Instant time_of(const SmallMessage& timestamp) {
  const auto seconds = static_cast<std::int64_t>(timestamp.integers[1]);
  return seconds == kGoZeroTimeSeconds ? Instant() : Instant::from_unix_seconds(seconds);
}

// metav1.MicroTime has them, but only whole microseconds count.
Instant micro_time_of(const SmallMessage& timestamp) {
  const Instant second = time_of(timestamp);
  if (!second.is_set()) return second;
  return second + Duration::microseconds(static_cast<std::int32_t>(timestamp.integers[2]) / 1000);
}

bool is_packable(Kind kind) {
  return kind == Kind::kBool || kind == Kind::kInt32 || kind == Kind::kInt64 || kind == Kind::kDouble;
}

}  // namespace

Result<void> ProtobufReader::read(std::string_view message, const Type& type, void* target) {
  noting_ = remembers_;
  return read_message(message, type, target);
}

Result<void> ProtobufReader::read_without_memory(std::string_view message, const Type& type, void* target) {
  noting_ = false;
  return read_message(message, type, target);
}

Result<void> ProtobufReader::read_message(std::string_view message, const Type& type, void* target) {
  scope_ = 0;
  if (read_bytes(type, target, message, 0) && settle(0)) return {};
  discard_open_values();
  return berth::fail(std::move(error_));
}

bool ProtobufReader::read_object(const Schema& schema, void* object, std::string_view message, int depth) {
  if (depth > kMaxDepth) return fail("nested too deep");
  normalize_later(schema, object);
  WireCursor in(message);
  while (!in.at_end()) {
    std::uint32_t number = 0;
    WireType wire{};
    if (!in.tag(number, wire)) return fail(in.problem());
    const Slot* slot = schema.by_number(number);
    if (slot == nullptr) {
      if (!in.skip(wire)) return fail(in.problem());
      continue;
    }
    const Field& outer = slot->through == nullptr ? *slot->field : *slot->through;
    if (noting_ && outer.type->kind == Kind::kInterned) {
      note(outer, outer.in(object), Part{slot, wire, in, depth}, number);
      if (!in.skip(wire)) return fail(in.problem());
      continue;
    }
    void* holder = slot->through == nullptr ? object : open(*slot->through->type, slot->through->in(object));
    if (!read_field(*slot->field->type, slot->field->in(holder), wire, in, depth)) {
      return fail_in(slot->field->json_name);
    }
  }
  return true;
}

bool ProtobufReader::read_field(const Type& type, void* target, WireType wire, WireCursor& in, int depth) {
  std::uint64_t number = 0;
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kInt32:
    case Kind::kInt64:
      if (wire != WireType::kVarint) return wrong_wire_type(wire, WireType::kVarint);
      if (!in.varint(number)) return fail(in.problem());
      if (type.kind == Kind::kBool) {
        as<bool>(target) = number != 0;
      } else if (type.kind == Kind::kInt32) {
        as<std::int32_t>(target) = static_cast<std::int32_t>(number);
      } else {
        as<std::int64_t>(target) = static_cast<std::int64_t>(number);
      }
      return true;
    case Kind::kDouble:
      if (wire != WireType::kFixed64) return wrong_wire_type(wire, WireType::kFixed64);
      if (!in.fixed64(number)) return fail(in.problem());
      as<double>(target) = std::bit_cast<double>(number);
      return true;
    case Kind::kList: return read_element(type, target, wire, in, depth);
    case Kind::kOptional: {
      // What is there already is added to.
      const void* content = type.content(target);
      return read_field(*type.element, content != nullptr ? const_cast<void*>(content) : type.emplace(target), wire, in,
                        depth);
    }
    case Kind::kInterned: return read_field(*type.element, open(type, target), wire, in, depth);
    case Kind::kString:
    case Kind::kSymbol:
    case Kind::kQuantity:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration:
    case Kind::kIntOrString:
    case Kind::kRawJson:
    case Kind::kObject:
    case Kind::kMap: break;
  }
  if (wire != WireType::kBytes) return wrong_wire_type(wire, WireType::kBytes);
  std::string_view bytes;
  if (!in.bytes(bytes)) return fail(in.problem());
  return read_bytes(type, target, bytes, depth);
}

bool ProtobufReader::read_bytes(const Type& type, void* target, std::string_view bytes, int depth) {
  switch (type.kind) {
    case Kind::kString:
      if (!is_text(bytes)) return fail("not valid UTF-8");
      as<std::string>(target).assign(bytes);
      return true;
    case Kind::kSymbol:
      if (!is_text(bytes)) return fail("not valid UTF-8");
      as<Symbol>(target) = Symbol(bytes);
      return true;
    case Kind::kObject: return read_object(type.schema(), target, bytes, depth + 1);
    case Kind::kMap: return read_entry(type, target, bytes, depth + 1);
    default: return read_small_message(type, target, bytes);
  }
}

bool ProtobufReader::read_small_message(const Type& type, void* target, std::string_view bytes) {
  SmallMessage small;
  const char* problem = nullptr;
  switch (type.kind) {
    case Kind::kQuantity: {
      if (problem = read_small(bytes, kQuantityFields, small); problem != nullptr) break;
      if (small.bytes[1].data() == nullptr) {  // Absent is zero; an empty text is an error.
        as<api::Quantity>(target) = api::Quantity();
        return true;
      }
      auto quantity = api::Quantity::parse(small.bytes[1]);
      if (!quantity) return fail(std::move(quantity.error()));
      as<api::Quantity>(target) = std::move(*quantity);
      return true;
    }
    case Kind::kTime:
      if (problem = read_small(bytes, kTimestampFields, small); problem != nullptr) break;
      as<Instant>(target) = bytes.empty() ? Instant() : time_of(small);
      return true;
    case Kind::kMicroTime:
      if (problem = read_small(bytes, kTimestampFields, small); problem != nullptr) break;
      as<api::MicroTime>(target).at = bytes.empty() ? Instant() : micro_time_of(small);
      return true;
    case Kind::kDuration:
      if (problem = read_small(bytes, kDurationFields, small); problem != nullptr) break;
      as<Duration>(target) = Duration::nanoseconds(static_cast<std::int64_t>(small.integers[1]));
      return true;
    case Kind::kIntOrString: {
      if (problem = read_small(bytes, kIntOrStringFields, small); problem != nullptr) break;
      if (!is_text(small.bytes[3])) return fail("not valid UTF-8");
      auto& either = as<api::IntOrString>(target);
      either = {};
      if (small.integers[1] == kIntOrStringIsString) {
        either.text = std::string(small.bytes[3]);
      } else {
        either.number = static_cast<std::int32_t>(small.integers[2]);
      }
      return true;
    }
    case Kind::kRawJson:
      if (problem = read_small(bytes, kRawExtensionFields, small); problem != nullptr) break;
      if (!is_text(small.bytes[1])) return fail("not valid UTF-8");
      as<api::RawJson>(target).text.assign(small.bytes[1]);
      return true;
    case Kind::kBool:
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kSymbol:
    case Kind::kObject:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kOptional:
    case Kind::kInterned: problem = "not a message"; break;
  }
  return fail(problem);
}

bool ProtobufReader::read_element(const Type& list, void* target, WireType wire, WireCursor& in, int depth) {
  if (wire == WireType::kBytes && is_packable(list.element->kind)) {
    std::string_view packed;
    if (!in.bytes(packed)) return fail(in.problem());
    return read_packed(list, target, packed, depth);
  }
  if (read_whole(*list.element, list.append(target), wire, in, depth)) return true;
  return fail_in(fmt::format("[{}]", list.size(target) - 1));
}

bool ProtobufReader::read_packed(const Type& list, void* target, std::string_view packed, int depth) {
  const WireType wire = list.element->kind == Kind::kDouble ? WireType::kFixed64 : WireType::kVarint;
  WireCursor in(packed);
  while (!in.at_end()) {
    if (!read_field(*list.element, list.append(target), wire, in, depth)) {
      return fail_in(fmt::format("[{}]", list.size(target) - 1));
    }
  }
  return true;
}

bool ProtobufReader::read_entry(const Type& map, void* target, std::string_view entry, int depth) {
  constexpr std::uint32_t kKey = 1;
  constexpr std::uint32_t kValue = 2;
  if (depth > kMaxDepth) return fail("nested too deep");
  std::string_view key;
  // An absent value is read as one of length 0.
  WireType value_wire = WireType::kBytes;
  WireCursor value(std::string_view("\0", 1));
  bool has_value = false;
  WireCursor in(entry);
  while (!in.at_end()) {
    std::uint32_t number = 0;
    WireType wire{};
    if (!in.tag(number, wire)) return fail(in.problem());
    if (number == kKey) {
      if (wire != WireType::kBytes) return wrong_wire_type(wire, WireType::kBytes);
      if (!in.bytes(key)) return fail(in.problem());
      continue;
    }
    if (number == kValue) {
      value = in;
      value_wire = wire;
      has_value = true;
    }
    if (!in.skip(wire)) return fail(in.problem());
  }
  if (!is_text(key)) return fail("a key is not valid UTF-8");
  const std::size_t size_before = map.size(target);
  void* place = map.insert(target, Symbol(key));
  const bool is_new = map.size(target) != size_before;
  switch (map.element->kind) {
    case Kind::kString:
    case Kind::kSymbol:
    case Kind::kQuantity: break;  // These are overwritten: the last entry of a key wins.
    default:
      if (!is_new) return fail("a key occurs twice") || fail_in(key);
      if (!has_value) return true;
  }
  return read_whole(*map.element, place, value_wire, value, depth) || fail_in(key);
}

bool ProtobufReader::read_whole(const Type& type, void* target, WireType wire, WireCursor& in, int depth) {
  const std::size_t outer_scope = scope_;
  scope_ = open_.size();
  if (!read_field(type, target, wire, in, depth) || !settle(scope_)) return false;
  scope_ = outer_scope;
  return true;
}

void* ProtobufReader::open(const Type& type, void* interned) {
  if (const OpenValue* known = find_open(interned, &type, nullptr); known != nullptr) return known->content;
  // Room first: once it is made, the content must not be lost.
  open_.push_back(OpenValue{interned, &type, nullptr, nullptr, 0});
  void* content = type.make();
  open_.back().content = content;
  if (type.element->kind == Kind::kObject) normalize_later(type.element->schema(), content);
  return content;
}

void ProtobufReader::normalize_later(const Schema& schema, void* object) {
  if (schema.normalize() == nullptr || find_open(object, nullptr, schema.normalize()) != nullptr) return;
  open_.push_back(OpenValue{object, nullptr, nullptr, schema.normalize(), 0});
}

const ProtobufReader::OpenValue* ProtobufReader::find_open(const void* place, const Type* type,
                                                           Schema::Normalize normalize) const {
  // An object and its first member have one address, so the address alone does not tell.
  for (std::size_t i = open_.size(); i > scope_; --i) {
    const OpenValue& value = open_[i - 1];
    if (value.place == place && value.type == type && value.normalize == normalize) return &value;
  }
  return nullptr;
}

bool ProtobufReader::settle(std::size_t open_before) {
  while (open_.size() > open_before) {
    const OpenValue value = open_.back();
    open_.pop_back();
    if (value.type == nullptr) {
      value.normalize(value.place);
    } else if (value.content == nullptr) {
      if (!settle_noted(value)) return false;
    } else {
      const std::uint64_t hash = pool_ != nullptr ? api::hash_value(*value.type->element, value.content) : 0;
      value.type->seal(value.place, value.content, pool_, hash);
    }
  }
  return true;
}

void ProtobufReader::note(const Field& shared, void* interned, const Part& part, std::uint32_t number) {
  const OpenValue* known = find_open(interned, shared.type, nullptr);
  if (known == nullptr) {
    if (notes_in_use_ == notes_.size()) notes_.emplace_back();
    Note& fresh = notes_[notes_in_use_];
    fresh.parts.clear();
    fresh.key.clear();
    fresh.has_key = true;
    fresh.shortened_list = nullptr;
    open_.push_back(OpenValue{interned, shared.type, nullptr, nullptr, notes_in_use_++});
    known = &open_.back();
  }
  Note& noted = notes_[known->note];
  noted.parts.push_back(part);
  if (!noted.has_key) return;
  const Field& field = *part.slot->field;
  const bool is_part_of_object = &field != &shared;
  if (is_part_of_object && shared.type->element->schema().normalize() != nullptr &&
      has_unknown_inline_part(*field.type, part.wire, part.at)) {
    if (noted.shortened_list != nullptr && noted.shortened_list != &field) noted.has_key = false;
    noted.shortened_list = &field;
    return;
  }
  noted.has_key = append_wire_key(*field.type, number, part.wire, part.at, part.depth, noted.key);
}

bool ProtobufReader::settle_noted(const OpenValue& value) {
  const Note& noted = notes_[value.note];
  if (!noted.has_key || !cache_.find(*value.type, noted.key, value.place)) {
    if (!build_noted(value)) return false;
    if (noted.has_key && key_tells_all(*value.type, value.place, noted)) {
      cache_.remember(*value.type, noted.key, value.place);
    }
  }
  --notes_in_use_;  // Values are settled in the reverse order of their notes.
  return true;
}

bool ProtobufReader::build_noted(const OpenValue& value) {
  noting_ = false;
  const std::size_t outer_scope = scope_;
  scope_ = open_.size();
  void* content = open(*value.type, value.place);
  for (const Part& part : notes_[value.note].parts) {
    const Field& field = *part.slot->field;
    const bool is_part_of_object = part.slot->through != nullptr;
    const Type& type = is_part_of_object ? *field.type : *field.type->element;
    WireCursor at = part.at;
    if (!read_field(type, is_part_of_object ? field.in(content) : content, part.wire, at, part.depth)) return false;
  }
  if (!settle(scope_)) return false;
  scope_ = outer_scope;
  noting_ = true;
  return true;
}

// Elements that were left out of the key must have been dropped when the value was normalized: then the list has as
// many as the key. Otherwise the key says too little and is not used.
bool ProtobufReader::key_tells_all(const Type& type, const void* interned, const Note& noted) const {
  if (noted.shortened_list == nullptr) return true;
  std::size_t in_key = 0;
  for (const Part& part : noted.parts) {
    if (part.slot->field != noted.shortened_list) continue;
    if (!has_unknown_inline_part(*part.slot->field->type, part.wire, part.at)) ++in_key;
  }
  const void* list = noted.shortened_list->in(type.content(interned));
  return noted.shortened_list->type->size(list) == in_key;
}

void ProtobufReader::discard_open_values() {
  for (const OpenValue& value : open_) {
    if (value.content != nullptr) value.type->discard(value.content);
  }
  open_.clear();
  notes_in_use_ = 0;
}

bool ProtobufReader::fail(Error error) {
  error_ = std::move(error);
  return false;
}

bool ProtobufReader::fail(std::string_view what) {
  return fail(Error(std::string(what)));
}

bool ProtobufReader::fail_in(std::string_view place) {
  error_ = std::move(error_).in(place);
  return false;
}

bool ProtobufReader::wrong_wire_type(WireType wire, WireType expected) {
  return fail(fmt::format("wire type {} instead of {}", static_cast<unsigned>(wire), static_cast<unsigned>(expected)));
}

}  // namespace berth::codec
