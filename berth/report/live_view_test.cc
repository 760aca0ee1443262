#include "berth/report/live_view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/report/pace.h"
#include "berth/report/words.h"

namespace berth::report {
namespace {

// A terminal, or a log, and a clock on the wall.
struct Screen {
  Duration wall = Duration::seconds(1000);
  std::size_t columns = 80;
  std::vector<std::string> written;

  // The lines of what was written last, without the codes of a terminal.
  std::vector<std::string> lines() const {
    std::string text = written.back();
    for (std::size_t at = 0; (at = text.find('\x1b', at)) != std::string::npos;) {
      text.erase(at, text.find_first_of("AKJ", at) + 1 - at);
    }
    std::erase(text, '\r');
    std::vector<std::string> result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      result.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return result;
  }

  LiveViewOptions options(bool is_terminal, Duration ends_at = {}) {
    return {.name = "demo.berth",
            .is_terminal = is_terminal,
            .columns = [this] { return columns; },
            .ends_at = ends_at,
            .wall_clock = [this] { return wall; },
            .write = [this](std::string_view text) { written.emplace_back(text); }};
  }
};

Standing standing_at(Duration elapsed, std::uint64_t bound = 0) {
  Standing standing;
  standing.elapsed = elapsed;
  standing.bound = bound;
  standing.placements = bound;
  return standing;
}

TEST(LiveView, DrawsOverItsLinesAndTakesThemAway) {
  Screen screen;
  LiveView view(screen.options(true, Duration::hours(24)));
  screen.wall = screen.wall + LiveView::kRedrawEvery;
  Standing standing = standing_at(Duration::hours(6), 1200);
  standing.active = 3;
  standing.backoff = 2;
  standing.unschedulable = 1;
  standing.binding = 4;
  view.refresh(standing);
  ASSERT_EQ(screen.written.size(), 1u);
  EXPECT_EQ(screen.written[0],
            "\rdemo.berth  virtual 6h of 1d  [#######.......................] 25%\x1b[K\n"
            "  active 3  backoff 2  unschedulable 1  binding 4\x1b[K\n"
            "  bound 1,200; placements per second: 12,000 wall, 0.1 virtual\x1b[K\n\x1b[J");
  screen.wall = screen.wall + LiveView::kRedrawEvery;
  view.refresh(standing);
  ASSERT_EQ(screen.written.size(), 2u);
  EXPECT_TRUE(screen.written[1].starts_with("\x1b[3A\rdemo.berth"));
  view.finish();
  view.finish();
  ASSERT_EQ(screen.written.size(), 3u);
  EXPECT_EQ(screen.written[2], "\x1b[3A\r\x1b[J");
}

TEST(LiveView, DrawsAtMostTenTimesASecond) {
  Screen screen;
  LiveView view(screen.options(true));
  for (int i = 0; i < 1000; ++i) {
    screen.wall = screen.wall + Duration::milliseconds(1);
    view.refresh(standing_at(Duration::seconds(i)));
  }
  EXPECT_EQ(screen.written.size(), 10u);
}

TEST(LiveView, KeepsEveryLineWithinTheTerminalAndLeavesNothingOut) {
  Screen screen;
  LiveViewOptions options = screen.options(true, Duration::hours(24));
  options.name = "a/rather/long/path/to/a/file/that/has/a/very/long/name/demo\x1b[2J.berth";
  LiveView view(options);
  Standing standing = standing_at(Duration::hours(1), 1'234'567);
  standing.unschedulable = 1'234'567;
  for (screen.columns = 20; screen.columns <= 200; ++screen.columns) {
    screen.wall = screen.wall + LiveView::kRedrawEvery;
    view.refresh(standing);
    std::string all;
    for (const std::string& line : screen.lines()) {
      if (screen.columns >= 30) {
        EXPECT_LT(columns(line), screen.columns) << line;
      }
      all += " " + line.substr(std::min(line.find_first_not_of(' '), line.size()));
    }
    for (const std::string_view part : {"\\x1b[2J.berth", "1h of 1d", "binding 0", "bound 1,234,567", "virtual"}) {
      if (screen.columns >= 40) {
        EXPECT_NE(all.find(part), std::string::npos) << part << " in " << all;
      }
    }
  }
}

TEST(LiveView, FindsItsFirstLineInATerminalThatBecameNarrower) {
  Screen screen;
  LiveView view(screen.options(true));
  screen.wall = screen.wall + LiveView::kRedrawEvery;
  view.refresh(standing_at(Duration::seconds(1)));
  screen.columns = 30;
  screen.wall = screen.wall + LiveView::kRedrawEvery;
  view.refresh(standing_at(Duration::seconds(2)));
  // The second and third line are 50 and 52 columns wide: two rows each.
  EXPECT_TRUE(screen.written.back().starts_with("\x1b[5A\r")) << screen.written.back();
}

TEST(LiveView, CountsWhatIsBoundNowAndRatesByWhatWasPlaced) {
  Screen screen;
  LiveView view(screen.options(true));
  Standing standing = standing_at(Duration::seconds(10), 3);
  standing.placements = 50;
  screen.wall = screen.wall + Duration::seconds(1);
  view.refresh(standing);
  EXPECT_EQ(screen.lines().back(), "  bound 3; placements per second: 50 wall, 5.0 virtual");
}

TEST(LiveView, SaysThatTheSchedulerIsDown) {
  Screen screen;
  LiveView view(screen.options(true));
  screen.wall = screen.wall + LiveView::kRedrawEvery;
  Standing standing;
  standing.is_scheduler_up = false;
  view.refresh(standing);
  EXPECT_NE(screen.written.at(0).find("the scheduler is down"), std::string::npos);
}

TEST(LiveView, PrintsALineNowAndThenWhereNobodyWatches) {
  Screen screen;
  LiveView view(screen.options(false));
  screen.wall = screen.wall + LiveView::kLineEvery - Duration::milliseconds(1);
  view.refresh(standing_at(Duration::minutes(1)));
  EXPECT_TRUE(screen.written.empty());
  screen.wall = screen.wall + Duration::milliseconds(1);
  view.refresh(standing_at(Duration::minutes(2), 7));
  view.finish();
  ASSERT_EQ(screen.written.size(), 1u);
  EXPECT_EQ(screen.written[0], "demo.berth: virtual 2m, bound 7, active 0  backoff 0  unschedulable 0  binding 0\n");
}

TEST(LiveView, CountsPlacementsAnewForTheNextScenario) {
  Screen screen;
  LiveView view(screen.options(true));
  screen.wall = screen.wall + LiveView::kRedrawEvery;
  view.refresh(standing_at(Duration::hours(2), 1000));
  screen.wall = screen.wall + Duration::seconds(1);
  view.refresh(standing_at(Duration::seconds(1), 5));
  EXPECT_NE(screen.written.back().find("bound 5; placements per second: 5.0 wall"), std::string::npos);
}

// --- At a speed ------------------------------------------------------------------------------------------------------

// Sleeps that take no time but that of the clock, and what was shown meanwhile.
struct Watcher {
  Duration wall = Duration::seconds(50);
  std::vector<Standing> shown;

