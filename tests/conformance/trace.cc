#include "tests/conformance/trace.h"

#include <fmt/format.h>

#include <stdexcept>

#include "berth/codec/json.h"

namespace berth::conformance {

TraceReader::TraceReader(const std::string& file) : in_(file), file_(file) {
  if (!in_) throw std::runtime_error(file + ": cannot be opened");
}

bool TraceReader::next(Json& line) {
  if (!std::getline(in_, text_)) return false;
  ++line_number_;
  if (const auto error = parser_.parse(text_).get(line)) {
    throw std::runtime_error(fmt::format("{}:{}: {}", file_, line_number_, simdjson::error_message(error)));
  }
  return true;
}

bool has(Json object, std::string_view key) {
  return object[key].error() == simdjson::SUCCESS;
}

std::string text_of(Json object, std::string_view key, std::string_view absent) {
  std::string_view text = absent;
  if (has(object, key)) text = object[key].get_string().value();
  return std::string(text);
}

std::int64_t integer_of(Json object, std::string_view key, std::int64_t absent) {
  return has(object, key) ? object[key].get_int64().value() : absent;
}

double number_of(Json object, std::string_view key, double absent) {
  return has(object, key) ? object[key].get_double().value() : absent;
}

bool flag_of(Json object, std::string_view key) {
  return has(object, key) && object[key].get_bool().value();
}

simdjson::dom::array array_of(Json object, std::string_view key) {
  return object[key].get_array().value();
}

std::vector<std::string> texts_of(Json object, std::string_view key) {
  std::vector<std::string> texts;
  if (!has(object, key) || object[key].is_null()) return texts;
  for (const Json item : array_of(object, key)) texts.emplace_back(item.get_string().value());
  return texts;
}

api::AnyObject decode_object(Json object, InternPool& pool) {
  codec::DecodeOptions options;
  options.pool = &pool;
  auto decoded = codec::object_from_json(simdjson::minify(object), options);
  if (!decoded) throw std::runtime_error("an object of the trace cannot be read: " + decoded.error().message());
  return *decoded;
}

api::AnyObject object_of(Json object, std::string_view key, InternPool& pool) {
  return has(object, key) ? decode_object(object[key], pool) : api::AnyObject();
}

api::PodPtr pod_of(Json object, std::string_view key, InternPool& pool) {
  const api::AnyObject decoded = object_of(object, key, pool);
  return decoded ? decoded.as<api::Pod>() : nullptr;
}

void flatten(Json value, const std::string& path, Flat& into) {
  if (value.is_object()) {
    const simdjson::dom::object object = value.get_object().value();
    for (const auto [key, member] : object) {
      flatten(member, path.empty() ? std::string(key) : path + "." + std::string(key), into);
    }
  } else if (value.is_array()) {
    std::size_t i = 0;
    const simdjson::dom::array array = value.get_array().value();
    for (const Json item : array) flatten(item, fmt::format("{}[{}]", path, i++), into);
  } else if (value.is_string()) {
    into[path] = std::string(value.get_string().value());
  } else if (!value.is_null()) {
    into[path] = simdjson::minify(value);
  }
}

std::string first_difference(const Flat& expected, const Flat& actual) {
  const auto show = [](const Flat& side, const std::string& path) {
    const auto found = side.find(path);
    return found == side.end() ? std::string("nothing") : found->second;
  };
  for (const auto& [path, value] : expected) {
    if (show(actual, path) != value) return fmt::format("{}: expected {}, got {}", path, value, show(actual, path));
  }
  for (const auto& [path, value] : actual) {
    if (!expected.contains(path)) return fmt::format("{}: expected nothing, got {}", path, value);
  }
  return "";
}

}  // namespace berth::conformance
