// What the daemon tells the engine, wherever the engine runs: on its own thread (engine_thread.h), or on the loop of a
// test.
#pragma once

#include <vector>

#include "berth/api/object.h"
#include "berth/engine/command.h"

namespace berth::daemon {

class EngineInbox {
 public:
  virtual ~EngineInbox() = default;

  virtual void observe(api::AnyObject object) = 0;
  virtual void observe_deleted(api::AnyObject object) = 0;
  // All objects of the kind as they are now.
  virtual void observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) = 0;
  virtual void complete(engine::CommandId id, engine::Outcome outcome) = 0;
  // The caches are filled, and this is the scheduler that leads: pods are tried from now on.
  virtual void start() = 0;
};

}  // namespace berth::daemon
