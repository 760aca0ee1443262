// Label selectors, compiled for matching: a conjunction of requirements on labels, or "nothing".
//
// Compiling checks the syntax of keys and values as upstream does; errors carry upstream's text. Matching cannot fail
// and costs a few integer comparisons per requirement. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/meta.h"
#include "berth/base/error.h"

namespace berth::api {

// One condition on one label. kGreater and kLess stand in node selectors only.
struct LabelRequirement {
  enum class Op : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGreater, kLess };

  Symbol key;
  Op op = Op::kExists;
  std::vector<Symbol> values;
  std::int64_t bound = 0;  // of kGreater and kLess

  // Appends what is wrong to `errors`; `place` is "" or the path of the requirement followed by a dot.
  static LabelRequirement compile(Symbol key, Op op, std::span<const Symbol> values, std::string_view place,
                                  std::vector<std::string>& errors);

  bool matches(const Labels& labels) const;
  bool operator==(const LabelRequirement&) const = default;
};

class LabelMatcher {
 public:
  // Matches nothing.
  LabelMatcher() = default;
  static LabelMatcher everything();

  static Result<LabelMatcher> compile(const LabelSelector& selector);
  // A null selector matches nothing.
  static Result<LabelMatcher> compile(const std::optional<LabelSelector>& selector);
  // All of `labels` have to be there with these values. The syntax is not checked.
  static LabelMatcher of_labels(const Labels& labels);

  bool matches(const Labels& labels) const;

  // Upstream's Empty(): without requirements, and not "nothing".
  bool is_everything() const { return !is_nothing_ && requirements_.empty(); }
  bool is_nothing() const { return is_nothing_; }
  std::span<const LabelRequirement> requirements() const { return requirements_; }

  // Narrows the selector. Nothing stays nothing.
  void require(LabelRequirement requirement);
  void require_equal(Symbol key, Symbol value);

  bool operator==(const LabelMatcher&) const = default;

 private:
  bool is_nothing_ = true;
  std::vector<LabelRequirement> requirements_;
};

}  // namespace berth::api
