#include "berth/codec/protobuf_cache.h"

#include <algorithm>
#include <utility>

#include "berth/base/hash.h"
#include "berth/base/utf8.h"
#include "berth/codec/decode.h"

namespace berth::codec {

using api::Field;
using api::Kind;
using api::Schema;
using api::Slot;
using api::Type;

namespace {

void append_varint(std::uint64_t value, std::string& key) {
  for (; value >= 0x80; value >>= 7) key.push_back(static_cast<char>(value | 0x80));
  key.push_back(static_cast<char>(value));
}

// The type of what one occurrence of a field holds.
const Type& occurrence_type(const Type& type) {
  const Type* t = &type;
  while (t->kind == Kind::kOptional || t->kind == Kind::kInterned || t->kind == Kind::kList) t = t->element;
  return *t;
}

// Leaves out the fields that the schema does not know. Fields that are kept whole are copied in runs.
bool append_message_key(const Schema& schema, std::string_view message, int depth, std::string& key) {
  if (depth > kMaxDepth) return false;
  WireCursor in(message);
  const char* run = in.position();
  const auto end_run = [&](const char* end) { key.append(run, static_cast<std::size_t>(end - run)); };
  while (!in.at_end()) {
    const char* const field_begin = in.position();
    std::uint32_t number = 0;
    WireType wire{};
    if (!in.tag(number, wire)) return false;
    const Slot* slot = schema.by_number(number);
    const WireCursor value = in;
    if (!in.skip(wire)) return false;
    const Type* type = slot != nullptr ? &occurrence_type(*slot->field->type) : nullptr;
    if (type != nullptr && type->kind != Kind::kObject) continue;
    end_run(field_begin);
    run = in.position();
    if (type != nullptr && !append_wire_key(*type, number, wire, value, depth, key)) return false;
  }
  end_run(in.position());
  return true;
}

}  // namespace

bool append_wire_key(const Type& type, std::uint32_t number, WireType wire, WireCursor in, int depth,
                     std::string& key) {
  const Type& held = occurrence_type(type);
  append_varint(std::uint64_t{number} << 3 | static_cast<std::uint64_t>(wire), key);
  if (held.kind != Kind::kObject) {
    const char* const begin = in.position();
    if (!in.skip(wire)) return false;
    key.append(begin, static_cast<std::size_t>(in.position() - begin));
    return true;
  }
  std::string_view message;
  if (wire != WireType::kBytes || !in.bytes(message)) return false;
  if (!append_message_key(held.schema(), message, depth + 1, key)) return false;
  key.push_back('\0');  // No field begins with 0, so this ends the message.
  return true;
}

bool has_unknown_inline_part(const Type& list, WireType wire, WireCursor in) {
  if (list.kind != Kind::kList || list.element->kind != Kind::kObject || wire != WireType::kBytes) return false;
  const Schema& schema = list.element->schema();
  const auto inline_part = std::ranges::find_if(
      schema.fields(), [](const Field& field) { return field.json_name.empty() && field.number != 0; });
  std::string_view element;
  if (inline_part == schema.fields().end() || inline_part->type->kind != Kind::kObject || !in.bytes(element)) {
    return false;
  }
  WireCursor fields(element);
  while (!fields.at_end()) {
    std::uint32_t number = 0;
    WireType field_wire{};
    if (!fields.tag(number, field_wire)) return false;
    const Slot* slot = schema.by_number(number);
    std::string_view value;
    if (slot == nullptr) {
      if (!fields.skip(field_wire)) return false;
    } else if (field_wire != WireType::kBytes || !fields.bytes(value)) {
      return false;
    } else if (slot->field == &*inline_part) {
      std::string known;
      if (!append_message_key(inline_part->type->schema(), value, 0, known) || !known.empty()) return false;
    } else if (const Kind kind = slot->field->type->kind; kind != Kind::kString && kind != Kind::kSymbol) {
      return false;
    } else if (!is_valid_utf8(value)) {
      return false;
    }
  }
  return true;
}

bool SharedValueCache::find(const Type& interned_type, std::string_view key, void* interned) const {
  if (entries_.empty()) return false;
  const std::uint64_t hash = hash_bytes(key);
  const Entry& entry = entries_[hash % entries_.size()];
  if (entry.type != &interned_type || entry.hash != hash || entry.key != key) return false;
  interned_type.share(interned, entry.value);
  return true;
}

void SharedValueCache::remember(const Type& interned_type, std::string_view key, const void* interned) {
  if (key.size() > kMaxKeyBytes) return;
  // With half of the places taken, every other new value would drive out an old one.
  if (2 * taken_ >= entries_.size() && entries_.size() < kMaxPlaces) grow();
  const std::uint64_t hash = hash_bytes(key);
  Entry& entry = place_of(hash);
  if (entry.type == nullptr) ++taken_;
  entry = Entry{&interned_type, hash, std::string(key), interned_type.hold(interned)};
}

void SharedValueCache::grow() {
  std::vector<Entry> before = std::exchange(entries_, {});
  entries_.resize(before.empty() ? kFirstPlaces : 2 * before.size());
  // Twice as many places: no two that had one each come to share one.
  for (Entry& entry : before) {
    if (entry.type != nullptr) place_of(entry.hash) = std::move(entry);
  }
}

}  // namespace berth::codec
