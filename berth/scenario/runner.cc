#include "berth/scenario/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "berth/scenario/conditions.h"
#include "berth/sim/api_server.h"
#include "berth/sim/failed_creations.h"
#include "berth/sim/wakeup_checker.h"

namespace berth::scenario {

namespace {

// "deployment web", "job shop/sum"
std::string title_of(const sim::FailedCreation& failed) {
  const std::size_t slash = failed.group.find('/');
  const api::ObjectKind* kind = kind_of_word(failed.group.substr(0, slash));
  const Target target{.name_space = failed.name_space.str(), .name = failed.group.substr(slash + 1)};
  return fmt::format("{} {}", kind != nullptr ? word_of(*kind) : failed.kind.str(), target.shown());
}

// The run of one scenario. Statements that wait for their time hold on to it, and do nothing once the run is over: the
// world is handed out and may go on.
class Stage : public std::enable_shared_from_this<Stage> {
 public:
  Stage(const Scenario& scenario, const RunOptions& options, sim::World& world)
      : file_(scenario.file), explain_pod_(options.explain_pod), max_objects_(options.max_objects), world_(world) {}

  void perform_all(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      std::visit([&](const auto& meaning) { perform(meaning, statement); }, statement.meaning);
      if (world_.is_full()) return fail_full(statement.at().line, to_text(statement));
    }
    if (!has_run_) run_until_idle(std::nullopt, 0);
    if (world_.is_full()) return fail_full(0, "the rest of the scenario");
    check_end();
  }

  // No statement does anything from now on.
  void finish() { is_over_ = true; }

  std::vector<Failure> take_failures() { return std::move(failures_); }
  std::size_t expectations() const { return expectations_; }

 private:
  // --- Statements ----------------------------------------------------------------------------------------------------

  void perform(const Setting&, const Statement&) {}

  void perform(const Action& action, const Statement& statement) {
    act(action, to_text(statement), statement.at().line, 0);
  }

  void perform(const Expectation& expectation, const Statement& statement) { check(expectation, statement.at().line); }

  void perform(const Run& run, const Statement& statement) {
    has_run_ = true;
    const int line = statement.at().line;
    switch (run.until) {
      case Run::Until::kElapsed: world_.run_until(world_.now() + run.time); return;
      case Run::Until::kTime:
        if (run.time < world_.elapsed()) {
          fail_statement(line, to_text(statement), fmt::format("it is {} already", world_.elapsed().str()));
        } else {
          world_.run_until(beginning() + run.time);
        }
        return;
      case Run::Until::kIdle: run_until_idle(run.limit, line); return;
      case Run::Until::kCondition: {
        ++expectations_;
        heed_refusals(run.condition);
        const Duration limit = run.limit.value_or(kRunLimit);
        if (run_until(run.condition, limit)) return;
        fail_condition(line, fmt::format("{} within {}", run.condition.text, limit.str()), run.condition.check(world_));
        return;
      }
    }
  }

  void perform(const Timed& timed, const Statement& statement) {
    const int line = statement.at().line;
    Instant when = world_.now() + timed.time;
    if (timed.when == Timed::When::kAt) {
      when = beginning() + timed.time;
      if (when < world_.now()) {
        fail_statement(line, to_text(statement), fmt::format("it is {} already", world_.elapsed().str()));
        return;
      }
    }
    if (std::holds_alternative<Expectation>(timed.what) && timed.when != Timed::When::kEvery) ++waiting_expectations_;
    schedule(std::make_shared<const Timed>(timed), to_text(statement), line, when, 1);
  }

  void schedule(std::shared_ptr<const Timed> timed, std::string text, int line, Instant when, std::size_t repetition) {
    world_.at(when, [self = shared_from_this(), timed = std::move(timed), text = std::move(text), line, repetition] {
      if (self->is_over_) return;
      const bool repeats = timed->when == Timed::When::kEvery;
      if (!repeats && std::holds_alternative<Expectation>(timed->what)) --self->waiting_expectations_;
      self->perform_nth(*timed, text, line, repeats ? repetition : 0);
      if (repeats && repetition < timed->times) {
        self->schedule(timed, text, line, self->world_.now() + timed->time, repetition + 1);
      }
    });
  }

