#include "tests/conformance/codec_conformance.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "berth/api/volume.h"
#include "berth/base/base64.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"
#include "tests/conformance/trace.h"

namespace berth::conformance {

using api::Kind;
using api::Type;

namespace {

// A volume without a source that Berth models is not kept: see berth/api/volume.h.
bool is_kept(Json item, const Type& type) {
  if (&type != &api::type_of<api::Volume>() || !item.is_object()) return true;
  const simdjson::dom::object members = item.get_object().value();
  for (const auto [key, value] : members) {
    std::size_t hint = 0;
    const api::Slot* slot = type.schema().by_json_name(key, hint);
    if (slot != nullptr && slot->through != nullptr && !value.is_null()) return true;
  }
  return false;
}

// What of a JSON value Berth keeps, flattened. An object of which nothing is kept stands as "{}": that it is there may
// matter. Null and empty lists say nothing.
void project(Json value, const Type& type, const std::string& path, Flat& into) {
  switch (type.kind) {
    case Kind::kOptional:
    case Kind::kInterned: project(value, *type.element, path, into); return;
    case Kind::kObject: {
      if (!value.is_object()) break;
      const std::size_t before = into.size();
      const simdjson::dom::object members = value.get_object().value();
      for (const auto [key, member] : members) {
        std::size_t hint = 0;
        const api::Slot* slot = type.schema().by_json_name(key, hint);
        if (slot != nullptr) project(member, *slot->field->type, fmt::format("{}.{}", path, key), into);
      }
      if (into.size() == before) into[path] = "{}";
      return;
    }
    case Kind::kMap: {
      if (!value.is_object()) break;
      const simdjson::dom::object members = value.get_object().value();
      for (const auto [key, member] : members) {
        project(member, *type.element, fmt::format("{}[{:?}]", path, key), into);
      }
      return;
    }
    case Kind::kList: {
      if (!value.is_array()) break;
      std::size_t i = 0;
      const simdjson::dom::array items = value.get_array().value();
      for (const Json item : items) {
        if (is_kept(item, *type.element)) project(item, *type.element, fmt::format("{}[{}]", path, i++), into);
      }
      return;
    }
    default: break;
  }
  flatten(value, path, into);
}

Flat projected(const std::string& json, const Type& type) {
  simdjson::dom::parser parser;
  Flat flat;
  project(parser.parse(json).value(), type, "", flat);
  return flat;
}

std::string wrong(const std::string& what, const Error& error) {
  return what + ": " + error.message();
}

// An object or a list, decoded from one of the two formats and written as JSON and protobuf.
struct Written {
  std::string json;
  std::string protobuf;
};

class Line {
 public:
  explicit Line(Json line) : line_(line), api_version_(text_of(line, "apiVersion")), kind_(text_of(line, "kind")) {}

  std::string compare(std::optional<Written>& rewritten) {
    if (flag_of(line_, "watch")) return compare_watch();
    const api::ObjectKind* kind = api::find_kind(api_version_, kind_);
    const api::ObjectKind* item = api::list_item_kind(api_version_, kind_);
    if (kind == nullptr && item == nullptr) return fmt::format("{} {} is unknown", api_version_, kind_);
    const std::string json = simdjson::minify(line_["json"].value());
    const std::string protobuf = from_base64(line_["protobuf"].get_string().value()).value();
    return kind != nullptr ? compare_object(*kind, json, protobuf, rewritten)
                           : compare_list(*item, json, protobuf, rewritten);
  }

 private:
  std::string compare_object(const api::ObjectKind& kind, const std::string& json, const std::string& protobuf,
                             std::optional<Written>& rewritten) {
    const auto from_json = codec::object_from_json(json);
    if (!from_json) return wrong("JSON", from_json.error());
    const auto from_protobuf = codec::object_from_protobuf(protobuf);
    if (!from_protobuf) return wrong("protobuf", from_protobuf.error());
    const Flat expected = projected(json, *kind.type);
    if (const auto difference = first_difference(expected, projected(codec::object_to_json(*from_json), *kind.type));
        !difference.empty()) {
      return "JSON: " + difference;
    }
    if (const auto difference =
            first_difference(expected, projected(codec::object_to_json(*from_protobuf), *kind.type));
        !difference.empty()) {
      return "protobuf: " + difference;
    }
    rewritten = Written{codec::object_to_json(*from_protobuf), codec::object_to_protobuf(*from_json)};
    const auto again = codec::object_from_protobuf(rewritten->protobuf);
    if (!again) return wrong("own protobuf", again.error());
    const auto difference = first_difference(expected, projected(codec::object_to_json(*again), *kind.type));
    return difference.empty() ? "" : "own protobuf: " + difference;
  }

