// Leader election under everything that can go wrong, over seeds: at no time do two lead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/rng.h"
#include "berth/client/testing.h"
#include "berth/daemon/leader_election_testing.h"

namespace berth::daemon {
namespace {

// Several candidates, a bad network, clocks that jump, processes that die, stop and come back.
class Turmoil {
 public:
  explicit Turmoil(std::uint64_t seed) : seed_(seed), rng_(seed) {
    // The second leaves little time between a leader that gives up and one that takes over.
    if (rng_.chance(1, 2)) options_.lease_duration = Duration::seconds(11);
    if (rng_.chance(1, 2)) options_.retry_period = Duration::milliseconds(500);
    loss_per_mille_ = rng_.chance(1, 2) ? rng_.below(200) : 0;
    for (std::size_t i = 0, n = 2 + rng_.below(2); i < n; ++i) seats_.push_back(new_candidate());
  }

  void run(Duration how_long) {
    const Instant end = loop_.now() + how_long;
    while (loop_.now() < end) {
      disturb();
      advance(Duration::milliseconds(rng_.in_range(10, 3'000)));
    }
  }

  void calm_down() {
    is_calm_ = true;
    for (auto& seat : seats_) set_network(seat->network);
  }

  void advance(Duration by) {
    // In small steps: two that lead at once are seen however briefly they do.
    const Instant end = loop_.now() + by;
    while (loop_.now() < end) {
      const Instant next = loop_.next_timer();
      const Instant stop = next.is_set() ? std::clamp(next, loop_.now(), end) : end;
      loop_.advance(stop - loop_.now());
      check();
    }
    replace_the_lost();
  }

  std::size_t leading() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(seats_, [](const auto& seat) { return seat->started && !seat->lost; }));
  }
  int terms() const { return static_cast<int>(terms_.size()); }

 private:
  std::unique_ptr<Candidate> new_candidate() {
    const std::string name = fmt::format("c{}", ++made_);
    const std::uint64_t seed = seed_ * 1000 + static_cast<std::uint64_t>(made_);
    auto result = std::make_unique<Candidate>(loop_, server_, name, seed, options_);
    set_network(result->network);
    return result;
  }

  void set_network(Network& network) {
    network.is_cut = false;
    network.loss_per_mille = is_calm_ ? 0 : loss_per_mille_;
    network.max_delay_there = any_delay();
    network.max_delay_back = any_delay();
  }
  Duration any_delay() {
    constexpr std::int64_t kDelaysMs[] = {1, 10, 100, 1'000, 5'000, 12'000, 20'000};
    return Duration::milliseconds(is_calm_ ? 5 : kDelaysMs[rng_.below(std::size(kDelaysMs))]);
  }

  void disturb() {
    if (is_calm_) return;
    Candidate& one = *seats_[rng_.below(seats_.size())];
    switch (rng_.below(40)) {
      case 0:
      case 1:
      case 2: one.network.is_cut = true; break;
      case 3:
      case 4:
      case 5:
      case 6:
      case 7: one.network.is_cut = false; break;
      case 8: one.machine.wall_offset = Duration::seconds(rng_.in_range(-100'000, 100'000)); break;
      case 9:  // dies
        one.lost = true;
        replace_the_lost();
        break;
      case 10:  // stops as it should; may not get through
        one.lost = true;
        one.elector->stop(Duration::seconds(2), [] {});
        advance(Duration::seconds(2));
        break;
      default: break;
    }
  }

  void replace_the_lost() {
    for (auto& seat : seats_) {
      if (!seat->lost) continue;
      seat->elector.reset();
      graves_.push_back(std::exchange(seat, new_candidate()));
    }
  }

  void check() {
    for (const auto& seat : seats_) {
      if (seat->started) terms_.insert(seat->identity);
    }
    ASSERT_LE(leading(), 1u) << "seed " << seed_ << " at " << loop_.now().rfc3339_nano();
  }

  std::uint64_t seed_;
  Rng rng_;
  client::FakeLoop loop_;
  LeaseServer server_;
  LeaderElectionOptions options_;
  std::uint64_t loss_per_mille_ = 0;
  int made_ = 0;
  bool is_calm_ = false;
  std::set<std::string> terms_;
  std::vector<std::unique_ptr<Candidate>> seats_;
  // What the dead have sent still arrives.
  std::vector<std::unique_ptr<Candidate>> graves_;
};

TEST(LeaderElection, NeverHasTwoLeadersWhateverHappens) {
  int terms = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Turmoil turmoil(seed);
    turmoil.run(Duration::minutes(15));
    if (HasFatalFailure()) return;
    turmoil.calm_down();
    turmoil.advance(Duration::minutes(1));
    EXPECT_EQ(turmoil.leading(), 1u) << "seed " << seed;
    terms += turmoil.terms();
  }
  // The turmoil is one in which leaders come and go.
  EXPECT_GT(terms, 700);
}

}  // namespace
}  // namespace berth::daemon
