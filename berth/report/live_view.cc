#include "berth/report/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/report/words.h"
#include "berth/text/escape.h"
#include "berth/text/unicode.h"
#include "berth/text/wrap.h"

namespace berth::report {

namespace {

constexpr std::size_t kMostBarColumns = 30;
constexpr std::size_t kLeastBarColumns = 10;
constexpr std::size_t kLeastNameColumns = 12;
// A terminal that is narrower breaks the lines itself.
constexpr std::size_t kLeastColumns = 20;

std::string bar(double share, std::size_t columns) {
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns));
  return fmt::format("[{}{}]", std::string(full, '#'), std::string(columns - full, '.'));
}

// Of a path that is too long the end says most.
std::string shortened(std::string_view name, std::size_t columns) {
  std::string shown = text::escaped(name);
  if (text::columns(shown) <= columns) return shown;
  while (text::columns(shown) > columns - 2) shown.erase(0, text::character_at(shown, 0).bytes);
  return ".." + shown;
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
  // While many pods are made at once, none is in the queue yet.
  const std::size_t waiting = standing.active + standing.backoff + standing.unschedulable + standing.binding;
  if (standing.placements == 0 && waiting == 0 && standing.created > 0) {
    return fmt::format("{} pods created so far", number(standing.created));
  }
  return fmt::format("active {}  backoff {}  unschedulable {}  binding {}", number(standing.active),
                     number(standing.backoff), number(standing.unschedulable), number(standing.binding));
}

}  // namespace

Standing standing_of(const sim::World& world) {
  Standing standing;
  standing.elapsed = world.elapsed();
  standing.placements = world.history().counts().bound;
  world.api().for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (!pod->spec.node_name.empty() && !api::is_terminal(*pod)) ++standing.bound;
  });
  standing.created = world.history().pod_timelines().size();
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
  placements_then_ = standing.placements;
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
  const bool is_new = standing.placements < placements_then_;
  const std::uint64_t since = is_new ? standing.placements : standing.placements - placements_then_;
  result.per_wall_second = per_second(since, wall - drawn_at_);
  result.per_virtual_second = per_second(since, standing.elapsed - virtual_then_);
  return result;
}

// The name, the time, and a bar if there is room for one.
std::string LiveView::first_line(const Numbers& now, std::size_t width) const {
  const std::string time = fmt::format("  virtual {}", now.time);
  const std::string share = options_.ends_at > Duration() ? fmt::format(" {}", percent(std::min(now.share, 1.0))) : "";
  const std::size_t others = time.size() + share.size();
  const std::size_t name_columns = std::max(kLeastNameColumns, width > others ? width - others : 0);
  const std::string name = shortened(options_.name, name_columns);
  constexpr std::size_t kAroundBar = 4;  // two blanks and the brackets
  const std::size_t used = text::columns(name) + others + kAroundBar;
  const std::size_t room = width > used ? std::min(width - used, kMostBarColumns) : 0;
  if (share.empty() || room < kLeastBarColumns) return name + time + share;
  return fmt::format("{}{}  {}{}", name, time, bar(now.share, room), share);
}

// The terminal may have become narrower since: a line takes up several rows then.
std::string LiveView::back_to_the_first_line() const {
  const std::size_t columns = std::max<std::size_t>(options_.columns(), 1);
  std::size_t rows = 0;
  for (const std::size_t drawn : drawn_) rows += std::max<std::size_t>((drawn + columns - 1) / columns, 1);
  return rows == 0 ? "\r" : fmt::format("\x1b[{}A\r", rows);
}

void LiveView::draw(const Standing& standing, const Numbers& now) {
  // Some terminals go to the next line when the last column is written.
  const std::size_t width = std::max(options_.columns(), kLeastColumns) - 1;
  std::string text = back_to_the_first_line();
  drawn_.clear();
  const auto add = [&](std::string_view line, std::string_view indent) {
    for (const text::Painted& part : text::wrapped(text::paint(line), width - indent.size())) {
      text.append(indent).append(part.text).append("\x1b[K\n");
      drawn_.push_back(indent.size() + part.columns());
    }
  };
  add(first_line(now, width), "");
  add(queue_text(standing), "  ");
  add(fmt::format("bound {}; placements per second: {} wall, {} virtual", now.bound, rate(now.per_wall_second),
                  rate(now.per_virtual_second)),
      "  ");
  options_.write(text + "\x1b[J");
}

void LiveView::print_line(const Standing& standing, const Numbers& now) {
  options_.write(fmt::format("{}: virtual {}, bound {}, {}\n", text::escaped(options_.name), now.time, now.bound,
                             queue_text(standing)));
}

void LiveView::finish() {
  if (drawn_.empty()) return;
  options_.write(back_to_the_first_line() + "\x1b[J");
  drawn_.clear();
}

}  // namespace berth::report
