// How explain puts taints and selectors; counts, lists and amounts are those of berth/text/words.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "berth/api/meta.h"
#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/text/words.h"

namespace berth::explain {

using text::amount;
using text::amount_of;
using text::counted;
using text::listed;
using text::natural_less;
using text::Round;

// "1 node is short", "4 nodes are short": nodes_that(count, "is", "are")
std::string nodes_that(std::size_t count, std::string_view one, std::string_view many);

// "gpu=true:NoSchedule", as kubectl writes it.
std::string taint_text(const api::Taint& taint);
// "app=web,tier in (a, b)"
std::string selector_text(const std::optional<api::LabelSelector>& selector);
// One condition on a label: "zone in (a, b)", "gpu exists", "cores > 4"; In with one value is "zone=a".
std::string requirement_text(std::string_view key, std::string_view op, std::span<const Symbol> values);

}  // namespace berth::explain
