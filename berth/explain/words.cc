#include "berth/explain/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace berth::explain {

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string nodes_that(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", counted(count, "node"), count == 1 ? one : many);
}

std::string listed(std::span<const std::string> things, std::size_t shown) {
  // "and 1 more" is no shorter than naming it.
  const std::size_t named = things.size() > shown + 1 ? shown : things.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == named && named == things.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += things[i];
  }
  if (named < things.size()) text += fmt::format(" and {} more", things.size() - named);
  return text;
}

namespace {

// Of a thousand cpus and more, tenths say enough.
std::string cpu(std::int64_t milli, Round round) {
  if (milli >= 1'000'000) milli = (milli + (round == Round::kUp ? 99 : 0)) / 100 * 100;
  if (milli % 1000 == 0) return fmt::format("{}", milli / 1000);
  if (milli > 1000 && milli % 100 == 0) return fmt::format("{}.{}", milli / 1000, milli % 1000 / 100);
  if (milli < 10'000) return fmt::format("{}m", milli);
  std::string text = fmt::format("{}.{:03}", milli / 1000, milli % 1000);
  while (text.back() == '0') text.pop_back();
  return text;
}

std::string bytes(std::int64_t value, Round round) {
  constexpr std::array<std::string_view, 6> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  std::size_t unit = 0;
  std::int64_t size = 1;
  while (unit + 1 < kUnits.size() && value >= size * 1024) {
    size *= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{}", value);
  const std::int64_t whole = value / size;
  const std::int64_t rest = value % size * 10;  // fits: the largest unit is 2^50
  const std::int64_t rounded = (rest + (round == Round::kUp ? size - 1 : 0)) / size;
  if (rounded == 0) return fmt::format("{}{}", whole, kUnits[unit]);
  if (rounded == 10) return fmt::format("{}{}", whole + 1, kUnits[unit]);
  return fmt::format("{}.{}{}", whole, rounded, kUnits[unit]);
}

bool is_counted_in_bytes(Symbol resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.text().starts_with("hugepages-");
}

}  // namespace

std::string amount(Symbol resource, std::int64_t value, Round round) {
  if (value < 0) return "-" + amount(resource, -value, round);
  if (resource == "cpu") return cpu(value, round);
  return is_counted_in_bytes(resource) ? bytes(value, round) : fmt::format("{}", value);
}

std::string amount_of(Symbol resource, std::int64_t value, Round round) {
  return fmt::format("{} {}", amount(resource, value, round), resource.text());
}

std::string taint_text(const api::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key.text(), taint.value.empty() ? "" : "=", taint.value.text(),
                     taint.effect.text());
}

std::string requirement_text(std::string_view key, std::string_view op, std::span<const Symbol> values) {
  std::vector<std::string_view> texts;
  for (const Symbol value : values) texts.push_back(value.text());
  if (op == "Exists") return fmt::format("{} (any value)", key);
  if (op == "DoesNotExist") return fmt::format("no {}", key);
  if (op == "Gt") return fmt::format("{} > {}", key, fmt::join(texts, ""));
  if (op == "Lt") return fmt::format("{} < {}", key, fmt::join(texts, ""));
  if (op == "NotIn") {
    return texts.size() == 1 ? fmt::format("{}!={}", key, texts[0])
                             : fmt::format("{} not in ({})", key, fmt::join(texts, ", "));
  }
  return texts.size() == 1 ? fmt::format("{}={}", key, texts[0])
                           : fmt::format("{} in ({})", key, fmt::join(texts, ", "));
}

std::string selector_text(const std::optional<api::LabelSelector>& selector) {
  if (!selector) return "no labels";
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector->match_labels) {
    parts.push_back(fmt::format("{}={}", key.text(), value.text()));
  }
  for (const api::LabelSelectorRequirement& each : selector->match_expressions) {
    parts.push_back(requirement_text(each.key.text(), each.op.text(), each.values));
  }
  return parts.empty() ? "any labels" : fmt::format("{}", fmt::join(parts, ","));
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto digits = [&](std::string_view text, std::size_t& at) {
      while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(begin, at - begin);
    };
    const std::string_view x = digits(a, i), y = digits(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

}  // namespace berth::explain
