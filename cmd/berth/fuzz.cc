// `berth fuzz`: random scenarios, each with every check on. The first one that fails is shrunk and printed, and
// kept in a file that `berth sim --check wakeups` runs again.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "berth/fuzz/generator.h"
#include "berth/fuzz/run.h"
#include "berth/fuzz/shrink.h"
#include "berth/text/escape.h"
#include "berth/text/words.h"
#include "cmd/berth/command.h"
#include "cmd/berth/output.h"

namespace berth::cmd {
namespace {

// Every so many seeds one is run twice: the same history has to come out.
constexpr std::uint64_t kRunTwiceEvery = 10;
constexpr std::size_t kMaxJobs = 64;
// Years of them: more is a typing error.
constexpr std::uint64_t kMaxRuns = 1'000'000'000;
constexpr std::uint64_t kDefaultRuns = 100;
constexpr std::int32_t kEnoughWakeUps = 3;
// A preemptor and a controller may undo each other's work for ever (berth/fuzz/livelock.h). That takes a rare cluster:
// if it happens more often than once in so many seeds, the scheduler has got something to do with it.
constexpr std::uint64_t kSeedsPerLivelock = 2000;

struct Options {
  std::uint64_t runs = kDefaultRuns;
  std::uint64_t seed = 1;  // of the first
  std::size_t jobs = 1;
  bool prints_scenarios = false;  // and runs none
  bool quiet = false;
};

// What the seeds that are done have come to.
struct Tally {
  std::uint64_t done = 0;
  std::uint64_t with_wake_ups = 0;                 // at least kEnoughWakeUps
  std::map<std::uint64_t, std::string> livelocks;  // by seed; not counted in the rest
  fuzz::Precision precision;
  fuzz::Precision upstream;
  std::map<std::string_view, std::uint64_t> features;  // how many seeds made use of it
};

struct Failed {
  std::uint64_t seed = 0;
  fuzz::Problem problem;
};

// The seeds that are being run, for the message of a run that dies. Only written by the worker it belongs to.
std::atomic<std::uint64_t> g_running[kMaxJobs];

void on_abort(int /*signal*/) {
  // Nothing but write() is safe here.
  for (std::atomic<std::uint64_t>& running : g_running) {
    std::uint64_t seed = running.load();
    if (seed == 0) continue;
    char text[64] = "berth: died while running seed ";
    std::size_t length = std::char_traits<char>::length(text);
    char digits[24];
    std::size_t count = 0;
    for (; seed > 0; seed /= 10) digits[count++] = static_cast<char>('0' + seed % 10);
    while (count > 0) text[length++] = digits[--count];
    text[length++] = '\n';
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, length);
  }
}

// Hands out seeds and takes results, from several threads.
class Campaign {
 public:
  Campaign(std::uint64_t first, std::uint64_t count) : first_(first), count_(count) {}

  void work(std::size_t worker) {
    for (;;) {
      const std::uint64_t index = next_++;
      if (index >= count_ || index > stop_after_) break;
      const std::uint64_t seed = first_ + index;
      g_running[worker] = seed;
      const fuzz::GeneratedScenario scenario = fuzz::generate(seed);
      const fuzz::SeedResult result =
          fuzz::check(scenario.lines, {.runs_twice = seed % kRunTwiceEvery == 0, .compares_upstream = true});
      take(index, scenario, result);
    }
    g_running[worker] = 0;
  }

  const Tally& tally() const { return tally_; }
  // The lowest seed that failed.
  const std::optional<Failed>& failed() const { return failed_; }

 private:
  void take(std::uint64_t index, const fuzz::GeneratedScenario& scenario, const fuzz::SeedResult& result) {
    const std::lock_guard lock(mutex_);
    ++tally_.done;
    if (result.livelock) {
      tally_.livelocks.emplace(first_ + index, *result.livelock);
    } else {
      tally_.precision += result.precision;
      if (result.upstream) tally_.upstream += *result.upstream;
    }
    if (result.precision.wake_ups >= kEnoughWakeUps) ++tally_.with_wake_ups;
    for (const std::string_view feature : scenario.features) ++tally_.features[feature];
    if (result.problem && (!failed_ || first_ + index < failed_->seed)) {
      failed_ = Failed{first_ + index, *result.problem};
      stop_after_ = index;
    }
    show_progress();
  }

  void show_progress() const {
    const bool is_redrawn = can_redraw(stderr);
    const std::uint64_t every = is_redrawn ? 20 : std::max<std::uint64_t>(count_ / 10, 100);
    if (tally_.done % every != 0 && tally_.done != count_) return;
    fmt::print(stderr, "{}{} of {}{}", is_redrawn ? "\r" : "", text::grouped(tally_.done),
               text::counted(count_, "seed"), is_redrawn ? "\x1b[K" : "\n");
    if (is_redrawn && tally_.done == count_) fmt::print(stderr, "\n");
  }

