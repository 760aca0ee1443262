#include "berth/api/node_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "berth/api/names.h"

namespace berth::api {

namespace {

constexpr std::string_view kNameField = "metadata.name";

constexpr std::array<std::string_view, 6> kLabelOps = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
constexpr std::array<std::string_view, 2> kFieldOps = {"In", "NotIn"};

std::optional<LabelRequirement::Op> op_of(Symbol op) {
  using Op = LabelRequirement::Op;
  constexpr std::array kOps = {Op::kIn, Op::kNotIn, Op::kExists, Op::kDoesNotExist, Op::kGreater, Op::kLess};
  const auto at = std::ranges::find(kLabelOps, op.text());
  if (at == kLabelOps.end()) return std::nullopt;
  return kOps[static_cast<std::size_t>(at - kLabelOps.begin())];
}

bool is_empty(const NodeSelectorTerm& term) {
  return term.match_expressions.empty() && term.match_fields.empty();
}

std::string under(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

using Names = std::set<Symbol, SymbolTextLess>;

// The names that the term's conditions "metadata.name In" leave; nothing if there is no such condition.
std::optional<Names> names_of(const NodeSelectorTerm& term) {
  std::optional<Names> names;
  for (const NodeSelectorRequirement& field : term.match_fields) {
    if (field.key != kNameField || field.op != "In") continue;
    Names listed(field.values.begin(), field.values.end());
    if (names) std::erase_if(listed, [&](Symbol name) { return !names->contains(name); });
    names = std::move(listed);
  }
  return names;
}

std::optional<std::vector<Symbol>> names_of(const NodeSelector& selector) {
  if (selector.node_selector_terms.empty()) return std::nullopt;
  Names all;
  for (const NodeSelectorTerm& term : selector.node_selector_terms) {
    std::optional<Names> names = names_of(term);
    if (!names) return std::nullopt;
    all.merge(*names);
  }
  return std::vector<Symbol>(all.begin(), all.end());
}

}  // namespace

NodeTermMatcher::NodeTermMatcher(const NodeSelectorTerm& term, std::string_view path) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const NodeSelectorRequirement& expression = term.match_expressions[i];
    const std::string place = fmt::format("{}[{}]", under(path, "matchExpressions"), i);
    if (const auto op = op_of(expression.op)) {
      labels_.push_back(LabelRequirement::compile(expression.key, *op, expression.values, place + ".", errors_));
    } else {
      errors_.push_back(unsupported_value(place + ".operator", expression.op.text(), kLabelOps));
    }
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    const NodeSelectorRequirement& field = term.match_fields[i];
    const std::string place = fmt::format("{}[{}]", under(path, "matchFields"), i);
    if (field.op != "In" && field.op != "NotIn") {
      errors_.push_back(unsupported_value(place + ".operator", field.op.text(), kFieldOps));
    } else if (field.values.size() != 1) {
      std::vector<std::string_view> texts;
      for (const Symbol value : field.values) texts.push_back(value.text());
      errors_.push_back(invalid_values(place + ".values", texts, "must have one element"));
    } else {
      fields_.push_back(FieldRequirement{field.key == kNameField, field.op == "In", field.values.front()});
    }
  }
}

bool NodeTermMatcher::matches(std::string_view node_name, const Labels& labels) const {
  if (!errors_.empty()) return false;
  const auto label_matches = [&](const LabelRequirement& requirement) { return requirement.matches(labels); };
  if (!std::ranges::all_of(labels_, label_matches)) return false;
  return node_name.empty() || std::ranges::all_of(fields_, [&](const FieldRequirement& field) {
           return (field.value == (field.is_on_name ? node_name : std::string_view())) == field.is_equal;
         });
}

NodeMatcher::NodeMatcher(const NodeSelector& selector, std::string_view path) {
  for (std::size_t i = 0; i < selector.node_selector_terms.size(); ++i) {
    const NodeSelectorTerm& term = selector.node_selector_terms[i];
    if (!is_empty(term)) terms_.emplace_back(term, fmt::format("{}[{}]", under(path, "nodeSelectorTerms"), i));
  }
}

bool NodeMatcher::matches(std::string_view node_name, const Labels& labels) const {
  return std::ranges::any_of(terms_, [&](const NodeTermMatcher& term) { return term.matches(node_name, labels); });
}

std::optional<std::string> NodeMatcher::error() const {
  std::vector<std::string> errors;
  for (const NodeTermMatcher& term : terms_) errors.insert(errors.end(), term.errors().begin(), term.errors().end());
  if (errors.empty()) return std::nullopt;
  return aggregate_errors(errors);
}

Result<PreferredNodeTerms> PreferredNodeTerms::compile(const std::vector<PreferredSchedulingTerm>& terms,
                                                       std::string_view path) {
  PreferredNodeTerms compiled;
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].weight == 0 || is_empty(terms[i].preference)) continue;
    NodeTermMatcher term(terms[i].preference, fmt::format("{}[{}]", path, i));
    errors.insert(errors.end(), term.errors().begin(), term.errors().end());
    compiled.terms_.push_back(Weighted{terms[i].weight, std::move(term)});
  }
  if (!errors.empty()) return fail(aggregate_errors(errors));
  return compiled;
}

std::int64_t PreferredNodeTerms::score(std::string_view node_name, const Labels& labels) const {
  std::int64_t score = 0;
  for (const auto& [weight, term] : terms_) {
    if (term.matches(node_name, labels)) score += weight;
  }
  return score;
}

RequiredNodeAffinity::RequiredNodeAffinity(const PodTemplate& pod) {
  if (!pod.node_selector.empty()) node_selector_ = LabelMatcher::of_labels(pod.node_selector);
  if (pod.affinity && pod.affinity->node_affinity && pod.affinity->node_affinity->required) {
    const NodeSelector& required = *pod.affinity->node_affinity->required;
    affinity_.emplace(required);
    node_names_ = names_of(required);
  }
}

bool RequiredNodeAffinity::matches(std::string_view node_name, const Labels& labels) const {
  if (node_selector_ && !node_selector_->matches(labels)) return false;
  return !affinity_ || affinity_->matches(node_name, labels);
}

}  // namespace berth::api
