// The numbers that a scenario can ask for: how many pods are where, and what has happened so often.
#include <algorithm>
#include <array>

#include "berth/api/kinds.h"
#include "berth/scenario/conditions.h"
#include "berth/sim/api_server.h"
#include "berth/sim/autoscaler.h"

namespace berth::scenario {

namespace {

std::int64_t count_pods(const sim::World& world, bool with_node) {
  std::int64_t count = 0;
  world.api().for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (!api::is_terminal(*pod) && pod->spec.node_name.empty() != with_node) ++count;
  });
  return count;
}

// A scheduler that is down has nothing anywhere.
template <typename Count>
std::int64_t in_scheduler(const sim::World& world, Count count) {
  return world.is_scheduler_up() ? static_cast<std::int64_t>(count(world.scheduler())) : 0;
}

std::int64_t count_parked(const sim::World& world, bool are_gated) {
  return in_scheduler(world, [&](const engine::Scheduler& scheduler) {
    const auto pods = scheduler.queue().pods_in(queue::Place::kUnschedulable);
    return std::ranges::count_if(pods, [&](const queue::QueuedPod* pod) { return pod->is_gated() == are_gated; });
  });
}

template <std::uint64_t sim::Counts::* kMember>
std::int64_t count(const sim::World& world) {
  return static_cast<std::int64_t>(world.history().counts().*kMember);
}

constexpr auto kNumbers = std::to_array<NumberSpec>({
    {{"nodes", "", "Nodes there are"},
     [](const sim::World& world) { return static_cast<std::int64_t>(world.api().count(api::kind_of<api::Node>())); }},
    {{"bound", "", "Pods that have a node and have not ended"},
     [](const sim::World& world) { return count_pods(world, true); }},
    {{"pending", "", "Pods that have none and have not ended"},
     [](const sim::World& world) { return count_pods(world, false); }},
    {{"active", "", "Pods to be tried next"},
     [](const sim::World& world) {
       return in_scheduler(world, [](const auto& scheduler) { return scheduler.queue().count(queue::Place::kActive); });
     }},
    {{"backoff", "", "Pods that wait out their backoff"},
     [](const sim::World& world) {
       return in_scheduler(world, [](const auto& scheduler) {
         return scheduler.queue().count(queue::Place::kBackoff) + scheduler.queue().count(queue::Place::kErrorBackoff);
       });
     }},
    {{"unschedulable", "", "Pods that are parked until an event"},
     [](const sim::World& world) { return count_parked(world, false); }},
    {{"gated", "", "Pods that a PreEnqueue plugin holds back"},
     [](const sim::World& world) { return count_parked(world, true); }},
    {{"binding", "", "Pods between the choice of a node and the end of binding"},
     [](const sim::World& world) {
       return in_scheduler(world, [](const auto& scheduler) { return scheduler.bindings(); });
     }},
    {{"nominations", "", "Pods that are nominated"},
     [](const sim::World& world) {
       return in_scheduler(world, [](const auto& scheduler) {
         std::size_t count = 0;
         scheduler.queue().nominator().for_each([&](Symbol, const queue::Nominator::Nomination&) { ++count; });
         return count;
       });
     }},
    {{"in-flight", "", "Pods that are being tried or bound"},
     [](const sim::World& world) {
       return in_scheduler(world, [](const auto& scheduler) { return scheduler.queue().in_flight().size(); });
     }},
    {{"in-flight-events", "", "Events that are kept for them"},
     [](const sim::World& world) {
       return in_scheduler(world, [](const auto& scheduler) { return scheduler.queue().in_flight().event_count(); });
     }},
    {{"nodes-added", "", "Nodes that the autoscaler has added so far"},
     [](const sim::World& world) { return world.autoscaler() == nullptr ? 0 : world.autoscaler()->counts().added; }},
    {{"nodes-removed", "", "Nodes that it has removed"},
     [](const sim::World& world) { return world.autoscaler() == nullptr ? 0 : world.autoscaler()->counts().removed; }},
    {{"attempts", "", "Attempts so far"}, count<&sim::Counts::attempts>},
    {{"rejections", "", "... that were rejected"}, count<&sim::Counts::rejected>},
    {{"errors", "", "... that ended in an error"}, count<&sim::Counts::errors>},
    {{"binding-failures", "", "Bindings that failed"}, count<&sim::Counts::binding_failures>},
    {{"preemptions", "", "Preemptions that began"}, count<&sim::Counts::preemptions>},
    {{"evictions", "", "Pods that the scheduler deleted"}, count<&sim::Counts::evicted>},
    {{"wake-ups", "", "Pods that events brought back from unschedulable"}, count<&sim::Counts::wake_ups>},
    {{"wasted", "", "... and whose next attempt was rejected again"}, count<&sim::Counts::wasted_wake_ups>},
    {{"flushes", "", "Pods that the timeout brought back"}, count<&sim::Counts::flushed>},
    {{"lost-wake-ups", "", "Pods that should have been woken; found with `--check wakeups`"},
     count<&sim::Counts::lost_wake_ups>},
    {{"restarts", "", "How often the scheduler was started again"}, count<&sim::Counts::restarts>},
});

}  // namespace

std::span<const NumberSpec> numbers() {
  return kNumbers;
}

}  // namespace berth::scenario
