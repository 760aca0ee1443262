// Runs scenario files: one with a live view and a whole report, several as a test runner does.
#pragma once

#include "cmd/berth/sim_command.h"

namespace berth::cmd {

// Returns the exit code: 0 if every expectation holds, 1 if one does not, 2 if a scenario is wrong.
int run_scenarios(const SimOptions& options);

}  // namespace berth::cmd
