#include "berth/client/blocking.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/client/test_requests.h"
#include "berth/client/test_server.h"

namespace berth::client {
namespace {

using Exchange = TestServer::Exchange;
using Received = TestServer::Received;

std::string page_of(const std::string& pod, const std::string& position = "") {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":")" + position +
         R"("},"items":[{"metadata":{"namespace":"shop","name":")" + pod + R"("}}]})";
}

std::vector<std::string> names_of(const std::vector<api::AnyObject>& objects) {
  std::vector<std::string> names;
  for (const api::AnyObject& object : objects) names.emplace_back(object.metadata().name);
  return names;
}

class ListAllTest : public testing::Test {
 protected:
  Result<std::vector<api::AnyObject>> list(const TestServer& server) {
    return list_all(*loop_to(server.url()), api::kind_of<api::Pod>(), pool_);
  }

  InternPool pool_;
};

TEST_F(ListAllTest, PutsThePagesTogether) {
  TestServer server([](const Received& request, Exchange& exchange) {
    const bool is_second = request.path.find("continue=next") != std::string::npos;
    exchange.answer(200, is_second ? page_of("b") : page_of("a", "next"));
  });
  const auto pods = list(server);
  ASSERT_TRUE(pods) << pods.error().message();
  EXPECT_EQ(names_of(*pods), (std::vector<std::string>{"a", "b"}));
}

TEST_F(ListAllTest, BeginsAnewWhenTheServerHasForgottenTheFirstPage) {
  std::atomic<bool> has_expired = false;
  TestServer server([&](const Received& request, Exchange& exchange) {
    if (request.path.find("continue=") == std::string::npos) {
      exchange.answer(200, page_of("a", "next"));
    } else if (!has_expired.exchange(true)) {
      exchange.answer(410, R"({"kind":"Status","status":"Failure","reason":"Expired","code":410})");
    } else {
      exchange.answer(200, page_of("b"));
    }
  });
  const auto pods = list(server);
  ASSERT_TRUE(pods) << pods.error().message();
  EXPECT_EQ(names_of(*pods), (std::vector<std::string>{"a", "b"}));
}

TEST_F(ListAllTest, GivesUpAServerThatForgetsAgainAndAgain) {
  TestServer server([](const Received& request, Exchange& exchange) {
    if (request.path.find("continue=") == std::string::npos) {
      exchange.answer(200, page_of("a", "next"));
    } else {
      exchange.answer(410, R"({"kind":"Status","status":"Failure","reason":"Expired","message":"too old","code":410})");
    }
  });
  const auto pods = list(server);
  ASSERT_FALSE(pods);
  EXPECT_NE(pods.error().message().find("cannot list pods"), std::string::npos) << pods.error().message();
}

TEST_F(ListAllTest, AKindThatTheServerDoesNotKnowHasNoObjects) {
  TestServer server([](const Received&, Exchange& exchange) { exchange.answer(404, "404 page not found"); });
  const auto pods = list(server);
  ASSERT_TRUE(pods) << pods.error().message();
  EXPECT_TRUE(pods->empty());
}

}  // namespace
}  // namespace berth::client
