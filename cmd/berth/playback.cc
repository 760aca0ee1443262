#include "cmd/berth/playback.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>

#include "berth/report/trace.h"
#include "cmd/berth/command.h"

namespace berth::cmd {

Duration wall_clock() {
  return Duration::nanoseconds(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

Playback::Playback(const PlaybackOptions& options)
    : speed_(options.speed),
      is_shown_(!options.quiet),
      view_({.name = options.name,
             .is_terminal = isatty(fileno(stderr)) == 1,
             .ends_at = options.ends_at,
             .wall_clock = wall_clock,
             .write = [](std::string_view text) { fmt::print(stderr, "{}", text); }}),
      began_at_(wall_clock()) {}

void Playback::step(const sim::World& world) {
  if (is_shown_) view_.step(world);
  if (speed_) wait_for(world);
}

void Playback::wait_for(const sim::World& world) {
  const auto due_after = static_cast<std::int64_t>(static_cast<double>(world.elapsed().nanoseconds()) / *speed_);
  for (;;) {
    const std::int64_t left = due_after - (wall_clock() - began_at_).nanoseconds();
    if (left <= 0) return;
    const std::int64_t nap = std::min(left, report::LiveView::kRedrawEvery.nanoseconds());
    std::this_thread::sleep_for(std::chrono::nanoseconds(nap));
    if (is_shown_) view_.refresh(world);
  }
}

int write_trace_file(const sim::World& world, const std::string& file, bool quiet) {
  std::ofstream out(file, std::ios::binary);
  if (!out) return failure(Error(std::strerror(errno)).in_file(file).message());
  report::write_trace(world.history(), {.epoch = world.now() - world.elapsed(), .end = world.now()}, out);
  out.close();
  if (!out) return failure(Error("cannot be written").in_file(file).message());
  if (!quiet) fmt::print(stderr, "berth: wrote {}; open it in ui.perfetto.dev\n", file);
  return kExitOk;
}

}  // namespace berth::cmd
