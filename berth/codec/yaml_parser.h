// Parses YAML into trees. Internal to this folder.
//
// The parser is Berth's own, because a dump of a large cluster is a hundred megabytes and the YAML libraries at hand
// read three a second. It reads what goyaml v2 reads (so kubectl and kube-scheduler), with its meaning: block and flow
// collections, all styles of scalar, anchors, aliases, merge keys, tags of the core schema, documents divided by "---".
// Left out, and reported as an error: lists and objects as keys, !!binary, and tags declared with %TAG.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "berth/codec/value_node.h"
#include "berth/codec/yaml_cursor.h"
#include "berth/codec/yaml_tree.h"

namespace berth::codec {

// Reads the documents of a text one after another. The text must live as long as this and the trees.
class YamlDocuments {
 public:
  struct Options {
    // Maps have their members sorted, as they are when kube-scheduler looks for unknown fields.
    bool sort_keys = false;
    // 1.0 stays a real. Without, it is an integer, as it is to Kubernetes, which goes through JSON and writes it as 1.
    bool keep_reals = false;
  };
  YamlDocuments(std::string_view text, Options options);
  YamlDocuments(const YamlDocuments&) = delete;
  YamlDocuments& operator=(const YamlDocuments&) = delete;

  enum class Next { kDocument, kError, kEnd };
  // Fills `tree`. Empty documents are skipped. After an error it goes on with the next document.
  Next next(YamlTree& tree);
  // Requires: next() gave kError.
  Problem take_problem();

  // What the trees' names and texts point into, where they stand in the document as they are.
  std::string_view text() const { return {in_.begin, static_cast<std::size_t>(in_.end - in_.begin)}; }

 private:
  bool check_characters();
  bool start_document(bool& has_content, bool& keys_allowed);
  void recover();

  Options options_;
  std::string with_unix_line_ends_;
  YamlCursor in_;
  bool is_checked_ = false;
};

}  // namespace berth::codec