  // `repetition` is 0 for what does not repeat.
  void perform_nth(const Timed& timed, const std::string& text, int line, std::size_t repetition) {
    if (!timed.what_nth) return perform_once(timed.what, text, line, repetition);
    const auto nth = timed.what_nth(repetition);
    if (!nth) return fail_statement(line, text, nth.error().message());
    perform_once(*nth, text, line, repetition);
  }

  void perform_once(const std::variant<Action, Expectation>& what, const std::string& text, int line,
                    std::size_t repetition) {
    if (const Action* action = std::get_if<Action>(&what)) act(*action, text, line, repetition);
    if (const Expectation* expectation = std::get_if<Expectation>(&what)) check(*expectation, line);
  }

  void act(const Action& action, const std::string& text, int line, std::size_t repetition) {
    if (action.noted_as) world_.history().note(*action.noted_as, world_.now(), text);
    if (auto done = action.act(world_, repetition); !done) fail_statement(line, text, done.error().message());
  }

  // --- Running -------------------------------------------------------------------------------------------------------

  Instant beginning() const { return world_.now() - world_.elapsed(); }

  void run_until_idle(std::optional<Duration> limit, int line) {
    has_run_ = true;
    if (auto idle = world_.run_until_idle(world_.now() + limit.value_or(kRunLimit)); !idle) {
      fail_statement(line, "run until idle", idle.error().message());
    }
  }

  bool run_until(const Condition& condition, Duration limit) {
    return world_.run_until([&] { return condition.check(world_).holds; }, world_.now() + limit);
  }

  // --- Expectations --------------------------------------------------------------------------------------------------

  void check(const Expectation& expectation, int line) {
    ++expectations_;
    const Condition& condition = expectation.condition;
    heed_refusals(condition);
    std::string expected = condition.text;
    if (expectation.within) {
      has_run_ = true;
      if (run_until(condition, *expectation.within)) return;
      expected += fmt::format(" within {}", expectation.within->str());
    } else if (expectation.all_for) {
      has_run_ = true;
      check_all_for(condition, *expectation.all_for, line);
      return;
    }
    const Verdict verdict = condition.check(world_);
    if (!verdict.holds) fail_condition(line, std::move(expected), verdict);
  }

  void heed_refusals(const Condition& condition) {
    if (condition.expects_failed_creation) failed_creations_expected_.push_back(condition.expects_failed_creation);
  }

  void check_all_for(const Condition& condition, Duration time, int line) {
    Verdict verdict;
    const auto is_broken = [&] {
      verdict = condition.check(world_);
      return !verdict.holds;
    };
    if (world_.run_until(is_broken, world_.now() + time)) {
      fail_condition(line, fmt::format("{} for {}", condition.text, time.str()), verdict);
    }
  }

  void check_end() {
    if (waiting_expectations_ > 0) {
      fail_statement(0, "every expectation to be looked at",
                     fmt::format("the scenario ended at {}, before the time of {} of them came", world_.elapsed().str(),
                                 waiting_expectations_));
    }
    for (std::string& broken : world_.broken_invariants()) {
      add(Failure::Kind::kInvariant, 0, "all invariants to hold", std::move(broken));
    }
    for (const sim::FailedCreation& failed : world_.failed_creations().list()) {
      const auto is_meant = [&](const auto& expects) { return expects(failed); };
      if (std::ranges::any_of(failed_creations_expected_, is_meant)) continue;
      const std::string expected = fmt::format("{} to have its pods", failed.group);
      add(Failure::Kind::kFailedCreation, 0, expected, sim::to_text(failed)).explanation =
          fmt::format("If that is meant, say so: expect {} cannot create pods", title_of(failed));
    }
  }

  // --- Failures ------------------------------------------------------------------------------------------------------

