// `berth sim FILE...`: simulates what scenario files say, in virtual time, and reports what became of the pods. What it
// does besides (a mode each) is listed in sim_command.h.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <system_error>
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

// "--seed", "FILE"
std::string name_of(const CLI::Option* option) {
  return option->get_name();
}

// Options that do nothing beside the others; the message if there is one.
std::string useless_option(const CLI::App& command, const std::vector<SimMode>& modes, const SimMode* chosen) {
  std::vector<const CLI::Option*> of_modes;
  for (const SimMode& mode : modes) {
    of_modes.push_back(mode.chosen_by);
    for (const CLI::Option* option : mode.goes_with) {
      of_modes.push_back(option);
      if (option->count() > 0 && &mode != chosen) {
        return fmt::format("{} goes with {}", name_of(option), name_of(mode.chosen_by));
      }
    }
  }
  if (chosen == nullptr) return "";
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || std::ranges::find(of_modes, option) != of_modes.end()) continue;
    if (std::ranges::find(chosen->takes, name_of(option)) != chosen->takes.end()) continue;
    return fmt::format("{} does nothing with {}", name_of(option), name_of(chosen->chosen_by));
  }
  return "";
}

int simulate(const CLI::App& command, const SimOptions& options, const std::vector<SimMode>& modes) {
  const SimMode* chosen = nullptr;
  for (const SimMode& mode : modes) {
    if (!mode.is_chosen()) continue;
    if (chosen != nullptr) {
      return usage_error(fmt::format("give {} or {}, not both", name_of(chosen->chosen_by), name_of(mode.chosen_by)));
    }
    chosen = &mode;
  }
  if (const std::string useless = useless_option(command, modes, chosen); !useless.empty()) return usage_error(useless);
  if (chosen != nullptr) return chosen->run();
  if (options.files.empty()) return usage_error("which scenario? Give one or more FILEs");
  return run_scenarios(options);
}

// A speed that a simulation can be played at.
std::string check_speed(const std::string& text) {
  double speed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), speed);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(speed) && speed > 0 ? "" : "has to be a number above 0";
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
  command.add_option("--speed", options->speed, "Play at X virtual seconds per second; as fast as possible without")
      ->type_name("X")
      ->check(check_speed);
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
  program.set_action(command, [&command, options, modes] { return simulate(command, *options, *modes); });
}

}  // namespace berth::cmd
