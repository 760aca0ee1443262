#include "berth/client/api_error.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/client/paths.h"
#include "berth/codec/protobuf.h"

namespace berth::client {
namespace {

Response answer(int status, std::string body, std::vector<Header> headers = {}) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  response.headers = std::move(headers);
  return response;
}

constexpr const char* kConflict = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                                  R"("message":"pod web-1 is already assigned to node \"n1\"","reason":"Conflict",)"
                                  R"("details":{"name":"web-1","kind":"pods"},"code":409})";

TEST(ApiError, ReadsAStatusInJson) {
  const ApiError error = api_error_of(answer(409, kConflict));
  EXPECT_TRUE(error.is_conflict());
  EXPECT_FALSE(error.is_already_exists());
  EXPECT_FALSE(error.is_transient());
  EXPECT_EQ(error.status, 409);
  EXPECT_EQ(error.reason, "Conflict");
  EXPECT_EQ(error.name, "web-1");
  EXPECT_EQ(error.kind, "pods");
  EXPECT_EQ(error.text(), "409 Conflict: pod web-1 is already assigned to node \"n1\"");
  EXPECT_EQ(to_error("cannot bind", error).message(),
            "cannot bind: 409 Conflict: pod web-1 is already assigned to node \"n1\"");
}

TEST(ApiError, ReadsAStatusInProtobuf) {
  auto status = std::make_shared<api::Status>();
  status->reason = Symbol("TooManyRequests");
  status->message = "slow down";
  status->code = 429;
  status->details.emplace().retry_after_seconds = 3;
  const api::AnyObject object{std::shared_ptr<const api::Status>(status)};
  const ApiError error = api_error_of(answer(429, codec::object_to_protobuf(object)));
  EXPECT_TRUE(error.is_too_many_requests());
  EXPECT_TRUE(error.is_transient());
  EXPECT_EQ(error.retry_after, Duration::seconds(3));
  EXPECT_EQ(error.message, "slow down");
}

TEST(ApiError, FallsBackOnTheHttpStatus) {
  const struct {
    int status;
    std::string body;
    std::string text;
    bool (ApiError::*question)() const;
  } kCases[] = {
      {404, "404 page not found\n", "404 404 page not found", &ApiError::is_not_found},
      {410, "", "410 Gone", &ApiError::is_gone},
      {401, "", "401 Unauthorized", &ApiError::is_unauthorized},
      {403, "", "403 Forbidden", &ApiError::is_forbidden},
      {503, "<html>\n<body>", "503 <html>", &ApiError::is_service_unavailable},
      {504, "", "504 Gateway Timeout", &ApiError::is_server_timeout},
      {500, "\x1b[31m", "500 ?[31m", &ApiError::is_internal_error},
      {502, "", "502 Bad Gateway", &ApiError::is_outcome_unknown},
      {418, "", "418 the server responded with status 418", nullptr},
  };
  for (const auto& [status, body, text, question] : kCases) {
    const ApiError error = api_error_of(answer(status, body));
    EXPECT_EQ(error.text(), text);
    if (question != nullptr) {
      EXPECT_TRUE((error.*question)()) << status;
    }
  }
}

TEST(ApiError, AnExpiredContinuationIsGone) {
  api::Status status;
  status.reason = Symbol("Expired");
  status.code = 410;
  const ApiError error = api_error_of(status);
  EXPECT_TRUE(error.is_gone());
  EXPECT_EQ(error.message, "Gone");
}

TEST(ApiError, TellsBrokenTransfersFromThoseNeverMade) {
  Response response;
  response.transfer = Response::Transfer::kBroken;
  response.error = "connection reset";
  EXPECT_TRUE(api_error_of(response).is_outcome_unknown());
  EXPECT_TRUE(api_error_of(response).is_transient());
  EXPECT_EQ(api_error_of(response).text(), "connection reset");
  response.transfer = Response::Transfer::kNotSent;
  EXPECT_FALSE(api_error_of(response).is_outcome_unknown());
  EXPECT_FALSE(api_error_of(response).is_not_found());
}

TEST(Paths, FollowGroupNamespaceAndName) {
  const api::ObjectKind& pods = api::kind_of<api::Pod>();
  const api::ObjectKind& sets = api::kind_of<api::ReplicaSet>();
  const api::ObjectKind& nodes = api::kind_of<api::Node>();
  EXPECT_EQ(path_of(pods), "/api/v1/pods");
  EXPECT_EQ(path_of(pods, "shop"), "/api/v1/namespaces/shop/pods");
  EXPECT_EQ(path_of(pods, "shop", "web-1", "binding"), "/api/v1/namespaces/shop/pods/web-1/binding");
  EXPECT_EQ(path_of(sets), "/apis/apps/v1/replicasets");
  EXPECT_EQ(path_of(sets, "ns", "name"), "/apis/apps/v1/namespaces/ns/replicasets/name");
  EXPECT_EQ(path_of(nodes, "", "n1"), "/api/v1/nodes/n1");
  EXPECT_EQ(path_of(nodes, "ignored", "system:x"), "/api/v1/nodes/system%3Ax");
}

TEST(Paths, QueriesAreEscapedAndEmptyOnesLeftOut) {
  EXPECT_EQ(with_query("/a", {{"limit", "500"}, {"continue", ""}, {"fieldSelector", "a=b c"}}),
            "/a?limit=500&fieldSelector=a%3Db%20c");
  EXPECT_EQ(with_query("/a?x=y", {{"z", "1"}}), "/a?x=y&z=1");
  EXPECT_EQ(with_query("/a", {}), "/a");
}

}  // namespace
}  // namespace berth::client
