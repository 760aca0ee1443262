#include "berth/codec/yaml_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "berth/codec/decode.h"
#include "berth/codec/json_text.h"
#include "berth/codec/yaml.h"

namespace berth::codec {
namespace {

// Aliases in documents that stay below this size are never too many.
constexpr std::size_t kSmallDocumentNodes = 10'000;

}  // namespace

YamlBuilder::Index YamlBuilder::add_value(YamlTree::Value value) {
  tree_.values.push_back(value);
  ++expanded_nodes_;
  return static_cast<Index>(tree_.values.size() - 1);
}

bool YamlBuilder::resolve(const YamlText& scalar, std::string_view tag, YamlScalar& resolved) {
  if (tag == "!!str" || tag == "!<tag:yaml.org,2002:str>" || (tag.data() == nullptr && !scalar.is_plain)) return true;
  const bool is_custom_tag = tag.data() != nullptr && tag != "!!int" && tag != "!!float" && tag != "!!bool" &&
                             tag != "!!null" && tag != "!!timestamp";
  if (tag == "!!binary") return in_.fail("!!binary is not supported; write the base64 text as it is");
  if (is_custom_tag) return true;
  resolved = resolve_yaml_scalar(scalar.text);
  const auto is_real = [&] { return resolved.kind == NodeKind::kReal || resolved.kind == NodeKind::kInteger; };
  const bool fits =
      tag.data() == nullptr || tag == "!!timestamp" ||
      (tag == "!!int" && (resolved.kind == NodeKind::kInteger || resolved.kind == NodeKind::kBigInteger)) ||
      (tag == "!!float" && is_real()) || (tag == "!!bool" && resolved.kind == NodeKind::kBool) ||
      (tag == "!!null" && resolved.kind == NodeKind::kNull);
  if (!fits) return in_.fail(fmt::format("cannot read `{}` as {}", scalar.text, tag));
  if (tag == "!!timestamp") resolved = YamlScalar();
  return true;
}

bool YamlBuilder::add_scalar(const YamlText& scalar, const YamlProperties& properties, Index& result) {
  YamlScalar resolved;
  if (!resolve(scalar, properties.tag, resolved)) return false;
  YamlTree::Value value;
  value.kind = resolved.kind;
  value.line = scalar.line;
  switch (resolved.kind) {
    case NodeKind::kBool: value.boolean = resolved.boolean; break;
    case NodeKind::kInteger: value.integer = resolved.integer; break;
    case NodeKind::kBigInteger: value.big_integer = resolved.big_integer; break;
    case NodeKind::kReal:
      if (!std::isfinite(resolved.real)) {
        return in_.fail(fmt::format("the number {} cannot be used: JSON has no such value", scalar.text));
      }
      if (!options_.keep_reals && resolved.real == std::trunc(resolved.real) && std::fabs(resolved.real) < 0x1p63) {
        value.kind = NodeKind::kInteger;
        value.integer = static_cast<std::int64_t>(resolved.real);
      } else {
        value.real = resolved.real;
      }
      break;
    case NodeKind::kString:
      if (scalar.text.size() > std::numeric_limits<std::uint32_t>::max()) return in_.fail("a string is too long");
      value.text = scalar.text.data();
      value.size = static_cast<std::uint32_t>(scalar.text.size());
      break;
    case NodeKind::kNull:
    case NodeKind::kList:
    case NodeKind::kMap: break;
  }
  result = add_value(value);
  if (properties.anchor.data() != nullptr) anchors_[properties.anchor] = Anchor{result, false, 1, 0};
  return true;
}

bool YamlBuilder::make_key(const YamlText& scalar, const YamlProperties& properties, YamlTree::Member& key,
                           bool& is_merge) {
  is_merge = scalar.is_plain && properties.tag.data() == nullptr && scalar.text == "<<";
  YamlScalar resolved;
  if (!resolve(scalar, properties.tag, resolved)) return false;
  std::string_view text = scalar.text;
  switch (resolved.kind) {
    case NodeKind::kString: break;
    case NodeKind::kBool: text = resolved.boolean ? "true" : "false"; break;
    case NodeKind::kInteger: text = tree_.texts.emplace_back(std::to_string(resolved.integer)); break;
    case NodeKind::kReal: {
      std::string& number = tree_.texts.emplace_back();
      if (std::isfinite(resolved.real)) {
        append_shortest_number(number, resolved.real, true);
      } else {
        number = std::isnan(resolved.real) ? ".nan" : resolved.real > 0 ? ".inf" : "-.inf";
      }
      text = number;
      break;
    }
    default: return in_.fail(scalar.text.empty() ? "an empty key is not supported" : "this cannot be a key; quote it");
  }
  if (properties.anchor.data() != nullptr) {
    Index ignored = 0;
    if (!add_scalar(scalar, properties, ignored)) return false;
  }
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) return in_.fail("a key is too long");
  key = YamlTree::Member{text.data(), static_cast<std::uint32_t>(text.size()), 0};
  return true;
}

bool YamlBuilder::read_as_key(Index index, YamlText& scalar) {
  const YamlTree::Value& value = tree_.value(index);
  scalar.line = value.line;
  switch (value.kind) {
    case NodeKind::kString: scalar.text = {value.text, value.size}; return true;
    case NodeKind::kBool: scalar.text = value.boolean ? "true" : "false"; return true;
    case NodeKind::kInteger: scalar.text = tree_.texts.emplace_back(std::to_string(value.integer)); return true;
    case NodeKind::kReal:
      append_shortest_number(tree_.texts.emplace_back(), value.real, true);
      scalar.text = tree_.texts.back();
      return true;
    case NodeKind::kNull: return in_.fail("an empty key is not supported");
    default: return in_.fail("a list or an object cannot be a key");
  }
}

