#include "cmd/berth/sim_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "berth/api/meta.h"
#include "berth/codec/json.h"
#include "berth/report/pod_sentence.h"
#include "berth/report/summary.h"
#include "berth/report/text.h"
#include "berth/scenario/quirk_names.h"
#include "berth/scenario/runner.h"
#include "berth/scenario/scenario.h"
#include "berth/text/escape_json.h"
#include "berth/text/words.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"
#include "cmd/berth/output.h"
#include "cmd/berth/playback.h"

namespace berth::cmd {
namespace {

// --- Reading ---------------------------------------------------------------------------------------------------------

// A scenario that can run, and what its scheduler runs with.
struct Loaded {
  scenario::Scenario scenario;
  report::Settings settings;
  std::uint64_t seed = 1;
  Duration ends_at;  // 0 if it depends on what happens
};
using Mistakes = std::vector<Error>;

// A folder's scenarios, at any depth, in order of their paths; anything else is itself.
std::vector<std::string> files_of(const std::string& file) {
  std::error_code error;
  if (file == "-" || !std::filesystem::is_directory(file, error)) return {file};
  std::vector<std::string> files;
  for (auto it = std::filesystem::recursive_directory_iterator(file, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (it->path().extension() == ".berth") files.push_back(it->path().string());
  }
  std::ranges::sort(files);
  return files;
}

// When the scenario's last `run` ends, if that is a time.
Duration end_of(const scenario::Scenario& scenario) {
  Duration end;
  bool is_known = true;
  for (const scenario::Statement& statement : scenario.statements) {
    const auto* run = std::get_if<scenario::Run>(&statement.meaning);
    if (run == nullptr) continue;
    switch (run->until) {
      case scenario::Run::Until::kElapsed: end = end + run->time; break;
      case scenario::Run::Until::kTime:
        end = run->time;
        is_known = true;
        break;
      case scenario::Run::Until::kIdle:
      case scenario::Run::Until::kCondition: is_known = false; break;
    }
  }
  return is_known ? end : Duration();
}

std::expected<Loaded, Mistakes> load(const std::string& file, const SimOptions& options) {
  const auto text = read_whole(file);
  if (!text) return std::unexpected(Mistakes{text.error()});
  auto parsed = scenario::parse(*text, {.file = shown_name(file), .read = scenario::read_file});
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  Loaded result;
  result.scenario = std::move(*parsed);
  result.settings = {.config = result.scenario.scheduler.config, .gates = result.scenario.scheduler.gates};
  result.seed = options.seed.value_or(result.scenario.setup.seed.value_or(1));
  result.ends_at = end_of(result.scenario);
  return result;
}

// --- Running ---------------------------------------------------------------------------------------------------------

Result<scenario::RunResult> play(const Loaded& loaded, const SimOptions& options,
                                 const std::optional<engine::Quirks>& quirks) {
  Playback playback(
      {.name = loaded.scenario.file, .ends_at = loaded.ends_at, .speed = options.speed, .quiet = options.quiet});
  scenario::RunOptions run;
  run.seed = loaded.seed;
  run.quirks = quirks;
  const auto is_asked_for = [&](std::string_view check) { return std::ranges::count(options.checks, check) > 0; };
  run.check_wakeups = is_asked_for("wakeups");
  run.check_decisions = is_asked_for("decisions");
  run.max_objects = options.max_objects;
  if (!options.quiet || options.speed) run.on_step = [&playback](sim::World& world) { playback.step(world); };
  if (!options.quiet) run.on_create = run.on_step;
  run.explain_pod = [&loaded](const sim::World& world, const api::Pod& pod) {
    return report::pod_sentence(world, api::full_name(pod.metadata), loaded.settings);
  };
  auto result = scenario::run(loaded.scenario, run);
  if (result) playback.finish(*result->world);
  return result;
}

report::Summary summary_of(const Loaded& loaded, const scenario::RunResult& result) {
  report::Summary summary = report::summarize(
      *result.world, {.name = loaded.scenario.file, .seed = loaded.seed, .settings = loaded.settings});
  for (const std::string& note : loaded.scenario.notes) summary.notes.push_back(note);
  summary.expectations = static_cast<std::int64_t>(result.expectations);
  for (const scenario::Failure& failure : result.failures) {
    summary.failures.push_back(
        {failure.file, failure.line, failure.when.in_seconds(), failure.expected, failure.actual, failure.explanation});
  }
  return summary;
}

// --- Reporting -------------------------------------------------------------------------------------------------------

int complain(const Mistakes& mistakes) {
  for (const Error& mistake : mistakes) failure(mistake.message());
  return kExitUsage;
}

// One entry per line of what a checker says.
void add_items(std::string_view lines, text::Page& page) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) page.item(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

// As scenario::to_text() puts it.
void add_failure(const scenario::Failure& failure, text::Page& page) {
  const std::string place = failure.line == 0 ? failure.file : fmt::format("{}:{}", failure.file, failure.line);
  const bool is_statement = failure.kind == scenario::Failure::Kind::kStatement;
  page.paragraph(text::Line(place + ": ", text::Meaning::kName)
                     .add((is_statement ? "cannot do: " : "expected ") + failure.expected, text::Meaning::kBad));
  add_items(fmt::format("at {}: {}", text::short_time(failure.when), failure.actual), page);
  add_items(failure.explanation, page);
}

// "ok   demo.berth (3 expectations, virtual 45s)". How long it took is told to people only: the output is the same on
// every run.
void print_verdict(const std::string& name, const scenario::RunResult& result, Duration wall,
                   const text::Style& style) {
  const std::string took = is_terminal(stdout) ? fmt::format(", took {}", text::short_time(wall)) : "";
  text::Page page;
  text::Line verdict =
      result.passed() ? text::Line("ok  ", text::Meaning::kGood) : text::Line("FAIL", text::Meaning::kBad);
  page.paragraph(
      verdict.add(fmt::format(" {} ({}{}, virtual {})", name, text::counted(result.expectations, "expectation"), took,
                              text::short_time(result.world->elapsed()))));
  fmt::print("{}", page.render(style));
}

void print_failures(const scenario::RunResult& result, const text::Style& style) {
  for (const scenario::Failure& failure : result.failures) {
    text::Page page;
    add_failure(failure, page);
    fmt::print("{}", page.render(style));
  }
}

int run_one(const std::string& file, const SimOptions& options, const std::optional<engine::Quirks>& quirks,
            const text::Style& style) {
  const auto loaded = load(file, options);
  if (!loaded) return complain(loaded.error());
  const Duration began_at = wall_clock();
  const auto result = play(*loaded, options, quirks);
  if (!result) return complain({result.error()});
  const Duration wall = wall_clock() - began_at;

  if (options.output == "json") {
    fmt::print("{}\n", text::escaped_json(codec::to_json(summary_of(*loaded, *result), 2)));
  } else {
    if (!options.quiet) {
      fmt::print("{}", report::to_text(summary_of(*loaded, *result), style));
      if (result->expectations > 0 || !result->passed()) fmt::print("\n");
    }
    // A scenario that expects nothing has no verdict.
    const bool has_verdict = options.quiet ? !result->passed() : result->expectations > 0 || !result->passed();
    if (has_verdict) print_verdict(loaded->scenario.file, *result, wall, style);
    print_failures(*result, style);
  }
  if (!options.trace_file.empty()) {
    const int written = write_trace_file(*result->world, options.trace_file, options.quiet);
    if (written != kExitOk) return written;
  }
  return result->passed() ? kExitOk : kExitFailure;
}

int run_many(const std::vector<std::string>& files, const SimOptions& options,
             const std::optional<engine::Quirks>& quirks, const text::Style& style) {
  std::size_t passed = 0, failed = 0, wrong = 0, expectations = 0;
  const bool is_text = options.output == "text";
  std::vector<report::Summary> summaries;
  for (const std::string& file : files) {
    const auto loaded = load(file, options);
    if (!loaded) {
      (void)complain(loaded.error());
      ++wrong;
      continue;
    }
    const Duration began_at = wall_clock();
    const auto result = play(*loaded, options, quirks);
    if (!result) {
      (void)complain({Error(result.error()).in_file(loaded->scenario.file)});
      ++wrong;
      continue;
    }
    expectations += result->expectations;
    ++(result->passed() ? passed : failed);
    if (!is_text) {
      summaries.push_back(summary_of(*loaded, *result));
      continue;
    }
    if (!options.quiet || !result->passed()) {
      print_verdict(loaded->scenario.file, *result, wall_clock() - began_at, style);
    }
    print_failures(*result, style);
  }
  if (!is_text) {
    fmt::print("{}\n", text::escaped_json(codec::to_json(summaries, 2)));
  } else {
    fmt::print("{}: {} ok, {} failed{}; {}\n", text::counted(files.size(), "scenario"), text::grouped(passed),
               text::grouped(failed), wrong == 0 ? "" : fmt::format(", {} wrong", text::grouped(wrong)),
               text::counted(expectations, "expectation"));
  }
  return wrong > 0 ? kExitUsage : failed > 0 ? kExitFailure : kExitOk;
}

}  // namespace

int run_scenarios(const SimOptions& options, const text::Style& style) {
  std::optional<engine::Quirks> quirks;
  if (!options.quirks.empty()) {
    auto parsed = scenario::parse_quirks(options.quirks);
    if (!parsed) return complain({Error("--quirks: " + parsed.error().message())});
    quirks = *parsed;
  }
  std::vector<std::string> files;
  for (const std::string& file : options.files) {
    const std::vector<std::string> found = files_of(file);
    if (found.empty()) return complain({Error("there is no *.berth file in it").in_file(file)});
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.size() == 1) return run_one(files.front(), options, quirks, style);
  if (!options.trace_file.empty()) return complain({Error("--trace is about one scenario, and there are several")});
  return run_many(files, options, quirks, style);
}

}  // namespace berth::cmd
