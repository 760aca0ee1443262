#include "berth/engine/scheduler.h"

#include <fmt/format.h>

#include <utility>

#include "berth/engine/binding_cycle.h"
#include "berth/engine/extenders.h"
#include "berth/engine/handlers.h"
#include "berth/engine/invariants.h"
#include "berth/engine/metrics.h"
#include "berth/engine/preemptions.h"
#include "berth/engine/scheduling_cycle.h"
#include "berth/engine/state.h"

namespace berth::engine {

// The parts, tied together.
class Scheduler::Machine {
 public:
  explicit Machine(Options options)
      : state(std::move(options)),
        extenders(state.options.config.config.extenders),
        preemptions(state),
        bindings(state, extenders),
        handlers(state, bindings, preemptions),
        cycle(state, bindings, preemptions, extenders) {
    preemptions.set_bindings(bindings);
  }

  State state;
  Extenders extenders;
  Preemptions preemptions;
  BindingCycles bindings;
  Handlers handlers;
  SchedulingCycle cycle;

  // At most once a second: nobody reads it more often.
  void count_cache() {
    SchedulerMetrics* metrics = state.options.metrics;
    if (metrics == nullptr || (cache_counted_at_.is_set() && state.now - cache_counted_at_ < Duration::seconds(1)))
      return;
    cache_counted_at_ = state.now;
    using Content = SchedulerMetrics::CacheContent;
    metrics->cache_size(Content::kNodes, state.cache.nodes().node_count());
    metrics->cache_size(Content::kPods, state.cache.pod_count());
    metrics->cache_size(Content::kAssumedPods, state.cache.assumed_count());
  }

