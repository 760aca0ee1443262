// Berth's own endpoints: where a pod is and why, the queue, a node. Each answer is made in two steps: what it needs is
// copied on the engine's thread, and the rest happens on the caller's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/base/time.h"
#include "berth/cache/node_state.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/daemon/endpoints_answers.h"
#include "berth/engine/scheduler.h"
#include "berth/explain/render.h"
#include "berth/text/page.h"

namespace berth::daemon {

// --- On the engine's thread ------------------------------------------------------------------------------------------

// Everything but sentence, text and explanation. Nothing if there is no such pod.
std::optional<PodAnswer> pod_answer(const engine::Scheduler& scheduler, Symbol name_space, std::string_view name);
// The first `limit` of each place.
QueueAnswer queue_answer(const engine::Scheduler& scheduler, std::size_t limit);
// A node with its pods.
struct NodeCopy {
  struct Nominated {
    std::string pod;
    api::PodPtr object;  // null if it is gone
  };
  cache::NodeState state;
  std::vector<std::string> assumed;  // UIDs
  std::vector<Nominated> nominated;
};
std::optional<NodeCopy> node_copy(const engine::Scheduler& scheduler, Symbol name);
// All objects as the scheduler sees them: with the pods that it assumes and the nominations that it made.
std::vector<api::AnyObject> cluster_copy(const engine::Scheduler& scheduler);

// --- On any thread ---------------------------------------------------------------------------------------------------

NodeAnswer node_answer(const NodeCopy& copy);
// The whole answer for people. Requires: the sentence.
text::Page page_of(const PodAnswer& answer, Instant now, const explain::RenderOptions& options = {});
// Fills in explanation, sentence and text. `cluster` may be empty: then there is no explanation, only what the
// scheduler knows by itself.
void explain_pod(PodAnswer& answer, const api::PodPtr& pod, const std::vector<api::AnyObject>& cluster,
                 const config::LoadedConfig& config, const config::FeatureGates& gates, Instant now);

}  // namespace berth::daemon
