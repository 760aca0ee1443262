// Puts the values of a YAML document into a YamlTree: gives scalars their meaning, follows aliases, merges maps, finds
// duplicate keys, and keeps count of what the limits bound. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/codec/yaml_cursor.h"
#include "berth/codec/yaml_parser.h"
#include "berth/codec/yaml_scalar.h"
#include "berth/codec/yaml_text_reader.h"
#include "berth/codec/yaml_tree.h"

namespace berth::codec {

// What may stand in front of a value: "&anchor" and "!tag".
struct YamlProperties {
  std::string_view anchor;
  std::string_view tag;
  const char* at = nullptr;  // where the first of them begins

  bool empty() const { return anchor.data() == nullptr && tag.data() == nullptr; }
};

// One document. The functions that return bool fail through the cursor.
class YamlBuilder {
 public:
  using Index = std::uint32_t;

  // What was counted before a list or map began.
  struct Collection {
    std::size_t nodes_before = 0;
    int height_before = 0;
  };
  // An element or member of a list or map that is being read; elements have no key.
  struct Entry {
    YamlTree::Member member{nullptr, 0, 0};
    bool is_merge = false;
  };

  YamlBuilder(YamlCursor& in, YamlTree& tree, YamlDocuments::Options options)
      : in_(in), tree_(tree), options_(options) {}

  // Every list and map is opened before and closed after its content, to keep count of depth, anchors and growth.
  bool open(const YamlProperties& properties, Collection& collection);
  void close(const YamlProperties& properties, const Collection& collection, Index value);
  // Entries are pushed as they are read; add_list() and add_map() take those behind the mark.
  std::size_t mark() const { return pending_.size(); }
  void push(const Entry& entry) { pending_.push_back(entry); }

  bool add_scalar(const YamlText& scalar, const YamlProperties& properties, Index& result);
  Index add_list(std::size_t first, std::uint32_t line);
  bool add_map(std::size_t first, std::uint32_t line, Index& result);
  // The text of a key. Numbers and booleans become what sigs.k8s.io/yaml makes of them.
  bool make_key(const YamlText& scalar, const YamlProperties& properties, YamlTree::Member& key, bool& is_merge);
  // A value that is in the tree already, as a key.
  bool read_as_key(Index index, YamlText& scalar);
  // The value that an alias stands for. `place` is where the alias stands, for errors.
  bool follow_alias(std::string_view name, const char* place, Index& value);
  // Following the aliases must not make a small text into an endless document.
  bool check_growth(const char* place = nullptr);

 private:
  struct Anchor {
    Index value;
    bool is_open;
    std::size_t nodes;
    int height;
  };

  Index add_value(YamlTree::Value value);
  // The meaning of a scalar by its tag, or by its look if it has none and no quotes.
  bool resolve(const YamlText& scalar, std::string_view tag, YamlScalar& resolved);
  // Puts the members of the maps that stand behind "<<" in their place. As in goyaml, what comes later counts, also if
  // it is merged; of a list of maps, the first counts.
  bool expand_merges(std::size_t first);
  // Of members with the same key the last value counts.
  void drop_duplicates(std::size_t first);

  YamlCursor& in_;
  YamlTree& tree_;
  YamlDocuments::Options options_;
  std::unordered_map<std::string_view, Anchor> anchors_;
  std::vector<Entry> pending_;
  int depth_ = 0;
  // Of the document with its aliases followed: nodes so far, and how deep the open collection's content nests.
  std::size_t expanded_nodes_ = 0;
  int height_ = 0;
};

}  // namespace berth::codec
