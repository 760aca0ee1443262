#include "berth/sim/virtual_time.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::sim {
namespace {

using Urgency = Agenda::Urgency;
const Instant kStart = Instant::from_unix_seconds(1000);

TEST(VirtualTime, LetsThingsHappenInOrderOfTimeAndThenOfAsking) {
  VirtualTime time(kStart);
  std::string order;
  time.after(Duration::seconds(2), Urgency::kWork, [&] { order += "c"; });
  time.after(Duration::seconds(1), Urgency::kWork, [&] { order += "a"; });
  time.after(Duration::seconds(1), Urgency::kWork, [&] { order += "b"; });
  while (time.next_at().is_set()) time.step();
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(time.now(), kStart + Duration::seconds(2));
}

TEST(VirtualTime, LetsWhatIsAskedForAtAMomentHappenAtTheEndOfThatMoment) {
  VirtualTime time(kStart);
  std::string order;
  time.after(Duration::seconds(1), Urgency::kWork, [&] {
    order += "a";
    time.after(Duration(), Urgency::kWork, [&] { order += "c"; });
  });
  time.after(Duration::seconds(1), Urgency::kWork, [&] { order += "b"; });
  while (time.next_at().is_set()) time.step();
  EXPECT_EQ(order, "abc");
}

TEST(VirtualTime, CountsOnlyWhatSomebodyWaitsFor) {
  VirtualTime time(kStart);
  time.after(Duration::seconds(1), Urgency::kWork, [] {});
  time.after(Duration::hours(1), Urgency::kLater, [] {});
  EXPECT_EQ(time.work(), 1u);
  time.step();
  EXPECT_EQ(time.work(), 0u);
  EXPECT_EQ(time.next_at(), kStart + Duration::hours(1));
}

TEST(VirtualTime, DoesNotGoBackForWhatIsLate) {
  VirtualTime time(kStart);
  time.advance_to(kStart + Duration::minutes(1));
  bool happened = false;
  time.at(kStart, Urgency::kWork, [&] { happened = true; });
  time.step();
  EXPECT_TRUE(happened);
  EXPECT_EQ(time.now(), kStart + Duration::minutes(1));
}

}  // namespace
}  // namespace berth::sim
