#include "cmd/berth/playback.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>

#include "berth/report/trace.h"
#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

// Tables need some room; a narrower terminal breaks their lines itself.
constexpr std::size_t kLeastWidth = 60;

}  // namespace

Duration wall_clock() {
  return Duration::nanoseconds(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

std::optional<std::size_t> terminal_columns(std::FILE* file) {
  winsize size = {};
  if (isatty(fileno(file)) != 1 || ioctl(fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

report::TextOptions text_options() {
  report::TextOptions options;
  if (isatty(fileno(stdout)) != 1) return options;
  const char* no_colour = std::getenv("NO_COLOR");
  options.colours = no_colour == nullptr || *no_colour == '\0';
  options.width = std::clamp(terminal_columns(stdout).value_or(options.width), kLeastWidth, options.width);
  return options;
}

Playback::Playback(const PlaybackOptions& options)
    : is_shown_(!options.quiet),
      view_({.name = options.name,
             .is_terminal = isatty(fileno(stderr)) == 1,
             .columns = terminal_columns(stderr).value_or(80),
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
  if (!quiet) fmt::print(stderr, "berth: wrote {}; open it in ui.perfetto.dev\n", file);
  return kExitOk;
}

}  // namespace berth::cmd
