#include "berth/whatif/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/explain/words.h"
#include "berth/report/pending.h"
#include "berth/report/unfinished.h"
#include "berth/report/words.h"
#include "berth/whatif/dump.h"
#include "berth/whatif/recreation.h"
#include "berth/whatif/verdicts.h"

namespace berth::whatif {

namespace {

// What was read and is not in the simulation: more of it would not be read.
constexpr std::size_t kMaxLeftOut = 5;

void note_dangling(const explain::Cluster& dump, Difference& result) {
  if (dump.dangling.empty()) return;
  result.notes.push_back(
      fmt::format("{} on nodes that are not in the dump ({}).",
                  dump.dangling.size() == 1 ? "1 pod is" : fmt::format("{} pods are", dump.dangling.size()),
                  explain::listed(dump.dangling, 3)));
}

// Whether settling has left pods without a place that the dump did not have so.
bool has_new_pending(const Snapshot& dump, const Snapshot& before) {
  return std::ranges::any_of(before.pods, [&](const auto& entry) {
    const auto found = dump.pods.find(entry.first);
    return entry.second.node.empty() && (found == dump.pods.end() || !found->second.node.empty());
  });
}

void add_held(std::span<const sim::Drain> drains, std::string_view more, std::vector<HeldPod>& held) {
  for (const sim::Drain& drain : drains) {
    for (const sim::Drain::Held& each : drain.held) {
      const std::string why = each.by.budgets.empty() ? "it has not left yet" : "held by " + each.by.str();
      held.push_back(
          {api::full_name(each.pod->metadata), drain.node.str(), fmt::format("{}{}", why, more), each.by.budgets});
    }
  }
}

class Simulation {
 public:
  Simulation(sim::World& world, const WhatIfOptions& options) : world_(world), options_(options) {}

  void settle() {
    if (const auto idle = world_.run_until_idle(world_.now() + kRestLimit); !idle) {
      restless = fmt::format("The cluster did not come to rest within {}: {}.", report::short_time(kRestLimit),
                             idle.error().message());
    }
  }

  // `objects` are those of the simulation; `dump` also has what only autoscalers look at.
  Result<Difference> run(const Plan& plan, const explain::Cluster& cluster, std::span<const api::AnyObject> objects,
                         std::span<const api::AnyObject> dump) {
    const Snapshot as_dumped = pods_of(world_);
    settle();
    const auto cluster_before = report::cluster_of(world_.api());
    const Snapshot before = snapshot_of(world_, *cluster_before);
    std::vector<report::PendingPods> pending_before;
    if (has_new_pending(as_dumped, before) || !world_.rollouts().empty()) {
      pending_before = report::pending_of(world_, *cluster_before, options_.settings);
    }
    Settling settling = settling_of(as_dumped, before, world_, pending_before);

    std::vector<report::BlockedDrain> blocked;
    if (options_.autoscaler) {
      auto started = start_autoscaler(world_, dump, *options_.autoscaler);
      if (!started) return fail(started.error());
      notes.insert(notes.end(), started->begin(), started->end());
    }
    std::vector<HeldPod> forced;
    const auto done = carry_out(
        plan, world_, [this] { settle(); },
        [&] {
          std::vector<sim::Drain> drains = world_.open_drains();
          std::erase_if(drains, [&](const sim::Drain& drain) {
            return std::ranges::find(plan.remove, drain.node.text()) == plan.remove.end();
          });
          add_held(drains, "; it left by force when its node was removed", forced);
          for (report::BlockedDrain& drain : report::blocked_drains(world_)) {
            if (std::ranges::find(plan.remove, drain.node) != plan.remove.end()) blocked.push_back(std::move(drain));
          }
        });
    if (!done) return fail(done.error());
    if (options_.autoscaler) {
      wait_for_removals(world_);
      settle();
    }
    const auto cluster_after = report::cluster_of(world_.api());
    const Snapshot after = snapshot_of(world_, *cluster_after);
    const std::vector<report::PendingPods> pending = report::pending_of(world_, *cluster_after, options_.settings);
    const std::vector<PodPair> pairs = pairs_of(before, after, world_);
    Difference result = difference_of(before, after, pairs, world_, plan, pending);
    result.settling = std::move(settling);
    if (options_.autoscaler) {
      result.changes.emplace_back("let an autoscaler add and remove nodes");
      result.autoscaler = autoscaled_groups(world_, dump);
    }
    for (report::BlockedDrain& drain : report::blocked_drains(world_)) {
      if (plan.leaves(drain.node)) blocked.push_back(std::move(drain));
    }
    add_held(world_.open_drains(), "", result.held);
    result.held.insert(result.held.end(), forced.begin(), forced.end());
    result.verdicts = verdicts_of(
        {.plan = plan, .world = world_, .dump = objects, .pairs = pairs, .pending = pending, .blocked = blocked});
    if (!restless.empty()) {
      Verdict& verdict = result.verdicts.emplace_back();
      verdict.kind = Symbol("rest");
      verdict.ok = false;
      verdict.sentence = restless;
    }
    result.ok = std::ranges::all_of(result.verdicts, &Verdict::ok);
    note_dangling(cluster, result);
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
    return result;
  }

  std::vector<std::string> notes;

  std::string restless;  // that it did not come to rest

 private:
  sim::World& world_;
  const WhatIfOptions& options_;
};

}  // namespace

Result<Difference> what_if(std::span<const api::AnyObject> dump, const Changes& changes, const WhatIfOptions& options) {
  const std::vector<api::AnyObject> objects = prepared(dump);
  const explain::Cluster cluster(objects);
  const auto planned = plan(changes, cluster, objects);
  if (!planned) return fail(planned.error());

  sim::WorldOptions world_options;
  world_options.seed = options.seed;
  world_options.scheduler.config = options.settings.config;
  world_options.scheduler.gates = options.settings.gates;
  if (const Instant began = time_of(dump); began.is_set()) world_options.epoch = began;

  std::optional<Recreation> recreation;  // outlives the world
  auto world = sim::World::make(std::move(world_options));
  if (!world) return fail(world.error());
  std::vector<std::string> left_out = load(**world, objects);
  recreation.emplace(**world, options.seed);

  Simulation simulation(**world, options);
  if (left_out.size() > kMaxLeftOut) {
    const std::size_t more = left_out.size() - kMaxLeftOut;
    left_out.resize(kMaxLeftOut);
    left_out.push_back(fmt::format("{} more objects are left out for such reasons.", more));
  }
  simulation.notes = std::move(left_out);
  return simulation.run(*planned, cluster, objects, dump);
}

}  // namespace berth::whatif
