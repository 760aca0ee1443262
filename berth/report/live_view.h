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
#include <vector>

#include "berth/base/time.h"
#include "berth/sim/world.h"

namespace berth::report {

// What the view shows of a world. A value, because a world that is played slowly is shown as it was before the next
// thing happens, while its clock goes on.
struct Standing {
  Duration elapsed;              // virtual
  std::uint64_t bound = 0;       // pods that are on a node now and have not ended
  std::uint64_t placements = 0;  // since the beginning
  std::uint64_t created = 0;     // pods, since the beginning
  bool is_scheduler_up = true;
  std::size_t active = 0;
  std::size_t backoff = 0;
  std::size_t unschedulable = 0;
  std::size_t binding = 0;
};
Standing standing_of(const sim::World& world);

struct LiveViewOptions {
  std::string name;  // of the scenario
  bool is_terminal = false;
  // Of the terminal, whose size may change. Lines are wrapped, because longer ones could not be drawn over.
  std::function<std::size_t()> columns;
  Duration ends_at;  // virtual; 0 if nobody knows
  // Since any fixed moment.
  std::function<Duration()> wall_clock;
  std::function<void(std::string_view)> write;
};

class LiveView {
 public:
  static constexpr Duration kRedrawEvery = Duration::milliseconds(100);
  static constexpr Duration kLineEvery = Duration::seconds(5);
  // Reading a clock costs about as much as placing a tenth of a pod.
  static constexpr std::uint32_t kStepsPerLook = 64;

  explicit LiveView(LiveViewOptions options);

  // To be called after everything that happens. Cheap: the clock is read every few calls only.
  void step(const sim::World& world);
  // Draws now, if it is time.
  void refresh(const Standing& standing);
  // Takes the lines off the terminal.
  void finish();

 private:
  struct Numbers;
  bool is_due(Duration wall) const;
  void show(const Standing& standing, Duration wall);
  void draw(const Standing& standing, const Numbers& now);
  void print_line(const Standing& standing, const Numbers& now);
  Numbers numbers(const Standing& standing, Duration wall) const;
  std::string first_line(const Numbers& now, std::size_t width) const;
  std::string back_to_the_first_line() const;

  LiveViewOptions options_;
  Duration drawn_at_;
  std::uint32_t steps_ = 0;
  std::vector<std::size_t> drawn_;  // the columns of each line on the terminal now
  // As of the last time it was drawn, for rates.
  std::uint64_t placements_then_ = 0;
  Duration virtual_then_;
};

}  // namespace berth::report
