// One scheduler, connected to the simulated API server: changes go to it and its commands come back, both with the
// delays and faults of the world.
//
//   ApiServer ── change ──> stream of its kind ── latency ──> Scheduler::observe
//   Scheduler ── command ── half of the latency ──> ApiServer ── the other half ──> Scheduler::complete
//
// A kind's changes arrive in their order, always; kinds overtake each other. A stream that breaks delivers nothing more
// until its kind is listed anew. Commands about one object are carried out in the order in which they were given.
//
// The scheduler can crash: its memory is gone, commands that it gave are carried out nevertheless, and nobody hears the
// answers. A new one lists everything.
//
// The scheduler is run once per instant, after everything that reaches it then: pods that come at the same time compete
// by priority and not by who was delivered first.
//
// Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/hash.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/engine/scheduler.h"
#include "berth/sim/agenda.h"
#include "berth/sim/api_server.h"
#include "berth/sim/faults.h"
#include "berth/sim/history.h"

namespace berth::sim {

using SimulatedExtender = std::function<engine::Outcome(const engine::CallExtender&)>;

class SchedulerLink {
 public:
  // All outlive the link.
  struct Ends {
    ApiServer& api;
    Agenda& agenda;
    const Faults& faults;
    History& history;
  };

  // The scheduler is up. The error: it cannot be built from these options.
  static Result<std::unique_ptr<SchedulerLink>> make(engine::Options options, SimulatedExtender extender, Ends ends,
                                                     Rng rng);
  ~SchedulerLink();
  SchedulerLink(const SchedulerLink&) = delete;
  SchedulerLink& operator=(const SchedulerLink&) = delete;

  // For every change of the API server.
  void on_change(const Change& change);

  // Neither does anything if it is so already.
  void start();
  void crash();
  bool is_up() const { return scheduler_ != nullptr; }
  // Null while it is down.
  engine::Scheduler* scheduler() { return scheduler_.get(); }
  const engine::Scheduler* scheduler() const { return scheduler_.get(); }

  void break_watch(const api::ObjectKind& kind);
  void break_all_watches();
  // From now on the scheduler's clock shows this much more than it did.
  void jump_clock(Duration by);

  // Something came up outside (a waiting pod was allowed): let the scheduler go on.
  void request_run();

  // Whether the scheduler itself has something to do, beside what is on the agenda.
  bool is_busy() const;
  // What: "2 pods to try, 1 pod in backoff"; empty if nothing.
  std::string business() const;
  // Whether the scheduler may not know yet what the API server has.
  bool has_changes_on_their_way() const;
  // Whether the pod was bound by somebody else, or by a scheduler that had crashed: this one could not know of it.
  bool was_bound_by_others(std::string_view uid) const { return bindings_by_others_.contains(uid); }
  // The kinds that a scheduler reads, in the order in which it lists them.
  static const std::vector<const api::ObjectKind*>& kinds();

 private:
  class InWorldTime;

  // The watch of one kind.
  struct Stream {
    bool is_read = false;
    bool is_broken = false;
    std::uint64_t epoch = 0;  // what was sent in an earlier one does not arrive
    Instant last_delivery;
  };
  // Commands about one object that have not been carried out.
  struct Turn {
    Instant not_before;
    std::size_t commands = 0;
  };
  enum class Fate : std::uint8_t { kCarriedOut, kError, kConflict, kRequestLost, kAnswerLost };
  // A command on its way to the API server.
  struct Sent {
    engine::Command command;
    std::uint64_t about = 0;  // the object: see object_hash() in the source
    std::uint64_t life = 0;
    Fate fate = Fate::kCarriedOut;
    bool is_doubled = false;
    Duration answer_takes;
  };

  SchedulerLink(engine::Options options, SimulatedExtender extender, Ends ends, Rng rng);

  Instant scheduler_now() const { return ends_.agenda.now(); }
  Stream& stream_of(const api::ObjectKind& kind);
  void list(const api::ObjectKind& kind);
  Duration watch_latency();
  void deliver(Change::Kind kind, const api::AnyObject& object);
  void note_binding_by_others(const Change& change);

  void run();
  void try_all();
  void try_one();
  void set_timer();
  void send_commands();
  void send(engine::Command command);
  bool happens(Rate rate);
  Fate draw_fate();
  void carry_out(const Sent& sent);
  engine::Outcome outcome_of(const Sent& sent);
  void answer(const Sent& sent, Duration takes, engine::Outcome outcome);

  engine::Outcome perform(const engine::BindPod& bind, std::uint64_t life);
  engine::Outcome perform(const engine::PatchPodStatus& patch);
  engine::Outcome perform(const engine::DeletePod& remove);
  engine::Outcome perform(const engine::ReadPod& read);
  engine::Outcome perform(const engine::UpdateObject& update);
  engine::Outcome perform(const engine::CallExtender& call);

  engine::Options options_;
  SimulatedExtender extender_;
  Ends ends_;
  Rng rng_;
  std::unique_ptr<InWorldTime> observer_;
  std::unique_ptr<engine::Scheduler> scheduler_;
  std::uint64_t life_ = 1;  // of the scheduler: grows when it crashes
  Duration clock_offset_;

  std::vector<Stream> streams_;  // in the order of api::all_kinds()
  std::size_t on_their_way_ = 0;
  std::size_t broken_ = 0;

  bool is_run_requested_ = false;
  Instant attempt_ends_at_;  // no pod is tried before; unset: now
  Instant timer_at_;         // unset: none is set

  absl::flat_hash_map<std::uint64_t, Turn> turns_;                                  // by object
  absl::flat_hash_set<std::string, TextHash, std::equal_to<>> bindings_by_others_;  // UIDs
  bool is_binding_ = false;
};

}  // namespace berth::sim
