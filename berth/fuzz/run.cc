#include "berth/fuzz/run.h"

#include <fmt/format.h>

#include <utility>

#include "berth/base/hash.h"
#include "berth/engine/quirks.h"
#include "berth/fuzz/generator.h"
#include "berth/fuzz/livelock.h"

namespace berth::fuzz {

namespace {

constexpr std::string_view kLost = "lost wake-up";
constexpr std::string_view kNeverIdle = "never idle";

// Looks at the invariants when nothing is under way and something has happened since the last look. What is found
// first stays: what follows from it says less.
class InvariantWatch {
 public:
  void step(const sim::World& world) {
    if (!broken_.empty() || !world.is_scheduler_up()) return;
    const engine::Scheduler& scheduler = world.scheduler();
    if (scheduler.has_work() || scheduler.bindings() > 0 || scheduler.commands_under_way() > 0) return;
    const std::size_t happened = world.history().history_events().size();
    if (happened == last_look_) return;
    last_look_ = happened;
    for (const std::string& sentence : world.broken_invariants()) {
      broken_ += fmt::format("at {}: {}\n", world.elapsed().str(), sentence);
    }
  }
  const std::string& broken() const { return broken_; }

 private:
  std::size_t last_look_ = SIZE_MAX;
  std::string broken_;
};

std::uint64_t mix(std::uint64_t digest, std::uint64_t value) {
  return (digest ^ value) * 0x9E3779B97F4A7C15ull + (digest >> 29);
}

std::uint64_t mix(std::uint64_t digest, std::string_view text) {
  return mix(digest, hash_bytes(text));
}

std::uint64_t mix(std::uint64_t digest, Instant at) {
  return mix(digest, at.is_set() ? static_cast<std::uint64_t>(at.unix_nanoseconds()) : 0);
}

Precision precision_of(const sim::History& history) {
  const sim::Counts& counts = history.counts();
  return {.placed = counts.bound,
          .attempts = counts.attempts,
          .wake_ups = counts.wake_ups,
          .wasted = counts.wasted_wake_ups,
          .flushed = counts.flushed,
          .lost = counts.lost_wake_ups};
}

// A statement that comes too late for what it is about is no problem: its pod has ended, its node is gone.
std::optional<Problem> problem_of(const scenario::Failure& failure) {
  const std::string text = scenario::to_text(failure);
  switch (failure.kind) {
    case scenario::Failure::Kind::kStatement:
      if (failure.expected != "run until idle") return std::nullopt;
      return Problem{std::string(kNeverIdle), text};
    case scenario::Failure::Kind::kInvariant:
      return Problem{failure.expected.ends_with("to be woken") ? std::string(kLost) : "invariant", text};
    case scenario::Failure::Kind::kExpectation:
      return Problem{failure.expected == "lost-wake-ups = 0" ? std::string(kLost) : "expect " + failure.expected, text};
    case scenario::Failure::Kind::kFailedCreation: return std::nullopt;  // its priority class is gone, and it says so
  }
  return std::nullopt;
}

// Lost wake-ups before expectations about their number: they say more. It need not come to rest without `rests`.
std::optional<Problem> first_problem(const scenario::RunResult& result, const InvariantWatch& watch, bool rests) {
  if (!watch.broken().empty()) return Problem{"invariant", watch.broken()};
  std::optional<Problem> first;
  for (const scenario::Failure& failure : result.failures) {
    std::optional<Problem> problem = problem_of(failure);
    if (!problem || (!rests && problem->kind == kNeverIdle)) continue;
    if (failure.kind == scenario::Failure::Kind::kInvariant) return problem;
    if (!first) first = std::move(problem);
  }
  return first;
}

struct Ran {
  std::optional<Problem> problem;
  // If it is that the run does not come to rest, and this explains it: what else is wrong.
  std::optional<Livelock> livelock;
  std::optional<Problem> other_problem;
  Precision precision;
  std::uint64_t digest = 0;
};

Ran run_once(const scenario::Scenario& scenario, std::optional<engine::Quirks> quirks) {
  InvariantWatch watch;
  scenario::RunOptions options;
  options.check_wakeups = true;
  options.quirks = quirks;
  if (!quirks) options.on_step = [&watch](const sim::World& world) { watch.step(world); };
  const auto result = scenario::run(scenario, options);
  Ran ran;
  if (!result) {
    ran.problem = Problem{"cannot run", result.error().message()};
    return ran;
  }
  const sim::History& history = result->world->history();
  ran.precision = precision_of(history);
  ran.digest = digest_of(history);
  ran.problem = first_problem(*result, watch, true);
  if (ran.problem && ran.problem->kind == kNeverIdle) {
    ran.livelock = find_livelock(*result->world);
    ran.other_problem = first_problem(*result, watch, false);
  }
  return ran;
}

}  // namespace

Precision& Precision::operator+=(const Precision& other) {
  placed += other.placed;
  attempts += other.attempts;
  wake_ups += other.wake_ups;
  wasted += other.wasted;
  flushed += other.flushed;
  lost += other.lost;
  return *this;
}

double Precision::tries_per_placed_pod() const {
  return placed == 0 ? 0 : static_cast<double>(attempts) / static_cast<double>(placed);
}

std::uint64_t digest_of(const sim::History& history) {
  std::uint64_t digest = 0;
  for (const sim::HistoryEvent& each : history.history_events()) {
    digest = mix(digest, each.at);
    digest = mix(digest, (static_cast<std::uint64_t>(each.kind) << 32) | each.pod);
    digest = mix(digest, each.node.text());
    digest = mix(digest, each.label.text());
    digest = mix(digest, each.cause);
    digest = mix(digest, each.text);
  }
  for (const sim::PublishedEvent& event : history.events()) {
    digest = mix(digest, event.at);
    digest = mix(digest, event.pod);
    digest = mix(digest, event.reason.text());
    digest = mix(digest, event.note);
  }
  return digest;
}

SeedResult check(const std::vector<std::string>& lines, const CheckOptions& options) {
  SeedResult result;
  const auto scenario = scenario::parse(join_lines(lines));
  if (!scenario) {
    result.problem = Problem{"parse", scenario.error().front().message()};
    return result;
  }
  Ran ran = run_once(*scenario, std::nullopt);
  result.problem = std::move(ran.problem);
  // Without the workloads in question everything has to come to rest, or something else is wrong as well.
  if (ran.livelock && !find_problem(without_workloads(lines, *ran.livelock))) {
    result.livelock = ran.livelock->text;
    result.problem = std::move(ran.other_problem);
  }
  result.precision = ran.precision;
  result.digest = ran.digest;
  if (options.runs_twice && !result.problem) {
    const Ran again = run_once(*scenario, std::nullopt);
    if (again.digest != ran.digest) {
      result.problem = Problem{"two runs differ", "the same scenario with the same seed went differently\n"};
    }
  }
  if (options.compares_upstream) result.upstream = run_once(*scenario, engine::Quirks::upstream()).precision;
  return result;
}

std::optional<Problem> find_problem(const std::vector<std::string>& lines) {
  return check(lines).problem;
}

}  // namespace berth::fuzz
