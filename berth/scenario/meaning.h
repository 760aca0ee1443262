// What statements mean: functions on a simulated world, and when they are called. The grammar makes them, the runner
// calls them.
//
// All of these are values that can be copied and outlive the scenario they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/engine/quirks.h"
#include "berth/engine/scheduler.h"
#include "berth/queue/release.h"
#include "berth/scenario/extender.h"
#include "berth/sim/failed_creations.h"
#include "berth/sim/history.h"
#include "berth/sim/world.h"

namespace berth::scenario {

// What a scenario sets before its world begins.
struct Setup {
  std::optional<std::uint64_t> seed;
  queue::Release release = queue::Release::kV1_36;
  bool upstream_quirks = false;  // all of the release
  std::vector<std::string> quirks;
  std::string gates;                      // "A=true,B=false"
  std::vector<ExtenderSketch> extenders;  // behind those of the configuration
  std::string config_name;                // of the file, for messages
  std::string config_text;                // KubeSchedulerConfiguration; empty: the defaults
  // These change the configuration where they are set.
  std::optional<std::int64_t> initial_backoff_seconds;
  std::optional<std::int64_t> maximum_backoff_seconds;
  std::optional<std::int32_t> percentage_of_nodes_to_score;
  std::optional<Duration> maximum_in_unschedulable;
  std::optional<std::size_t> scores_to_record;
  // Not from a statement: the embedder's plugins.
  std::function<Result<void>(framework::PluginRegistry&)> add_plugins;
};

// The scheduler that a setup describes. The errors: the configuration, gates or quirks are wrong.
std::expected<engine::Options, std::vector<Error>> scheduler_options(const Setup& setup);

struct Setting {
  std::function<void(Setup&)> apply;
};

// Something that a scenario does to the world.
struct Action {
  // `repetition` counts from 1 for actions under `every` and is 0 for others; it stands for {n} in names.
  using Act = std::function<Result<void>(sim::World&, std::size_t repetition)>;
  Act act;
  // How the history mentions it; creations are there anyway.
  std::optional<sim::HistoryEvent::Kind> noted_as;
  bool needs_script = false;  // of sim/pod_script.h
  // How many objects it leads to, as far as that can be told beforehand: with the pods of a workload.
  std::int64_t objects = 0;
};
inline Action make_action(Action::Act act, std::optional<sim::HistoryEvent::Kind> noted_as = std::nullopt) {
  Action action;
  action.act = std::move(act);
  action.noted_as = noted_as;
  return action;
}
// One that creates objects.
inline Action make_creation(std::int64_t objects, Action::Act act) {
  Action action = make_action(std::move(act));
  action.objects = objects;
  return action;
}
// The object, and the pods that its controller makes.
std::int64_t objects_of(const api::AnyObject& object);

struct Verdict {
  bool holds = false;
  std::string actual;  // what is, if it does not hold: "it is pending ..."
  std::string pod;     // "namespace/name" of the pod that is to blame; empty if none is
};

struct Condition {
  std::string text;  // as the scenario says it
  std::function<Verdict(const sim::World&)> check;
  // A workload that is expected to be short of pods which the API server refuses: that is no failure then.
  std::function<bool(const sim::FailedCreation&)> expects_failed_creation;
};

struct Expectation {
  Condition condition;
  std::optional<Duration> within;   // has to come true in this time, and the world runs until then
  std::optional<Duration> all_for;  // has to hold all this time
};

struct Run {
  enum class Until : std::uint8_t { kElapsed, kTime, kIdle, kCondition };
  Until until = Until::kElapsed;
  Duration time;                  // kElapsed: from now; kTime: since the scenario's beginning
  std::optional<Duration> limit;  // kIdle, kCondition
  Condition condition;            // kCondition
};

// A action, or an expectation without `within` or `for`, at its time.
struct Timed {
  enum class When : std::uint8_t { kAt, kAfter, kEvery };
  When when = When::kAt;
  Duration time;          // kAt: since the scenario's beginning; else from now, or between two
  std::size_t times = 1;  // kEvery
  std::variant<Action, Expectation> what;
  // kEvery with {n} where it is not the name of a pod or node: what is done the n-th time. Empty: `what`.
  std::function<Result<std::variant<Action, Expectation>>(std::size_t)> what_nth;
};

using Meaning = std::variant<Setting, Action, Run, Expectation, Timed>;

}  // namespace berth::scenario
