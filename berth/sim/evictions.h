// Evictions as an administrator asks for them: a pod goes if the budgets for disruptions that cover it allow it, and is
// asked for again if not.
#pragma once

#include <memory>

#include "berth/api/pod.h"
#include "berth/engine/command.h"
#include "berth/sim/agenda.h"
#include "berth/sim/api_server.h"

namespace berth::sim {

class Evictions {
 public:
  // Both outlive it.
  Evictions(ApiServer& api, Agenda& agenda) : api_(api), agenda_(agenda) {}

  void evict(const api::Pod& pod) { try_to_evict(engine::PodRef(pod), 0); }

 private:
  void try_to_evict(const engine::PodRef& ref, int tries);
  // Takes one disruption from the budget that covers the pod. False if there is none left, or more than one budget.
  bool take_disruption(const api::Pod& pod);

  ApiServer& api_;
  Agenda& agenda_;
};

}  // namespace berth::sim
