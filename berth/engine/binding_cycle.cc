#include "berth/engine/binding_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "berth/base/check.h"
#include "berth/config/feature_gates.h"
#include "berth/engine/metrics.h"
#include "berth/plugins/names.h"

namespace berth::engine {
namespace {

using framework::Code;
using framework::ExtensionPoint;
using framework::Status;

// A pod waits at Permit for at most this long, whatever plugins say.
constexpr Duration kMaxPermitWait = Duration::minutes(15);
// How often a pod whose binding has an unknown outcome is read, if reading fails too.
constexpr Duration kFirstReadRetry = Duration::seconds(1);
constexpr Duration kMaxReadRetry = Duration::seconds(10);

std::string at_plugin(std::string_view point, Symbol plugin, const std::string& message) {
  return fmt::format("running {} \"{}\": {}", point, plugin.text(), message);
}

std::string deadline_exceeded(Symbol plugin) {
  static const Symbol kVolumeBinding{plugins::name::kVolumeBinding};
  return plugin == kVolumeBinding ? "binding volumes: context deadline exceeded" : "context deadline exceeded";
}

api::PodPtr on_node(const api::Pod& pod, Symbol node) {
  auto placed = std::make_shared<api::Pod>(pod);
  placed->spec.node_name = node;
  return placed;
}

}  // namespace

struct BindingCycles::Cycle {
  enum class Stage : std::uint8_t { kNominating, kWaiting, kPreBinding, kBinding };
  struct Waiting {
    Symbol plugin;
    Timers::Key timer;
  };
  struct Work {
    Symbol plugin;
    std::unique_ptr<framework::PreBindWork> work;
    std::size_t group = 0;  // works of one group run side by side
    std::vector<api::AnyObject> updates;
    Instant began_at;
    Instant deadline;
    bool is_done = false;
  };

  CycleId id = 0;
  queue::PoppedPod popped;
  ProfileInUse* profile = nullptr;
  framework::PodToPlace pod;  // with its node
  Symbol node;
  Stage stage = Stage::kNominating;
  std::vector<Waiting> waiting;
  Instant waits_since;
  std::vector<Work> works;
  std::size_t group = 0;
  bool is_in_flight = true;
  Instant pre_bind_began_at;
  Instant bind_began_at;
  Symbol binder;          // the Bind plugin; empty if an extender binds
  Instant attempt_began;  // by the stopwatch of the metrics

