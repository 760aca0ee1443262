#include "berth/codec/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "berth/api/autoscaling.h"
#include "berth/api/meta.h"
#include "berth/base/nearest_name.h"
#include "berth/codec/field_checker.h"
#include "berth/codec/foreign_text.h"
#include "berth/codec/json_node.h"
#include "berth/codec/kind_reader.h"
#include "berth/codec/known_fields.h"
#include "berth/codec/path_lines.h"
#include "berth/codec/yaml_parser.h"
#include "berth/codec/yaml_tree.h"

namespace berth::codec {
namespace {

// Where the text of one document lies, for its errors.
struct Place {
  std::string_view name;
  std::uint32_t first_line = 1;
  // What the nodes were read from, if they know their lines.
  std::string_view text = {};
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

// Of ConfigMaps only the one in which cluster-autoscaler reports its status means something here.
bool is_read(const api::AnyObject& object) {
  return &object.kind() != &api::kind_of<api::ConfigMap>() || object.metadata().name == "cluster-autoscaler-status";
}

// Whether the kind is one of Kubernetes' own groups, so that a name that is nearly a known one is a misspelt one.
bool is_of_kubernetes(std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
}

// What a person who wrote this kind meant, if it is nearly one that Berth knows.
std::optional<Error> misspelt_kind(const Identity& identity) {
  if (!is_of_kubernetes(identity.api_version)) return std::nullopt;
  constexpr std::size_t kMaxEdits = 2, kMinLetters = 5;
  for (const api::ObjectKind& known : api::all_kinds()) {
    if (known.kind == identity.kind && is_of_kubernetes(known.api_version)) {
      return Error(fmt::format("unknown kind {} {}", identity.api_version, identity.kind))
          .with_fix(fmt::format("did you mean apiVersion {}?", known.api_version));
    }
  }
  for (const api::ObjectKind& known : api::all_kinds()) {
    const std::size_t edits = edit_distance(known.kind, identity.kind);
    if (edits == 0 || (edits <= kMaxEdits && identity.kind.size() >= kMinLetters)) {
      return Error(fmt::format("unknown kind {} {}", identity.api_version, identity.kind))
          .with_fix(fmt::format("did you mean {}?", known.kind));
    }
  }
  return std::nullopt;
}

// Reads one object, or the items of a list each for itself, so that a bad item costs only itself. Lists may lie in
// lists; the parsers' limits on depth bound that.
template <ValueNode Node>
class DocumentReader {
 public:
  DocumentReader(const DecodeOptions& options, Place place, Documents& into, std::vector<std::uint32_t>& error_lines)
      : options_(options), lenient_(options), place_(place), into_(into), error_lines_(error_lines) {
    lenient_.strict = false;
  }

  void read_document(const Node& root) {
    if (root.kind() != NodeKind::kList) return read(root, nullptr, {});
    PathStep step;
    root.each_element([&](const Node& element) {
      read(element, &step, {});
      ++step.index;
      return true;
    });
  }

  void add(Problem problem) {
    error_lines_.push_back(problem.line == 0 ? 0 : problem.line + place_.first_line - 1);
    into_.errors.push_back(placed(std::move(problem), place_.name, place_.first_line));
    if (options_.strict && options_.report) options_.report(into_.errors.back());
  }

 private:
  void read(const Node& node, const PathStep* path, const Identity& implied) {
    KindReader<Node> reader(lenient_);
    Identity identity;
    if (!reader.read_identity(node, path, implied, identity)) return add(reader.take_problem());
    if (const api::ObjectKind* kind = api::find_kind(identity.api_version, identity.kind)) {
      return read_object(reader, node, path, *kind);
    }
    const bool is_list = identity.is_any_list() || api::list_item_kind(identity.api_version, identity.kind) != nullptr;
    if (!is_list) return read_unknown(node, path, identity);
    const auto read_item = [this](const Node& item, const PathStep* step, const Identity& item_implied) {
      read(item, step, item_implied);
      return true;
    };
    if (!reader.each_item(node, path, identity, read_item)) add(reader.take_problem());
  }

