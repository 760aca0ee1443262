// `berth sim FILE...`: simulates what scenario files say, in virtual time, and reports what became of the pods. What it
// does besides (a mode each) is listed in sim_command.h.
#include <fmt/core.h>

#include <memory>
#include <vector>

#include "cmd/berth/command.h"
#include "cmd/berth/sim_command.h"
#include "cmd/berth/sim_run.h"

namespace berth::cmd {
namespace {

int usage_error(std::string_view message) {
  fmt::print(stderr, "berth: {}\nRun 'berth sim --help' for usage.\n", message);
  return kExitUsage;
}

int simulate(const SimOptions& options, const std::vector<SimMode>& modes) {
  const SimMode* chosen = nullptr;
  for (const SimMode& mode : modes) {
    if (!mode.is_chosen()) continue;
    if (chosen != nullptr) return usage_error(fmt::format("give {} or {}, not both", chosen->option, mode.option));
    chosen = &mode;
  }
  if (chosen != nullptr) return chosen->run();
  if (options.files.empty()) return usage_error("which scenario? Give one or more FILEs");
  if (options.speed && *options.speed <= 0) return usage_error("--speed: has to be more than 0");
  return run_scenarios(options);
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
  command.add_option("--seed", options->seed, "Of all chance; in place of the scenario's own, or of 1")->type_name("N");
  command.add_option("--speed", options->speed, "Play at X virtual seconds per second; as fast as possible without")
      ->type_name("X");
  command.add_option("--trace", options->trace_file, "Write a trace for Perfetto or chrome://tracing")
      ->type_name("FILE");
  command.add_option("--quirks", options->quirks, "Bugs of kube-scheduler to have: names, 'upstream' (all) or 'none'")
      ->type_name("LIST");
  command.add_option("--check", options->check, "Look, after every event, for pods that should have been woken")
      ->check(CLI::IsMember({"wakeups"}));
  command.add_flag("-q,--quiet", options->quiet, "No live view and no report: only what fails");
  auto modes = std::make_shared<std::vector<SimMode>>();
#define BERTH_ADD_SIM_MODE(name) modes->push_back(add_##name##_mode(command, options));
  BERTH_SIM_MODES(BERTH_ADD_SIM_MODE)
#undef BERTH_ADD_SIM_MODE
  command.footer(
      "Example: berth sim examples/first-day.berth\n"
      "         berth sim -q tests/scenarios            # all of them, as tests\n"
      "Exits with 0 if every expectation holds, with 1 if one does not or an invariant is broken, and with 2 if the\n"
      "command line or a scenario is wrong. The same scenario and seed give the same output, always.");
  program.set_action(command, [options, modes] { return simulate(*options, *modes); });
}

}  // namespace berth::cmd
