// `berth import openb NODES.csv PODS.csv`: simulates the OpenB trace, and compares what pods waited for a node
// with what they really did.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "berth/codec/json.h"
#include "berth/report/text.h"
#include "berth/text/escape_json.h"
#include "berth/whatif/openb.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"
#include "cmd/berth/playback.h"

namespace berth::cmd {
namespace {

struct Options {
  std::string nodes_file;
  std::string pods_file;
  std::string output = "text";
  std::string trace_file;
  std::uint64_t seed = 1;
  std::optional<double> speed;
  std::size_t limit = 0;
  bool quiet = false;
};

Result<whatif::OpenbTrace> read_trace(const Options& options) {
  auto nodes = read_whole(options.nodes_file);
  if (!nodes) return fail(nodes.error());
  auto pods = read_whole(options.pods_file);
  if (!pods) return fail(pods.error());
  return whatif::read_openb({options.nodes_file, *std::move(nodes)}, {options.pods_file, *std::move(pods)},
                            options.limit);
}

int import_openb(const Options& options, const text::Style& style) {
  const auto trace = read_trace(options);
  if (!trace) return failure(trace.error().message());

  whatif::OpenbOptions simulation;
  simulation.seed = options.seed;
  Result<std::unique_ptr<sim::World>> world = fail("nothing was simulated");
  {
    Playback playback(
        {.name = options.pods_file, .ends_at = trace->end(), .speed = options.speed, .quiet = options.quiet});
    if (!options.quiet || options.speed) simulation.on_step = [&](sim::World& now) { playback.step(now); };
    world = whatif::simulate(*trace, simulation);
    if (world) playback.finish(**world);
  }
  if (!world) return failure(world.error().message());
  report::SummaryOptions summary;
  summary.name = options.pods_file;
  summary.seed = simulation.seed;
  const whatif::OpenbReport report = whatif::report_on(*trace, **world, report::summarize(**world, summary));
  if (options.output == "json") {
    fmt::print("{}\n", text::escaped_json(codec::to_json(report, 2)));
  } else {
    if (!options.quiet) fmt::print("{}", report::to_text(report.report, style));
    fmt::print("{}", whatif::to_text(report, style));
  }
  if (!options.trace_file.empty()) return write_trace_file(**world, options.trace_file, options.quiet);
  return kExitOk;
}

}  // namespace

void add_import(Program& program) {
  CLI::App& parent = *program.root().add_subcommand("import", "Simulate what a public trace of a cluster says");
  auto options = std::make_shared<Options>();
  CLI::App& command = *parent.add_subcommand(
      "openb", "The trace of Alibaba, cluster-trace-gpu-v2023: simulate it, and compare how long pods waited");
  command.add_option("NODES.csv", options->nodes_file, "The trace's nodes")->required();
  command.add_option("PODS.csv", options->pods_file, "The trace's pods")->required();
  command.add_option("--limit", options->limit, "Only the first N pods; 0: all")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  command.add_option("-o,--output", options->output, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Of all chance")
      ->type_name("N")
      ->check(seed_check())
      ->capture_default_str();
  add_speed_option(command, options->speed);
  command.add_option("--trace", options->trace_file, "Write a trace for Perfetto or chrome://tracing")
      ->type_name("FILE");
  command.add_flag("-q,--quiet", options->quiet, "No live view, and only the comparison");
  program.set_action(command, [options](const text::Style& style) { return import_openb(*options, style); });
}

}  // namespace berth::cmd