  void read_object(KindReader<Node>& reader, const Node& node, const PathStep* path, const api::ObjectKind& kind) {
    const std::size_t errors_before = into_.errors.size();
    const KnownType* known = options_.strict ? known_type(kind.api_version, kind.kind) : nullptr;
    if (known != nullptr) {
      FieldChecker<Node> checker(*known, place_.text);
      checker.check(node, path);
      for (Problem& problem : checker.take_problems()) add(std::move(problem));
    }
    api::AnyObject object;
    if (into_.errors.size() == errors_before && !reader.read_object(node, path, kind, object)) {
      add(reader.take_problem());
    }
    if (into_.errors.size() == errors_before && options_.strict && options_.validate) {
      for (Error& error : options_.validate(object)) {
        const std::uint32_t line = line_of_path(node, error.where());
        add(Problem{std::move(error).in(PathStep::text(path)), line, 0});
      }
    }
    if (const auto failure = into_.errors.size() == errors_before ? failure_in(object) : std::nullopt) {
      add(Problem{*failure, node.line(), 0});
    }
    if (into_.errors.size() != errors_before) {
      add_unreadable(node, kind, into_.errors[errors_before]);
    } else if (is_read(object)) {
      into_.objects.push_back(std::move(object));
    } else {
      count_unknown_kind({kind.api_version, kind.kind}, into_);
    }
  }

  // An API server that has no objects to give answers with a Status.
  static std::optional<Error> failure_in(const api::AnyObject& object) {
    const auto status = object.as<api::Status>();
    if (status == nullptr || status->status != "Failure") return std::nullopt;
    return Error(fmt::format("this is an error of the API server, not objects: {}", status->message))
        .with_fix("put that right, and dump again");
  }

  void read_unknown(const Node& node, const PathStep* path, const Identity& identity) {
    std::optional<Error> error = foreign_kind(identity.api_version, identity.kind);
    if (!error && options_.strict) error = misspelt_kind(identity);
    if (!error) return count_unknown_kind(identity, into_);
    add(Problem{std::move(*error).in(PathStep::text(path)), node.line(), 0});
  }

  void add_unreadable(const Node& node, const api::ObjectKind& kind, const Error& error) {
    UnreadableObject object{std::string(kind.api_version), std::string(kind.kind), "", "", error};
    node.each_member([&](std::string_view name, const Node& value) {
      if (name != "metadata" || value.kind() != NodeKind::kMap) return true;
      value.each_member([&](std::string_view field, const Node& text) {
        if (text.kind() != NodeKind::kString) return true;
        if (field == "name") object.name = text.string();
        if (field == "namespace") object.name_space = text.string();
        return true;
      });
      return true;
    });
    into_.unreadable.push_back(std::move(object));
  }

  const DecodeOptions& options_;
  DecodeOptions lenient_;
  Place place_;
  Documents& into_;
  std::vector<std::uint32_t>& error_lines_;
};

// All documents of one text.
class TextReader {
 public:
  TextReader(std::string_view text, std::string_view name, const DecodeOptions& options, Documents& into)
      : text_(text), name_(name), options_(options), into_(into) {}

  void read() {
    const std::size_t objects_before = into_.objects.size();
    const std::size_t errors_before = into_.errors.size();
    read_values(text_, 1);
    if (into_.errors.size() == errors_before) return;
    // A parser's complaint about a text of another kind helps nobody.
    const bool is_foreign = into_.objects.size() == objects_before || has_error_in_template();
    if (auto foreign = is_foreign ? foreign_text(text_) : std::nullopt) {
      into_.errors.resize(errors_before, Error(""));
      into_.errors.push_back(std::move(*foreign).in_file(name_));
    }
  }

