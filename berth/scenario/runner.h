// Carries a scenario out on a simulated world, and says which of its expectations do not hold.
//
// After the last statement the invariants of the world are checked, whether the scenario asks for it or not. A scenario
// without any `run` runs until idle at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/engine/quirks.h"
#include "berth/scenario/scenario.h"
#include "berth/sim/world.h"

namespace berth::scenario {

// How long `run until ...` goes on without `within`, in the world's time.
inline constexpr Duration kRunLimit = Duration::hours(1);

struct RunOptions {
  // Before the scenario's own; 1 if neither says.
  std::optional<std::uint64_t> seed;
  // In place of the scenario's own.
  std::optional<engine::Quirks> quirks;
  std::size_t scores_to_record = 0;
  // How many objects the scenario may lead to (sim::WorldOptions::max_objects).
  std::size_t max_objects = sim::kDefaultMaxObjects;
  // Looks for pods that should have been woken and were not (sim/wakeup_checker.h); each is a failure.
  bool check_wakeups = false;
  // Compares every decision with one made from scratch (framework/answer_check.h); each that differs is a failure.
  bool check_decisions = false;
  // Called when the world is made, and after everything that happens.
  std::function<void(sim::World&)> on_start;
  std::function<void(sim::World&)> on_step;
  // Called for every object that is created, which may be many in one step.
  std::function<void(sim::World&)> on_create;
  // Says in a sentence where a pod stands, for failures. Empty: the last message of the scheduler.
  std::function<std::string(const sim::World&, const api::Pod&)> explain_pod;
};

struct Failure {
  enum class Kind : std::uint8_t {
    kExpectation,
    kStatement,  // it could not be carried out
    kInvariant,
    kFailedCreation,  // at the end: pods that the API server does not let a controller create
  };
  Kind kind = Kind::kExpectation;
  std::string file;
  int line = 0;          // 0: at the end
  Duration when;         // since the scenario's beginning
  std::string expected;  // "pod waiter on n1"
  std::string actual;
  std::string explanation;  // of the pod, if it is about one
};

// "demo.berth:9: expected pod waiter on n1 (at 45s)\n  but: ...\n  EXPLANATION\n"
std::string to_text(const Failure& failure);

struct RunResult {
  std::unique_ptr<sim::World> world;
  std::vector<Failure> failures;
  std::size_t expectations = 0;  // that were looked at

  bool passed() const { return failures.empty(); }
};

// The error: a world that cannot be made (a profile that cannot be built), or a statement that would make more objects
// than options.max_objects.
Result<RunResult> run(const Scenario& scenario, const RunOptions& options = {});

}  // namespace berth::scenario
