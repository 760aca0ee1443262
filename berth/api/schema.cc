#include "berth/api/schema.h"

#include <algorithm>
#include <bit>

#include "berth/base/check.h"
#include "berth/base/hash.h"

namespace berth::api {

namespace {

// The schema of what lies inline at `field`: of the struct itself, or of the content of an Interned.
const Schema& inline_schema(const Field& field) {
  const Type& type = field.type->kind == Kind::kInterned ? *field.type->element : *field.type;
  BERTH_CHECK(type.kind == Kind::kObject, "only objects lie inline");
  return type.schema();
}

}  // namespace

Schema::Schema(std::string_view name, std::vector<Field> fields, Normalize when_read)
    : name_(name), fields_(std::move(fields)), normalize_(when_read) {
  const auto add_json = [this](const Field& field, const Field* through) {
    for (const Slot& slot : by_json_name_) {
      BERTH_CHECK(slot.field->json_name != field.json_name, "{} has two fields {}", name_, field.json_name);
    }
    by_json_name_.push_back(Slot{&field, through});
  };
  const auto add_number = [this](const Field& field, const Field* through) {
    if (field.number == 0) return;
    if (by_number_.size() <= field.number) by_number_.resize(field.number + 1, Slot{nullptr, nullptr});
    BERTH_CHECK(by_number_[field.number].field == nullptr, "{} has two fields numbered {}", name_, field.number);
    by_number_[field.number] = Slot{&field, through};
  };
  for (const Field& field : fields_) {
    if (!field.json_name.empty()) {
      add_json(field, nullptr);
      add_number(field, nullptr);
      continue;
    }
    const bool inline_in_protobuf = field.number == 0;
    if (inline_in_protobuf) {
      BERTH_CHECK(shared_part_ == nullptr && field.type->kind == Kind::kInterned, "in {}", name_);
      shared_part_ = &field;
    } else {
      add_number(field, nullptr);
    }
    for (const Field& inner : inline_schema(field).fields()) {
      BERTH_CHECK(!inner.json_name.empty(), "{} nests inline members", name_);
      add_json(inner, &field);
      if (inline_in_protobuf) add_number(inner, &field);
    }
  }
}

const Slot* Schema::by_json_name(std::string_view name, std::size_t& hint) const {
  const std::size_t n = by_json_name_.size();
  for (std::size_t i = 0, at = hint; i < n; ++i, ++at) {
    if (at >= n) at = 0;
    if (by_json_name_[at].field->json_name == name) {
      hint = at + 1;
      return &by_json_name_[at];
    }
  }
  return nullptr;
}

bool is_zero(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kBool: return !*static_cast<const bool*>(value);
    case Kind::kInt32: return *static_cast<const std::int32_t*>(value) == 0;
    case Kind::kInt64: return *static_cast<const std::int64_t*>(value) == 0;
    case Kind::kDouble: return *static_cast<const double*>(value) == 0;
    case Kind::kString: return static_cast<const std::string*>(value)->empty();
    case Kind::kSymbol: return static_cast<const Symbol*>(value)->empty();
    case Kind::kQuantity: return static_cast<const Quantity*>(value)->is_zero();
    case Kind::kTime: return !static_cast<const Instant*>(value)->is_set();
    case Kind::kMicroTime: return !static_cast<const MicroTime*>(value)->at.is_set();
    case Kind::kDuration: return *static_cast<const Duration*>(value) == Duration();
    case Kind::kIntOrString: return *static_cast<const IntOrString*>(value) == IntOrString{};
    case Kind::kRawJson: return static_cast<const RawJson*>(value)->text.empty();
    case Kind::kList:
    case Kind::kMap: return type.size(value) == 0;
    case Kind::kOptional: return type.content(value) == nullptr;
    case Kind::kInterned: return is_zero(*type.element, type.content(value));
    case Kind::kObject:
      return std::ranges::all_of(type.schema().fields(),
                                 [value](const Field& field) { return is_zero(*field.type, field.in(value)); });
  }
  return false;
}

std::uint64_t hash_value(const Type& type, const void* value) {
  const auto of_integer = [](std::int64_t n) { return hash_combine(1, static_cast<std::uint64_t>(n)); };
  switch (type.kind) {
    case Kind::kBool: return of_integer(*static_cast<const bool*>(value) ? 1 : 0);
    case Kind::kInt32: return of_integer(*static_cast<const std::int32_t*>(value));
    case Kind::kInt64: return of_integer(*static_cast<const std::int64_t*>(value));
    case Kind::kDouble: return of_integer(std::bit_cast<std::int64_t>(*static_cast<const double*>(value) + 0.0));
    case Kind::kString: return hash_bytes(*static_cast<const std::string*>(value));
    case Kind::kSymbol: return of_integer(static_cast<const Symbol*>(value)->id());
    case Kind::kQuantity: return static_cast<const Quantity*>(value)->hash();
    case Kind::kTime: return of_integer(static_cast<const Instant*>(value)->unix_nanoseconds());
    case Kind::kMicroTime: return of_integer(static_cast<const MicroTime*>(value)->at.unix_nanoseconds());
    case Kind::kDuration: return of_integer(static_cast<const Duration*>(value)->nanoseconds());
    case Kind::kIntOrString: {
      const auto& either = *static_cast<const IntOrString*>(value);
      return either.text ? hash_bytes(*either.text) : of_integer(either.number);
    }
    case Kind::kRawJson: return hash_bytes(static_cast<const RawJson*>(value)->text);
    case Kind::kList:
    case Kind::kMap: {
      std::uint64_t hash = type.size(value);
      for (std::size_t i = 0, n = type.size(value); i < n; ++i) {
        if (type.kind == Kind::kMap) hash = hash_combine(hash, type.key_at(value, i).id());
        hash = hash_combine(hash, hash_value(*type.element, type.at(value, i)));
      }
      return hash;
    }
    case Kind::kOptional: {
      const void* content = type.content(value);
      return content == nullptr ? 2 : hash_combine(3, hash_value(*type.element, content));
    }
    case Kind::kInterned: return hash_value(*type.element, type.content(value));
    case Kind::kObject: {
      std::uint64_t hash = 4;
      for (const Field& field : type.schema().fields()) {
        hash = hash_combine(hash, hash_value(*field.type, field.in(value)));
      }
      return hash;
    }
  }
  return 0;
}

}  // namespace berth::api
