#include "berth/api/node_selector.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

NodeSelectorRequirement condition(std::string_view key, std::string_view op, std::vector<std::string_view> values) {
  NodeSelectorRequirement requirement{.key = Symbol(key), .op = Symbol(op), .values = {}};
  for (const std::string_view value : values) requirement.values.emplace_back(value);
  return requirement;
}

NodeSelectorTerm on_labels(std::vector<NodeSelectorRequirement> expressions) {
  return {.match_expressions = std::move(expressions), .match_fields = {}};
}

NodeSelectorTerm on_fields(std::vector<NodeSelectorRequirement> fields) {
  return {.match_expressions = {}, .match_fields = std::move(fields)};
}

NodeSelector any_of(std::vector<NodeSelectorTerm> terms) {
  return {.node_selector_terms = std::move(terms)};
}

const Labels& node_labels() {
  static const Labels labels = {{"zone", Symbol("a")}, {"cores", Symbol("+08")}, {"disk", Symbol("ssd")}};
  return labels;
}

TEST(NodeMatcher, MatchesTermsAndConditions) {
  const struct {
    const char* what;
    NodeSelector selector;
    bool matches;
  } cases[] = {
      {"no terms", any_of({}), false},
      {"an empty term", any_of({{}}), false},
      {"In", any_of({on_labels({condition("zone", "In", {"a", "b"})})}), true},
      {"NotIn", any_of({on_labels({condition("zone", "NotIn", {"a"})})}), false},
      {"Exists", any_of({on_labels({condition("zone", "Exists", {})})}), true},
      {"DoesNotExist", any_of({on_labels({condition("gpu", "DoesNotExist", {})})}), true},
      {"Gt below", any_of({on_labels({condition("cores", "Gt", {"7"})})}), true},
      {"Gt equal", any_of({on_labels({condition("cores", "Gt", {"8"})})}), false},
      {"Lt above", any_of({on_labels({condition("cores", "Lt", {"9"})})}), true},
      {"Lt equal", any_of({on_labels({condition("cores", "Lt", {"8"})})}), false},
      {"Gt on a label that is no number", any_of({on_labels({condition("zone", "Gt", {"0"})})}), false},
      {"Gt on a label that is not there", any_of({on_labels({condition("gpu", "Gt", {"0"})})}), false},
      {"all conditions of a term",
       any_of({on_labels({condition("zone", "In", {"a"}), condition("disk", "In", {"hdd"})})}), false},
      {"any of the terms",
       any_of({on_labels({condition("zone", "In", {"b"})}), on_labels({condition("disk", "In", {"ssd"})})}), true},
      {"the name", any_of({on_fields({condition("metadata.name", "In", {"n1"})})}), true},
      {"another name", any_of({on_fields({condition("metadata.name", "In", {"n2"})})}), false},
      {"not the name", any_of({on_fields({condition("metadata.name", "NotIn", {"n1"})})}), false},
      {"not another name", any_of({on_fields({condition("metadata.name", "NotIn", {"n2"})})}), true},
      {"another field", any_of({on_fields({condition("metadata.uid", "In", {"n1"})})}), false},
      {"not another field", any_of({on_fields({condition("metadata.uid", "NotIn", {"n1"})})}), true},
      {"a term that does not parse", any_of({on_labels({condition("zone", "Near", {})})}), false},
      {"a term beside one that does not parse",
       any_of({on_labels({condition("zone", "Near", {})}), on_labels({condition("zone", "Exists", {})})}), true},
  };
  for (const auto& c : cases) EXPECT_EQ(NodeMatcher(c.selector).matches("n1", node_labels()), c.matches) << c.what;
}

TEST(NodeMatcher, IgnoresFieldsOfANamelessNode) {
  const NodeMatcher by_name(any_of({on_fields({condition("metadata.name", "In", {"n1"})})}));
  EXPECT_TRUE(by_name.matches("", node_labels()));
  NodeSelectorTerm both = on_fields({condition("metadata.name", "In", {"n1"})});
  both.match_expressions = {condition("zone", "In", {"b"})};
  EXPECT_FALSE(NodeMatcher(any_of({both})).matches("", node_labels()));
}