  Failure& add(Failure::Kind kind, int line, std::string expected, std::string actual) {
    Failure failure;
    failure.kind = kind;
    failure.file = file_;
    failure.line = line;
    failure.when = world_.elapsed();
    failure.expected = std::move(expected);
    failure.actual = std::move(actual);
    return failures_.emplace_back(std::move(failure));
  }

  void fail_statement(int line, std::string text, std::string why) {
    add(Failure::Kind::kStatement, line, std::move(text), std::move(why));
  }

  // What else fails now fails because of that.
  void fail_full(int line, std::string text) {
    failures_.clear();
    fail_statement(line, std::move(text),
                   fmt::format("the limit of {} objects is reached; --max-objects N raises it", max_objects_));
  }

  void fail_condition(int line, std::string expected, const Verdict& verdict) {
    std::string actual = verdict.actual;
    if (!has_run_) actual += " (nothing has run yet: is a \"run until idle\" missing before it?)";
    Failure& failure = add(Failure::Kind::kExpectation, line, std::move(expected), std::move(actual));
    if (verdict.pod.empty() || !explain_pod_) return;
    const Target target = target_of(verdict.pod);
    const auto pod = world_.api().get<api::Pod>(Symbol(target.name_space), target.name);
    if (pod != nullptr) failure.explanation = explain_pod_(world_, *pod);
  }

  const std::string file_;
  const std::function<std::string(const sim::World&, const api::Pod&)> explain_pod_;
  const std::size_t max_objects_;
  sim::World& world_;
  bool is_over_ = false;
  bool has_run_ = false;
  std::size_t expectations_ = 0;
  std::size_t waiting_expectations_ = 0;  // at times that have not come
  std::vector<std::function<bool(const sim::FailedCreation&)>> failed_creations_expected_;
  std::vector<Failure> failures_;
};

const Action* action_of(const Statement& statement) {
  if (const Timed* timed = std::get_if<Timed>(&statement.meaning)) return std::get_if<Action>(&timed->what);
  return std::get_if<Action>(&statement.meaning);
}

bool needs_script(const Statement& statement) {
  const Action* action = action_of(statement);
  return action != nullptr && action->needs_script;
}

// The first statement that leads to more objects than there may be, before anything has run.
Result<void> check_objects(const Scenario& scenario, std::size_t most) {
  std::uint64_t objects = 0;
  for (const Statement& statement : scenario.statements) {
    const Action* action = action_of(statement);
    if (action == nullptr || action->objects <= 0) continue;
    const Timed* timed = std::get_if<Timed>(&statement.meaning);
    const auto own = static_cast<std::uint64_t>(action->objects) * (timed != nullptr ? timed->times : 1);
    objects += own;
    if (objects <= most) continue;
    const std::string sum = objects == own ? "" : fmt::format(", {} with those before it", objects);
    return fail(
        Error(fmt::format("{}: that makes {} objects{}, and the limit is {}", to_text(statement), own, sum, most))
            .with_fix(fmt::format("--max-objects {} allows it; a million take about 1.2 GB, and a node counts as {}",
                                  objects, sim::kObjectsPerNode))
            .in_file(fmt::format("{}:{}", scenario.file, statement.at().line)));
  }
  return {};
}

// The scenario's extenders come last among the `configured` ones; nobody answers for the others.
sim::SimulatedExtender simulated_extenders(const std::vector<ExtenderSketch>& sketches, std::size_t configured) {
  if (sketches.empty()) return {};
  return [sketches, first = configured - sketches.size()](const engine::CallExtender& call) {
    ExtenderSketch nobody;
    nobody.fails = true;
    return answer_of(call.extender < first ? nobody : sketches.at(call.extender - first), call);
  };
}

sim::WorldOptions world_options(const Scenario& scenario, const RunOptions& options) {
  sim::WorldOptions world;
  world.scripted = std::ranges::any_of(scenario.statements, needs_script);
  world.scheduler = scenario.scheduler;
  world.extender = simulated_extenders(scenario.setup.extenders, world.scheduler.config.config.extenders.size());
  if (options.quirks) world.scheduler.quirks = *options.quirks;
  if (options.scores_to_record > 0) world.scheduler.scores_to_record = options.scores_to_record;
  world.seed = options.seed.value_or(scenario.setup.seed.value_or(1));
  world.max_objects = options.max_objects;
  return world;
}

Failure failure_of(const sim::LostWakeUp& lost, const std::string& file) {
  Failure failure;
  failure.kind = Failure::Kind::kInvariant;
  failure.file = file;
  failure.when = lost.at;
  failure.expected = fmt::format("pod {} to be woken", lost.pod);
  failure.actual = lost.text();
  return failure;
}

// What the checker of decisions finds, with the time. The scheduler that reports to it may live longer than the run.
struct WrongDecisions {
  sim::World* world = nullptr;  // null: nobody is interested any more
  std::string file;
  std::vector<Failure> failures;

