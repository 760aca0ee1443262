// `berth sim FILE...`: simulates what scenario files say, in virtual time, and reports what became of the pods.
#include <memory>

#include "cmd/berth/command.h"
#include "cmd/berth/playback.h"
#include "cmd/berth/sim_run.h"

namespace berth::cmd {
namespace {

int simulate(const SimOptions& options, const text::Style& style) {
  if (options.files.empty()) return usage_failure("berth sim", "which scenario? Give one or more FILEs");
  return run_scenarios(options, style);
}

}  // namespace

void add_sim(Program& program) {
  auto options = std::make_shared<SimOptions>();
  CLI::App& command = *program.root().add_subcommand("sim", "Simulate a cluster in virtual time, and report");
  command.add_option("FILE", options->files, "Scenarios (*.berth), or folders of them; - is standard input")
      ->type_name("FILE...");
  command.add_option("-o,--output", options->output, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Of all chance; in place of the scenario's own, or of 1")
      ->type_name("N")
      ->check(seed_check());
  add_speed_option(command, options->speed);
  command.add_option("--trace", options->trace_file, "Write a trace for Perfetto or chrome://tracing")
      ->type_name("FILE");
  command.add_option("--quirks", options->quirks, "Bugs of kube-scheduler to have: names, 'upstream' (all) or 'none'")
      ->type_name("LIST");
  command
      .add_option("--check", options->checks,
                  "wakeups: look, after every event, for pods that should have been woken; decisions: compare every "
                  "decision with one made from scratch; or both, with a comma")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"wakeups", "decisions"}));
  command.add_option("--max-objects", options->max_objects, "Refuse scenarios that create more objects than N")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_flag("-q,--quiet", options->quiet, "No live view and no report: only what fails");
  command.footer(
      "Example: berth sim examples/first-day.berth\n"
      "         berth sim -q tests/scenarios            # all of them, as tests\n"
      "Exits with 0 if every expectation holds, with 1 if one does not or an invariant is broken, and with 2 if the\n"
      "command line or a scenario is wrong. The same scenario and seed give the same output, always.");
  program.set_action(command, [options](const text::Style& style) { return simulate(*options, style); });
}

}  // namespace berth::cmd
