// What the parts of `berth sim` share: the options that all of them know, and the list of its modes.
//
// Without a mode, `berth sim FILE...` runs scenarios (sim_run.h). A mode is something else that it does when its option
// is given: it lives in a file of its own, declares its options on the command and says whether one of them was given:
//
//   SimMode add_fuzz_mode(CLI::App& command, const std::shared_ptr<const SimOptions>& shared) {
//     auto options = std::make_shared<FuzzOptions>();
//     CLI::Option* runs = command.add_option("--fuzz", options->runs, "Run N random scenarios")->type_name("N");
//     CLI::Option* jobs = command.add_option("--jobs", options->jobs, "How many at once, of --fuzz")->type_name("N");
//     return {.chosen_by = runs, .goes_with = {jobs}, .takes = {"--seed"}, .run = [=] { return fuzz(*options, *shared);
//     }};
//   }
//
// An option that does nothing in the mode that is chosen is refused: nobody gives it to be ignored.
// Its name goes into BERTH_SIM_MODES, and that is all.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::cmd {

struct SimOptions {
  std::vector<std::string> files;
  std::string output = "text";
  std::optional<std::uint64_t> seed;
  std::optional<double> speed;  // virtual seconds per second
  std::string trace_file;
  std::string quirks;  // see scenario::parse_quirks()
  std::string check;   // "wakeups", or nothing
  bool quiet = false;
};

struct SimMode {
  const CLI::Option* chosen_by;
  std::vector<const CLI::Option*> goes_with;  // options that mean something in this mode only
  std::vector<std::string> takes;             // those of all modes that it heeds: "--seed", "FILE"
  std::function<int()> run;                   // returns the exit code

  bool is_chosen() const { return chosen_by->count() > 0; }
};

// Every mode, in the order in which --help lists their options.
#define BERTH_SIM_MODES(X) \
  X(fuzz)                  \
  X(what_if)               \
  X(import)

#define BERTH_DECLARE_SIM_MODE(name) \
  SimMode add_##name##_mode(CLI::App& command, const std::shared_ptr<const SimOptions>& shared);
BERTH_SIM_MODES(BERTH_DECLARE_SIM_MODE)
#undef BERTH_DECLARE_SIM_MODE

}  // namespace berth::cmd
