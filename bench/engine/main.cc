// What a simulated cluster costs end to end: creating pods, queue, decisions, bindings, watches.
//
//   bench-engine [plain] [hard] [day] [large]   all of them if none is named
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <functional>
#include <set>
#include <string_view>

#include "bench/engine/worlds.h"

namespace {

using berth::Duration;
using berth::bench::Timing;

// The most that this process has ever taken, so the largest world comes last.
double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void print(std::string_view what, const Timing& timing) {
  fmt::print("{:<44} {:>8.2f} s {:>9.0f} placements/s {:>9} placed {:>9} tries {:>7} pending {:>7.0f} MB\n", what,
             timing.seconds, static_cast<double>(timing.placed) / timing.seconds, timing.placed, timing.attempts,
             timing.pending, peak_megabytes());
  std::fflush(stdout);
}

struct Item {
  std::string_view name;
  std::string_view what;
  std::function<Timing()> run;
};

}  // namespace

int main(int argc, char** argv) {
  const berth::bench::Work plain{.nodes = 5000, .pods = 100'000, .never_fit_percent = 0, .churn_every = {}};
  berth::bench::Work hard = plain;
  hard.never_fit_percent = 20;
  hard.churn_every = Duration::milliseconds(10);
  const berth::bench::Work large{.nodes = 20'000, .pods = 1'000'000, .never_fit_percent = 0, .churn_every = {}};
  const Item items[] = {
      {"plain", "5,000 nodes, 100,000 plain pods", [&] { return berth::bench::place(plain); }},
      {"hard", "the same, 20% never fit, a node changes/10ms", [&] { return berth::bench::place(hard); }},
      {"day", "24 hours, 500 nodes, 20,000 pod starts", [] { return berth::bench::day(500, 20'000); }},
      {"large", "20,000 nodes, 1,000,000 plain pods", [&] { return berth::bench::place(large); }},
  };
  const std::set<std::string_view> wanted(argv + 1, argv + argc);
  double plain_rate = 0;
  for (const Item& item : items) {
    if (!wanted.empty() && !wanted.contains(item.name)) continue;
    const Timing timing = item.run();
    print(item.what, timing);
    const double rate = static_cast<double>(timing.placed) / timing.seconds;
    if (item.name == "plain") plain_rate = rate;
    if (item.name == "hard" && plain_rate > 0) {
      fmt::print("{:<44} {:>8.2f} x\n", "plain pods are placed faster by", plain_rate / rate);
    }
  }
  return 0;
}
