// `berth sim --import openb NODES.csv PODS.csv`: simulates the OpenB trace, and compares what pods waited for a node
// with what they really did.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "berth/codec/json.h"
#include "berth/report/text.h"
#include "berth/whatif/openb.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"
#include "cmd/berth/playback.h"
#include "cmd/berth/sim_command.h"

namespace berth::cmd {
namespace {

struct ImportOptions {
  std::string format;
  std::size_t limit = 0;
};

int usage_error(std::string_view message) {
  fmt::print(stderr, "berth: {}\nRun 'berth sim --help' for usage.\n", message);
  return kExitUsage;
}

Result<whatif::OpenbTrace> read_trace(const SimOptions& shared, std::size_t max_pods) {
  auto nodes = read_whole(shared.files[0]);
  if (!nodes) return fail(nodes.error());
  auto pods = read_whole(shared.files[1]);
  if (!pods) return fail(pods.error());
  return whatif::read_openb({shared.files[0], *std::move(nodes)}, {shared.files[1], *std::move(pods)}, max_pods);
}

int run_import(const ImportOptions& options, const SimOptions& shared) {
  if (shared.files.size() != 2) return usage_error("--import openb: give NODES.csv and PODS.csv");
  const auto trace = read_trace(shared, options.limit);
  if (!trace) return failure(trace.error().message());

  whatif::OpenbOptions simulation;
  simulation.seed = shared.seed.value_or(1);
  Result<std::unique_ptr<sim::World>> world = fail("nothing was simulated");
  {
    Playback playback({.name = shared.files[1], .ends_at = trace->end(), .speed = shared.speed, .quiet = shared.quiet});
    if (!shared.quiet || shared.speed) simulation.on_step = [&](sim::World& now) { playback.step(now); };
    world = whatif::simulate(*trace, simulation);
    if (world) playback.finish(**world);
  }
  if (!world) return failure(world.error().message());
  report::SummaryOptions summary;
  summary.name = shared.files[1];
  summary.seed = simulation.seed;
  const whatif::OpenbReport report = whatif::report_on(*trace, **world, report::summarize(**world, summary));
  if (shared.output == "json") {
    fmt::print("{}\n", codec::to_json(report, 2));
  } else {
    if (!shared.quiet) fmt::print("{}", report::to_text(report.report, text_options()));
    fmt::print("{}", whatif::to_text(report));
  }
  if (!shared.trace_file.empty()) return write_trace_file(**world, shared.trace_file, shared.quiet);
  return kExitOk;
}

}  // namespace

SimMode add_import_mode(CLI::App& command, const std::shared_ptr<const SimOptions>& shared) {
  auto options = std::make_shared<ImportOptions>();
  const CLI::Option* format =
      command
          .add_option("--import", options->format, "The FILEs are a trace to simulate: NODES.csv and PODS.csv of OpenB")
          ->type_name("FORMAT")
          ->check(CLI::IsMember({"openb"}));
  const CLI::Option* limit =
      command.add_option("--limit", options->limit, "Only the first N pods of --import; 0: all")->type_name("N");
  return {.chosen_by = format,
          .goes_with = {limit},
          .takes = {"FILE", "--output", "--seed", "--speed", "--trace", "--quiet"},
          .run = [options, shared] { return run_import(*options, *shared); }};
}

}  // namespace berth::cmd