  framework::Profile& plugins() const { return *profile->profile; }
  const std::string& uid() const { return pod->metadata.uid; }
};

BindingCycles::BindingCycles(State& state, const Extenders& extenders) : state_(state), extenders_(extenders) {}
BindingCycles::~BindingCycles() = default;

BindingCycles::Cycle* BindingCycles::find(CycleId id) {
  const auto it = cycles_.find(id);
  return it == cycles_.end() ? nullptr : it->second.get();
}

BindingCycles::Cycle* BindingCycles::find(std::string_view uid) {
  const auto it = by_uid_.find(uid);
  return it == by_uid_.end() ? nullptr : find(it->second);
}

// --- At once ---------------------------------------------------------------------------------------------------------

std::optional<Failure> BindingCycles::begin(queue::PoppedPod& popped, ProfileInUse& profile, Symbol node,
                                            Instant began) {
  auto cycle = std::make_unique<Cycle>();
  cycle->id = ++last_id_;
  cycle->profile = &profile;
  cycle->pod = {on_node(*popped->pod, node), state_.cache.compile(*popped->pod)};
  cycle->node = node;
  cycle->attempt_began = began;
  if (auto assumed = state_.cache.assume(cycle->pod.pod); !assumed) return Failure::error(assumed.error().what());
  // From now on it takes up room where it goes; what it was promised elsewhere is free.
  const Symbol promised = state_.queue->nominator().node_of(popped->uid());
  state_.queue->remove_nomination(*popped->pod);
  if (!promised.empty() && promised != node) state_.nomination_given_up(popped->pod, promised);
  if (auto failure = reserve(*cycle)) return failure;
  if (auto failure = permit(*cycle)) return failure;

  cycle->popped = std::move(popped);
  Cycle& started = *cycle;
  by_uid_.emplace(started.uid(), started.id);
  cycles_.emplace(started.id, std::move(cycle));
  if (state_.options.metrics != nullptr) {
    state_.options.metrics->add_under_way(SchedulerMetrics::Activity::kBinding, 1);
  }
  preflight(started);
  return std::nullopt;
}

std::optional<Failure> BindingCycles::reserve(Cycle& cycle) {
  framework::PointRun point(cycle.plugins().metrics(), ExtensionPoint::kReserve, cycle.plugins().scheduler_name());
  for (const auto& [name, plugin] : cycle.plugins().reserve()) {
    framework::PluginRun run(cycle.plugins().metrics(), ExtensionPoint::kReserve, name,
                             cycle.plugins().scheduler_name());
    const Status status = plugin->reserve(cycle.pod, state_.view(), cycle.node);
    if (status.is_success()) continue;
    point.code = run.code = status.code();
    undo(cycle);
    if (status.is_rejected()) return Failure::rejected_by(name, status.reason_texts());
    return Failure::error(at_plugin("Reserve plugin", name, status.message()));
  }
  return std::nullopt;
}

std::optional<Failure> BindingCycles::permit(Cycle& cycle) {
  framework::PointRun point(cycle.plugins().metrics(), ExtensionPoint::kPermit, cycle.plugins().scheduler_name());
  for (const auto& [name, plugin] : cycle.plugins().permit()) {
    framework::PluginRun run(cycle.plugins().metrics(), ExtensionPoint::kPermit, name,
                             cycle.plugins().scheduler_name());
    const framework::Permitted answer = plugin->permit(cycle.pod, cycle.node);
    run.code = answer.status.code();
    if (answer.status.is_success() || answer.status.is_skip()) continue;
    point.code = answer.status.code();
    if (answer.status.code() == Code::kWait) {
      const Duration timeout = std::min(answer.timeout, kMaxPermitWait);
      const Timers::Key timer = state_.timers.set(state_.now + timeout, [this, id = cycle.id, by = name, timeout] {
        if (Cycle* waiting = find(id)) {
          reject(waiting->uid(), by,
                 fmt::format("rejected due to timeout after waiting {} at plugin {}", timeout.str(), by.text()));
        }
      });
      cycle.waiting.push_back({name, timer});
      continue;
    }
    for (const Cycle::Waiting& other : cycle.waiting) state_.timers.cancel(other.timer);
    undo(cycle);
    if (answer.status.is_rejected()) return Failure::rejected_by(name, answer.status.reason_texts());
    return Failure::error(at_plugin("Permit plugin", name, answer.status.message()));
  }
  return std::nullopt;
}

// --- Permit ----------------------------------------------------------------------------------------------------------

// Asks the PreBind plugins what they have to do. They do it later.
void BindingCycles::preflight(Cycle& cycle) {
  std::size_t group = 0;
  bool last_was_parallel = true;
  for (const auto& [name, plugin] : cycle.plugins().pre_bind()) {
    framework::PreBinding answer = plugin->pre_bind(cycle.pod, state_.view(), cycle.node);
    if (!answer.status.is_success() && !answer.status.is_skip()) {
      return fail(cycle, Failure::error(at_plugin("PreBindPreFlight", name, answer.status.message())));
    }
    // One that may not run beside others splits them, also if it has nothing to do.
    if (!answer.may_run_in_parallel || !last_was_parallel) ++group;
    last_was_parallel = answer.may_run_in_parallel;
    if (answer.status.is_skip() || answer.work == nullptr) continue;
    Cycle::Work work;
    work.plugin = name;
    work.work = std::move(answer.work);
    work.group = group;
    cycle.works.push_back(std::move(work));
  }
  nominate(cycle);
}

// What takes a while is made visible: the node that the pod is going to.
void BindingCycles::nominate(Cycle& cycle) {
  const bool takes_a_while = !cycle.works.empty() || !cycle.waiting.empty();
  const bool is_visible = cycle.popped->pod->status.nominated_node_name == cycle.node;
  if (!takes_a_while || is_visible ||
      !state_.options.gates.enabled(config::Feature::kNominatedNodeNameForExpectation)) {
    return wait_at_permit(cycle);
  }
  cycle.stage = Cycle::Stage::kNominating;
  PatchPodStatus patch{.base = cycle.popped->pod, .condition = {}, .nominated_node_name = cycle.node};
  state_.calls.patch_status(std::move(patch), [this, id = cycle.id](const Outcome&) {
    if (Cycle* nominated = find(id)) wait_at_permit(*nominated);  // whatever came of it
  });
}

void BindingCycles::wait_at_permit(Cycle& cycle) {
  if (cycle.waiting.empty()) return permitted(cycle);
  cycle.stage = Cycle::Stage::kWaiting;
  cycle.waits_since = state_.now;
}

bool BindingCycles::is_waiting(std::string_view uid) const {
  const auto it = by_uid_.find(uid);
  return it != by_uid_.end() && !cycles_.at(it->second)->waiting.empty();
}

bool BindingCycles::allow(std::string_view uid, Symbol plugin) {
  Cycle* cycle = find(uid);
  if (cycle == nullptr) return false;
  const auto waiting =
      std::ranges::find_if(cycle->waiting, [&](const Cycle::Waiting& each) { return each.plugin == plugin; });
  if (waiting == cycle->waiting.end()) return false;
  state_.timers.cancel(waiting->timer);
  cycle->waiting.erase(waiting);
  if (!cycle->waiting.empty() || cycle->stage != Cycle::Stage::kWaiting) return true;
  stop_waiting(*cycle, Code::kSuccess);
  permitted(*cycle);
  return true;
}

bool BindingCycles::reject(std::string_view uid, Symbol plugin, std::string_view message) {
  Cycle* cycle = find(uid);
  if (cycle == nullptr) return false;
  const auto waits_for = [plugin](const Cycle::Waiting& each) { return each.plugin == plugin; };
  if (std::ranges::none_of(cycle->waiting, waits_for)) return false;
  reject(*cycle, plugin, message);
  return true;
}

void BindingCycles::reject_removed(std::string_view uid) {
  Cycle* cycle = find(uid);
  if (cycle != nullptr && !cycle->waiting.empty()) reject(*cycle, Symbol(), "removed");
}

void BindingCycles::reject(Cycle& cycle, Symbol plugin, std::string_view message) {
  stop_waiting(cycle, Code::kUnschedulable);
  fail(cycle, Failure::rejected_by(plugin, {std::string(message)}));
}

void BindingCycles::stop_waiting(Cycle& cycle, Code code) {
  for (const Cycle::Waiting& waiting : cycle.waiting) state_.timers.cancel(waiting.timer);
  cycle.waiting.clear();
  if (state_.options.metrics != nullptr && cycle.waits_since.is_set()) {
    state_.options.metrics->permit_wait(code, state_.now - cycle.waits_since);
  }
}

bool BindingCycles::preempt(std::string_view uid) {
  Cycle* cycle = find(uid);
  if (cycle == nullptr) return false;
  if (!cycle->waiting.empty()) {
    stop_waiting(*cycle, Code::kError);
    fail(*cycle, Failure::error("waiting on permit for pod: preempted"));
    return true;
  }
  if (cycle->stage != Cycle::Stage::kPreBinding && cycle->stage != Cycle::Stage::kNominating) return false;
  fail(*cycle, Failure::error("preempted by DefaultPreemption"));
  return true;
}

// From here on events have nothing to say any more: what fails is tried again by time.
void BindingCycles::permitted(Cycle& cycle) {
  if (cycle.is_in_flight) (void)state_.queue->done(cycle.uid());
  cycle.is_in_flight = false;
  cycle.stage = Cycle::Stage::kPreBinding;
  cycle.pre_bind_began_at = state_.now;
  cycle.group = cycle.works.empty() ? 0 : cycle.works.front().group;
  begin_group(cycle);
}

// --- PreBind ---------------------------------------------------------------------------------------------------------

void BindingCycles::begin_group(Cycle& cycle) {
  const CycleId id = cycle.id;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < cycle.works.size(); ++i) {
    if (cycle.works[i].group == cycle.group && !cycle.works[i].is_done) members.push_back(i);
  }
  if (members.empty()) return pre_bound(cycle);
  for (const std::size_t i : members) {
    Cycle* running = find(id);
    if (running == nullptr) return;  // one of them failed at once
    Cycle::Work& work = running->works[i];
    work.updates = work.work->updates();
    work.began_at = state_.now;
    work.deadline = state_.now + work.work->timeout();
    send_updates(*running, i, 0);
  }
}

