#include "berth/codec/yaml_tree.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "berth/codec/json_text.h"

namespace berth::codec {

void YamlNode::append_json(std::string& out) const {
  switch (kind()) {
    case NodeKind::kNull: out += "null"; return;
    case NodeKind::kBool: out += boolean() ? "true" : "false"; return;
    case NodeKind::kInteger: fmt::format_to(std::back_inserter(out), "{}", integer()); return;
    case NodeKind::kBigInteger: fmt::format_to(std::back_inserter(out), "{}", big_integer()); return;
    case NodeKind::kReal: append_json_number(out, real()); return;
    case NodeKind::kString: append_json_string(out, string()); return;
    case NodeKind::kList: {
      char separator = '[';
      each_element([&](const YamlNode& element) {
        out += std::exchange(separator, ',');
        element.append_json(out);
        return true;
      });
      out += separator == '[' ? "[]" : "]";
      return;
    }
    case NodeKind::kMap: {
      char separator = '{';
      each_member([&](std::string_view key, const YamlNode& element) {
        out += std::exchange(separator, ',');
        append_json_string(out, key);
        out += ':';
        element.append_json(out);
        return true;
      });
      out += separator == '{' ? "{}" : "}";
      return;
    }
  }
}

}  // namespace berth::codec
