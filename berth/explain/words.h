// How explain puts things: counts, lists and amounts as people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/node.h"
#include "berth/api/pod.h"

namespace berth::explain {

// "1 node", "4 nodes"
std::string counted(std::size_t count, std::string_view thing);
// "1 node is short", "4 nodes are short": nodes_that(count, "is", "are")
std::string nodes_that(std::size_t count, std::string_view one, std::string_view many);

// "a", "a and b", "a, b and c"; what is more than `shown` is counted: "a, b and 5 more".
std::string listed(std::span<const std::string> things, std::size_t shown = 1000);

enum class Round : std::uint8_t { kDown, kUp };
// An amount as a ResourceVector counts it: cpu in thousandths, everything else in units. "300m", "1.5", "2.5Gi", "7".
// Bytes are rounded to a tenth of their unit.
std::string amount(Symbol resource, std::int64_t value, Round round);
// The same with the resource: "300m cpu", "2Gi memory", "1 example.com/gpu".
std::string amount_of(Symbol resource, std::int64_t value, Round round);

// "gpu=true:NoSchedule", as kubectl writes it.
std::string taint_text(const api::Taint& taint);
// "app=web,tier in (a, b)"
std::string selector_text(const std::optional<api::LabelSelector>& selector);
// One condition on a label: "zone in (a, b)", "gpu exists", "cores > 4"; In with one value is "zone=a".
std::string requirement_text(std::string_view key, std::string_view op, std::span<const Symbol> values);

// Of two names, which one comes first in lists: n-2 before n-10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace berth::explain