  std::string compare_list(const api::ObjectKind& item, const std::string& json, const std::string& protobuf,
                           std::optional<Written>& rewritten) {
    const auto from_json = codec::list_from_json(json);
    if (!from_json) return wrong("JSON", from_json.error());
    const auto from_protobuf = codec::list_from_protobuf(protobuf);
    if (!from_protobuf) return wrong("protobuf", from_protobuf.error());
    const auto flatten_list = [&](const std::string& text) {
      simdjson::dom::parser parser;
      const Json list = parser.parse(text).value();
      Flat flat;
      if (has(list, "metadata")) project(list["metadata"].value(), api::type_of<api::ListMeta>(), "metadata", flat);
      if (has(list, "items") && !list["items"].is_null()) {
        std::size_t i = 0;
        for (const Json object : array_of(list, "items")) {
          project(object, *item.type, fmt::format("items[{}]", i++), flat);
        }
      }
      return flat;
    };
    const Flat expected = flatten_list(json);
    rewritten = Written{codec::list_to_json(item, *from_protobuf), codec::list_to_protobuf(item, *from_json)};
    if (const auto difference = first_difference(expected, flatten_list(codec::list_to_json(item, *from_json)));
        !difference.empty()) {
      return "JSON: " + difference;
    }
    const auto difference = first_difference(expected, flatten_list(rewritten->json));
    return difference.empty() ? "" : "protobuf: " + difference;
  }

  std::string compare_watch() {
    codec::WatchFrames frames{codec::DecodeOptions{}};
    const std::string stream = from_base64(line_["protobuf"].get_string().value()).value();
    // In two pieces, cut anywhere.
    frames.append(std::string_view(stream).substr(0, stream.size() / 3));
    std::size_t rest = stream.size() / 3;
    int number = 0;
    for (const std::string& text : texts_of(line_, "json")) {
      const auto from_json = codec::watch_event_from_json(text);
      if (!from_json) return wrong(fmt::format("event {}: JSON", number), from_json.error());
      auto from_protobuf = frames.next();
      if (from_protobuf && !*from_protobuf) {
        frames.append(std::string_view(stream).substr(rest));
        rest = stream.size();
        from_protobuf = frames.next();
      }
      if (!from_protobuf) return wrong(fmt::format("event {}: protobuf", number), from_protobuf.error());
      if (!*from_protobuf) return fmt::format("event {}: the stream ends early", number);
      if (from_json->type != (*from_protobuf)->type) return fmt::format("event {}: types differ", number);
      const Type& type = *from_json->object.kind().type;
      simdjson::dom::parser parser;
      Flat expected;
      project(parser.parse(text)["object"].value(), type, "", expected);
      for (const api::AnyObject& object : {from_json->object, (*from_protobuf)->object}) {
        if (const auto difference = first_difference(expected, projected(codec::object_to_json(object), type));
            !difference.empty()) {
          return fmt::format("event {}: {}", number, difference);
        }
      }
      ++number;
    }
    return "";
  }

  Json line_;
  std::string api_version_;
  std::string kind_;
};

}  // namespace

CodecResult compare_codec_trace(const std::string& file, std::ostream& out, std::ostream* rewritten) {
  TraceReader reader(file);
  Json json;
  if (!reader.next(json)) throw std::runtime_error(file + ": empty");
  CodecResult result;
  while (reader.next(json)) {
    ++result.compared;
    std::optional<Written> written;
    const std::string difference = Line(json).compare(written);
    if (!difference.empty()) {
      ++result.differences;
      out << fmt::format("{}:{}: {} {}: {}\n", file, reader.line_number(), text_of(json, "apiVersion"),
                         text_of(json, "kind"), difference);
    } else if (rewritten != nullptr && written) {
      *rewritten << fmt::format(R"({{"i":{},"apiVersion":"{}","kind":"{}","json":{},"protobuf":"{}"}})",
                                integer_of(json, "i"), text_of(json, "apiVersion"), text_of(json, "kind"),
                                written->json, base64_of(written->protobuf))
                 << "\n";
    }
  }
  return result;
}

}  // namespace berth::conformance
