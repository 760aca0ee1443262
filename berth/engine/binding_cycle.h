// From the choice of a node to the pod being bound there: assume, Reserve and Permit at once, then, for many pods side
// by side, waiting at Permit, PreBind, Bind and PostBind.
//
//   assume, reserve, permit ──> [nominate] ──> [wait at Permit] ──> [PreBind] ──> bind ──> bound
//            │                                       │                  │          │ └─> unknown: read the pod
//            └────────── failed: unreserve, forget, failure function ───┴──────────┘
//
// Up to the end of the wait the pod is in flight for the queue, so that events count for it if it is rejected. What
// fails later is an error and tried again by time.
//
// A binding whose outcome is unknown is settled by reading the pod. Until then the pod stays assumed: it is neither
// bound twice nor is its room given away.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/engine/extenders.h"
#include "berth/engine/failure.h"
#include "berth/engine/state.h"
#include "berth/engine/text_map.h"
#include "berth/framework/plugin.h"

namespace berth::engine {

class BindingCycles {
 public:
  BindingCycles(State& state, const Extenders& extenders);
  ~BindingCycles();

  // Takes the pod to `node`. If that fails at once, the result says why, and `popped` is still the caller's. `began`:
  // what the stopwatch of the metrics said when the attempt began.
  std::optional<Failure> begin(queue::PoppedPod& popped, ProfileInUse& profile, Symbol node, Instant began);

  // --- Pods that wait at Permit ---
  bool is_waiting(std::string_view uid) const;
  bool allow(std::string_view uid, Symbol plugin);
  bool reject(std::string_view uid, Symbol plugin, std::string_view message);
  // It is gone, or on its way out.
  void reject_removed(std::string_view uid);

  // A preemptor wants the room: stops a pod that waits at Permit or is in PreBind. False if it is too late for that, or
  // no such pod is being bound: then it has to be evicted through the API server.
  bool preempt(std::string_view uid);

  std::size_t size() const { return cycles_.size(); }
  // How many bind commands have no result yet.
  std::size_t binds_under_way() const { return binds_under_way_; }
  bool contains(std::string_view uid) const { return by_uid_.contains(uid); }

 private:
  using CycleId = std::uint64_t;
  struct Cycle;

  Cycle* find(CycleId id);
  Cycle* find(std::string_view uid);

  std::optional<Failure> reserve(Cycle& cycle);
  std::optional<Failure> permit(Cycle& cycle);
  // The steps, each of which leads to the next or to fail().
  void preflight(Cycle& cycle);
  void nominate(Cycle& cycle);
  void wait_at_permit(Cycle& cycle);
  void permitted(Cycle& cycle);
  void begin_group(Cycle& cycle);
  void send_updates(Cycle& cycle, std::size_t work, std::size_t update);
  void poll(Cycle& cycle, std::size_t work);
  void work_done(Cycle& cycle, std::size_t work);
  void work_failed(Cycle& cycle, std::size_t work, const std::string& message);
  void pre_bound(Cycle& cycle);
  void bind(Cycle& cycle);
  void bind_by_extender(Cycle& cycle, std::size_t from);
  void bind_by_plugin(Cycle& cycle);
  // `failure`: what is said if the pod turns out not to be bound.
  void bind_ended(Cycle& cycle, const Outcome& outcome, std::string failure);
  void read_back(Cycle& cycle, std::string failure, Duration retry_after);
  void pod_read(Cycle& cycle, const api::Pod* pod, const std::string& failure);
  void bound(Cycle& cycle);
  void post_bind(Cycle& cycle);
  void fail(Cycle& cycle, const Failure& failure);
  void reject(Cycle& cycle, Symbol plugin, std::string_view message);
  void undo(Cycle& cycle);
  void erase(Cycle& cycle);
  void stop_waiting(Cycle& cycle, framework::Code code);
  void count_bind(const Cycle& cycle, framework::Code code);

  State& state_;
  const Extenders& extenders_;
  CycleId last_id_ = 0;
  absl::flat_hash_map<CycleId, std::unique_ptr<Cycle>> cycles_;
  TextMap<CycleId> by_uid_;
  std::size_t binds_under_way_ = 0;
};

}  // namespace berth::engine
