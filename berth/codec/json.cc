#include "berth/codec/json.h"

#include <algorithm>
#include <optional>

#include "berth/codec/json_node.h"
#include "berth/codec/kind_reader.h"

namespace berth::codec {

void JsonNode::append_json(std::string& out) const {
  switch (kind()) {
    case NodeKind::kNull: out += "null"; return;
    case NodeKind::kBool: out += boolean() ? "true" : "false"; return;
    case NodeKind::kInteger: fmt::format_to(std::back_inserter(out), "{}", integer()); return;
    case NodeKind::kBigInteger: fmt::format_to(std::back_inserter(out), "{}", big_integer()); return;
    case NodeKind::kReal: {
      const std::size_t begin = out.size();
      append_json_number(out, real());
      // 1.0 stays what it was: not an integer.
      if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
      return;
    }
    case NodeKind::kString: append_json_string(out, string()); return;
    case NodeKind::kList: {
      char separator = '[';
      each_element([&](const JsonNode& element) {
        out += std::exchange(separator, ',');
        element.append_json(out);
        return true;
      });
      out += separator == '[' ? "[]" : "]";
      return;
    }
    case NodeKind::kMap: {
      char separator = '{';
      each_member([&](std::string_view key, const JsonNode& value) {
        out += std::exchange(separator, ',');
        append_json_string(out, key);
        out += ':';
        value.append_json(out);
        return true;
      });
      out += separator == '{' ? "{}" : "}";
      return;
    }
  }
}

bool ParsedJson::parse(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) {
    problem_ = Problem{Error(fmt::format("the document is larger than {} bytes", kMaxDocumentBytes))};
    return false;
  }
  simdjson::error_code code = parser_.allocate(std::max<std::size_t>(text.size(), 1), kMaxDepth);
  if (code == simdjson::SUCCESS) code = parser_.parse(text.data(), text.size()).get(root_);
  if (code == simdjson::SUCCESS) return true;
  problem_ = find_json_error(text, simdjson::error_message(code));
  return false;
}

namespace {

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

// Parses, lets `read` (bool(KindReader&, JsonNode)) do its work, and turns what went wrong into an error.
template <typename Read>
Result<void> read_text(std::string_view text, const DecodeOptions& options, Read read) {
  ParsedJson document;
  if (!document.parse(without_byte_order_mark(text))) return fail(placed(document.take_problem()));
  KindReader<JsonNode> reader(options);
  if (!read(reader, document.root())) return fail(placed(reader.take_problem()));
  if (auto error = reader.report_strict_problems()) return fail(*std::move(error));
  return {};
}

std::optional<WatchEvent::Type> watch_event_type(std::string_view name) {
  if (name == "ADDED") return WatchEvent::Type::kAdded;
  if (name == "MODIFIED") return WatchEvent::Type::kModified;
  if (name == "DELETED") return WatchEvent::Type::kDeleted;
  if (name == "BOOKMARK") return WatchEvent::Type::kBookmark;
  if (name == "ERROR") return WatchEvent::Type::kError;
  return std::nullopt;
}

bool read_watch_event(KindReader<JsonNode>& reader, const JsonNode& root, WatchEvent& into) {
  if (root.kind() != NodeKind::kMap) {
    return reader.reader().fail_at(root, nullptr,
                                   Error("expected a watch event, got " + reader.reader().describe(root)));
  }
  bool has_type = false;
  bool has_object = false;
  const bool is_read = root.each_member([&](std::string_view name, const JsonNode& value) {
    const PathStep step{.name = name};
    if (name == "type") {
      const auto type = value.kind() == NodeKind::kString ? watch_event_type(value.string()) : std::nullopt;
      if (!type) {
        return reader.reader().fail_at(
            value, &step, Error("expected the type of a watch event, got " + reader.reader().describe(value)));
      }
      into.type = *type;
      has_type = true;
    } else if (name == "object") {
      has_object = true;
      return reader.read_any_object(value, &step, {}, into.object);
    }
    return true;
  });
  if (!is_read) return false;
  if (!has_type) return reader.reader().fail_at(root, nullptr, Error("a watch event without a type"));
  if (!has_object) return reader.reader().fail_at(root, nullptr, Error("a watch event without an object"));
  return true;
}

}  // namespace

Result<void> read_json(std::string_view text, const api::Type& type, void* target, const DecodeOptions& options) {
  return read_text(text, options, [&](KindReader<JsonNode>& reader, const JsonNode& root) {
    return reader.reader().read(root, type, target, nullptr, true);
  });
}

Result<api::AnyObject> object_from_json(std::string_view text, const DecodeOptions& options) {
  api::AnyObject object;
  auto read = read_text(text, options, [&](KindReader<JsonNode>& reader, const JsonNode& root) {
    return reader.read_any_object(root, nullptr, {}, object);
  });
  if (!read) return fail(std::move(read).error());
  return object;
}

Result<api::ObjectList> list_from_json(std::string_view text, const DecodeOptions& options) {
  api::ObjectList list;
  auto read = read_text(text, options, [&](KindReader<JsonNode>& reader, const JsonNode& root) {
    return reader.read_list(root, nullptr, list);
  });
  if (!read) return fail(std::move(read).error());
  return list;
}

Result<WatchEvent> watch_event_from_json(std::string_view text, const DecodeOptions& options) {
  WatchEvent event{};
  auto read = read_text(text, options, [&](KindReader<JsonNode>& reader, const JsonNode& root) {
    return read_watch_event(reader, root, event);
  });
  if (!read) return fail(std::move(read).error());
  return event;
}

}  // namespace berth::codec