  const std::uint64_t first_;
  const std::uint64_t count_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> stop_after_ = UINT64_MAX;
  std::mutex mutex_;
  Tally tally_;
  std::optional<Failed> failed_;
};

std::string in_words(const fuzz::Precision& precision) {
  return fmt::format("{:.3f} tries per placed pod, {}, {} of them wasted, {} lost", precision.tries_per_placed_pod(),
                     text::counted(precision.wake_ups, "wake-up"), text::grouped(precision.wasted),
                     text::grouped(precision.lost));
}

void print_tally(const Tally& tally, std::uint64_t first) {
  fmt::print("{} from {} on: {} placed; {}; by kube-scheduler's rules: {}\n", text::counted(tally.done, "seed"), first,
             text::counted(tally.precision.placed, "pod"), in_words(tally.precision), in_words(tally.upstream));
}

void print_livelocks(const Tally& tally) {
  for (const auto& [seed, text] : tally.livelocks) {
    fmt::print("seed {} never comes to rest, for a known reason: {}\n", seed, text::escaped(text));
  }
}

bool are_too_many(const Tally& tally) {
  return tally.livelocks.size() > 1 + tally.done / kSeedsPerLivelock;
}

void print_coverage(const Tally& tally) {
  fmt::print(stderr, "seeds with at least {} wake-ups: {}; with", kEnoughWakeUps, text::grouped(tally.with_wake_ups));
  std::string_view separator = " ";
  for (const auto& [feature, seeds] : tally.features) {
    fmt::print(stderr, "{}{} {}", std::exchange(separator, ", "), feature, text::grouped(seeds));
  }
  fmt::print(stderr, "\n");
}

// The scenario of the seed, as small as it fails in the same way.
std::string shrunken(const Failed& failed) {
  const std::string& kind = failed.problem.kind;
  const auto still_fails = [&](const std::vector<std::string>& lines) {
    const auto problem =
        fuzz::check(lines, {.runs_twice = kind == "two runs differ", .compares_upstream = false}).problem;
    return problem && problem->kind == kind;
  };
  const fuzz::Shrunk small = fuzz::shrink(fuzz::generate(failed.seed).lines, still_fails);
  const auto problem = fuzz::find_problem(small.lines);
  std::string text = fmt::format("# Found by berth fuzz, seed {}: {}.\n", failed.seed, kind);
  const std::string what = problem ? problem->text : failed.problem.text;
  for (std::size_t begin = 0; begin < what.size();) {
    const std::size_t end = std::min(what.find('\n', begin), what.size());
    text += fmt::format("# {}\n", what.substr(begin, end - begin));
    begin = end + 1;
  }
  return text + fuzz::join_lines(small.lines);
}

int tell_failure(const Failed& failed) {
  fmt::print("seed {} fails: {}\n{}", failed.seed, failed.problem.kind, text::escaped_lines(failed.problem.text));
  std::fflush(stdout);
  fmt::print(stderr, "shrinking ...\n");
  const std::string text = shrunken(failed);
  const std::string file = fmt::format("fuzz-{}.berth", failed.seed);
  fmt::print("\n{}\n", text::escaped_lines(text));
  if (std::ofstream out(file, std::ios::binary); out << text) {
    fmt::print("written to {}; to run it: berth sim --check wakeups {}\n", file, file);
  } else {
    fmt::print(stderr, "berth: {} cannot be written\n", file);
  }
  return kExitFailure;
}

int run_fuzz(const Options& options) {
  const std::uint64_t first = options.seed;
  if (options.prints_scenarios) {
    for (std::uint64_t seed = first; seed < first + options.runs; ++seed) {
      fmt::print("# seed {}\n{}", seed, fuzz::join_lines(fuzz::generate(seed).lines));
    }
    return kExitOk;
  }
  std::signal(SIGABRT, on_abort);
  std::signal(SIGSEGV, [](int signal) {
    on_abort(signal);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  });
  Campaign campaign(first, options.runs);
  std::vector<std::jthread> others;
  const std::size_t jobs = std::clamp<std::size_t>(options.jobs, 1, kMaxJobs);
  for (std::size_t worker = 1; worker < jobs; ++worker)
    others.emplace_back([&campaign, worker] { campaign.work(worker); });
  campaign.work(0);
  others.clear();
  if (!options.quiet) print_coverage(campaign.tally());
  print_tally(campaign.tally(), first);
  print_livelocks(campaign.tally());
  if (campaign.failed()) return tell_failure(*campaign.failed());
  if (!are_too_many(campaign.tally())) return kExitOk;
  fmt::print("too many of them: {} in {}\n", text::grouped(campaign.tally().livelocks.size()),
             text::counted(campaign.tally().done, "seed"));
  return kExitFailure;
}

}  // namespace

void add_fuzz(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *program.root().add_subcommand("fuzz", "Run random scenarios with every check on");
  command.add_option("--runs", options->runs, "How many scenarios; each has the next seed")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, kMaxRuns).description(""))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Of the first scenario")
      ->type_name("N")
      ->check(seed_check())
      ->capture_default_str();
  command.add_option("--jobs", options->jobs, "How many to run at once")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, kMaxJobs).description(""))
      ->capture_default_str();
  command.add_flag("--print", options->prints_scenarios, "Print the scenarios, and run none");
  command.add_flag("-q,--quiet", options->quiet, "Do not say what the scenarios made use of");
  command.footer(
      "Example: berth fuzz --runs 1000 --jobs 2\n"
      "         berth fuzz --runs 1 --seed 4711 --print    # the scenario of one seed\n"
      "Exits with 1 if a scenario fails; the smallest one that fails in the same way is written to fuzz-SEED.berth.");
  program.set_action(command, [options] { return run_fuzz(*options); });
}

}  // namespace berth::cmd
