// Receives what an API server has: the engine in the daemon, an ObjectStore in tests. The names are those of
// engine::Scheduler, where the objects go.
//
// Calls come on the loop's thread. For each object the states come in the order of the server's history; states in
// between may be left out, and a state may come twice.
#pragma once

#include <vector>

#include "berth/api/object.h"

namespace berth::informer {

class Sink {
 public:
  virtual ~Sink() = default;

  // All objects of the kind as they are now: what is known and not among them is gone.
  virtual void observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) = 0;
  // The object has appeared or changed.
  virtual void observe(api::AnyObject object) = 0;
  // It is gone, or no longer matches the selector; `object` is its last state.
  virtual void observe_deleted(api::AnyObject object) = 0;
};

}  // namespace berth::informer
