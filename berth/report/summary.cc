#include "berth/report/summary.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/explain/words.h"
#include "berth/queue/scheduling_queue.h"
#include "berth/report/occupancy.h"
#include "berth/report/pending.h"
#include "berth/report/timeline.h"
#include "berth/report/unfinished.h"
#include "berth/report/waiting_times.h"
#include "berth/report/wake_counts.h"
#include "berth/sim/api_server.h"
#include "berth/sim/autoscaler.h"
#include "berth/sim/failed_creations.h"
#include "berth/text/words.h"

namespace berth::report {

namespace {

constexpr std::size_t kMaxLostPods = 3;  // that a note names

PodCounts pods_of(const sim::History& history) {
  PodCounts result;
  for (const sim::PodTimeline& pod_timeline : history.pod_timelines()) {
    ++result.created;
    if (pod_timeline.succeeded) {
      ++result.ended;
    } else if (pod_timeline.gone_at.is_set()) {
      ++result.gone;
    } else {
      ++(pod_timeline.bound_at.is_set() ? result.bound : result.pending);
    }
  }
  result.evicted = static_cast<std::int64_t>(history.counts().evicted);
  return result;
}

SchedulerCounts scheduler_of(const sim::Counts& counts) {
  SchedulerCounts result;
  result.attempts = static_cast<std::int64_t>(counts.attempts);
  result.rejected = static_cast<std::int64_t>(counts.rejected);
  result.errors = static_cast<std::int64_t>(counts.errors);
  result.bindings = static_cast<std::int64_t>(counts.bound);
  result.binding_failures = static_cast<std::int64_t>(counts.binding_failures);
  result.preemptions = static_cast<std::int64_t>(counts.preemptions);
  result.restarts = static_cast<std::int64_t>(counts.restarts);
  return result;
}

// Pods whose node nobody has made: a typing error, or a dump without its nodes. They are in no table of nodes.
std::vector<std::string> pods_on_unknown_nodes(const sim::World& world) {
  std::vector<std::string> result;
  world.api().for_each<api::Pod>([&](const api::PodPtr& pod) {
    const Symbol node = pod->spec.node_name;
    if (node.empty() || api::is_terminal(*pod) || world.api().get<api::Node>(Symbol(), node.text()) != nullptr) return;
    result.push_back(fmt::format("{} on {}", api::full_name(pod->metadata), node.text()));
  });
  return result;
}

std::optional<AutoscalerSummary> autoscaler_of(const sim::World& world) {
  if (world.autoscaler() == nullptr || !world.autoscaler()->has_groups()) return std::nullopt;
  const sim::AutoscalerCounts counts = world.autoscaler()->counts();
  AutoscalerSummary result;
  result.added = counts.added;
  result.removed = counts.removed;
  result.node_hours = counts.node_hours;
  for (const sim::AutoscalerCounts::Group& group : counts.groups) {
    result.groups.push_back({group.name, group.nodes, group.most, group.added, group.removed});
  }
  return result;
}

std::vector<FailedCreation> failed_creations_of(const sim::World& world) {
  const Instant epoch = world.now() - world.elapsed();
  std::vector<FailedCreation> result;
  for (const sim::FailedCreation& each : world.failed_creations().list()) {
    result.push_back({.workload = each.group,
                      .controller = fmt::format("{}/{}", each.kind.text(), each.name),
                      .name_space = each.name_space.str(),
                      .wanted = each.wanted,
                      .missing = each.missing,
                      .tries = each.tries,
                      .since_seconds = (each.since - epoch).in_seconds(),
                      .message = each.message,
                      .sentence = sim::to_text(each)});
  }
  return result;
}

// Budgets that cover nothing, and are meant to, hardly ever.
std::vector<std::string> budgets_without_selector(const sim::World& world) {
  std::vector<std::string> result;
  world.api().for_each<api::PodDisruptionBudget>([&](const std::shared_ptr<const api::PodDisruptionBudget>& budget) {
    if (!budget->spec.selector) result.push_back(api::full_name(budget->metadata));
  });
  return result;
}

std::size_t pods_in_backoff(const sim::World& world) {
  if (!world.is_scheduler_up()) return 0;
  const queue::SchedulingQueue& queue = world.scheduler().queue();
  return queue.count(queue::Place::kBackoff) + queue.count(queue::Place::kErrorBackoff);
}

}  // namespace

Summary summarize(const sim::World& world, const SummaryOptions& options) {
  const sim::History& history = world.history();
  Summary result;
  result.name = options.name;
  result.seed = static_cast<std::int64_t>(options.seed);
  result.virtual_seconds = world.elapsed().in_seconds();
  result.pods = pods_of(history);
  result.scheduler = scheduler_of(history.counts());
  result.timeline = timeline_of(history, world.now() - world.elapsed(), world.now(), options.max_timeline_lines);
  result.waiting = waiting_times_of(history.pod_timelines());
  result.wake_ups = wake_counts_of(history);
  result.autoscaler = autoscaler_of(world);

  const std::unique_ptr<explain::Cluster> cluster = cluster_of(world.api());
  result.nodes = static_cast<std::int64_t>(cluster->cache.nodes().node_count());
  Occupancy occupancy = occupancy_of(*cluster);
  result.placement_by = std::move(occupancy.by);
  result.placement = std::move(occupancy.rows);
  result.utilisation = std::move(occupancy.utilisation);
  result.fragmentation = std::move(occupancy.fragmentation);
  result.pending = pending_of(world, *cluster, options.settings);
  result.failed_creations = failed_creations_of(world);
  result.rollouts = unfinished_rollouts(world, result.pending, Outlook::kGoesOn);
  result.drains = blocked_drains(world);
  if (history.was_cut()) {
    result.notes.push_back(
        fmt::format("More happened than is kept: the timeline and the wake-ups by event end after the first {} "
                    "happenings. All other numbers are whole.",
                    history.history_events().size()));
  }
  if (const std::vector<std::string> lost = pods_on_unknown_nodes(world); !lost.empty()) {
    result.notes.push_back(fmt::format("{} on nodes that are not there: {}.",
                                       lost.size() == 1 ? "A pod is" : "Pods are",
                                       explain::listed(lost, kMaxLostPods)));
  }
  if (const std::vector<std::string> empty = budgets_without_selector(world); !empty.empty()) {
    result.notes.push_back(fmt::format(
        "{} no selector, and a budget without one (policy/v1) covers no pod: {}. An empty selector ({{}}, in "
        "scenarios selector=*) covers all pods of the namespace.",
        empty.size() == 1 ? "A PodDisruptionBudget has" : "PodDisruptionBudgets have",
        explain::listed(empty, kMaxLostPods)));
  }
  const std::size_t tried_by_time = pods_in_backoff(world);
  if (result.nodes == 0 && tried_by_time > 0) {
    result.notes.push_back(
        fmt::format("There is no node. {} tried again and again, by time, as long as that is so, as by kube-scheduler; "
                    "\"run until idle\" does not wait for it.",
                    tried_by_time == 1 ? "A pod is" : text::counted(tried_by_time, "pod is", "pods are")));
  }
  return result;
}

}  // namespace berth::report
