// Keeps the status of PodDisruptionBudgets: how many of their pods are healthy, how many have to be, and how many may
// be disrupted.
//
// Counts as pods change; all pods are gone through only when a budget is new or its selector changes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "berth/api/label_selector.h"
#include "berth/sim/controller_work.h"

namespace berth::sim {

class DisruptionController {
 public:
  DisruptionController(const Surroundings& around, const Rng& rng);

  // Of a PodDisruptionBudget.
  void on_change(const Change& change);
  void pod_changed(const Change& change);
  // A workload may want another number of pods.
  void workload_changed(const Change& change);

 private:
  struct Owner {
    std::string kind;
    std::string name;
    std::int32_t pods = 0;
  };
  struct Budget {
    api::LabelMatcher selector;
    std::int32_t pods = 0;
    std::int32_t healthy = 0;
    std::map<std::string, Owner> owners;  // by UID
  };

  // Adds the pod to the budget's counts, or takes it away. True if it belongs to the budget.
  static bool count(Budget& budget, const api::Pod& pod, std::int32_t sign);
  void count_all(Symbol name_space, Budget& budget) const;
  void look(const ObjectKey& key);
  std::int32_t expected_pods(Symbol name_space, const Budget& budget) const;
  // How many pods the owner is to have; for kinds that do not say, how many it has.
  std::int32_t scale_of(Symbol name_space, const Owner& owner) const;

  Surroundings around_;
  // By namespace and name.
  std::map<Symbol, std::map<std::string, Budget, std::less<>>, SymbolTextLess> budgets_;
  WorkList to_look_at_;
};

}  // namespace berth::sim
