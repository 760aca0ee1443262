// What is shown while a simulation runs. On a terminal: a few lines, drawn over at most ten times a second. Elsewhere:
// a line every few seconds, so that the log of a long run shows that it is alive; a short run prints nothing.
//
// The wall clock is handed in: nothing below the program reads one. Nothing here reaches the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "berth/base/time.h"
#include "berth/sim/world.h"

namespace berth::report {

struct LiveViewOptions {
  std::string name;  // of the scenario
  bool is_terminal = false;
  Duration ends_at;  // virtual; 0 if nobody knows
  // Since any fixed moment.
  std::function<Duration()> wall_clock;
  std::function<void(std::string_view)> write;
};

class LiveView {
 public:
  static constexpr Duration kRedrawEvery = Duration::milliseconds(100);
  static constexpr Duration kLineEvery = Duration::seconds(5);

  explicit LiveView(LiveViewOptions options);

  // To be called after everything that happens. Cheap: the clock is read every few calls only.
  void step(const sim::World& world);
  // Draws now, if it is time: for those who sleep between steps.
  void refresh(const sim::World& world);
  // Takes the lines off the terminal.
  void finish();

 private:
  struct Numbers;
  void draw(const sim::World& world, Duration wall);
  void print_line(const sim::World& world, Duration wall);
  Numbers numbers(const sim::World& world, Duration wall);

  LiveViewOptions options_;
  Duration drawn_at_;
  std::uint32_t steps_ = 0;
  std::size_t lines_ = 0;  // on the terminal now
  // As of the last time it was drawn, for rates.
  std::uint64_t bound_then_ = 0;
  Duration virtual_then_;
};

}  // namespace berth::report
