// Carries out preemptions: evicts the victims that an attempt has chosen, and holds the preemptor back meanwhile.
//
// All victims but one are evicted side by side, the last one when the API server has done with the others: its going is
// then what makes room, and wakes the preemptor. A preemption is over when every victim has been seen to leave (it is
// gone, or its deletion has begun), when evicting one has failed, or when the preemptor is gone or has got a node.
// While it lasts the preemptor does not enter the active queue (DefaultPreemption asks is_preempting()); an event that
// came meanwhile is made up for at the end.
//
// A victim that is only on its way to its node (waiting at Permit, in PreBind) is stopped in memory, without the API
// server. All others get the condition DisruptionTarget first; a victim that cannot be told so is not deleted, and only
// one that was deleted has an event that says so.
//
// Lower pods that were nominated to the node keep their nomination if they still fit beside the preemptor; the others
// lose it and are looked at again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/policy.h"
#include "berth/engine/binding_cycle.h"
#include "berth/engine/state.h"
#include "berth/engine/text_map.h"
#include "berth/plugins/default_preemption.h"

namespace berth::engine {

class Preemptions final : public plugins::PreemptionsUnderWay {
 public:
  explicit Preemptions(State& state);
  ~Preemptions() override;
  void set_bindings(BindingCycles& bindings) { bindings_ = &bindings; }

  // The preemptor is held back from now on. To be called before its attempt ends; execute() after that.
  void announce(const api::PodPtr& preemptor, Symbol node, std::vector<api::PodPtr> victims);
  void execute(std::string_view preemptor_uid);

  // The pod of that UID is gone, or its deletion has begun.
  void pod_leaves(std::string_view uid);
  // The preemptor needs no room any more: who was not evicted yet stays.
  void preemptor_gone(std::string_view uid);
  // The budget's status is newer than before: it counts what was evicted from its pods.
  void budget_changed(const api::PodDisruptionBudget& budget);

  std::size_t size() const { return by_preemptor_.size(); }

  // --- plugins::PreemptionsUnderWay ---
  bool is_preempting(const api::Pod& preemptor) const override;
  std::span<const api::PodPtr> uncounted_victims() const override;

 private:
  struct Preemption;
  enum class Progress : std::uint8_t {
    kOpen,
    kEvicting,  // the API server has not answered yet
    kEvicted,   // it has, and the victim is still there
    kLeft,
    kFailed,
  };

  // Of one victim.
  struct Eviction {
    PodRef preemptor;
    std::uint64_t preemption = 0;
    std::size_t victim = 0;  // its place among the victims
  };

  Preemption* find(std::string_view preemptor_uid);
  Preemption* find(const Eviction& eviction);  // null if that preemption is over
  void evict(Preemption& preemption, std::size_t victim);
  void remove(const Eviction& eviction, const api::PodPtr& victim, std::string note);
  void publish(const Eviction& eviction, const api::PodPtr& victim, std::string note);
  void evicted(const Eviction& eviction, const Outcome& outcome);
  void note_uncounted(const api::PodPtr& victim);
  // What comes next, when something has changed.
  void go_on(std::string_view preemptor_uid);
  void end_after_pause(Preemption& preemption);
  void end(std::string_view preemptor_uid, bool has_failed);
  void take_nominations(const Preemption& preemption);
  std::vector<api::PodPtr> nominees_without_room(const Preemption& preemption);
  // Its deletion has begun, or a preemption under way evicts it.
  bool is_leaving(const api::Pod& pod);
  void take_nomination(const api::PodPtr& nominee);

  State& state_;
  std::uint64_t last_id_ = 0;
  BindingCycles* bindings_ = nullptr;
  TextMap<std::unique_ptr<Preemption>> by_preemptor_;
  TextMap<std::vector<std::string>> preemptors_of_;  // by UID of a victim
  std::vector<api::PodPtr> uncounted_;
};

}  // namespace berth::engine
