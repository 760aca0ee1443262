#include "berth/api/label_keys.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {
namespace {

LabelSelectorRequirement requirement(std::string_view key, std::string_view op, std::string_view value) {
  return {.key = Symbol(key), .op = Symbol(op), .values = {Symbol(value)}};
}

PodTemplate pod_with(PodAffinityTerm term) {
  PodTemplate pod;
  pod.affinity.emplace().pod_anti_affinity.emplace().required.push_back(std::move(term));
  return pod;
}

const PodAffinityTerm& term_of(const PodTemplate& pod) {
  return pod.affinity->pod_anti_affinity->required.front();
}

TEST(LabelKeys, BecomeRequirementsOfTheSelector) {
  PodAffinityTerm term;
  term.label_selector.emplace();
  term.match_label_keys = {Symbol("hash"), Symbol("absent")};
  term.mismatch_label_keys = {Symbol("tenant")};
  PodTemplate pod = pod_with(term);
  ASSERT_TRUE(has_label_keys(pod));
  const Labels labels = {{"hash", Symbol("abc")}, {"tenant", Symbol("t1")}};
  merge_label_keys(pod, labels);
  const std::vector<LabelSelectorRequirement> expected = {requirement("hash", "In", "abc"),
                                                          requirement("tenant", "NotIn", "t1")};
  EXPECT_EQ(term_of(pod).label_selector->match_expressions, expected);
  // As a pod of a dump, which has them already.
  merge_label_keys(pod, labels);
  EXPECT_EQ(term_of(pod).label_selector->match_expressions, expected);
}

TEST(LabelKeys, MeanNothingWithoutASelector) {
  PodAffinityTerm term;
  term.match_label_keys = {Symbol("hash")};
  PodTemplate pod = pod_with(term);
  merge_label_keys(pod, {{"hash", Symbol("abc")}});
  EXPECT_FALSE(term_of(pod).label_selector.has_value());
  EXPECT_FALSE(has_label_keys(pod_with({})));
  EXPECT_FALSE(has_label_keys(PodTemplate()));
}

}  // namespace
}  // namespace berth::api
