// How the daemon drives the engine, without the thread: what happened goes in as messages, one turn at a time; commands
// and events come out. EngineThread (engine_thread.h) runs turns on a thread of its own; a test runs them in virtual
// time.
//
// A turn takes in all messages, does what is due and tries some pods: few enough that messages which come meanwhile
// (questions, results, a deleted node) wait for milliseconds, and enough that commands leave in batches.
//
// Limits: while too many binds, or other commands that matter, have no result yet no pod is tried. So an API server
// that is slower than the engine makes pods wait in the queue, where they are ordered by priority and take little
// memory, and not in a growing backlog of requests. A result is a message, so there is a turn after each.
//
// Not thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <variant>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/time.h"
#include "berth/daemon/clock.h"
#include "berth/daemon/engine_inbox.h"
#include "berth/engine/command.h"
#include "berth/engine/scheduler.h"

namespace berth::daemon {

// --- Messages --------------------------------------------------------------------------------------------------------

// The calls of EngineInbox, to be made on the engine's thread.
struct Observe {
  api::AnyObject object;
};
struct ObserveDeleted {
  api::AnyObject object;
};
struct ObserveList {
  const api::ObjectKind* kind;
  std::vector<api::AnyObject> objects;
};
struct Complete {
  engine::CommandId id;
  engine::Outcome outcome;
};
struct Start {};
// The process shuts down: no further pod is tried, what is in flight goes on.
struct EndWork {};
struct Question {
  std::function<void(engine::Scheduler&)> ask;
};

using EngineMessage = std::variant<Observe, ObserveDeleted, ObserveList, Complete, Start, EndWork, Question>;

// --- The turn --------------------------------------------------------------------------------------------------------

struct EngineLimits {
  // Of one turn: whichever is reached first.
  std::size_t tries = 32;
  Duration time = Duration::milliseconds(2);
  // Binds without a result above which no pod is tried. Four times what is sent at once (Dispatcher::Options::binds),
  // so that the next ones are there whenever some have ended. Each takes almost 2 KB.
  std::size_t binds_under_way = 256;
  // Commands without a result above which no pod is tried. Several seconds of work for an API server. Patches of
  // statuses that nothing waits for do not count: pods that find no node must not keep others from being tried. They
  // are no more than there are pods, because the dispatcher merges those of one pod.
  std::size_t commands_under_way = 4000;
};

class EngineStep {
 public:
  using Send = std::function<void(EngineOutput)>;

  // All of these outlive it.
  EngineStep(engine::Scheduler& scheduler, const Clock& clock, Send send, EngineLimits limits = {});

  // One turn. The messages are used up.
  void run(std::vector<EngineMessage>& messages);

  // Whether a turn would try a pod although there is no message.
  bool has_work() const;
  // When a turn has something to do although there is no message; unset if never.
  Instant next_due() const { return scheduler_.next_due(); }

 private:
  void take_in(EngineMessage& message);
  void try_pods();

  engine::Scheduler& scheduler_;
  const Clock& clock_;
  Send send_;
  EngineLimits limits_;
  bool has_ended_ = false;
};

}  // namespace berth::daemon
