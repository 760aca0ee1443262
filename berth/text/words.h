// How Berth puts counts, lists, amounts, shares and times, in every command.
//
// Counts have thousands separators ("12,500 pods"). Amounts of resources are Kubernetes quantities ("1.5", "300m",
// "2.5Gi") without separators, so that they can go into a manifest as they are. words_test.cc has a table of cases.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/symbol.h"
#include "berth/base/time.h"

namespace berth::text {

// "1,234,567"
std::string grouped(std::int64_t number);
template <std::unsigned_integral Number>
std::string grouped(Number number) {
  return grouped(static_cast<std::int64_t>(number));
}

// "1 pod", "1,234 pods"
std::string counted(std::int64_t number, std::string_view thing);
// The same where the plural is more than an "s": counted(2, "try", "tries").
std::string counted(std::int64_t number, std::string_view one, std::string_view many);
template <std::unsigned_integral Number>
std::string counted(Number number, std::string_view thing) {
  return counted(static_cast<std::int64_t>(number), thing);
}
template <std::unsigned_integral Number>
std::string counted(Number number, std::string_view one, std::string_view many) {
  return counted(static_cast<std::int64_t>(number), one, many);
}

// "a", "a and b", "a, b and c"; what is more than `shown` is counted: "a, b and 5 more".
std::string listed(std::span<const std::string> things, std::size_t shown = 1000);

// "87%"; what is neither nothing nor all is never rounded to it: "<1%", ">99%".
std::string percent(double share);

// A time as people say it, with two parts at most: "0s", "0.4ms", "12ms", "1.2s", "45s", "3m20s", "2h5m", "1d4h".
std::string short_time(Duration duration);
std::string short_time(double seconds);

// Of what is asked for nothing may be lost, and of what is there nothing may be added.
enum class Round : std::uint8_t { kDown, kUp };
// An amount as a ResourceVector counts it: cpu in thousandths, everything else in units. "300m", "1.5", "2.5Gi", "7".
// Bytes are rounded to a tenth of their unit.
std::string amount(Symbol resource, std::int64_t value, Round round);
// The same with the resource: "300m cpu", "2Gi memory", "1 example.com/gpu".
std::string amount_of(Symbol resource, std::int64_t value, Round round);
// "1.5 of 4 (38%)"; without a share where nothing is offered: "2 of 0".
std::string share_of(Symbol resource, std::int64_t requested, std::int64_t allocatable);

// Of two names, which one comes first in lists: n-2 before n-10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace berth::text