  PaceOptions options(double speed) {
    return {.speed = speed,
            .wall_clock = [this] { return wall; },
            .sleep = [this](Duration time) { wall = wall + time; },
            .show = [this](const Standing& standing) { shown.push_back(standing); }};
  }
};

TEST(Pace, TakesAsLongAsTheSpeedSays) {
  Watcher watcher;
  Pace pace(watcher.options(60));
  pace.step(standing_at(Duration::minutes(1)));
  EXPECT_EQ(watcher.wall, Duration::seconds(51));
  pace.step(standing_at(Duration::minutes(1)));
  EXPECT_EQ(watcher.wall, Duration::seconds(51));
  pace.wait_until(Duration::minutes(3));
  EXPECT_EQ(watcher.wall, Duration::seconds(53));
}

TEST(Pace, ShowsTheRunningClockAndWhatIsNotYetDueOnlyWhenItIs) {
  Watcher watcher;
  Pace pace(watcher.options(2));
  pace.step(standing_at(Duration::seconds(0), 1));
  pace.step(standing_at(Duration::seconds(10), 9));
  ASSERT_GT(watcher.shown.size(), 40u);
  Duration before;
  for (std::size_t i = 0; i + 1 < watcher.shown.size(); ++i) {
    EXPECT_EQ(watcher.shown[i].bound, 1u);
    EXPECT_GE(watcher.shown[i].elapsed, before);
    EXPECT_LE(watcher.shown[i].elapsed, before + Duration::milliseconds(201));
    before = watcher.shown[i].elapsed;
  }
  EXPECT_EQ(watcher.shown.back().bound, 9u);
  EXPECT_EQ(watcher.shown.back().elapsed, Duration::seconds(10));
}

TEST(Pace, DoesNotWaitForWhatIsLateAlready) {
  Watcher watcher;
  Pace pace(watcher.options(1));
  watcher.wall = watcher.wall + Duration::seconds(20);
  pace.step(standing_at(Duration::seconds(5)));
  EXPECT_EQ(watcher.wall, Duration::seconds(70));
}

}  // namespace
}  // namespace berth::report
