// What holds in a simulated world at every moment, whatever goes wrong there: checked by fuzzers and by scenarios that
// say so.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/api/pod_requests.h"
#include "berth/base/symbol.h"
#include "berth/sim/api_server.h"
#include "berth/sim/history.h"
#include "berth/sim/scheduler_link.h"

namespace berth::sim {

class Invariants {
 public:
  // To be called for every change, from the first one on.
  void on_change(const Change& change);

  // Each string is something that does not hold: the scheduler's own invariants, a pod bound twice, a node filled
  // beyond what it ever had by pods that the scheduler placed, a scheduler that knows something else than the API
  // server although no change is on its way.
  std::vector<std::string> broken(const ApiServer& api, const History& history, const SchedulerLink& link);

 private:
  void check_nodes(const ApiServer& api, const History& history, const SchedulerLink& link,
                   std::vector<std::string>& broken);

  std::vector<std::string> moved_pods_;
  // The most that a node of that name has had. A node that shrank under its pods is nobody's fault.
  absl::flat_hash_map<Symbol, api::ResourceVector> peaks_;
  api::CompiledPods compiled_;
};

}  // namespace berth::sim
