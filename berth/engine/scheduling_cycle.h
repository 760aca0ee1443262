// One attempt after the other: take the next pod, find the best node for it, and hand it to the binding cycle or to the
// failure function.
//
// An attempt runs through in one call, unless extenders have a say (extended_attempt.h): then it waits for their
// answers, and no other pod is tried meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/rng.h"
#include "berth/engine/binding_cycle.h"
#include "berth/engine/extenders.h"
#include "berth/engine/failure.h"
#include "berth/engine/preemptions.h"
#include "berth/engine/state.h"
#include "berth/framework/attempt.h"

namespace berth::engine {

// A pod that is being tried, and what is known about the attempt so far.
struct Attempt {
  queue::PoppedPod popped;
  ProfileInUse* profile = nullptr;
  framework::PodToPlace pod;
  AttemptRecord record;
  Instant began;  // by the stopwatch of the metrics

  const framework::Profile& plugins() const { return *profile->profile; }
};

class ExtendedAttempt;

class SchedulingCycle {
 public:
  SchedulingCycle(State& state, BindingCycles& bindings, Preemptions& preemptions, const Extenders& extenders);
  ~SchedulingCycle();

  // Before, nothing is tried.
  void start() { is_started_ = true; }
  bool is_started() const { return is_started_; }
  // False if there was nothing to try, or an attempt waits for an extender.
  bool try_next();
  // Whether an attempt is being made, or waits for an extender.
  bool is_under_way() const { return is_running_ || extended_ != nullptr; }
  // The UID of the pod whose attempt waits for an extender; empty if none does.
  std::string_view waiting_uid() const;

 private:
  friend class ExtendedAttempt;

  bool skips(const queue::QueuedPod& popped);
  Attempt begin(queue::PoppedPod popped, ProfileInUse& profile);
  void run(Attempt& attempt);
  // The node that the pod was promised, if it can still go there; else empty.
  Symbol nominated_node(const Attempt& attempt);
  std::optional<framework::Sample> sample(const framework::Profile& profile) const;
  // The choice of a node is over, whatever came of it.
  void chosen(const Attempt& attempt);
  void record_scores(Attempt& attempt);

  // The ends of an attempt.
  void place(Attempt& attempt, Symbol node);
  void fail(Attempt& attempt, const Failure& failure);
  void reject(Attempt& attempt, const framework::FailedAttempt& failed);
  void finish_rejection(Attempt& attempt, Failure failure, framework::PostFiltered after);
  Failure failure_of(Attempt& attempt, const framework::FailedAttempt& failed, const framework::PostFiltered& after);
  framework::PostFiltered run_post_filter(const Attempt& attempt, const framework::FailedAttempt& failed);
  void end(Attempt& attempt, AttemptResult result);

  State& state_;
  BindingCycles& bindings_;
  Preemptions& preemptions_;
  const Extenders& extenders_;
  Rng rng_;  // breaks ties between equal nodes
  bool is_started_ = false;
  std::size_t next_start_ = 0;  // of samples, in the order of the nodes
  std::unique_ptr<ExtendedAttempt> extended_;
  bool is_running_ = false;
};

}  // namespace berth::engine
