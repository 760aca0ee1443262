#include "cmd/berth/progress.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "berth/text/escape.h"
#include "berth/text/unicode.h"
#include "berth/text/words.h"
#include "cmd/berth/output.h"
#include "cmd/berth/playback.h"

namespace berth::cmd {
namespace {

// Short work says nothing.
constexpr std::chrono::seconds kPatience(1);
constexpr std::chrono::milliseconds kRedrawEvery(200);

}  // namespace

Progress::Progress(const std::string& doing) : doing_(text::escaped(doing)) {
  if (can_redraw(stderr)) thread_ = std::thread([this] { show(); });
}

void Progress::now(const std::string& doing) {
  const std::lock_guard lock(mutex_);
  doing_ = text::escaped(doing);
}

void Progress::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Progress::show() {
  const Duration began_at = wall_clock();
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, kPatience, [this] { return is_ended_; })) return;
  do {
    const std::size_t columns = terminal_columns(stderr).value_or(80);
    const std::string seconds = fmt::format(" ... {}s", (wall_clock() - began_at).nanoseconds() / 1'000'000'000);
    const std::size_t room = columns > seconds.size() + 1 ? columns - seconds.size() - 1 : 0;
    fmt::print(stderr, "\r{}{}\x1b[K", text::cut_to(doing_, room), seconds);
    std::fflush(stderr);
  } while (!ended_.wait_for(lock, kRedrawEvery, [this] { return is_ended_; }));
  fmt::print(stderr, "\r\x1b[K");
}

}  // namespace berth::cmd
