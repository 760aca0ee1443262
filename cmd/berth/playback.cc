#include "cmd/berth/playback.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>

#include "berth/report/trace.h"
#include "berth/text/escape.h"
#include "cmd/berth/command.h"
#include "cmd/berth/output.h"

namespace berth::cmd {
namespace {

// A speed that a simulation can be played at.
std::string check_speed(const std::string& text) {
  double speed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), speed);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(speed) && speed > 0 ? "" : "has to be a number above 0";
}

}  // namespace

void add_speed_option(CLI::App& command, std::optional<double>& speed) {
  command.add_option("--speed", speed, "Play at X virtual seconds per second; as fast as possible without")
      ->type_name("X")
      ->check(check_speed);
}
Duration wall_clock() {
  return Duration::nanoseconds(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

Playback::Playback(const PlaybackOptions& options)
    : is_shown_(!options.quiet),
      view_({.name = options.name,
             .is_terminal = can_redraw(stderr),
             .columns = [] { return terminal_columns(stderr).value_or(80); },
             .ends_at = options.ends_at,
             .wall_clock = wall_clock,
             .write = [](std::string_view text) { fmt::print(stderr, "{}", text); }}) {
  if (!options.speed) return;
  const auto sleep = [](Duration time) { std::this_thread::sleep_for(std::chrono::nanoseconds(time.nanoseconds())); };
  const auto show = [this](const report::Standing& standing) {
    if (is_shown_) view_.refresh(standing);
  };
  pace_.emplace(report::PaceOptions{.speed = *options.speed, .wall_clock = wall_clock, .sleep = sleep, .show = show});
}

void Playback::step(const sim::World& world) {
  if (pace_) {
    pace_->step(report::standing_of(world));
  } else if (is_shown_) {
    view_.step(world);
  }
}

void Playback::finish(const sim::World& world) {
  if (pace_) pace_->wait_until(world.elapsed());
}

int write_trace_file(const sim::World& world, const std::string& file, bool quiet) {
  std::ofstream out(file, std::ios::binary);
  if (!out) return failure(Error(std::strerror(errno)).in_file(file).message());
  report::write_trace(world.history(), {.epoch = world.now() - world.elapsed(), .end = world.now()}, out);
  out.close();
  if (!out) return failure(Error("cannot be written").in_file(file).message());
  if (!quiet) fmt::print(stderr, "berth: wrote {}; open it in ui.perfetto.dev\n", text::escaped(file));
  return kExitOk;
}

}  // namespace berth::cmd
