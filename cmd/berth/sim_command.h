// What the parts of `berth sim` share: the options that all of them know, and the list of its modes.
//
// Without a mode, `berth sim FILE...` runs scenarios (sim_run.h). A mode is something else that it does when its option
// is given: it lives in a file of its own, declares its options on the command and says whether one of them was given:
//
//   SimMode add_fuzz_mode(CLI::App& command, const std::shared_ptr<const SimOptions>& shared) {
//     auto options = std::make_shared<FuzzOptions>();
//     CLI::Option* runs = command.add_option("--fuzz", options->runs, "Run N random scenarios")->type_name("N");
//     return {"--fuzz", [runs] { return runs->count() > 0; }, [=] { return fuzz(*options, *shared); }};
//   }
//
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
  std::string option;  // that chooses it, for messages
  std::function<bool()> is_chosen;
  std::function<int()> run;  // returns the exit code
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
