#include "berth/framework/pod_filter.h"

#include <algorithm>
#include <bit>

namespace berth::framework {

void PodFilter::narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const {
  rows.for_each([&](std::size_t row) {
    const Verdict verdict = check(table.at(static_cast<cache::RowId>(row)));
    if (verdict.is_success()) return;
    rows.reset(row);
    rejected(static_cast<cache::RowId>(row), verdict);
  });
}

unsigned ReasonBits::bit_of(const Reason& reason) const {
  const auto it = std::find(reasons_.begin(), reasons_.end(), reason);
  if (it != reasons_.end()) return static_cast<unsigned>(it - reasons_.begin());
  if (reasons_.size() == kMaxReasons) return kMaxReasons - 1;
  reasons_.push_back(reason);
  return static_cast<unsigned>(reasons_.size() - 1);
}

Status status_of(const PodFilter& filter, Verdict verdict, Symbol plugin) {
  std::vector<Reason> reasons;
  for (std::uint32_t left = verdict.reasons; left != 0; left &= left - 1) {
    reasons.push_back(filter.reason(static_cast<unsigned>(std::countr_zero(left))));
  }
  return Status(verdict.code, std::move(reasons)).with_plugin(plugin);
}

}  // namespace berth::framework
