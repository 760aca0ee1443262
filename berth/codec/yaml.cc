#include "berth/codec/yaml.h"

#include <algorithm>
#include <string>
#include <utility>

#include "berth/codec/kind_reader.h"
#include "berth/codec/yaml_parser.h"
#include "berth/codec/yaml_tree.h"

namespace berth::codec {
namespace {

// Parses the one document, lets `read` (bool(KindReader&, YamlNode)) do its work, and turns what went wrong into an
// error.
template <typename Read>
Result<void> read_text(std::string_view text, const DecodeOptions& options, Read read) {
  YamlDocuments documents(text, {.sort_keys = options.strict});
  YamlTree tree;
  switch (documents.next(tree)) {
    case YamlDocuments::Next::kError: return fail(placed(documents.take_problem()));
    case YamlDocuments::Next::kEnd: return fail("the text is empty");
    case YamlDocuments::Next::kDocument: break;
  }
  KindReader<YamlNode> reader(options);
  if (!read(reader, YamlNode(tree, tree.root))) return fail(placed(reader.take_problem()));
  YamlTree further;
  switch (documents.next(further)) {
    case YamlDocuments::Next::kError: return fail(placed(documents.take_problem()));
    case YamlDocuments::Next::kEnd: break;
    case YamlDocuments::Next::kDocument:
      return fail(placed(Problem{Error("expected one document, got several"), further.value(further.root).line}));
  }
  if (!options.strict) return {};
  std::optional<Error> first;
  for (const Problem& duplicate : tree.duplicates) {
    Error error = placed(duplicate);
    if (options.report) options.report(error);
    if (!first) first = std::move(error);
  }
  auto first_unknown = reader.report_strict_problems();
  if (!first) first = std::move(first_unknown);
  if (first) return fail(*std::move(first));
  return {};
}

}  // namespace

Result<void> read_yaml(std::string_view text, const api::Type& type, void* target, const DecodeOptions& options) {
  return read_text(text, options, [&](KindReader<YamlNode>& reader, const YamlNode& root) {
    return reader.reader().read(root, type, target, nullptr, true);
  });
}

Result<api::AnyObject> object_from_yaml(std::string_view text, const DecodeOptions& options) {
  api::AnyObject object;
  auto read = read_text(text, options, [&](KindReader<YamlNode>& reader, const YamlNode& root) {
    return reader.read_any_object(root, nullptr, {}, object);
  });
  if (!read) return fail(std::move(read).error());
  return object;
}

}  // namespace berth::codec
