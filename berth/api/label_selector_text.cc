#include "berth/api/label_selector_text.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace berth::api {

namespace {

using Op = LabelRequirement::Op;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_of_word(char c) {
  return !is_blank(c) && c != '=' && c != '!' && c != ',' && c != '(' && c != ')';
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : text_(text) {}

  Result<LabelMatcher> run() {
    LabelMatcher matcher = LabelMatcher::everything();
    skip_blanks();
    if (rest().empty()) return matcher;
    while (true) {
      auto requirement = parse_requirement();
      if (!requirement) return fail(requirement.error());
      matcher.require(*std::move(requirement));
      if (rest().empty()) return matcher;
      if (!take(",")) return unexpected("',' or the end");
    }
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }
  std::string_view take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    skip_blanks();
    return word;
  }
  std::unexpected<Error> unexpected(std::string_view expected) const {
    return fail(Error(fmt::format("label selector \"{}\": expected {}, found {}", text_, expected,
                                  rest().empty() ? "the end" : fmt::format("\"{}\"", rest())))
                    .with_fix("the form is app=web,tier in (a, b),!canary"));
  }

  Result<LabelRequirement> parse_requirement() {
    const bool is_absent = take("!");
    const std::string_view key = take_word();
    if (key.empty()) return unexpected("the key of a label");
    if (is_absent) return compiled(key, Op::kDoesNotExist, {});
    if (rest().empty() || rest().starts_with(',')) return compiled(key, Op::kExists, {});
    if (take("!=")) return compiled(key, Op::kNotIn, {Symbol(take_word())});
    if (take("==") || take("=")) return compiled(key, Op::kIn, {Symbol(take_word())});
    const std::size_t before = at_;
    const std::string_view word = take_word();
    if (word != "in" && word != "notin") {
      at_ = before;
      return unexpected("=, ==, !=, in, notin or ','");
    }
    auto values = parse_values();
    if (!values) return fail(values.error());
    return compiled(key, word == "in" ? Op::kIn : Op::kNotIn, *values);
  }

  Result<std::vector<Symbol>> parse_values() {
    if (!take("(")) return unexpected("'('");
    std::vector<Symbol> values;
    while (true) {
      values.emplace_back(take_word());
      if (take(")")) return values;
      if (!take(",")) return unexpected("',' or ')'");
    }
  }

  Result<LabelRequirement> compiled(std::string_view key, Op op, const std::vector<Symbol>& values) const {
    std::vector<std::string> errors;
    LabelRequirement requirement = LabelRequirement::compile(Symbol(key), op, values, "", errors);
    if (!errors.empty()) return fail(fmt::format("label selector \"{}\": {}", text_, errors.front()));
    return requirement;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<LabelMatcher> parse_label_selector(std::string_view text) {
  return SelectorParser(text).run();
}

}  // namespace berth::api
