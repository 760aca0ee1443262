// A simulation while it runs, for the person in front of it: shows where it stands, and makes it last if a speed is
// given.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "berth/base/time.h"
#include "berth/report/live_view.h"
#include "berth/report/pace.h"
#include "berth/sim/world.h"

namespace berth::cmd {

// Time that passes for the person, counted from some moment.
Duration wall_clock();

struct PlaybackOptions {
  std::string name;             // of the scenario
  Duration ends_at;             // virtual; 0 if nobody knows
  std::optional<double> speed;  // virtual seconds per second
  bool quiet = false;           // show nothing
};

class Playback {
 public:
  explicit Playback(const PlaybackOptions& options);
  ~Playback() { view_.finish(); }
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  // To be called after everything that happens.
  void step(const sim::World& world);
  // To be called when the simulation is over: it lasts up to its end, also if nothing happens there.
  void finish(const sim::World& world);

 private:
  bool is_shown_;
  report::LiveView view_;
  std::optional<report::Pace> pace_;
};

// --speed X: play at X virtual seconds per second.
void add_speed_option(CLI::App& command, std::optional<double>& speed);

// Writes what happened as a trace for Perfetto. Returns the exit code.
int write_trace_file(const sim::World& world, const std::string& file, bool quiet);

}  // namespace berth::cmd