void BindingCycles::send_updates(Cycle& cycle, std::size_t index, std::size_t update) {
  Cycle::Work& work = cycle.works[index];
  if (update == work.updates.size()) return poll(cycle, index);
  state_.calls.send(UpdateObject{work.updates[update]}, [this, id = cycle.id, index, update](const Outcome& outcome) {
    Cycle* running = find(id);
    if (running == nullptr) return;
    Cycle::Work& waiting = running->works[index];
    if (!outcome.is_done()) return work_failed(*running, index, outcome.message);
    waiting.work->updated(update, outcome.object);
    send_updates(*running, index, update + 1);
  });
}

void BindingCycles::poll(Cycle& cycle, std::size_t index) {
  Cycle::Work& work = cycle.works[index];
  const Status status = work.work->poll(state_.view());
  if (status.is_success()) return work_done(cycle, index);
  if (status.code() != Code::kWait) return work_failed(cycle, index, status.message());
  if (state_.now >= work.deadline) return work_failed(cycle, index, deadline_exceeded(work.plugin));
  const Instant next = std::min(state_.now + work.work->poll_interval(), work.deadline);
  state_.timers.set(next, [this, id = cycle.id, index] {
    if (Cycle* running = find(id)) poll(*running, index);
  });
}

void BindingCycles::work_failed(Cycle& cycle, std::size_t index, const std::string& message) {
  const Cycle::Work& work = cycle.works[index];
  if (SchedulerMetrics* metrics = state_.options.metrics) {
    metrics->plugin_took(ExtensionPoint::kPreBind, work.plugin, Code::kError, state_.now - work.began_at);
    metrics->point_took(ExtensionPoint::kPreBind, cycle.plugins().scheduler_name(), Code::kError,
                        state_.now - cycle.pre_bind_began_at);
  }
  fail(cycle, Failure::error(at_plugin("PreBind plugin", work.plugin, message)));
}

