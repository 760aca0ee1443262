// The writing half of json.h.
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "berth/base/check.h"
#include "berth/codec/json.h"
#include "berth/codec/json_text.h"

namespace berth::codec {
namespace {

void append_value(std::string& out, const api::Type& type, const void* value);

// A text that Go would print as null when it is empty: an unset time.
void append_text_or_null(std::string& out, const std::string& text) {
  if (text.empty()) {
    out += "null";
  } else {
    append_json_string(out, text);
  }
}

// The content behind Interned, which JSON does not show.
std::pair<const api::Type*, const void*> through_interned(const api::Type& type, const void* value) {
  const api::Type* inner = &type;
  while (inner->kind == api::Kind::kInterned) {
    value = inner->content(value);
    inner = inner->element;
  }
  return {inner, value};
}

// An empty list or map as the value of a field of Kubernetes' types is Go's nil. Berth's own answers, which have no
// protobuf numbers, have an empty list: who reads them goes through it.
bool is_written_as_null(const api::Field& field, const api::Type& type, const void* value) {
  switch (type.kind) {
    case api::Kind::kList:
    case api::Kind::kMap: return field.number != 0 && type.size(value) == 0;
    default: return false;
  }
}

bool is_left_out(const api::Field& field, const api::Type& type, const void* value) {
  switch (field.presence) {
    case api::kAlways: return false;
    case api::kOmitEmpty: return type.kind != api::Kind::kObject && api::is_zero(type, value);
    case api::kOmitZero: return api::is_zero(type, value);
  }
  return false;
}

// The fields of one object, without braces. `separator` is what stands in front of the next field.
void append_fields(std::string& out, const api::Schema& schema, const void* object, char& separator) {
  for (const api::Field& field : schema.fields()) {
    const auto [type, value] = through_interned(*field.type, field.in(object));
    if (field.json_name.empty()) {
      append_fields(out, type->schema(), value, separator);
      continue;
    }
    if (is_left_out(field, *type, value)) continue;
    out += std::exchange(separator, ',');
    append_json_string(out, field.json_name);
    out += ':';
    if (is_written_as_null(field, *type, value)) {
      out += "null";
    } else {
      append_value(out, *type, value);
    }
  }
}

void append_object(std::string& out, const api::Schema& schema, const void* object) {
  char separator = '{';
  append_fields(out, schema, object, separator);
  out += separator == '{' ? "{}" : "}";
}

void append_list(std::string& out, const api::Type& type, const void* list) {
  out += '[';
  for (std::size_t i = 0, n = type.size(list); i < n; ++i) {
    if (i != 0) out += ',';
    append_value(out, *type.element, type.at(list, i));
  }
  out += ']';
}

void append_map(std::string& out, const api::Type& type, const void* map) {
  out += '{';
  for (std::size_t i = 0, n = type.size(map); i < n; ++i) {
    if (i != 0) out += ',';
    append_json_string(out, type.key_at(map, i).text());
    out += ':';
    append_value(out, *type.element, type.at(map, i));
  }
  out += '}';
}

void append_integer(std::string& out, std::int64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

void append_value(std::string& out, const api::Type& type, const void* value) {
  switch (type.kind) {
    case api::Kind::kBool: out += *static_cast<const bool*>(value) ? "true" : "false"; return;
    case api::Kind::kInt32: append_integer(out, *static_cast<const std::int32_t*>(value)); return;
    case api::Kind::kInt64: append_integer(out, *static_cast<const std::int64_t*>(value)); return;
    case api::Kind::kDouble: append_json_number(out, *static_cast<const double*>(value)); return;
    case api::Kind::kString: append_json_string(out, *static_cast<const std::string*>(value)); return;
    case api::Kind::kSymbol: append_json_string(out, static_cast<const Symbol*>(value)->text()); return;
    case api::Kind::kQuantity: append_json_string(out, static_cast<const api::Quantity*>(value)->str()); return;
    case api::Kind::kTime: append_text_or_null(out, static_cast<const Instant*>(value)->rfc3339()); return;
    case api::Kind::kMicroTime: {
      const Instant at = static_cast<const api::MicroTime*>(value)->at;
      append_text_or_null(out, at.is_set() ? at.rfc3339_micro() : std::string());
      return;
    }
    case api::Kind::kDuration: append_json_string(out, static_cast<const Duration*>(value)->str()); return;
    case api::Kind::kIntOrString: {
      const auto& either = *static_cast<const api::IntOrString*>(value);
      if (either.text) {
        append_json_string(out, *either.text);
      } else {
        append_integer(out, either.number);
      }
      return;
    }
    case api::Kind::kRawJson: {
      const std::string& text = static_cast<const api::RawJson*>(value)->text;
      out += text.empty() ? "null" : text;
      return;
    }
    case api::Kind::kObject: append_object(out, type.schema(), value); return;
    case api::Kind::kList: append_list(out, type, value); return;
    case api::Kind::kMap: append_map(out, type, value); return;
    case api::Kind::kOptional: {
      const void* content = type.content(value);
      if (content == nullptr) {
        out += "null";
      } else {
        append_value(out, *type.element, content);
      }
      return;
    }
    case api::Kind::kInterned: append_value(out, *type.element, type.content(value)); return;
  }
}

void append_identity(std::string& out, std::string_view api_version, std::string_view kind, char& separator) {
  out += std::exchange(separator, ',');
  out += "\"kind\":";
  append_json_string(out, kind);
  out += ",\"apiVersion\":";
  append_json_string(out, api_version);
}

std::string laid_out(std::string json, int indent) {
  return indent > 0 ? indent_json(json, indent) : std::move(json);
}

}  // namespace

std::string to_json(const api::Type& type, const void* value, int indent) {
  std::string out;
  append_value(out, type, value);
  return laid_out(std::move(out), indent);
}

std::string object_to_json(const api::AnyObject& object, int indent) {
  BERTH_CHECK(bool(object));
  std::string out;
  char separator = '{';
  append_identity(out, object.kind().api_version, object.kind().kind, separator);
  append_fields(out, object.kind().type->schema(), object.get(), separator);
  out += '}';
  return laid_out(std::move(out), indent);
}

std::string list_to_json(const api::ObjectKind& kind, const api::ObjectList& list, int indent) {
  std::string out;
  char separator = '{';
  append_identity(out, kind.api_version, fmt::format("{}List", kind.kind), separator);
  out += ",\"metadata\":";
  append_value(out, api::type_of<api::ListMeta>(), &list.metadata);
  out += ",\"items\":[";
  for (const api::AnyObject& item : list.items) {
    if (&item != &list.items.front()) out += ',';
    // The items of a typed list do not repeat what they are.
    char item_separator = '{';
    if (&item.kind() != &kind) append_identity(out, item.kind().api_version, item.kind().kind, item_separator);
    append_fields(out, item.kind().type->schema(), item.get(), item_separator);
    out += item_separator == '{' ? "{}" : "}";
  }
  out += "]}";
  return laid_out(std::move(out), indent);
}

}  // namespace berth::codec
