// Conditions: what `expect` and `run until` ask of the world. Tables of what can be said about pods, nodes, claims and
// numbers, from words to functions on the world.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/pod.h"
#include "berth/scenario/fields.h"
#include "berth/scenario/meaning.h"
#include "berth/scenario/reader.h"
#include "berth/scenario/targets.h"
#include "berth/sim/history.h"
#include "berth/sim/world.h"

namespace berth::scenario {

// Reads all words that are left. `what` says what was expected if there is no condition at all.
Parsed<Condition> read_condition(Reader& reader, std::string_view what);

// =, !=, <, <=, >, >=
enum class Comparison : std::uint8_t { kEqual, kNotEqual, kLess, kAtMost, kMore, kAtLeast };
Parsed<Comparison> read_comparison(Reader& reader);
template <typename T>
bool compares(const T& a, Comparison comparison, const T& b) {
  switch (comparison) {
    case Comparison::kEqual: return a == b;
    case Comparison::kNotEqual: return a != b;
    case Comparison::kLess: return a < b;
    case Comparison::kAtMost: return a <= b;
    case Comparison::kMore: return a > b;
    case Comparison::kAtLeast: return a >= b;
  }
  return false;
}

// --- Pods ------------------------------------------------------------------------------------------------------------

// A pod with all that is known of it.
struct PodView {
  const sim::World& world;
  std::string name_space;
  std::string name;
  api::PodPtr pod;                       // as the API server has it; null if it is gone
  const sim::PodTimeline* pod_timeline;  // null if there never was one
};
PodView view_of(const sim::World& world, const Target& target);

using PodTest = std::function<bool(const PodView&)>;
struct PodConditionSpec {
  FieldHelp help;
  Parsed<PodTest> (*compile)(Reader& reader);
};
std::span<const PodConditionSpec> pod_conditions();
// One or more conditions up to the end, each with `not` before it or without: all of them hold.
Parsed<PodTest> read_pod_conditions(Reader& reader);

// Where the pod is and what became of it, in a line: "pending after 2 attempts, rejected by NodeResourcesFit; ...".
std::string describe(const PodView& view);

// --- Numbers ---------------------------------------------------------------------------------------------------------

struct NumberSpec {
  FieldHelp help;
  std::int64_t (*read)(const sim::World& world);
};
std::span<const NumberSpec> numbers();

// What can be said about nodes and claims, and the other beginnings of a condition.
std::span<const FieldHelp> node_condition_help();
std::span<const FieldHelp> claim_condition_help();
std::span<const FieldHelp> condition_help();

}  // namespace berth::scenario
