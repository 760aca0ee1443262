// Statements about time: when something is done, and how long the world runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "berth/scenario/conditions.h"
#include "berth/scenario/statements.h"
#include "berth/scenario/targets.h"
#include "berth/scenario/values.h"

namespace berth::scenario {

namespace {

constexpr std::int64_t kMostRepetitions = 10'000'000;

// What may be done at a time of its own.
Parsed<std::variant<Action, Expectation>> read_timed(Reader& reader, const Context& context) {
  const Position at = reader.here();
  if (reader.at_end()) return reader.expected("a statement");
  const std::string word = reader.peek()->text;
  auto meaning = compile_statement(reader, context);
  if (!meaning) return std::unexpected(meaning.error());
  if (Action* action = std::get_if<Action>(&*meaning)) return std::move(*action);
  if (Expectation* expectation = std::get_if<Expectation>(&*meaning)) {
    if (!expectation->within && !expectation->all_for) return std::move(*expectation);
    return mistake(at, "an expectation at a time of its own cannot have \"within\" or \"for\"");
  }
  return mistake(at, fmt::format("\"{}\" cannot have a time of its own", word));
}

Parsed<Meaning> compile_once(std::string_view word, Reader& reader, const Context& context) {
  const auto time = reader.duration();
  if (!time) return std::unexpected(time.error());
  auto what = read_timed(reader, context);
  if (!what) return std::unexpected(what.error());
  return Timed{word == "at" ? Timed::When::kAt : Timed::When::kAfter, *time, 1, *std::move(what), {}};
}

// "x5"
Value<std::int64_t> read_times(std::string_view text) {
  const auto times = text.starts_with('x') ? read_number(text.substr(1), 1, kMostRepetitions) : Value<std::int64_t>(0);
  if (!times || *times == 0) return std::unexpected("how many times, such as x5");
  return *times;
}

// Whether {n} stands elsewhere than in the name of a pod or node that is made or changed. Those are read once: pods of
// one statement share a template.
bool is_read_for_each_time(const Line& line) {
  if (!has_number(line)) return false;
  constexpr auto kNamed = std::to_array<std::string_view>({"pod", "pods", "node", "nodes", "pool"});
  const bool is_named = std::ranges::find(kNamed, line.words.front().text) != kNamed.end();
  return !is_named ||
         std::ranges::any_of(line.words, [](const Word& word) { return word.has_value() && has_number(word.text); });
}

Parsed<std::variant<Action, Expectation>> read_nth(const Line& line, std::size_t number, const Context& context) {
  const Line own = numbered(line, number);
  Reader reader(own);
  return read_timed(reader, context);
}

Parsed<Meaning> compile_every(std::string_view, Reader& reader, const Context& context) {
  const Position at = reader.here();
  const auto period = reader.duration();
  if (!period) return std::unexpected(period.error());
  if (*period == Duration()) return mistake(at, "expected a duration above 0");
  const auto times = reader.value(read_times);
  if (!times) return std::unexpected(times.error());
  Timed timed;
  timed.when = Timed::When::kEvery;
  timed.time = *period;
  timed.times = static_cast<std::size_t>(*times);
  const Line line{{reader.rest().begin(), reader.rest().end()}, reader.line().document};
  if (!is_read_for_each_time(line)) {
    auto what = read_timed(reader, context);
    if (!what) return std::unexpected(what.error());
    timed.what = *std::move(what);
    return timed;
  }
  // The first time shows whether the statement is right; the others differ in a number only.
  auto first = read_nth(line, 1, context);
  if (!first) return std::unexpected(first.error());
  while (!reader.at_end()) reader.skip();
  timed.what = *std::move(first);
  timed.what_nth = [line, options = context.options](std::size_t number) -> Result<std::variant<Action, Expectation>> {
    std::vector<std::string> notes;
    auto what = read_nth(line, number, {options, notes});
    if (!what) return fail(what.error().what);
    return *std::move(what);
  };
  return timed;
}

// [within DURATION] at the end of a line, which is taken off it.
Parsed<std::optional<Duration>> take_limit(std::span<const Word>& words) {
  if (words.size() < 2 || words[words.size() - 2].text != "within" || words[words.size() - 2].is_quoted) {
    return std::optional<Duration>();
  }
  const Word& word = words.back();
  const auto limit = read_duration(word.text);
  if (!limit) return std::unexpected(unexpected_text(word.at, limit.error(), word.text));
  words = words.first(words.size() - 2);
  return std::optional(*limit);
}

Parsed<Meaning> compile_run(std::string_view, Reader& reader, const Context&) {
  Run run;
  if (!reader.is_next("until")) {
    const auto time =
        reader.peek() == nullptr ? Value<Duration>(std::unexpected("")) : read_duration(reader.peek()->text);
    if (!time) {
      auto wrong = reader.expected("a duration such as 30s, or \"until\"");
      if (reader.is_next("idle")) wrong.error().fix = "write: run until idle";
      if (reader.is_next("for")) wrong.error().fix = "leave \"for\" out";
      return wrong;
    }
    reader.skip();
    if (auto end = reader.end(); !end) return std::unexpected(end.error());
    run.time = *time;
    return run;
  }
  reader.skip();
  constexpr std::string_view kForm = "a time such as 45s, \"idle\" or a condition";
  if (reader.at_end()) return reader.expected(kForm);
  std::span<const Word> words = reader.rest();
  const auto limit = take_limit(words);
  if (!limit) return std::unexpected(limit.error());
  run.limit = *limit;
  Reader rest(reader.line(), words);
  if (rest.accept("idle")) {
    run.until = Run::Until::kIdle;
  } else if (const auto time = words.size() == 1 ? read_duration(words.front().text) : std::unexpected(std::string())) {
    run.until = Run::Until::kTime;
    run.time = *time;
    rest.skip();
    if (run.limit) return mistake(words.front().at, "\"within\" is for a condition or \"idle\", not for a time");
  } else {
    auto condition = read_condition(rest, kForm);
    if (!condition) {
      constexpr auto kIdle = std::to_array<std::string_view>({"idle"});
      Mistake wrong = condition.error();
      if (wrong.fix.empty() && words.size() == 1) wrong.fix = did_you_mean(words.front().text, kIdle);
      return std::unexpected(std::move(wrong));
    }
    run.until = Run::Until::kCondition;
    run.condition = *std::move(condition);
  }
  if (auto end = rest.end(); !end) return std::unexpected(end.error());
  return run;
}

Parsed<Meaning> compile_expect(std::string_view, Reader& reader, const Context&) {
  Expectation expectation;
  if (reader.is_next("within") || reader.is_next("for")) {
    const bool is_within = reader.is_next("within");
    reader.skip();
    const auto time = reader.duration();
    if (!time) return std::unexpected(time.error());
    (is_within ? expectation.within : expectation.all_for) = *time;
  }
  auto condition = read_condition(reader, "something to expect: a pod, a node, a number");
  if (!condition) return std::unexpected(condition.error());
  expectation.condition = *std::move(condition);
  return expectation;
}

constexpr auto kTimeStatements = std::to_array<StatementSpec>({
    {"run", "DURATION", "Let this much time pass", Group::kTime, compile_run},
    {"run", "until TIME", "... until this long after the beginning", Group::kTime, compile_run},
    {"run", "until idle [within DURATION]",
     "... until nothing is under way: no pod to try, nothing on its way. Pods may be parked, or run", Group::kTime,
     compile_run},
    {"run", "until CONDITION [within DURATION]", "... until it holds; 1h if not given", Group::kTime, compile_run},
    {"at", "TIME STATEMENT", "Do something this long after the beginning", Group::kTime, compile_once},
    {"after", "DURATION STATEMENT", "... this long after now", Group::kTime, compile_once},
    {"every", "DURATION xCOUNT STATEMENT",
     "... so many times, first after one DURATION; `{n}` in names is the number of the time", Group::kTime,
     compile_every},
});

constexpr auto kExpectationStatements = std::to_array<StatementSpec>({
    {"expect", "CONDITION", "It has to hold now", Group::kExpectations, compile_expect},
    {"expect", "within DURATION CONDITION", "It has to come true within this time; the world runs until it does",
     Group::kExpectations, compile_expect},
    {"expect", "for DURATION CONDITION", "It has to hold all this time", Group::kExpectations, compile_expect},
});

}  // namespace

std::span<const StatementSpec> time_statements() {
  return kTimeStatements;
}

std::span<const StatementSpec> expectation_statements() {
  return kExpectationStatements;
}

}  // namespace berth::scenario
