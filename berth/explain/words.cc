#include "berth/explain/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace berth::explain {

std::string nodes_that(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", counted(count, "node"), count == 1 ? one : many);
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

}  // namespace berth::explain
