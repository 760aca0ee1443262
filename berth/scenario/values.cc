#include "berth/scenario/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "berth/api/names.h"
#include "berth/validation/amounts.h"

namespace berth::scenario {

namespace {

std::unexpected<std::string> expected(std::string what) {
  return std::unexpected(std::move(what));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Text before and after the first separator; the second part is empty if there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};

bool is_effect(std::string_view text) {
  return std::ranges::find(kEffects, text) != kEffects.end();
}

// One condition on a label, as label selectors and node selectors both have it.
struct Requirement {
  std::string_view key;
  std::string_view op;
  std::string_view values;  // separated by |
};

// Empty key: not one.
Requirement requirement_of(std::string_view text, bool with_comparisons) {
  if (text.starts_with('!')) return {text.substr(1), "DoesNotExist", {}};
  const std::size_t at = text.find_first_of(with_comparisons ? "=!<>" : "=!");
  if (at == std::string_view::npos) return {text, "Exists", {}};
  const std::string_view key = text.substr(0, at);
  switch (text[at]) {
    case '=': return {key, "In", text.substr(at + 1)};
    case '<': return {key, "Lt", text.substr(at + 1)};
    case '>': return {key, "Gt", text.substr(at + 1)};
    default: return text.substr(at).starts_with("!=") ? Requirement{key, "NotIn", text.substr(at + 2)} : Requirement{};
  }
}

constexpr std::string_view kSelectorForm = "a selector such as app=web, app!=web, tier=a|b, gpu or !gpu";

template <typename Item>
Value<Item> compile_requirement(std::string_view text, bool with_comparisons, std::string_view form) {
  const Requirement requirement = requirement_of(text, with_comparisons);
  if (!api::is_qualified_name(requirement.key)) return expected(std::string(form));
  Item item{.key = Symbol(requirement.key), .op = Symbol(requirement.op), .values = {}};
  if (requirement.op == "Exists" || requirement.op == "DoesNotExist") return item;
  for (const std::string_view value : split(requirement.values, '|')) {
    if (!api::is_label_value(value)) return expected(std::string(form));
    item.values.emplace_back(value);
  }
  if ((requirement.op == "Gt" || requirement.op == "Lt") && !read_number(requirement.values)) {
    return expected(std::string(form));
  }
  return item;
}

}  // namespace

Value<std::int64_t> read_number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most || text.empty()) {
    if (most == std::numeric_limits<std::int64_t>::max()) {
      return expected(least < 0 ? "a whole number" : fmt::format("a whole number of at least {}", least));
    }
    return expected(fmt::format("a whole number from {} to {}", least, most));
  }
  return number;
}

// "2d" and "1d12h", which Go's durations do not have, are read as well: reports speak of days.
Value<Duration> read_duration(std::string_view text) {
  const std::string form = "a duration such as 30s, 1h30m or 2d";
  constexpr std::int64_t kMostDays = 36'500;
  Duration days;
  if (const std::size_t at = text.find('d'); at != std::string_view::npos) {
    const auto count = read_number(text.substr(0, at), 0, kMostDays);
    if (!count) return expected(form);
    days = Duration::hours(24 * *count);
    text.remove_prefix(at + 1);
    if (text.empty()) return days;
  }
  const auto duration = Duration::parse(text);
  if (!duration || *duration < Duration()) return expected(form);
  return days + *duration;
}

Value<api::Quantity> read_quantity(std::string_view text) {
  auto quantity = api::Quantity::parse(text);
  if (!quantity || quantity->sign() < 0) return expected("an amount such as 2, 500m or 8Gi");
  return *std::move(quantity);
}

Value<api::Quantity> read_amount(Symbol resource, std::string_view text) {
  auto quantity = read_quantity(text);
  const api::Quantity& largest = validation::largest_amount(resource);
  if (quantity && *quantity > largest) {
    return expected(fmt::format("at most {}, which is as much {} as can be counted", largest.str(), resource.text()));
  }
  return quantity;
}

Value<api::Quantity> read_whole_amount(Symbol resource, std::string_view text) {
  auto quantity = read_amount(resource, text);
  if (quantity && *quantity != api::Quantity::from_units(quantity->value())) return expected("a whole number");
  return quantity;
}

Value<api::IntOrString> read_count_or_percentage(std::string_view text) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (const auto number = read_number(text, 0, kMost)) {
    return api::IntOrString{.number = static_cast<std::int32_t>(*number), .text = std::nullopt};
  }
  if (text.ends_with('%') && read_number(text.substr(0, text.size() - 1), 0, 100)) {
    return api::IntOrString{.number = 0, .text = std::string(text)};
  }
  return expected("a number such as 2 or a percentage such as 50%");
}

Value<sim::Rate> read_rate(std::string_view text) {
  const std::string form = "a rate such as 5% or 0.1%";
  if (!text.ends_with('%')) return expected(form);
  // Percent in thousandths of a thousandth: exact, and no floating point.
  const auto amount = api::Quantity::parse(text.substr(0, text.size() - 1));
  if (!amount || amount->sign() < 0 || *amount > api::Quantity::from_units(100)) return expected(form);
  return static_cast<sim::Rate>(amount->scaled_value(-4));
}