 private:
  Instant cache_counted_at_;
};

std::string_view to_string(PodPlace place) {
  switch (place) {
    case PodPlace::kUnknown: return "unknown";
    case PodPlace::kForeign: return "foreign";
    case PodPlace::kActive: return "active";
    case PodPlace::kBackoff: return "backoff";
    case PodPlace::kUnschedulable: return "unschedulable";
    case PodPlace::kGated: return "gated";
    case PodPlace::kAttempted: return "attempted";
    case PodPlace::kWaiting: return "waiting";
    case PodPlace::kBinding: return "binding";
    case PodPlace::kBound: return "bound";
  }
  return "";
}

Result<std::unique_ptr<Scheduler>> Scheduler::make(Options options) {
  auto machine = std::make_unique<Machine>(std::move(options));
  if (auto built = machine->state.build_profiles(machine->preemptions); !built) return std::unexpected(built.error());
  return std::unique_ptr<Scheduler>(new Scheduler(std::move(machine)));
}

Scheduler::Scheduler(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}
Scheduler::~Scheduler() = default;

// --- What a world reports --------------------------------------------------------------------------------------------

void Scheduler::observe(const api::AnyObject& object, Instant now) {
  machine_->state.now = now;
  machine_->handlers.observe(object);
}

void Scheduler::observe_deleted(const api::AnyObject& object, Instant now) {
  machine_->state.now = now;
  machine_->handlers.observe_deleted(object);
}

void Scheduler::observe_list(const api::ObjectKind& kind, std::span<const api::AnyObject> objects, Instant now) {
  machine_->state.now = now;
  machine_->handlers.observe_list(kind, objects);
}

void Scheduler::start(Instant now) {
  machine_->state.now = now;
  machine_->cycle.start();
}

void Scheduler::complete(CommandId id, const Outcome& outcome, Instant now) {
  machine_->state.now = now;
  machine_->state.calls.complete(id, outcome);
}

// --- Running ---------------------------------------------------------------------------------------------------------

void Scheduler::set_wall_clock_offset(Duration offset) {
  machine_->state.wall_offset = offset;
}

void Scheduler::advance(Instant now) {
  State& state = machine_->state;
  state.now = now;
  state.timers.run_due(now);
  // Only under the rules of v1.17 and v1.20. The room of an expired pod is free, as if it had left.
  for (const api::PodPtr& expired : state.cache.expire(now)) state.notify_pod_left(expired);
  if (const Instant flush = state.queue->next_flush_at(); flush.is_set() && flush <= now) {
    (void)state.queue->flush_backoff_completed(now);
    (void)state.queue->flush_unschedulable_leftover(now);
  }
  machine_->count_cache();
}

bool Scheduler::try_next(Instant now) {
  machine_->state.now = now;
  return machine_->cycle.try_next();
}

void Scheduler::run_until_idle(Instant now) {
  advance(now);
  while (try_next(now)) {
  }
}

Instant Scheduler::next_due() const {
  const State& state = machine_->state;
  Instant next;
  for (const Instant due : {state.timers.next(), state.queue->next_flush_at(), state.cache.next_expiry()}) {
    if (due.is_set() && (!next.is_set() || due < next)) next = due;
  }
  return next;
}

bool Scheduler::has_work() const {
  const State& state = machine_->state;
  if (!machine_->cycle.is_started() || !machine_->cycle.waiting_uid().empty()) return false;
  return state.queue->has_pod_to_pop();
}

std::vector<Command> Scheduler::take_commands() {
  return machine_->state.calls.take();
}
std::vector<PodEvent> Scheduler::take_events() {
  return machine_->state.events.take();
}

// --- Permit ----------------------------------------------------------------------------------------------------------

bool Scheduler::allow(std::string_view uid, Symbol plugin, Instant now) {
  machine_->state.now = now;
  return machine_->bindings.allow(uid, plugin);
}

bool Scheduler::reject(std::string_view uid, Symbol plugin, std::string_view message, Instant now) {
  machine_->state.now = now;
  return machine_->bindings.reject(uid, plugin, message);
}

void Scheduler::activate(std::vector<api::PodPtr> pods, Instant now) {
  State& state = machine_->state;
  state.now = now;
  for (api::PodPtr& pod : pods) state.pods_to_activate.push_back(std::move(pod));
  if (!machine_->cycle.is_under_way()) state.activate_stashed();
}

// --- Looking ---------------------------------------------------------------------------------------------------------

PodPlace Scheduler::place_of(Symbol name_space, std::string_view name) const {
  const Machine& machine = *machine_;
  const api::PodPtr& pod = machine.state.pods.find(name_space, name);
  if (pod == nullptr) return PodPlace::kUnknown;
  if (!pod->spec.node_name.empty()) return PodPlace::kBound;
  const std::string& uid = pod->metadata.uid;
  if (machine.bindings.is_waiting(uid)) return PodPlace::kWaiting;
  if (machine.bindings.contains(uid) || machine.state.cache.is_assumed(uid)) return PodPlace::kBinding;
  if (machine.cycle.waiting_uid() == uid) return PodPlace::kAttempted;
  const queue::QueuedPod* queued = machine.state.queue->get(name_space, name);
  if (queued == nullptr) return machine_->state.is_ours(*pod) ? PodPlace::kUnknown : PodPlace::kForeign;
  switch (queued->place) {
    case queue::Place::kActive: return PodPlace::kActive;
    case queue::Place::kBackoff:
    case queue::Place::kErrorBackoff: return PodPlace::kBackoff;
    case queue::Place::kUnschedulable: return queued->is_gated() ? PodPlace::kGated : PodPlace::kUnschedulable;
    case queue::Place::kNone: break;
  }
  return PodPlace::kUnknown;
}

api::PodPtr Scheduler::find_pod(Symbol name_space, std::string_view name) const {
  return machine_->state.pods.find(name_space, name);
}
std::vector<api::PodPtr> Scheduler::pods() const {
  std::vector<api::PodPtr> result;
  result.reserve(machine_->state.pods.size());
  machine_->state.pods.for_each([&](const api::PodPtr& pod) { result.push_back(pod); });
  return result;
}
const queue::SchedulingQueue& Scheduler::queue() const {
  return *machine_->state.queue;
}
const cache::SchedulerCache& Scheduler::cache() const {
  return machine_->state.cache;
}
const cache::ClusterObjects& Scheduler::objects() const {
  return machine_->state.objects;
}
const framework::NominatedPods& Scheduler::nominated() {
  return machine_->state.nominated();
}
const framework::Profile* Scheduler::profile(Symbol scheduler_name) const {
  const ProfileInUse* found = machine_->state.profiles.find(scheduler_name);
  return found == nullptr ? nullptr : found->profile.get();
}
const AttemptLog& Scheduler::attempts() const {
  return machine_->state.attempts;
}
std::size_t Scheduler::bindings() const {
  return machine_->bindings.size();
}
std::size_t Scheduler::preemptions() const {
  return machine_->preemptions.size();
}
std::size_t Scheduler::binds_under_way() const {
  return machine_->bindings.binds_under_way();
}
std::size_t Scheduler::commands_under_way() const {
  return machine_->state.calls.in_flight();
}
std::size_t Scheduler::unattended_patches_under_way() const {
  return machine_->state.calls.unattended_patches();
}
Symbol Scheduler::woken_by(std::string_view uid) const {
  return machine_->state.queue_watch.woken_by(uid);
}
std::vector<std::string> Scheduler::broken_invariants() const {
  return engine::broken_invariants(machine_->state, machine_->bindings, machine_->cycle.waiting_uid());
}

}  // namespace berth::engine