 private:
  static bool begins_json(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

  // Moves behind blanks, comments and "---" in front of a JSON value.
  static void skip_to_value(std::string_view& text, std::uint32_t& line) {
    const auto skip = [&](std::size_t count) {
      count = std::min(count, text.size());
      line += static_cast<std::uint32_t>(std::ranges::count(text.substr(0, count), '\n'));
      text.remove_prefix(count);
    };
    while (!text.empty()) {
      skip(text.find_first_not_of(" \t\r\n"));
      const bool is_marker = text.starts_with("---") && (text.size() == 3 || text.find_first_of(" \t\r\n", 3) == 3);
      if (text.starts_with('#')) {
        skip(text.find('\n'));
      } else if (is_marker) {
        skip(3);
      } else {
        return;
      }
    }
  }

  void read_values(std::string_view text, std::uint32_t line) {
    std::string_view value = text;
    std::uint32_t value_line = line;
    skip_to_value(value, value_line);
    bool is_first = true;
    while (begins_json(value)) {
      const std::size_t length = json_value_length(value);
      std::string_view behind = value.substr(length);
      std::uint32_t behind_line =
          value_line + static_cast<std::uint32_t>(std::ranges::count(value.substr(0, length), '\n'));
      skip_to_value(behind, behind_line);
      read_json(value.substr(0, length), value_line, is_first && behind.empty());
      is_first = false;
      text = value = behind;
      line = value_line = behind_line;
    }
    if (!value.empty()) read_yaml(text, line);
  }

  void read_json(std::string_view value, std::uint32_t line, bool is_only_one) {
    if (!json_.parse(value)) {
      Problem problem = json_.take_problem();
      error_lines_.push_back(line);
      into_.errors.push_back(placed(std::move(problem), name_, line));
      return;
    }
    if (options_.strict && read_json_as_yaml(value, line)) return;
    // JSON's values know no lines. The first line of the value helps where there are several.
    const std::string place_name = is_only_one ? std::string(name_) : fmt::format("{}:{}", name_, line);
    DocumentReader<JsonNode>(options_, Place{place_name, line}, into_, error_lines_).read_document(json_.root());
  }

  // JSON is YAML too, whose values know their lines: what a person wrote is worth the time that this takes.
  bool read_json_as_yaml(std::string_view value, std::uint32_t line) {
    YamlDocuments documents(value, {});
    YamlTree tree;
    if (documents.next(tree) != YamlDocuments::Next::kDocument) return false;
    read_tree(tree, Place{name_, line, documents.text()});
    return true;
  }

  void read_yaml(std::string_view text, std::uint32_t first_line) {
    YamlDocuments documents(text, {});
    YamlTree tree;
    while (true) {
      switch (documents.next(tree)) {
        case YamlDocuments::Next::kEnd: return;
        case YamlDocuments::Next::kError: {
          const Problem problem = documents.take_problem();
          error_lines_.push_back(problem.line + first_line - 1);
          into_.errors.push_back(placed(problem, name_, first_line));
          break;
        }
        case YamlDocuments::Next::kDocument: read_tree(tree, Place{name_, first_line, documents.text()});
      }
    }
  }

  void read_tree(const YamlTree& tree, Place place) {
    DocumentReader<YamlNode> reader(options_, place, into_, error_lines_);
    if (options_.strict) {
      for (const Problem& duplicate : tree.duplicates) reader.add(duplicate);
    }
    reader.read_document(YamlNode(tree, tree.root));
  }

  bool has_error_in_template() const {
    constexpr std::size_t kFewErrors = 5;  // each is looked up from the beginning of the text
    const std::span few(error_lines_.data(), std::min(error_lines_.size(), kFewErrors));
    return std::ranges::any_of(few, [&](std::uint32_t number) {
      std::string_view rest = text_;
      for (std::uint32_t i = 1; i < number && !rest.empty(); ++i) {
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
      }
      const std::string_view line = rest.substr(0, rest.find('\n'));
      return number > 0 && (line.find("{{") != std::string_view::npos || line.find("{%") != std::string_view::npos);
    });
  }

  std::string_view text_;
  std::string_view name_;
  const DecodeOptions& options_;
  Documents& into_;
  ParsedJson json_;
  std::vector<std::uint32_t> error_lines_;
};

}  // namespace

void read_documents(std::string_view text, std::string_view name, const DecodeOptions& options, Documents& into) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  TextReader(text, name, options, into).read();
}

}  // namespace berth::codec
