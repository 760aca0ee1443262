// What the daemon tells the engine, wherever the engine runs: on its own thread (engine_thread.h), or on the loop of a
// test. Objects come straight from the informers; besides them there are results of commands, and the start.
#pragma once

#include <vector>

#include "berth/engine/command.h"
#include "berth/engine/event_recorder.h"
#include "berth/informer/sink.h"

namespace berth::daemon {

class EngineInbox : public informer::Sink {
 public:
  virtual void complete(engine::CommandId id, engine::Outcome outcome) = 0;
  // The caches are synced, and this is the scheduler that leads: pods are tried from now on.
  virtual void start() = 0;
};

// What the engine wants done after one turn.
struct EngineOutput {
  std::vector<engine::Command> commands;
  std::vector<engine::PodEvent> events;

  bool empty() const { return commands.empty() && events.empty(); }
};

}  // namespace berth::daemon
