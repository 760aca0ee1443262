// Sorting that leaves equal items in their order. std::stable_sort would do, but libstdc++ 12 builds it on a function
// that clang calls deprecated in C++23.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace berth::explain {

template <typename T, typename Less = std::ranges::less, typename Projection = std::identity>
void sort_stably(std::vector<T>& items, Less less = {}, Projection projection = {}) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto is_less = [&](std::size_t x, std::size_t y) {
      return std::invoke(less, std::invoke(projection, items[x]), std::invoke(projection, items[y]));
    };
    if (is_less(a, b)) return true;
    return !is_less(b, a) && a < b;
  });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t position : order) sorted.push_back(std::move(items[position]));
  items = std::move(sorted);
}

}  // namespace berth::explain
