#include "cmd/berth/explain_pending.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <thread>

#include "berth/codec/json.h"
#include "berth/explain/pending_render.h"
#include "berth/text/escape_json.h"
#include "cmd/berth/output.h"

namespace berth::cmd {
namespace {

// A look at a large cluster takes seconds, and burdens its API server.
constexpr std::int64_t kMaxIntervalSeconds = 86'400;

extern "C" void end_watching(int /*signal*/) {
  // Everything that was printed has been flushed.
  _exit(kExitOk);
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

std::string PendingOptions::only_for_lists() const {
  if (is_chosen) return "--pending";
  if (all_namespaces) return "--all-namespaces";
  if (!selector.empty()) return "--selector";
  return watch ? "--watch" : "";
}

void add_pending_options(CLI::App& command, PendingOptions& options) {
  command.add_flag("--pending", options.is_chosen, "All pending pods, by cause; so without POD and --pod-file, too");
  command.add_flag("-A,--all-namespaces", options.all_namespaces,
                   "Of --pending: all namespaces, as without --namespace");
  command.add_option("-l,--selector", options.selector, "Of --pending: only pods with these labels, as for kubectl")
      ->type_name("SELECTOR");
  CLI::Option* watch =
      command.add_flag("-w,--watch", options.watch, "Of --pending: ask the cluster again and again, until Ctrl-C");
  command.add_option("--interval", options.interval_seconds, "Of --watch: seconds between two answers")
      ->type_name("SECONDS")
      ->check(CLI::Range(std::int64_t{1}, kMaxIntervalSeconds))
      ->needs(watch)
      ->capture_default_str();
}

std::string shown(const explain::PendingReport& report, const PendingOptions& options, const PendingOutput& output) {
  if (output.is_json) return text::escaped_json(codec::to_json(report, options.watch ? 0 : 2)) + "\n";
  return explain::render(report, {.all = output.all, .style = output.style});
}

int watch_pending(const PendingOptions& options, bool is_json, const PendingLook& look) {
  std::signal(SIGINT, end_watching);
  std::signal(SIGTERM, end_watching);
  const bool is_redrawn = is_terminal(stdout) && !is_json;
  for (bool is_first = true;; is_first = false) {
    const int exit_code = look([&](const std::string& answer) {
      if (is_redrawn) fmt::print("\033[H\033[2J");
      if (!is_json) {
        fmt::print("{}{}, every {} s\n\n", is_first || is_redrawn ? "" : "\n", now_text(), options.interval_seconds);
      }
      fmt::print("{}", answer);
      std::fflush(stdout);
    });
    if (is_first && exit_code != kExitOk) return exit_code;
    std::this_thread::sleep_for(std::chrono::seconds(options.interval_seconds));
  }
}

}  // namespace berth::cmd