YamlBuilder::Index YamlBuilder::add_list(std::size_t first, std::uint32_t line) {
  YamlTree::Value list;
  list.kind = NodeKind::kList;
  list.line = line;
  list.size = static_cast<std::uint32_t>(pending_.size() - first);
  list.first = static_cast<std::uint32_t>(tree_.elements.size());
  for (std::size_t i = first; i < pending_.size(); ++i) tree_.elements.push_back(pending_[i].member.value);
  pending_.resize(first);
  return add_value(list);
}

bool YamlBuilder::add_map(std::size_t first, std::uint32_t line, Index& result) {
  const bool has_merge = std::any_of(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end(),
                                     [](const Entry& entry) { return entry.is_merge; });
  if (has_merge && !expand_merges(first)) return false;
  drop_duplicates(first);
  const auto begin = pending_.begin() + static_cast<std::ptrdiff_t>(first);
  if (options_.sort_keys) {
    std::sort(begin, pending_.end(), [](const Entry& a, const Entry& b) { return a.member.name() < b.member.name(); });
  }
  YamlTree::Value map;
  map.kind = NodeKind::kMap;
  map.line = line;
  map.size = static_cast<std::uint32_t>(pending_.size() - first);
  map.first = static_cast<std::uint32_t>(tree_.members.size());
  for (auto entry = begin; entry != pending_.end(); ++entry) tree_.members.push_back(entry->member);
  pending_.resize(first);
  result = add_value(map);
  return true;
}

bool YamlBuilder::expand_merges(std::size_t first) {
  std::vector<Entry> entries(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end());
  pending_.resize(first);
  const auto add_members_of = [this](Index index) {
    const YamlTree::Value& map = tree_.value(index);
    if (map.kind != NodeKind::kMap) return in_.fail("map merge requires map or sequence of maps as the value");
    expanded_nodes_ += map.size;
    for (std::uint32_t i = 0; i < map.size; ++i) pending_.push_back(Entry{tree_.members[map.first + i]});
    return check_growth();
  };
  for (const Entry& entry : entries) {
    if (!entry.is_merge) {
      pending_.push_back(entry);
      continue;
    }
    const YamlTree::Value& merged = tree_.value(entry.member.value);
    if (merged.kind != NodeKind::kList) {
      if (!add_members_of(entry.member.value)) return false;
      continue;
    }
    for (std::uint32_t i = merged.size; i > 0; --i) {
      if (!add_members_of(tree_.elements[merged.first + i - 1])) return false;
    }
  }
  return true;
}

void YamlBuilder::drop_duplicates(std::size_t first) {
  constexpr std::size_t kFewMembers = 24;
  const std::size_t count = pending_.size() - first;
  std::unordered_map<std::string_view, std::size_t> places;
  if (count > kFewMembers) places.reserve(count);
  std::size_t kept = first;
  for (std::size_t i = first; i < pending_.size(); ++i) {
    const Entry entry = pending_[i];
    const std::string_view name = entry.member.name();
    std::size_t place = kept;
    if (count > kFewMembers) {
      place = places.try_emplace(name, kept).first->second;
    } else {
      for (std::size_t k = first; k < kept && place == kept; ++k) {
        if (pending_[k].member.name() == name) place = k;
      }
    }
    pending_[place] = entry;
    if (place == kept) {
      ++kept;
    } else {
      std::string quoted;
      append_json_string(quoted, name);
      tree_.duplicates.push_back(
          Problem{Error(fmt::format("key {} already set in map", quoted)), tree_.value(entry.member.value).line});
    }
  }
  pending_.resize(kept);
}

bool YamlBuilder::follow_alias(std::string_view name, const char* place, Index& value) {
  const auto anchor = anchors_.find(name);
  if (anchor == anchors_.end()) return in_.fail(fmt::format("unknown anchor '{}' referenced", name), place);
  if (anchor->second.is_open) return in_.fail(fmt::format("anchor '{}' value contains itself", name), place);
  value = anchor->second.value;
  expanded_nodes_ += anchor->second.nodes;
  height_ = std::max(height_, anchor->second.height);
  if (depth_ + anchor->second.height > kMaxDepth) {
    return in_.fail(fmt::format("nested deeper than {} levels", kMaxDepth), place);
  }
  return check_growth(place);
}

bool YamlBuilder::check_growth(const char* place) {
  const std::size_t in_text = std::max(tree_.values.size(), kSmallDocumentNodes);
  if (expanded_nodes_ > kMaxYamlNodes || expanded_nodes_ / kMaxYamlAliasGrowth > in_text) {
    return in_.fail("document contains excessive aliasing", place);
  }
  return true;
}

bool YamlBuilder::open(const YamlProperties& properties, Collection& collection) {
  if (depth_ >= kMaxDepth) return in_.fail(fmt::format("nested deeper than {} levels", kMaxDepth));
  ++depth_;
  if (properties.anchor.data() != nullptr) anchors_[properties.anchor] = Anchor{0, true, 0, 0};
  collection = Collection{expanded_nodes_, std::exchange(height_, 0)};
  return true;
}

void YamlBuilder::close(const YamlProperties& properties, const Collection& collection, Index value) {
  --depth_;
  ++height_;
  if (properties.anchor.data() != nullptr) {
    anchors_[properties.anchor] = Anchor{value, false, expanded_nodes_ - collection.nodes_before, height_};
  }
  height_ = std::max(collection.height_before, height_);
}

}  // namespace berth::codec
