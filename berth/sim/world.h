// A cluster in virtual time, with a scheduler in it: an API server in memory, controllers that make pods, pods that run
// and end, volumes that are provisioned, and faults.
//
// Time stands still while things happen and jumps to the next thing that is due. Everything that happens is a function
// of the calls and the seed: two worlds that are told the same do the same, to the byte.
//
// The parts: ApiServer (api_server.h) keeps the objects and their history of changes; Controllers (controllers.h) do
// what kube-controller-manager and kubelets do; SchedulerLink (scheduler_link.h) connects one engine::Scheduler to the
// API server, with delays and faults in both directions, and can crash and start it anew.
//
// Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/engine/scheduler.h"
#include "berth/sim/evictions.h"
#include "berth/sim/faults.h"
#include "berth/sim/history.h"
#include "berth/sim/rollouts.h"
#include "berth/sim/scheduler_link.h"

namespace berth::sim {

class ApiServer;
class Autoscaler;
class FailedCreations;

// How many objects a simulation creates at most, counted from its beginning. A million pods on 20,000 nodes take 1.2
// GB; this many stay below the memory of a small machine. A node counts as four (kObjectsPerNode).
inline constexpr std::size_t kDefaultMaxObjects = 2'500'000;

struct WorldOptions {
  engine::Options scheduler;  // observer, seed and add_plugins are the world's to set; add_plugins is called too
  std::uint64_t seed = 1;
  Instant epoch = Instant::from_unix_seconds(1'767'225'600);  // 2026-01-01T00:00:00Z: time 0 of a scenario
  Faults faults;
  bool scripted = false;  // the Script plugin of pod_script.h is in every profile
  std::size_t max_events = 2'000'000;
  std::size_t max_objects = kDefaultMaxObjects;
  // Answers for the extenders of the configuration. Empty: they refuse.
  SimulatedExtender extender;
};

// How a pod of a simulation behaves once it is bound, given as annotations so that templates carry it:
// "berth.dev/runs" (a duration; it ends then, Succeeded), "berth.dev/terminates-in" (a duration), "berth.dev/fails"
// ("true": ends Failed).
inline constexpr std::string_view kRunsAnnotation = "berth.dev/runs";
inline constexpr std::string_view kTerminatesInAnnotation = "berth.dev/terminates-in";
inline constexpr std::string_view kFailsAnnotation = "berth.dev/fails";

// What the scenario does to single pods on their way (pod_script.h): hold at Permit, fail at Reserve, ...
class PodScript;

class World {
 public:
  static Result<std::unique_ptr<World>> make(WorldOptions options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // --- Time ----------------------------------------------------------------------------------------------------------
  Instant now() const;
  Duration elapsed() const;  // since the epoch
  void at(Instant when, std::function<void()> what);
  void run_until(Instant when);
  // Until nothing is under way any more: no pod that could be tried, no command without an answer, no change on its
  // way, no controller with work, no statement that waits for its time. Pods may be parked, run, and end later. The
  // error: still busy at `limit`, and with what.
  Result<void> run_until_idle(Instant limit);
  // Looks after every event. False if the condition did not come true by `limit`.
  bool run_until(const std::function<bool()>& condition, Instant limit);
  // Called after everything that happens: for checkers and progress. Empty: nobody.
  void set_on_step(std::function<void()> on_step);
  // Called for every object that is created, which may be many in one step: for progress only.
  void set_on_create(std::function<void()> on_create);
  // WorldOptions::max_objects is reached: whatever runs ends here, and nothing more happens.
  bool is_full() const;
  // The wall clock of the scheduler jumps by this much, forward or back; the world's does not.
  void jump_clock(Duration by);

  // --- What users and administrators do ------------------------------------------------------------------------------
  // Fills in what the API server would (namespace, UID, creation time, priority from the class, default tolerations
  // are left out) and what a controller would have (hash labels).
  Result<void> create(api::AnyObject object);
  Result<void> update(api::AnyObject object);  // replaces it; owner and status are kept where the new one says nothing
  Result<void> apply(api::AnyObject object);   // creates or updates
  Result<void> remove(const api::ObjectKind& kind, std::string_view name_space, std::string_view name);
  Result<void> scale(std::string_view kind, std::string_view name_space, std::string_view name, std::int32_t replicas);
  Result<void> cordon(std::string_view node, bool unschedulable);
  // Cordon, and evict its pods (but not those of DaemonSets), as budgets for disruptions allow.
  Result<void> drain(std::string_view node);
  // The node's kubelet is gone: its pods fail after a while and are replaced, the node gets the taints of a lost node.
  Result<void> fail_node(std::string_view node);
  Result<void> recover_node(std::string_view node);

  // --- The autoscaler (autoscaler.h)
  // ---------------------------------------------------------------------------------- Made when first asked for; it
  // does nothing as long as it has no groups. The error: a profile cannot be built.
  Result<Autoscaler*> use_autoscaler();
  // Null if nobody has asked for it.
  const Autoscaler* autoscaler() const;

  // --- The scheduler -------------------------------------------------------------------------------------------------
  // Its memory is gone; commands that were given are still carried out. Nothing is scheduled until start_scheduler().
  void crash_scheduler();
  void start_scheduler();
  bool is_scheduler_up() const;
  // Requires: it is up.
  engine::Scheduler& scheduler();
  const engine::Scheduler& scheduler() const;
  // To be called after something was done to the scheduler from outside (allow(), reject(), activate()): lets it go on.
  void nudge_scheduler();
  // The watch of a kind breaks now; it is listed anew after Faults::relist_after.
  void break_watch(const api::ObjectKind& kind);
  void break_all_watches();

  // --- What is under way ---------------------------------------------------------------------------------------------
  // Drains whose pods have not all been evicted, in order of the nodes' names.
  std::vector<Drain> open_drains() const;
  // Rollouts of Deployments, in order of names.
  std::vector<Rollout> rollouts() const;

  Faults& faults();
  PodScript& pod_script();
  ApiServer& api();
  const ApiServer& api() const;
  // The controllers that are short of pods now because the API server refuses them.
  const FailedCreations& failed_creations() const;
  History& history();
  const History& history() const;
  Rng& rng();

  // Everything that should hold whenever the world is idle or not; each string is something that does not: the
  // scheduler's own invariants, no pod bound twice, no node filled beyond what it has by pods that this scheduler
  // placed, what the scheduler knows equals the API server when no change is on its way.
  std::vector<std::string> broken_invariants() const;

 private:
  struct Parts;
  explicit World(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::sim
