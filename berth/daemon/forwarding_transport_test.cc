#include "berth/daemon/forwarding_transport.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/client/testing.h"

namespace berth::daemon {
namespace {

class ForwardingTransportTest : public testing::Test {
 protected:
  client::RequestId get(std::string path) {
    client::Request request;
    request.path = std::move(path);
    return forwarding_.start(std::move(request),
                             [this](const client::Response& response) { bodies_.push_back(response.body); });
  }
  void run() {
    home_.run();
    away_.run();
    home_.run();
  }

  client::FakeLoop home_;
  client::FakeLoop away_;
  client::FakeTransport transport_{away_};
  ForwardingTransport forwarding_{home_, away_, transport_};
  std::vector<std::string> bodies_;
};

TEST_F(ForwardingTransportTest, StartsRequestsOnTheOtherLoopAndAnswersOnThisOne) {
  get("/filter");
  EXPECT_TRUE(transport_.open().empty());
  away_.run();
  ASSERT_EQ(transport_.open().size(), 1u);
  transport_.answer(transport_.last().id, 200, "yes");
  away_.run();
  EXPECT_TRUE(bodies_.empty());
  home_.run();
  EXPECT_EQ(bodies_, std::vector<std::string>{"yes"});
}

TEST_F(ForwardingTransportTest, CallsNobodyBackAfterACancel) {
  const client::RequestId waiting = get("/a");
  away_.run();
  forwarding_.cancel(waiting);
  away_.run();
  EXPECT_TRUE(transport_.open().empty());

  const client::RequestId answered = get("/b");
  away_.run();
  transport_.answer(transport_.last().id, 200, "late");
  away_.run();
  forwarding_.cancel(answered);
  run();
  EXPECT_TRUE(bodies_.empty());
}

TEST_F(ForwardingTransportTest, CancelsARequestThatHasNotLeftYet) {
  forwarding_.cancel(get("/a"));
  run();
  EXPECT_TRUE(transport_.open().empty());
  EXPECT_TRUE(bodies_.empty());
}

}  // namespace
}  // namespace berth::daemon