void BindingCycles::work_done(Cycle& cycle, std::size_t index) {
  Cycle::Work& done = cycle.works[index];
  done.is_done = true;
  if (SchedulerMetrics* metrics = state_.options.metrics) {
    metrics->plugin_took(ExtensionPoint::kPreBind, done.plugin, Code::kSuccess, state_.now - done.began_at);
  }
  const auto is_open = [&](const Cycle::Work& work) { return work.group == cycle.group && !work.is_done; };
  if (std::ranges::any_of(cycle.works, is_open)) return;
  const auto next = std::ranges::find_if(cycle.works, [](const Cycle::Work& work) { return !work.is_done; });
  if (next == cycle.works.end()) return pre_bound(cycle);
  cycle.group = next->group;
  begin_group(cycle);
}

void BindingCycles::pre_bound(Cycle& cycle) {
  if (SchedulerMetrics* metrics = state_.options.metrics) {
    metrics->point_took(ExtensionPoint::kPreBind, cycle.plugins().scheduler_name(), Code::kSuccess,
                        state_.now - cycle.pre_bind_began_at);
  }
  bind(cycle);
}

// --- Bind ------------------------------------------------------------------------------------------------------------

void BindingCycles::bind(Cycle& cycle) {
  cycle.stage = Cycle::Stage::kBinding;
  cycle.bind_began_at = state_.now;
  bind_by_extender(cycle, 0);
}

