// Drains: the pods of a node are evicted, each if the budgets for disruptions that cover it allow it, and asked for
// again if not, as kubectl drain does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "berth/api/pod.h"
#include "berth/engine/command.h"
#include "berth/sim/agenda.h"
#include "berth/sim/api_server.h"
#include "berth/sim/history.h"

namespace berth::sim {

// What keeps a pod from being evicted.
struct EvictionHold {
  std::vector<std::string> budgets;  // "namespace/name", in order; empty: nothing does
  // Of the budget, if it is one.
  std::int32_t healthy = 0;
  std::int32_t desired = 0;

  // "the budget default/api (0 disruptions allowed: 8 pods are healthy, and 8 have to be)"
  std::string str() const;
};

struct Drain {
  Symbol node;
  Instant began_at;
  std::size_t pods = 0;  // that were to leave
  struct Held {
    api::PodPtr pod;
    EvictionHold by;
  };
  std::vector<Held> held;  // that have not been evicted, in order of namespace and name
};

class Evictions {
 public:
  // All outlive it.
  Evictions(ApiServer& api, Agenda& agenda, History& history) : api_(api), agenda_(agenda), history_(history) {}

  void drain(Symbol node, const std::vector<api::PodPtr>& pods);

  // Those whose pods have not all been evicted, in order of the nodes' names.
  std::vector<Drain> open_drains() const;

 private:
  struct OpenDrain {
    Instant began_at;
    std::size_t pods = 0;
    std::map<std::string, engine::PodRef, std::less<>> left;  // by UID
  };

  void try_to_evict(Symbol node, const engine::PodRef& ref, int tries);
  void no_longer_there(Symbol node, const engine::PodRef& ref);
  // What covers the pod and does not let it go now.
  EvictionHold hold_of(const api::Pod& pod) const;
  // Counts the disruption against the budget that covers the pod, if there is one.
  bool take_disruption(const api::Pod& pod);
  std::vector<std::shared_ptr<const api::PodDisruptionBudget>> budgets_of(const api::Pod& pod) const;

  ApiServer& api_;
  Agenda& agenda_;
  History& history_;
  std::map<Symbol, OpenDrain, SymbolTextLess> drains_;  // by node
};

}  // namespace berth::sim
