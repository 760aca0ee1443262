#include "berth/api/label_selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/api/names.h"

namespace berth::api {

namespace {

std::optional<LabelRequirement::Op> op_of(Symbol op) {
  using Op = LabelRequirement::Op;
  if (op == "In") return Op::kIn;
  if (op == "NotIn") return Op::kNotIn;
  if (op == "Exists") return Op::kExists;
  if (op == "DoesNotExist") return Op::kDoesNotExist;
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& errors) {
  return fmt::format("{}", fmt::join(errors, "; "));
}

}  // namespace

LabelRequirement LabelRequirement::compile(Symbol key, Op op, std::span<const Symbol> values, std::string_view place,
                                           std::vector<std::string>& errors) {
  LabelRequirement requirement{.key = key, .op = op, .values = {values.begin(), values.end()}, .bound = 0};
  const std::string values_place = fmt::format("{}values", place);
  const auto wrong_values = [&](std::string_view what) {
    std::vector<std::string_view> texts;
    for (const Symbol value : values) texts.push_back(value.text());
    errors.push_back(invalid_values(values_place, texts, what));
  };
  if (const auto wrong = qualified_name_errors(key.text()); !wrong.empty()) {
    errors.push_back(invalid_value(fmt::format("{}key", place), key.text(), joined(wrong)));
  }
  switch (op) {
    case Op::kIn:
    case Op::kNotIn:
      if (values.empty()) wrong_values("for 'in', 'notin' operators, values set can't be empty");
      break;
    case Op::kExists:
    case Op::kDoesNotExist:
      if (!values.empty()) wrong_values("values set must be empty for exists and does not exist");
      break;
    case Op::kGreater:
    case Op::kLess:
      if (values.size() != 1) wrong_values("for 'Gt', 'Lt' operators, exactly one value is required");
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (const auto bound = parse_integer(values[i].text())) {
          requirement.bound = *bound;
        } else {
          errors.push_back(invalid_value(fmt::format("{}[{}]", values_place, i), values[i].text(),
                                         "for 'Gt', 'Lt' operators, the value must be an integer"));
        }
      }
      break;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto wrong = label_value_errors(values[i].text()); !wrong.empty()) {
      const std::string value_place = fmt::format("{}[{}][{}]", values_place, i, key.text());
      errors.push_back(invalid_value(value_place, values[i].text(), joined(wrong)));
    }
  }
  return requirement;
}

bool LabelRequirement::matches(const Labels& labels) const {
  const Symbol* value = labels.find(key);
  const auto is_listed = [&] { return std::ranges::find(values, *value) != values.end(); };
  switch (op) {
    case Op::kIn: return value != nullptr && is_listed();
    case Op::kNotIn: return value == nullptr || !is_listed();
    case Op::kExists: return value != nullptr;
    case Op::kDoesNotExist: return value == nullptr;
    case Op::kGreater:
    case Op::kLess: {
      if (value == nullptr) return false;
      const std::optional<std::int64_t> number = parse_integer(value->text());
      return number.has_value() && (op == Op::kGreater ? *number > bound : *number < bound);
    }
  }
  return false;
}

LabelMatcher LabelMatcher::everything() {
  LabelMatcher matcher;
  matcher.is_nothing_ = false;
  return matcher;
}

Result<LabelMatcher> LabelMatcher::compile(const LabelSelector& selector) {
  LabelMatcher matcher = everything();
  std::vector<std::string> errors;
  for (const auto& [key, value] : selector.match_labels) {
    matcher.requirements_.push_back(
        LabelRequirement::compile(key, LabelRequirement::Op::kIn, std::span(&value, 1), "", errors));
    if (!errors.empty()) return fail(aggregate_errors(errors));
  }
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    const auto op = op_of(expression.op);
    if (!op) return fail(quoted(expression.op.text()) + " is not a valid label selector operator");
    matcher.requirements_.push_back(LabelRequirement::compile(expression.key, *op, expression.values, "", errors));
    if (!errors.empty()) return fail(aggregate_errors(errors));
  }
  return matcher;
}

Result<LabelMatcher> LabelMatcher::compile(const std::optional<LabelSelector>& selector) {
  return selector ? compile(*selector) : LabelMatcher();
}

LabelMatcher LabelMatcher::of_labels(const Labels& labels) {
  LabelMatcher matcher = everything();
  for (const auto& [key, value] : labels) matcher.require_equal(key, value);
  return matcher;
}

bool LabelMatcher::matches(const Labels& labels) const {
  return !is_nothing_ && std::ranges::all_of(requirements_, [&](const LabelRequirement& requirement) {
    return requirement.matches(labels);
  });
}

void LabelMatcher::require(LabelRequirement requirement) {
  if (!is_nothing_) requirements_.push_back(std::move(requirement));
}

void LabelMatcher::require_equal(Symbol key, Symbol value) {
  require(LabelRequirement{.key = key, .op = LabelRequirement::Op::kIn, .values = {value}, .bound = 0});
}

}  // namespace berth::api
