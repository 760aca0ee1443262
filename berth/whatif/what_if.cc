#include "berth/whatif/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/explain/words.h"
#include "berth/report/words.h"
#include "berth/whatif/dump.h"
#include "berth/whatif/recreation.h"

namespace berth::whatif {

namespace {

// What was read and is not in the simulation: more of it would not be read.
constexpr std::size_t kMaxLeftOut = 5;

std::string pods_text(std::size_t count) {
  return report::count_of(static_cast<std::int64_t>(count), "pod");
}

// What became of the dump before anything was changed.
void note_settling(const explain::Cluster& dump, const Snapshot& before, Difference& result) {
  std::map<std::string, const PodRecord*> now;
  for (const auto& [uid, pod] : before.pods) now[pod.name] = &pod;
  std::vector<std::string> placed, made;
  for (const auto& [name, pod] : now) {
    const auto found = dump.pods.find(name);
    if (found == dump.pods.end()) {
      made.push_back(name);
    } else if (found->second->spec.node_name.empty() && !pod->node.empty()) {
      placed.push_back(name);
    }
  }
  if (!placed.empty()) {
    result.notes.push_back(fmt::format("{} pending in the dump and got a place before anything was changed: {}.",
                                       placed.size() == 1 ? "1 pod was" : pods_text(placed.size()) + " were",
                                       explain::listed(placed, 3)));
  }
  if (!made.empty()) {
    result.notes.push_back(fmt::format(
        "{} made before anything was changed, because workloads of the dump want more pods than it has: {}.",
        made.size() == 1 ? "1 pod was" : pods_text(made.size()) + " were", explain::listed(made, 3)));
  }
  if (!dump.dangling.empty()) {
    result.notes.push_back(
        fmt::format("{} on nodes that are not in the dump ({}).",
                    dump.dangling.size() == 1 ? "1 pod is" : pods_text(dump.dangling.size()) + " are",
                    explain::listed(dump.dangling, 3)));
  }
}

class Simulation {
 public:
  Simulation(sim::World& world, const WhatIfOptions& options) : world_(world), options_(options) {}

  void settle() {
    if (const auto idle = world_.run_until_idle(world_.now() + kRestLimit); !idle) {
      notes.push_back(fmt::format("The cluster did not come to rest within {}: {}.", report::short_time(kRestLimit),
                                  idle.error().message()));
    }
  }

  Result<Difference> run(const Plan& plan, const explain::Cluster& dump) {
    settle();
    const auto cluster_before = report::cluster_of(world_.api());
    const Snapshot before = snapshot_of(world_, *cluster_before);
    std::vector<HeldPod> forced;
    const auto done = carry_out(plan, world_, [this] { settle(); }, [&] { forced = held_on_removed(plan); });
    if (!done) return fail(done.error());
    const auto cluster_after = report::cluster_of(world_.api());
    const Snapshot after = snapshot_of(world_, *cluster_after);
    Difference result = difference_of(before, after, world_, *cluster_after, options_.settings);
    result.changes = plan.words;
    result.held = held_pods(plan, world_);
    for (HeldPod& pod : forced) {
      pod.why += "; it left by force when its node was removed";
      result.held.push_back(std::move(pod));
    }
    note_settling(dump, before, result);
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
    return result;
  }

  std::vector<std::string> notes;

 private:
  std::vector<HeldPod> held_on_removed(const Plan& plan) const {
    std::vector<HeldPod> held = held_pods(plan, world_);
    std::erase_if(held,
                  [&](const HeldPod& pod) { return std::ranges::find(plan.remove, pod.node) == plan.remove.end(); });
    return held;
  }

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
  return simulation.run(*planned, cluster);
}

}  // namespace berth::whatif
