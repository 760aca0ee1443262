#include "berth/client/rate_limited_transport.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "berth/client/testing.h"

namespace berth::client {
namespace {

class RateLimitedTransportTest : public testing::Test {
 protected:
  RequestId start(const std::string& path) {
    Request request;
    request.path = path;
    return limited_.start(std::move(request), [this, path](const Response&) { ended_.push_back(path); });
  }

  FakeLoop loop_;
  FakeTransport transport_{loop_};
  RateLimitedTransport limited_{loop_, transport_, 10, 2};
  std::vector<std::string> ended_;
};

TEST_F(RateLimitedTransportTest, LetsABurstThroughAndThenOneAtATime) {
  for (const char* path : {"/1", "/2", "/3", "/4"}) start(path);
  EXPECT_EQ(transport_.open().size(), 2U);
  loop_.advance(Duration::milliseconds(99));
  EXPECT_EQ(transport_.open().size(), 2U);
  loop_.advance(Duration::milliseconds(1));
  EXPECT_EQ(transport_.log(), (std::vector<std::string>{"GET /1", "GET /2", "GET /3"}));
  loop_.advance(Duration::milliseconds(100));
  EXPECT_EQ(transport_.open().size(), 4U);
}

TEST_F(RateLimitedTransportTest, FillsUpToTheBurstAndNoFurther) {
  loop_.advance(Duration::hours(1));
  for (const char* path : {"/1", "/2", "/3"}) start(path);
  EXPECT_EQ(transport_.open().size(), 2U);
  EXPECT_EQ(limited_.waiting(), 1U);
}

TEST_F(RateLimitedTransportTest, PassesAnswersOn) {
  start("/1");
  transport_.answer(transport_.last().id, 200);
  loop_.run();
  EXPECT_EQ(ended_, std::vector<std::string>{"/1"});
}

TEST_F(RateLimitedTransportTest, CancelsWhatWaitsAndWhatIsOnItsWay) {
  const RequestId first = start("/1");
  start("/2");
  const RequestId third = start("/3");
  limited_.cancel(third);
  limited_.cancel(first);
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(transport_.open().size(), 1U);
  EXPECT_EQ(transport_.last().request.path, "/2");
}

}  // namespace
}  // namespace berth::client
