#include "berth/codec/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "berth/codec/json_node.h"
#include "berth/codec/kind_reader.h"
#include "berth/codec/yaml_parser.h"
#include "berth/codec/yaml_tree.h"

namespace berth::codec {
namespace {

// Where the text of one document lies, for its errors.
struct Place {
  std::string_view name;
  std::uint32_t first_line = 1;
};

void count_unknown_kind(const Identity& identity, Documents& into) {
  std::string kind = fmt::format("{} {}", identity.api_version, identity.kind);
  const auto known = std::ranges::find(into.unknown_kinds, kind, &std::pair<std::string, std::size_t>::first);
  if (known != into.unknown_kinds.end()) {
    ++known->second;
  } else {
    into.unknown_kinds.emplace_back(std::move(kind), 1);
  }
}

// Reads one object, or the items of a list each for itself, so that a bad item costs only itself. Lists may lie in
// lists; the parsers' limits on depth bound that.
template <ValueNode Node>
class DocumentReader {
 public:
  DocumentReader(const DecodeOptions& options, Place place, Documents& into)
      : options_(options), place_(place), into_(into) {}

  void read(const Node& node, const PathStep* path, const Identity& implied) {
    KindReader<Node> reader(options_);
    Identity identity;
    if (!reader.read_identity(node, path, implied, identity)) return add_problem(reader);
    if (const api::ObjectKind* kind = api::find_kind(identity.api_version, identity.kind)) {
      api::AnyObject object;
      if (!reader.read_object(node, path, *kind, object)) return add_problem(reader);
      if (reader.reader().strict_problems().empty()) {
        into_.objects.push_back(std::move(object));
      } else {
        for (const Problem& problem : reader.reader().strict_problems()) add_strict(problem);
      }
      return;
    }
    const bool is_list = identity.is_any_list() || api::list_item_kind(identity.api_version, identity.kind) != nullptr;
    if (!is_list) return count_unknown_kind(identity, into_);
    const auto read_item = [this](const Node& item, const PathStep* step, const Identity& item_implied) {
      read(item, step, item_implied);
      return true;
    };
    if (!reader.each_item(node, path, identity, read_item)) add_problem(reader);
  }

  void add_strict(const Problem& problem) {
    Error error = placed(problem, place_.name, place_.first_line);
    if (options_.report) options_.report(error);
    into_.errors.push_back(std::move(error));
  }

 private:
  void add_problem(KindReader<Node>& reader) {
    into_.errors.push_back(placed(reader.take_problem(), place_.name, place_.first_line));
  }

  const DecodeOptions& options_;
  Place place_;
  Documents& into_;
};

void read_json_documents(std::string_view text, std::string_view name, const DecodeOptions& options, Documents& into) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::uint32_t line = 1;
  const auto skip = [&text, &line](std::size_t count) {
    line += static_cast<std::uint32_t>(std::ranges::count(text.substr(0, count), '\n'));
    text.remove_prefix(count);
  };
  ParsedJson document;
  bool is_first = true;
  while (true) {
    skip(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return;
    const std::size_t length = json_value_length(text);
    const Place place{name, line};
    if (document.parse(text.substr(0, length))) {
      // JSON's values know no lines. The first line of the value helps where there are several.
      const bool is_only_one = is_first && text.find_first_not_of(kBlanks, length) == std::string_view::npos;
      const std::string place_name = is_only_one ? std::string(name) : fmt::format("{}:{}", name, line);
      DocumentReader<JsonNode>(options, Place{place_name, line}, into).read(document.root(), nullptr, {});
    } else {
      into.errors.push_back(placed(document.take_problem(), place.name, place.first_line));
    }
    is_first = false;
    skip(length);
  }
}

void read_yaml_documents(std::string_view text, std::string_view name, const DecodeOptions& options, Documents& into) {
  YamlDocuments documents(text, {.sort_keys = options.strict});
  YamlTree tree;
  while (true) {
    switch (documents.next(tree)) {
      case YamlDocuments::Next::kEnd: return;
      case YamlDocuments::Next::kError: into.errors.push_back(placed(documents.take_problem(), name)); break;
      case YamlDocuments::Next::kDocument: {
        DocumentReader<YamlNode> reader(options, Place{name}, into);
        if (options.strict) {
          for (const Problem& duplicate : tree.duplicates) reader.add_strict(duplicate);
        }
        reader.read(YamlNode(tree, tree.root), nullptr, {});
      }
    }
  }
}

}  // namespace

void read_documents(std::string_view text, std::string_view name, const DecodeOptions& options, Documents& into) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return;
  if (text[first] == '{' || text[first] == '[') {
    read_json_documents(text, name, options, into);
  } else {
    read_yaml_documents(text, name, options, into);
  }
}

}  // namespace berth::codec
