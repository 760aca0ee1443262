// The values that scenarios are written with: durations, amounts, rates, selectors, taints. Each reader takes the text
// of one value; if it is not one, the error is what was expected, such as "a duration such as 30s".
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/api/quantity.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/scenario/reader.h"
#include "berth/sim/faults.h"

namespace berth::scenario {

Value<std::int64_t> read_number(std::string_view text, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                std::int64_t most = std::numeric_limits<std::int64_t>::max());
// Not negative.
Value<Duration> read_duration(std::string_view text);
Value<api::Quantity> read_quantity(std::string_view text);
// Of this resource: no more than can be counted (validation/amounts.h).
Value<api::Quantity> read_amount(Symbol resource, std::string_view text);
// Of things that cannot be divided, such as GPUs.
Value<api::Quantity> read_whole_amount(Symbol resource, std::string_view text);
// A whole number, or a percentage.
Value<api::IntOrString> read_count_or_percentage(std::string_view text);
Value<sim::Rate> read_rate(std::string_view text);        // "5%", "0.1%"
Value<sim::Latency> read_latency(std::string_view text);  // "5ms", "1ms..20ms", "~5ms..1s"
struct Range {
  Duration low;
  Duration high;
};
Value<Range> read_range(std::string_view text);  // "1s..10s"

Value<std::string> read_text(std::string_view text);    // not empty
Value<Symbol> read_label_key(std::string_view text);    // "app", "example.com/app"
Value<Symbol> read_label_value(std::string_view text);  // may be empty
Value<std::vector<Symbol>> read_list(std::string_view text);

// "app=web,tier!=a|b,gpu,!old"; "*" is everything.
Value<api::LabelSelector> read_selector(std::string_view text);
// The same with "cores>4", "cores<9" and "metadata.name=n1".
Value<api::NodeSelectorTerm> read_node_term(std::string_view text);
// "KEY[=VALUE]:EFFECT"
Value<api::Taint> read_taint(std::string_view text);
// "KEY[=VALUE][:EFFECT]"; "*" is everything.
Value<api::Toleration> read_toleration(std::string_view text);
// "zone", "region" and "node" stand for Kubernetes' labels; anything else is itself.
Value<Symbol> read_topology(std::string_view text);

struct WeightedText {
  std::string_view text;
  std::int32_t weight = 1;
};
// "TEXT[@WEIGHT]"
Value<WeightedText> read_weighted(std::string_view text);

// Whether a name fits a pattern, in which * stands for anything.
bool matches_pattern(std::string_view pattern, std::string_view name);
inline bool is_pattern(std::string_view text) {
  return text.find('*') != std::string_view::npos;
}

inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";

}  // namespace berth::scenario
