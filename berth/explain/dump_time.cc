#include "berth/explain/dump_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::explain {

Instant deletion_requested_at(const api::ObjectMeta& metadata) {
  if (!metadata.deletion_timestamp.is_set()) return {};
  return metadata.deletion_timestamp - Duration::seconds(metadata.deletion_grace_period_seconds.value_or(0));
}

Instant newest_time(const Cluster& cluster) {
  Instant newest = cluster.events.newest();
  const auto note = [&](Instant time) { newest = std::max(newest, time); };
  const auto note_metadata = [&](const api::ObjectMeta& metadata) {
    note(metadata.creation_timestamp);
    note(deletion_requested_at(metadata));
  };
  for (const auto& [name, pod] : cluster.pods) {
    note_metadata(pod->metadata);
    note(pod->status.start_time);
    for (const api::PodCondition& condition : pod->status.conditions) note(condition.last_transition_time);
  }
  const cache::NodeTable& nodes = cluster.cache.nodes();
  nodes.nodes().for_each([&](std::size_t row) {
    const api::Node& node = *nodes.at(static_cast<cache::RowId>(row)).node;
    note_metadata(node.metadata);
    for (const api::NodeCondition& condition : node.status.conditions) {
      note(condition.last_transition_time);
      note(condition.last_heartbeat_time);
    }
  });
  return newest;
}

std::string span_text(Duration span) {
  const std::int64_t seconds = std::max<std::int64_t>(0, span.nanoseconds() / 1'000'000'000);
  const auto two = [](std::int64_t large, std::string_view large_unit, std::int64_t small,
                      std::string_view small_unit) {
    return small == 0 ? fmt::format("{}{}", large, large_unit)
                      : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
  };
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 600) return two(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 86'400) return two(seconds / 3600, "h", seconds % 3600 / 60, "m");
  return two(seconds / 86'400, "d", seconds % 86'400 / 3600, "h");
}

}  // namespace berth::explain
