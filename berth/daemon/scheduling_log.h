// What the engine decides, in the log: the lines that kube-scheduler writes at the same levels.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "berth/api/pod.h"
#include "berth/daemon/log.h"
#include "berth/engine/observer.h"
#include "berth/engine/text_map.h"

namespace berth::daemon {

// On the engine's thread. The log outlives it.
class SchedulingLog final : public engine::Observer {
 public:
  explicit SchedulingLog(Log& log) : log_(log) {}

  void attempt_ended(const api::Pod& pod, const engine::AttemptRecord& attempt, Instant now) override;
  void pod_bound(const api::Pod& pod, Symbol node, Instant now) override;
  void binding_failed(const api::Pod& pod, Symbol node, std::string_view why, Instant now) override;
  void preemption_began(const api::Pod& preemptor, Symbol node, const std::vector<api::PodPtr>& victims,
                        Instant now) override;

 private:
  // Of a pod whose node is chosen, until it is bound or not.
  struct Chosen {
    std::size_t evaluated_nodes = 0;
    std::size_t feasible_nodes = 0;
  };

  Log& log_;
  engine::TextMap<Chosen> chosen_;  // by uid
};

}  // namespace berth::daemon
