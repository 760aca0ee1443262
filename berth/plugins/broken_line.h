// A function given by points between which it is a straight line: how much a node is worth by how much of it is in use.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/config/scheduler_config.h"

namespace berth::plugins {

class BrokenLine {
 public:
  // Scores of 0 to 10 in the configuration are 0 to 100 here.
  static constexpr std::int64_t kScale = 10;

  // Requires: at least one point, utilization ascending.
  explicit BrokenLine(const std::vector<config::UtilizationShapePoint>& shape) {
    for (const config::UtilizationShapePoint& point : shape)
      points_.emplace_back(point.utilization, point.score * kScale);
  }

  // In whole numbers, towards zero. Before the first and behind the last point it is as at the point.
  std::int64_t at(std::int64_t utilization) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto [x, y] = points_[i];
      if (utilization > x) continue;
      if (i == 0) return y;
      const auto [x_before, y_before] = points_[i - 1];
      return y_before + (y - y_before) * (utilization - x_before) / (x - x_before);
    }
    return points_.back().second;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> points_;
};

}  // namespace berth::plugins
