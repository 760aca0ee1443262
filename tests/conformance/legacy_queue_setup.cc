#include "tests/conformance/legacy_queue_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "berth/queue/counted_in_flight.h"

namespace berth::conformance {

using queue::HintAnswer;
using queue::Release;

Release release_of(Json header) {
  const std::string upstream = text_of(header, "upstream");
  const auto release = queue::parse_release(upstream);
  if (!release) throw std::runtime_error("no rules for " + upstream);
  return *release;
}

queue::Hint with_result(queue::Hint hint, Json fn) {
  if (text_of(fn, "result") != "immediately") return hint;
  return [hint = std::move(hint)](const api::Pod& pod, const queue::EventObjects& objects) {
    const HintAnswer answer = hint(pod, objects);
    return answer == HintAnswer::kQueue ? HintAnswer::kQueueImmediately : answer;
  };
}

api::PodPtr pod_with_managed_fields(Json op, std::string_view key, InternPool& pool) {
  const api::PodPtr pod = pod_of(op, key, pool);
  const Json metadata = op[key]["metadata"].value();
  if (!has(metadata, "managedFields")) return pod;
  api::Pod changed = *pod;
  api::Annotations annotations = *changed.metadata.annotations;
  annotations[Symbol("managedFields")] = simdjson::minify(metadata["managedFields"].value());
  changed.metadata.annotations = std::move(annotations);
  return std::make_shared<const api::Pod>(std::move(changed));
}

queue::ClusterEvent assigned_pod_update() {
  constexpr queue::ActionSet kUpdate = queue::action::kAllOfV1_28 & ~(queue::action::kAdd | queue::action::kDelete);
  return {Symbol(queue::resource::kPod), kUpdate, Symbol("AssignedPodUpdate")};
}

queue::Nominating nominating_by_node(const std::string& node) {
  if (node.empty()) return {};
  return {.mode = queue::Nominating::Mode::kOverride, .node_name = Symbol(node)};
}

bool loses_events(const queue::SchedulingQueue& queue, const queue::QueuedPod& pod) {
  const auto* counted = dynamic_cast<const queue::CountedInFlight*>(&queue.in_flight());
  return counted != nullptr && counted->event_count() > 0 && !pod.rejectors().empty() &&
         counted->has_lost_its_place(pod.uid());
}

void render_backoff_records(const queue::SchedulingQueue& queue, Instant epoch, Flat& into) {
  for (const auto& [name, record] : queue.backoff_records().all()) {
    into[fmt::format("state.podBackoff.{}.attempts", name)] = std::to_string(record.failures);
    into[fmt::format("state.podBackoff.{}.lastUpdate", name)] =
        std::to_string((record.last_update - epoch).nanoseconds());
  }
}

void leave_out_newer(Release release, Flat& rendered) {
  if (release == Release::kV1_36) return;
  static constexpr std::array<std::string_view, 6> kNewerFields = {
      "unschedulableCount", "consecutiveErrors", "flushed", "errorBackoff", "out.metrics.summary", "gatingPlugin"};
  Flat kept;
  for (const auto& [path, value] : rendered) {
    const bool is_newer = std::ranges::any_of(kNewerFields, [&path](auto name) { return path.ends_with(name); });
    if (path.ends_with(".gatingPlugin")) kept[path.substr(0, path.rfind('.')) + ".gated"] = "true";
    if (is_newer || path.starts_with("out.events")) continue;
    if (path == "out.metrics.pendingPods.gated" && release != Release::kV1_28) continue;
    kept.emplace(path, value);
  }
  rendered = std::move(kept);
}

}  // namespace berth::conformance
