#include "berth/report/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/report/words.h"

namespace berth::report {

namespace {

// Reading a clock costs about as much as placing a tenth of a pod.
constexpr std::uint32_t kStepsPerLook = 64;
constexpr std::size_t kBarColumns = 30;

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(kBarColumns));
  return fmt::format("[{}{}]", std::string(full, '#'), std::string(kBarColumns - full, '.'));
}

double per_second(std::uint64_t count, Duration time) {
  return time.nanoseconds() <= 0 ? 0 : static_cast<double>(count) / time.in_seconds();
}

std::string rate(double value) {
  return value < 10 ? fmt::format("{:.1f}", value) : grouped(static_cast<std::int64_t>(value));
}

std::string queue_text(const sim::World& world) {
  if (!world.is_scheduler_up()) return "the scheduler is down";
  const queue::SchedulingQueue& queue = world.scheduler().queue();
  return fmt::format("active {}  backoff {}  unschedulable {}  binding {}",
                     grouped(static_cast<std::int64_t>(queue.count(queue::Place::kActive))),
                     grouped(static_cast<std::int64_t>(queue.count(queue::Place::kBackoff) +
                                                       queue.count(queue::Place::kErrorBackoff))),
                     grouped(static_cast<std::int64_t>(queue.count(queue::Place::kUnschedulable))),
                     grouped(static_cast<std::int64_t>(world.scheduler().bindings())));
}

}  // namespace

struct LiveView::Numbers {
  std::string time;  // "3h20m of 24h"
  double share = 0;  // of the whole, if its end is known
  std::string bound;
  double per_wall_second = 0;
  double per_virtual_second = 0;
};

LiveView::LiveView(LiveViewOptions options) : options_(std::move(options)) {
  drawn_at_ = options_.wall_clock();
}

void LiveView::step(const sim::World& world) {
  if (++steps_ % kStepsPerLook == 0) refresh(world);
}

void LiveView::refresh(const sim::World& world) {
  const Duration wall = options_.wall_clock();
  const Duration since = wall - drawn_at_;
  if (since < (options_.is_terminal ? kRedrawEvery : kLineEvery)) return;
  options_.is_terminal ? draw(world, wall) : print_line(world, wall);
  drawn_at_ = wall;
  bound_then_ = world.history().counts().bound;
  virtual_then_ = world.elapsed();
}

LiveView::Numbers LiveView::numbers(const sim::World& world, Duration wall) {
  Numbers result;
  const Duration elapsed = world.elapsed();
  const std::uint64_t bound = world.history().counts().bound;
  result.time = short_time(elapsed);
  if (options_.ends_at > Duration()) {
    result.time += " of " + short_time(options_.ends_at);
    result.share = elapsed.in_seconds() / options_.ends_at.in_seconds();
  }
  result.bound = grouped(static_cast<std::int64_t>(bound));
  // A world that was made anew, or a scenario after another, begins at 0 again.
  const std::uint64_t since = bound < bound_then_ ? bound : bound - bound_then_;
  result.per_wall_second = per_second(since, wall - drawn_at_);
  result.per_virtual_second = per_second(since, elapsed - virtual_then_);
  return result;
}

void LiveView::draw(const sim::World& world, Duration wall) {
  const Numbers now = numbers(world, wall);
  std::string text;
  if (lines_ > 0) text += fmt::format("\x1b[{}A", lines_);
  const auto add_line = [&](const std::string& line) { text += "\r\x1b[2K" + line + "\n"; };
  std::string first = fmt::format("{}  virtual {}", options_.name, now.time);
  if (options_.ends_at > Duration()) first += fmt::format("  {} {}", bar(now.share), percent(std::min(now.share, 1.0)));
  add_line(first);
  add_line("  " + queue_text(world));
  add_line(fmt::format("  bound {}; placements per second: {} wall, {} virtual", now.bound, rate(now.per_wall_second),
                       rate(now.per_virtual_second)));
  lines_ = 3;
  options_.write(text);
}

void LiveView::print_line(const sim::World& world, Duration wall) {
  const Numbers now = numbers(world, wall);
  options_.write(fmt::format("{}: virtual {}, bound {}, {}\n", options_.name, now.time, now.bound, queue_text(world)));
}

void LiveView::finish() {
  if (lines_ == 0) return;
  std::string text = fmt::format("\x1b[{}A", lines_);
  for (std::size_t i = 0; i < lines_; ++i) text += "\r\x1b[2K\n";
  text += fmt::format("\x1b[{}A", lines_);
  lines_ = 0;
  options_.write(text);
}

}  // namespace berth::report
