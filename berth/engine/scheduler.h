// The scheduler: queue, cache, profiles and the two cycles put together, as one deterministic machine.
//
//              inputs                                            outputs
//   objects as they come and go ─┐                            ┌─> commands: bind, patch, delete, ...; events
//   time is now T               ─┼─> Scheduler (one writer) ──┼─> "call me again at T2"
//   command N ended so          ─┘                            └─> what happened, for observers
//
// A world drives it: it reports objects with observe() and its kin, results with complete(), and calls run_until_idle()
// (or advance() and try_next()) after each, and at next_due(). Then it carries out take_commands() and writes
// take_events(). Nothing here reads a clock, starts a thread or draws a random number: the same calls give the same
// answers, always.
//
// Objects may be reported in any order and more than once; what counts is the last report about each name. Pods that
// have ended (Succeeded, Failed) are the same as pods that are gone. A pod whose UID has changed is one that went and
// another that came.
//
// Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/engine/attempt_log.h"
#include "berth/engine/command.h"
#include "berth/engine/event_recorder.h"
#include "berth/engine/observer.h"
#include "berth/engine/quirks.h"
#include "berth/framework/attempt.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/framework/profile.h"
#include "berth/framework/registry.h"
#include "berth/queue/release.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::engine {

class SchedulerMetrics;

struct Options {
  config::LoadedConfig config = config::default_config();
  config::FeatureGates gates;
  // Adds plugins beyond kube-scheduler's own, which are there already.
  std::function<Result<void>(framework::PluginRegistry&)> add_plugins;
  // Breaks ties between equal nodes.
  std::uint64_t seed = 0;
  queue::Release compatibility = queue::Release::kV1_36;
  Quirks quirks;
  // How long a pod stays unschedulable before it is tried without any event.
  Duration maximum_in_unschedulable = Duration::minutes(5);
  // How many of the best nodes an attempt record names with their scores; costs a pass over all nodes per placement.
  std::size_t scores_to_record = 0;
  AttemptLog::Limits attempt_log;
  // How much is cached per class of pods, and how often it is compared with a decision from scratch.
  framework::EquivalenceCache::Options equivalence_cache;
  Observer* observer = nullptr;         // these two outlive the scheduler
  SchedulerMetrics* metrics = nullptr;  // null: nothing is counted
};

// Where a pod is, for those who ask.
enum class PodPlace : std::uint8_t {
  kUnknown,        // no such pod, or one that has ended
  kForeign,        // without a node, and for another scheduler
  kActive,         // the places of the queue
  kBackoff,        // both kinds
  kUnschedulable,  // waits for an event
  kGated,          // held back by a PreEnqueue plugin
  kAttempted,      // its attempt waits for an extender
  kWaiting,        // has a node; a Permit plugin lets it wait
  kBinding,        // has a node; is being bound
  kBound,
};
std::string_view to_string(PodPlace place);

class Scheduler {
 public:
  // The error: a profile of the configuration that cannot be built.
  static Result<std::unique_ptr<Scheduler>> make(Options options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // --- What a world reports ------------------------------------------------------------------------------------------

  // The object has appeared or changed.
  void observe(const api::AnyObject& object, Instant now);
  // It is gone. `object` is the last known state, which may be old: what counts is its kind and name, and the UID if it
  // has one.
  void observe_deleted(const api::AnyObject& object, Instant now);
  // All objects of a kind as they are now: what is known and not among them is gone.
  void observe_list(const api::ObjectKind& kind, std::span<const api::AnyObject> objects, Instant now);
  // The first lists are complete. Before, no pod is tried.
  void start(Instant now);
  // What became of a command.
  void complete(CommandId id, const Outcome& outcome, Instant now);

  // --- Running -------------------------------------------------------------------------------------------------------

  // From the instants handed in, which never go back, to what a clock on the wall shows: only what is written for
  // people (conditions) has that time. Zero at first.
  void set_wall_clock_offset(Duration offset);
  // Does what is due: timeouts and flushes of the queue.
  void advance(Instant now);
  // Tries the next pod. False if there was none, or if an attempt waits for an extender.
  bool try_next(Instant now);
  // advance(), then try_next() until there is nothing to try.
  void run_until_idle(Instant now);
  // When advance() has something to do next; unset if never.
  Instant next_due() const;
  // Whether try_next() would find a pod.
  bool has_work() const;

  std::vector<Command> take_commands();
  // Events about pods, to be written for those who look at them. They need not be taken together with the commands.
  std::vector<PodEvent> take_events();

  // --- For plugins that let pods wait at Permit ----------------------------------------------------------------------

  // False if no such pod waits for that plugin.
  bool allow(std::string_view uid, Symbol plugin, Instant now);
  bool reject(std::string_view uid, Symbol plugin, std::string_view message, Instant now);
  // To be made active, whatever they wait for, at the end of the scheduling cycle under way (or at once, if there is
  // none).
  void activate(std::vector<api::PodPtr> pods, Instant now);

  // --- Looking -------------------------------------------------------------------------------------------------------

  PodPlace place_of(Symbol name_space, std::string_view name) const;
  // As last reported; null if unknown.
  api::PodPtr find_pod(Symbol name_space, std::string_view name) const;
  // All of them, as last reported; those of other schedulers too. In no order.
  std::vector<api::PodPtr> pods() const;
  const queue::SchedulingQueue& queue() const;
  const cache::SchedulerCache& cache() const;
  const cache::ClusterObjects& objects() const;
  // As attempts see them.
  const framework::NominatedPods& nominated();
  // Null if no profile has that name.
  const framework::Profile* profile(Symbol scheduler_name) const;
  const AttemptLog& attempts() const;
  // How many pods are between the choice of a node and the end of binding.
  std::size_t bindings() const;
  std::size_t preemptions() const;
  // How many bind commands have no result yet. Not those of extenders, nor pods whose bind ended with an unknown
  // outcome: what they wait for may take long, and need not keep others from being tried.
  std::size_t binds_under_way() const;
  // How many commands have no result yet.
  std::size_t commands_under_way() const;
  // Of these, the patches of statuses that nothing waits for.
  std::size_t unattended_patches_under_way() const;
  // The label of the event that last brought the pod from unschedulable to active or backoff; empty if none did.
  Symbol woken_by(std::string_view uid) const;

  // Whether the state is consistent with itself: a pod is in one place, what is assumed is being bound, nominations are
  // those of pending pods, in-flight events empty when nothing is in flight. Each string is something that is not so.
  std::vector<std::string> broken_invariants() const;

 private:
  class Machine;
  explicit Scheduler(std::unique_ptr<Machine> machine);
  std::unique_ptr<Machine> machine_;
};

}  // namespace berth::engine