Value<Range> read_range(std::string_view text) {
  const std::string form = "two durations such as 1s..10s";
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return expected(form);
  const auto low = read_duration(text.substr(0, dots));
  const auto high = read_duration(text.substr(dots + 2));
  if (!low || !high || *high < *low) return expected(form);
  return Range{*low, *high};
}

Value<sim::Latency> read_latency(std::string_view text) {
  if (const auto fixed = read_duration(text)) return sim::Latency::fixed(*fixed);
  const bool is_exponential = text.starts_with('~');
  if (const auto range = read_range(is_exponential ? text.substr(1) : text)) {
    const auto shape = is_exponential ? sim::Latency::Shape::kExponential : sim::Latency::Shape::kUniform;
    return sim::Latency{shape, range->low, range->high};
  }
  return expected("a duration such as 5ms, a range such as 1ms..20ms, or ~MEAN..MOST");
}

Value<std::string> read_text(std::string_view text) {
  if (text.empty()) return expected("a text");
  return std::string(text);
}

Value<Symbol> read_label_key(std::string_view text) {
  if (!api::is_qualified_name(text)) return expected("a label's name such as app or example.com/app");
  return Symbol(text);
}

Value<Symbol> read_label_value(std::string_view text) {
  if (!api::is_label_value(text)) return expected("a label's value (letters, digits, - _ .)");
  return Symbol(text);
}

Value<std::vector<Symbol>> read_list(std::string_view text) {
  std::vector<Symbol> items;
  for (const std::string_view item : split(text, ',')) {
    if (item.empty()) return expected("names with commas between them");
    items.emplace_back(item);
  }
  return items;
}

Value<api::LabelSelector> read_selector(std::string_view text) {
  api::LabelSelector selector;
  if (text == "*") return selector;
  for (const std::string_view part : split(text, ',')) {
    auto item = compile_requirement<api::LabelSelectorRequirement>(part, false, kSelectorForm);
    if (!item) return std::unexpected(item.error());
    if (item->op == "In" && item->values.size() == 1 && !selector.match_labels.contains(item->key)) {
      selector.match_labels[item->key] = item->values.front();
    } else {
      selector.match_expressions.push_back(*std::move(item));
    }
  }
  return selector;
}

Value<api::NodeSelectorTerm> read_node_term(std::string_view text) {
  const std::string form = "labels of nodes such as disk=ssd, disk!=hdd, disk=a|b, gpu, !gpu or cores>4";
  api::NodeSelectorTerm term;
  for (const std::string_view part : split(text, ',')) {
    auto item = compile_requirement<api::NodeSelectorRequirement>(part, true, form);
    if (!item) return std::unexpected(item.error());
    auto& items = item->key == "metadata.name" ? term.match_fields : term.match_expressions;
    items.push_back(*std::move(item));
  }
  return term;
}

Value<api::Taint> read_taint(std::string_view text) {
  const std::string form = "a taint such as gpu=true:NoSchedule (or PreferNoSchedule, NoExecute)";
  const auto [what, effect] = cut(text, ':');
  const auto [key, value] = cut(what, '=');
  if (!api::is_qualified_name(key) || !api::is_label_value(value) || !is_effect(effect)) return expected(form);
  api::Taint taint;
  taint.key = Symbol(key);
  taint.value = Symbol(value);
  taint.effect = Symbol(effect);
  return taint;
}

Value<api::Toleration> read_toleration(std::string_view text) {
  const std::string form = "a toleration such as gpu, gpu=true or gpu=true:NoSchedule, or *";
  const auto [what, effect] = cut(text, ':');
  const auto [key, value] = cut(what, '=');
  if (text.find(':') != std::string_view::npos && !is_effect(effect)) return expected(form);
  if (key != "*" && (!api::is_qualified_name(key) || !api::is_label_value(value))) return expected(form);
  api::Toleration toleration;
  if (key != "*") toleration.key = Symbol(key);
  toleration.op = Symbol(what.find('=') == std::string_view::npos ? "Exists" : "Equal");
  toleration.value = Symbol(value);
  toleration.effect = Symbol(effect);
  return toleration;
}

Value<Symbol> read_topology(std::string_view text) {
  if (text == "zone") return Symbol(kZoneLabel);
  if (text == "region") return Symbol(kRegionLabel);
  if (text == "node" || text == "hostname") return Symbol(kHostnameLabel);
  if (!api::is_qualified_name(text)) return expected("zone, region, node or a label's name");
  return Symbol(text);
}

Value<WeightedText> read_weighted(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return WeightedText{text, 1};
  const auto weight = read_number(text.substr(at + 1), 1, 100);
  if (!weight) return expected("a weight from 1 to 100 after the last @");
  return WeightedText{text.substr(0, at), static_cast<std::int32_t>(*weight)};
}

bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;  // the last one, and where in the name it stopped
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace berth::scenario
