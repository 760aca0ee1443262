#include "berth/report/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/report/words.h"

namespace berth::report {

namespace {

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

std::string number(std::size_t value) {
  return grouped(static_cast<std::int64_t>(value));
}

std::string queue_text(const Standing& standing) {
  if (!standing.is_scheduler_up) return "the scheduler is down";
  return fmt::format("active {}  backoff {}  unschedulable {}  binding {}", number(standing.active),
                     number(standing.backoff), number(standing.unschedulable), number(standing.binding));
}

}  // namespace

Standing standing_of(const sim::World& world) {
  Standing standing;
  standing.elapsed = world.elapsed();
  standing.bound = world.history().counts().bound;
  standing.is_scheduler_up = world.is_scheduler_up();
  if (!standing.is_scheduler_up) return standing;
  const queue::SchedulingQueue& queue = world.scheduler().queue();
  standing.active = queue.count(queue::Place::kActive);
  standing.backoff = queue.count(queue::Place::kBackoff) + queue.count(queue::Place::kErrorBackoff);
  standing.unschedulable = queue.count(queue::Place::kUnschedulable);
  standing.binding = world.scheduler().bindings();
  return standing;
}

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
  if (++steps_ % kStepsPerLook != 0) return;
  if (const Duration wall = options_.wall_clock(); is_due(wall)) show(standing_of(world), wall);
}

void LiveView::refresh(const Standing& standing) {
  if (const Duration wall = options_.wall_clock(); is_due(wall)) show(standing, wall);
}

bool LiveView::is_due(Duration wall) const {
  return wall - drawn_at_ >= (options_.is_terminal ? kRedrawEvery : kLineEvery);
}

void LiveView::show(const Standing& standing, Duration wall) {
  const Numbers now = numbers(standing, wall);
  options_.is_terminal ? draw(standing, now) : print_line(standing, now);
  drawn_at_ = wall;
  bound_then_ = standing.bound;
  virtual_then_ = standing.elapsed;
}

LiveView::Numbers LiveView::numbers(const Standing& standing, Duration wall) const {
  Numbers result;
  result.time = short_time(standing.elapsed);
  if (options_.ends_at > Duration()) {
    result.time += " of " + short_time(options_.ends_at);
    result.share = standing.elapsed.in_seconds() / options_.ends_at.in_seconds();
  }
  result.bound = grouped(static_cast<std::int64_t>(standing.bound));
  // A world that was made anew, or a scenario after another, begins at 0 again.
  const std::uint64_t since = standing.bound < bound_then_ ? standing.bound : standing.bound - bound_then_;
  result.per_wall_second = per_second(since, wall - drawn_at_);
  result.per_virtual_second = per_second(since, standing.elapsed - virtual_then_);
  return result;
}

void LiveView::draw(const Standing& standing, const Numbers& now) {
  std::string text;
  if (lines_ > 0) text += fmt::format("\x1b[{}A", lines_);
  const auto add_line = [&](std::string_view line) {
    // Some terminals go to the next line when the last column is written.
    text.append("\r\x1b[2K").append(cut_to(line, std::max<std::size_t>(options_.columns, 1) - 1)).append("\n");
  };
  std::string first = fmt::format("{}  virtual {}", options_.name, now.time);
  if (options_.ends_at > Duration()) first += fmt::format("  {} {}", bar(now.share), percent(std::min(now.share, 1.0)));
  add_line(first);
  add_line("  " + queue_text(standing));
  add_line(fmt::format("  bound {}; placements per second: {} wall, {} virtual", now.bound, rate(now.per_wall_second),
                       rate(now.per_virtual_second)));
  lines_ = 3;
  options_.write(text);
}

void LiveView::print_line(const Standing& standing, const Numbers& now) {
  options_.write(
      fmt::format("{}: virtual {}, bound {}, {}\n", options_.name, now.time, now.bound, queue_text(standing)));
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
