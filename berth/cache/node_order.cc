#include "berth/cache/node_order.h"

#include <algorithm>

#include "berth/base/check.h"

namespace berth::cache {
namespace {

// The older labels win over the newer ones.
std::string zone_of(const api::Node& node) {
  static const Symbol kOldRegion("failure-domain.beta.kubernetes.io/region");
  static const Symbol kOldZone("failure-domain.beta.kubernetes.io/zone");
  static const Symbol kRegion("topology.kubernetes.io/region");
  static const Symbol kZone("topology.kubernetes.io/zone");
  const api::Labels& labels = *node.metadata.labels;
  const auto value = [&labels](Symbol older, Symbol newer) {
    const Symbol* found = labels.find(older);
    if (found == nullptr) found = labels.find(newer);
    return found == nullptr ? Symbol() : *found;
  };
  const Symbol region = value(kOldRegion, kRegion);
  const Symbol zone = value(kOldZone, kZone);
  if (region.empty() && zone.empty()) return {};
  return region.str() + ":" + std::string(1, '\0') + ":" + zone.str();
}

}  // namespace

void NodeOrder::add(RowId row, const api::Node& node) {
  add_to_zone(row, node);
  is_stale_ = true;
}

void NodeOrder::update(RowId row, const api::Node& old_node, const api::Node& new_node) {
  if (old_node.metadata.labels.same_as(new_node.metadata.labels) || zone_of(old_node) == zone_of(new_node)) return;
  remove_from_zone(row, old_node);
  add_to_zone(row, new_node);
}

void NodeOrder::remove(RowId row, const api::Node& node) {
  remove_from_zone(row, node);
  is_stale_ = true;
}

void NodeOrder::add_to_zone(RowId row, const api::Node& node) {
  std::string name = zone_of(node);
  const auto zone = std::find_if(zones_.begin(), zones_.end(), [&](const Zone& z) { return z.name == name; });
  if (zone != zones_.end()) {
    zone->rows.push_back(row);
  } else {
    zones_.push_back({std::move(name), {row}});
  }
}

void NodeOrder::remove_from_zone(RowId row, const api::Node& node) {
  const std::string name = zone_of(node);
  const auto zone = std::find_if(zones_.begin(), zones_.end(), [&](const Zone& z) { return z.name == name; });
  BERTH_CHECK(zone != zones_.end(), "node {} is in no zone", node.metadata.name);
  std::erase(zone->rows, row);
  if (zone->rows.empty()) zones_.erase(zone);
}

std::span<const RowId> NodeOrder::list() const {
  if (is_stale_) {
    list_.clear();
    std::size_t longest = 0;
    for (const Zone& zone : zones_) longest = std::max(longest, zone.rows.size());
    for (std::size_t turn = 0; turn < longest; ++turn) {
      for (const Zone& zone : zones_) {
        if (turn < zone.rows.size()) list_.push_back(zone.rows[turn]);
      }
    }
    is_stale_ = false;
  }
  return list_;
}

}  // namespace berth::cache