  void add(const framework::WrongAnswer& wrong) {
    if (world == nullptr) return;
    Failure& failure = failures.emplace_back();
    failure.kind = Failure::Kind::kInvariant;
    failure.file = file;
    failure.when = world->elapsed();
    failure.expected = fmt::format("the decision about pod {} to be the same from scratch", wrong.pod);
    failure.actual = wrong.text;
  }
};

std::string indented(std::string_view text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  while (!result.empty() && (result.back() == ' ' || result.back() == '\n')) result.pop_back();
  return result + "\n";
}

}  // namespace

std::string to_text(const Failure& failure) {
  const std::string place = failure.line == 0 ? failure.file : fmt::format("{}:{}", failure.file, failure.line);
  std::string text = failure.kind == Failure::Kind::kStatement
                         ? fmt::format("{}: cannot do: {}\n", place, failure.expected)
                         : fmt::format("{}: expected {}\n", place, failure.expected);
  text += indented(fmt::format("at {}: {}", failure.when.str(), failure.actual));
  if (!failure.explanation.empty()) text += indented(failure.explanation);
  return text;
}

Result<RunResult> run(const Scenario& scenario, const RunOptions& options) {
  if (auto checked = check_objects(scenario, options.max_objects); !checked) return fail(std::move(checked).error());
  sim::WorldOptions settings = world_options(scenario, options);
  const auto wrong_decisions = std::make_shared<WrongDecisions>();
  wrong_decisions->file = scenario.file;
  if (options.check_decisions) {
    settings.scheduler.equivalence_cache.check_every = 1;
    settings.scheduler.equivalence_cache.on_wrong_answer = [wrong_decisions](const framework::WrongAnswer& wrong) {
      wrong_decisions->add(wrong);
    };
  }
  auto world = sim::World::make(std::move(settings));
  if (!world) return fail(world.error());
  RunResult result;
  result.world = *std::move(world);
  wrong_decisions->world = result.world.get();
  if (options.on_start) options.on_start(*result.world);
  std::optional<sim::WakeUpChecker> wakeups;
  if (options.check_wakeups) wakeups.emplace(*result.world);
  if (options.on_step || wakeups) {
    result.world->set_on_step([&options, &wakeups, running = result.world.get()] {
      if (wakeups) wakeups->step();
      if (options.on_step) options.on_step(*running);
    });
  }
  if (options.on_create) {
    result.world->set_on_create([&options, running = result.world.get()] { options.on_create(*running); });
  }
  const auto stage = std::make_shared<Stage>(scenario, options, *result.world);
  stage->perform_all(scenario.statements);
  stage->finish();
  result.world->set_on_step({});
  result.world->set_on_create({});
  wrong_decisions->world = nullptr;
  result.failures = stage->take_failures();
  std::ranges::move(wrong_decisions->failures, std::back_inserter(result.failures));
  if (wakeups) {
    for (const sim::LostWakeUp& lost : wakeups->found()) result.failures.push_back(failure_of(lost, scenario.file));
  }
  result.expectations = stage->expectations();
  return result;
}

}  // namespace berth::scenario