// The first extender that wants to bind this pod does; one that may be ignored and says no leaves it to the next. Where
// nobody knows what it did, the next one must not do it again.
void BindingCycles::bind_by_extender(Cycle& cycle, std::size_t from) {
  const std::vector<std::size_t> extenders = extenders_.to_ask(ExtenderVerb::kBind, *cycle.pod.pod);
  if (from >= extenders.size()) return bind_by_plugin(cycle);
  const std::size_t extender = extenders[from];
  CallExtender call{.extender = extender,
                    .verb = ExtenderVerb::kBind,
                    .request = ExtenderBind{.pod = cycle.popped->pod, .node_name = cycle.node}};
  state_.calls.send(std::move(call), [this, id = cycle.id, extender, from](const Outcome& outcome) {
    Cycle* binding = find(id);
    if (binding == nullptr) return;
    Outcome settled = outcome;
    const auto* reply = std::get_if<ExtenderBound>(&outcome.extender_reply);
    if (reply != nullptr && !reply->error.empty()) {
      settled.kind = Outcome::Kind::kRefused;
      settled.message = reply->error;
    }
    const bool says_no = settled.kind == Outcome::Kind::kRefused || settled.kind == Outcome::Kind::kNotFound;
    if (says_no && extenders_.at(extender).ignorable) return bind_by_extender(*binding, from + 1);
    bind_ended(*binding, settled, settled.message);
  });
}

void BindingCycles::bind_by_plugin(Cycle& cycle) {
  for (const auto& [name, plugin] : cycle.plugins().bind()) {
    std::optional<api::Binding> binding = plugin->bind(*cycle.popped->pod, cycle.node);
    if (!binding) continue;
    cycle.binder = name;
    BindPod command{std::make_shared<const api::Binding>(*std::move(binding))};
    ++binds_under_way_;
    state_.calls.bind_pod(std::move(command), [this, id = cycle.id, by = name](const Outcome& outcome) {
      --binds_under_way_;
      Cycle* sent = find(id);
      if (sent == nullptr) return;
      bind_ended(*sent, outcome, outcome.is_done() ? "" : at_plugin("Bind plugin", by, outcome.message));
    });
    return;
  }
  fail(cycle, Failure::error("all Bind plugins skipped the pod"));
}

void BindingCycles::bind_ended(Cycle& cycle, const Outcome& outcome, std::string failure) {
  switch (outcome.kind) {
    case Outcome::Kind::kDone: return bound(cycle);
    // Who knows: an earlier try may have bound it.
    case Outcome::Kind::kConflict:
    case Outcome::Kind::kUnknown: return read_back(cycle, std::move(failure), kFirstReadRetry);
    case Outcome::Kind::kNotFound:
    case Outcome::Kind::kRefused:
      count_bind(cycle, Code::kError);
      return fail(cycle, Failure::error(std::move(failure)));
  }
}

void BindingCycles::read_back(Cycle& cycle, std::string failure, Duration retry_after) {
  const PodRef pod(*cycle.pod.pod);
  state_.calls.send(ReadPod{pod},
                    [this, id = cycle.id, failure = std::move(failure), retry_after](const Outcome& outcome) {
                      Cycle* binding = find(id);
                      if (binding == nullptr) return;
                      if (outcome.kind == Outcome::Kind::kNotFound) return pod_read(*binding, nullptr, failure);
                      if (const api::PodPtr read = outcome.object ? outcome.object.as<api::Pod>() : nullptr;
                          outcome.is_done() && read != nullptr) {
                        return pod_read(*binding, read.get(), failure);
                      }
                      state_.timers.set(state_.now + retry_after, [this, id, failure, retry_after] {
                        if (Cycle* again = find(id))
                          read_back(*again, failure, std::min(retry_after * 2, kMaxReadRetry));
                      });
                    });
}

// The pod as the API server has it after a binding of unknown outcome; null if it is gone.
void BindingCycles::pod_read(Cycle& cycle, const api::Pod* pod, const std::string& failure) {
  const bool exists = pod != nullptr && pod->metadata.uid == cycle.uid();
  if (exists && pod->spec.node_name == cycle.node) return bound(cycle);
  count_bind(cycle, Code::kError);
  if (!exists) return fail(cycle, Failure::error(fmt::format("pods \"{}\" not found", cycle.pod->metadata.name)));
  fail(cycle, Failure::error(failure));
}