TEST(NodeMatcher, ReportsErrorsInUpstreamsWords) {
  const struct {
    NodeSelector selector;
    std::string error;
  } cases[] = {
      {any_of({on_labels({condition("a", "Near", {})})}),
       "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: \"Near\": supported values: \"In\", "
       "\"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""},
      {any_of({on_labels({condition("a", "Gt", {"1", "2"})})}),
       "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, "
       "exactly "
       "one value is required"},
      {any_of({on_labels({condition("a", "Lt", {"x"})})}),
       "nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value "
       "must be an integer"},
      {any_of({{}, on_fields({condition("metadata.name", "In", {"a", "b"})})}),
       "nodeSelectorTerms[1].matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have one element"},
      {any_of({on_fields({condition("metadata.name", "Exists", {}), condition("metadata.name", "In", {})})}),
       "[nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", "
       "\"NotIn\", nodeSelectorTerms[0].matchFields[1].values: Invalid value: null: must have one element]"},
  };
  for (const auto& c : cases) EXPECT_EQ(NodeMatcher(c.selector).error(), c.error);
  EXPECT_EQ(NodeMatcher(cases[0].selector, "spec.required").error(), "spec.required." + cases[0].error);
  EXPECT_EQ(NodeMatcher(any_of({on_labels({condition("a", "Exists", {})})})).error(), std::nullopt);
}

TEST(PreferredNodeTerms, AddsUpTheWeightsOfMatchingTerms) {
  const auto terms = PreferredNodeTerms::compile({
      {.weight = 10, .preference = on_labels({condition("zone", "In", {"a"})})},
      {.weight = 5, .preference = on_labels({condition("disk", "In", {"hdd"})})},
      {.weight = 3, .preference = on_fields({condition("metadata.name", "In", {"n1"})})},
      {.weight = 7, .preference = {}},
      {.weight = 0, .preference = on_labels({condition("zone", "Near", {})})},
  });
  ASSERT_TRUE(terms.has_value());
  EXPECT_EQ(terms->score("n1", node_labels()), 13);
  EXPECT_EQ(terms->score("n2", {}), 0);
}

TEST(PreferredNodeTerms, FailsOnATermThatDoesNotParse) {
  const auto terms =
      PreferredNodeTerms::compile({{.weight = 1, .preference = on_labels({condition("a", "Near", {})})}});
  ASSERT_FALSE(terms.has_value());
  EXPECT_TRUE(terms.error().what().starts_with("[0].matchExpressions[0].operator: Unsupported value"));
}

TEST(RequiredNodeAffinity, DemandsSelectorAndAffinity) {
  PodTemplate pod;
  EXPECT_TRUE(RequiredNodeAffinity(pod).empty());
  EXPECT_TRUE(RequiredNodeAffinity(pod).matches("n1", {}));

  pod.node_selector = {{"zone", Symbol("a")}};
  EXPECT_TRUE(RequiredNodeAffinity(pod).matches("n1", node_labels()));
  EXPECT_FALSE(RequiredNodeAffinity(pod).matches("n1", {}));

  pod.affinity.emplace().node_affinity.emplace().required = any_of({on_labels({condition("disk", "In", {"hdd"})})});
  EXPECT_FALSE(RequiredNodeAffinity(pod).matches("n1", node_labels()));

  pod.affinity->node_affinity->required = any_of({});
  EXPECT_FALSE(RequiredNodeAffinity(pod).matches("n1", node_labels()));
}

TEST(RequiredNodeAffinity, KnowsTheNamesItIsRestrictedTo) {
  const auto name_in = [](std::vector<std::string_view> names) { return condition("metadata.name", "In", names); };
  const auto names_of = [](std::vector<NodeSelectorTerm> terms) {
    PodTemplate pod;
    pod.affinity.emplace().node_affinity.emplace().required = any_of(std::move(terms));
    return RequiredNodeAffinity(pod).node_names();
  };
  using Names = std::vector<Symbol>;
  EXPECT_EQ(names_of({}), std::nullopt);
  EXPECT_EQ(names_of({on_fields({name_in({"b"})}), on_fields({name_in({"a"})})}), Names({Symbol("a"), Symbol("b")}));
  EXPECT_EQ(names_of({on_fields({name_in({"a", "b"}), name_in({"b", "c"})})}), Names({Symbol("b")}));
  EXPECT_EQ(names_of({on_fields({name_in({"a"}), name_in({"b"})})}), Names());
  EXPECT_EQ(names_of({on_fields({name_in({"a"})}), on_labels({condition("zone", "Exists", {})})}), std::nullopt);
  EXPECT_EQ(names_of({on_fields({condition("metadata.name", "NotIn", {"a"})})}), std::nullopt);
}

}  // namespace
}  // namespace berth::api
