// What `berth explain --pending` is given and shows: its options, how all pending pods by cause are put, and asking
// for them again and again. Which cluster is asked is up to explain.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "berth/base/function_ref.h"
#include "berth/explain/pending.h"
#include "berth/text/page.h"
#include "cmd/berth/command.h"

namespace berth::cmd {

struct PendingOptions {
  bool is_chosen = false;
  bool all_namespaces = false;
  std::string selector;
  bool watch = false;
  std::int64_t interval_seconds = 10;

  // The first option that was given and means something for lists of pods only: "--watch"; empty if there is none.
  std::string only_for_lists() const;
};

void add_pending_options(CLI::App& command, PendingOptions& options);

struct PendingOutput {
  bool is_json = false;
  bool all = false;  // rows of long lists
  text::Style style = {};
};
// JSON is one document on one line if more are to come.
std::string shown(const explain::PendingReport& report, const PendingOptions& options, const PendingOutput& output);

// One look at the cluster: has what it found printed, prints what went wrong, and returns the exit code.
using PendingLook = std::function<int(FunctionRef<void(const std::string&)> print)>;
// Looks every interval_seconds until SIGINT or SIGTERM, which end the process with 0. Returns what the first look
// returns if that is not kExitOk: then there is nothing to wait for.
int watch_pending(const PendingOptions& options, bool is_json, const PendingLook& look);

}  // namespace berth::cmd