void BindingCycles::count_bind(const Cycle& cycle, Code code) {
  SchedulerMetrics* metrics = state_.options.metrics;
  if (metrics == nullptr) return;
  const Duration took = state_.now - cycle.bind_began_at;
  if (!cycle.binder.empty()) metrics->plugin_took(ExtensionPoint::kBind, cycle.binder, code, took);
  metrics->point_took(ExtensionPoint::kBind, cycle.plugins().scheduler_name(), code, took);
}

void BindingCycles::bound(Cycle& cycle) {
  static const Symbol kNormal("Normal");
  static const Symbol kScheduled("Scheduled");
  static const Symbol kBinding("Binding");
  state_.cache.finish_binding(*cycle.pod.pod, state_.now);
  const api::PodPtr& pod = cycle.popped->pod;
  state_.events.record(pod, kNormal, kScheduled, kBinding,
                       "Successfully assigned " + api::full_name(pod->metadata) + " to " + cycle.node.str());
  count_bind(cycle, Code::kSuccess);
  if (SchedulerMetrics* metrics = state_.options.metrics) {
    metrics->attempt(AttemptResult::kPlaced, cycle.popped->profile(), metrics->since(cycle.attempt_began));
    metrics->pod_scheduled(cycle.popped->attempts, state_.now - cycle.popped->initial_attempt_timestamp);
    if (cycle.popped->was_flushed) metrics->pod_scheduled_after_flush();
  }
  post_bind(cycle);
  if (state_.options.observer != nullptr) state_.options.observer->pod_bound(*pod, cycle.node, state_.now);
  erase(cycle);
  state_.activate_stashed();
}

void BindingCycles::post_bind(Cycle& cycle) {
  const framework::Profile& profile = cycle.plugins();
  const framework::PointRun point(profile.metrics(), ExtensionPoint::kPostBind, profile.scheduler_name());
  for (const auto& [name, plugin] : profile.post_bind()) {
    const framework::PluginRun run(profile.metrics(), ExtensionPoint::kPostBind, name, profile.scheduler_name());
    plugin->post_bind(cycle.pod, cycle.node);
  }
}

// --- Failing ---------------------------------------------------------------------------------------------------------

void BindingCycles::undo(Cycle& cycle) {
  for (const auto& [name, plugin] : std::views::reverse(cycle.plugins().reserve())) {
    plugin->unreserve(cycle.pod, cycle.node);
  }
  cycle.works.clear();
  (void)state_.cache.forget(*cycle.pod.pod);
}

void BindingCycles::fail(Cycle& cycle, const Failure& failure) {
  static const queue::ClusterEvent kReservationGivenUp(Symbol(queue::resource::kPersistentVolume),
                                                       queue::action::kUpdate, Symbol("VolumeReservationGivenUp"));
  const bool held_room = state_.cache.is_assumed(cycle.uid());
  const bool may_have_held_volumes = !cycle.works.empty();
  undo(cycle);
  if (state_.options.observer != nullptr) {
    state_.options.observer->binding_failed(*cycle.popped->pod, cycle.node, failure.message, state_.now);
  }
  const framework::PodToPlace pod = cycle.pod;
  const Instant began = cycle.attempt_began;
  queue::PoppedPod popped = std::move(cycle.popped);
  erase(cycle);
  // Its room is free again. A pod that was rejected is not to be woken by that itself.
  if (held_room && !failure.is_rejection) state_.notify_pod_left(pod.pod);
  handle_failure(state_, std::move(popped), failure, began);
  // Volumes that were assumed to be taken are free, and the API server knows of no change that would tell.
  if (may_have_held_volumes) state_.notify(kReservationGivenUp, {}, {});
  if (held_room && failure.is_rejection) {
    const auto is_another = [&](const api::Pod& waiting) { return waiting.metadata.uid != pod->metadata.uid; };
    state_.notify_pod_left(pod.pod, queue::PreCheck(is_another));
  }
}

void BindingCycles::erase(Cycle& cycle) {
  if (state_.options.metrics != nullptr) {
    state_.options.metrics->add_under_way(SchedulerMetrics::Activity::kBinding, -1);
  }
  by_uid_.erase(cycle.uid());
  cycles_.erase(cycle.id);
}

}  // namespace berth::engine
