// Where the events go that the engine wants published. They have their own budget and backlog, apart from the requests
// that the dispatcher makes, so that no request waits for an event.
#pragma once

#include "berth/engine/event_recorder.h"

namespace berth::daemon {

class EventSink {
 public:
  virtual ~EventSink() = default;

  // On the loop's thread. Returns at once; what becomes of the event is the sink's own affair.
  virtual void publish(const engine::PodEvent& event) = 0;
};

}  // namespace berth::daemon
