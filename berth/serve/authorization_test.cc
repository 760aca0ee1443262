#include "berth/serve/authorization.h"

#include <gtest/gtest.h>

#include "berth/serve/guard.h"
#include "berth/serve/testing.h"

namespace berth::serve {

namespace {

using testing::StubReviews;

class Authorization : public ::testing::Test {
 protected:
  Authorization() {
    reviews_.answer = [this](const std::string& path, const std::string&) -> Result<std::string> {
      EXPECT_EQ(path, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
      return review_;
    };
  }
  static User user(std::string name, std::vector<std::string> groups = {}) {
    User result;
    result.name = std::move(name);
    result.groups = std::move(groups);
    return result;
  }
  bool may(const User& who, std::string_view path) {
    const auto decision = authorizer_.authorize(who, "get", path);
    return decision && decision->is_allowed;
  }

  Instant now_ = testing::kNow;
  StubReviews reviews_;
  Result<std::string> review_ = std::string(R"({"status":{"allowed":true}})");
  AuthorizationOptions options_{.authorized_ttl = Duration::seconds(10),
                                .unauthorized_ttl = Duration::seconds(5),
                                .now = [this] { return now_; }};
  Authorizer authorizer_{options_, &reviews_};
};

TEST_F(Authorization, LetsEverybodySeeHealthAndNothingElse) {
  review_ = std::string(R"({"status":{"allowed":false}})");
  for (const char* path : {"/healthz", "/livez", "/readyz"}) EXPECT_TRUE(may(anonymous_user(), path)) << path;
  for (const char* path : {"/healthz/ping", "/metrics", "/", "/healthzx", "/configz"}) {
    EXPECT_FALSE(may(anonymous_user(), path)) << path;
  }
}

TEST_F(Authorization, UnderstandsPrefixes) {
  AuthorizationOptions options = options_;
  options.always_allow_paths = {"/berth/*", "metrics"};
  Authorizer authorizer(options, nullptr);
  EXPECT_TRUE(authorizer.authorize(anonymous_user(), "get", "/berth/v1/queue")->is_allowed);
  EXPECT_TRUE(authorizer.authorize(anonymous_user(), "get", "/metrics")->is_allowed);
  EXPECT_FALSE(authorizer.authorize(anonymous_user(), "get", "/berth")->is_allowed);
  EXPECT_FALSE(authorizer.authorize(anonymous_user(), "get", "/healthz")->is_allowed);
  EXPECT_TRUE(Authorizer::check_paths(options.always_allow_paths));
  EXPECT_EQ(Authorizer::check_paths({"/a*b"}).error().message(), "only trailing * allowed in \"a*b\"");
}

TEST_F(Authorization, AsksNobodyAboutMasters) {
  EXPECT_TRUE(may(user("admin", {"system:masters"}), "/metrics"));
  EXPECT_TRUE(reviews_.bodies().empty());
}

TEST_F(Authorization, AsksTheApiServerAndRemembersTheAnswer) {
  User jane = user("jane", {"dev"});
  jane.uid = "7";
  jane.extra[Symbol("k")] = {"v"};
  EXPECT_TRUE(may(jane, "/metrics"));
  EXPECT_TRUE(may(jane, "/metrics"));
  ASSERT_EQ(reviews_.bodies().size(), 1u);
  EXPECT_EQ(reviews_.bodies()[0],
            R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"nonResourceAttributes":)"
            R"({"path":"/metrics","verb":"get"},"user":"jane","groups":["dev"],"extra":{"k":["v"]},"uid":"7"}})");
  review_ = std::string(R"({"status":{"allowed":false,"reason":"no"}})");
  EXPECT_FALSE(may(jane, "/configz"));
  now_ = now_ + Duration::seconds(5);
  EXPECT_TRUE(may(jane, "/metrics"));
  EXPECT_EQ(reviews_.bodies().size(), 2u);
  EXPECT_FALSE(may(jane, "/configz"));
  EXPECT_EQ(reviews_.bodies().size(), 3u) << "a refusal is remembered for less long here";
}

TEST_F(Authorization, RefusesWhatIsAllowedAndDenied) {
  review_ = std::string(R"({"status":{"allowed":true,"denied":true}})");
  EXPECT_FALSE(may(user("jane"), "/metrics"));
}

TEST_F(Authorization, DoesNotRememberFailures) {
  review_ = fail("connection refused");
  EXPECT_FALSE(authorizer_.authorize(user("jane"), "get", "/metrics"));
  review_ = std::string(R"({"status":{"allowed":true}})");
  EXPECT_TRUE(may(user("jane"), "/metrics"));
}

// --- The gate --------------------------------------------------------------------------------------------------------

class Guard : public Authorization {
 protected:
  Reply get(const std::string& path, const std::string& token = "") {
    Call call;
    call.method = "GET";
    call.path = path;
    call.target = path + "?x";
    if (!token.empty()) call.headers = {{"Authorization", "Bearer " + token}};
    return guarded(
        authenticator_, authorizer_, [](const Call&) { return Reply::text("secret"); },
        [this](const Call&, std::string_view what, const Error& why) {
          refusals_.push_back(std::string(what) + ": " + why.message());
        })(call);
  }

  StubReviews tokens_;
  Authenticator authenticator_{{.now = [this] { return now_; }}, &tokens_};
  std::vector<std::string> refusals_;
};

TEST_F(Guard, RefusesInKubeSchedulersWords) {
  review_ = std::string(R"({"status":{"allowed":false}})");
  const Reply reply = get("/metrics");
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(reply.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
            R"("forbidden: User \"system:anonymous\" cannot get path \"/metrics\"","reason":"Forbidden","details":{},)"
            R"("code":403})"
            "\n");
  review_ = std::string(R"({"status":{"allowed":false,"reason":"not today"}})");
  EXPECT_NE(get("/configz").body.find(R"(cannot get path \"/configz\": not today)"), std::string::npos);
  EXPECT_NE(get("/<script>").body.find("/\\u0026lt;script\\u0026gt;"), std::string::npos) << get("/<script>").body;
}

TEST_F(Guard, AnswersABadTokenWithUnauthorizedEvenForHealth) {
  tokens_.answer = [](const std::string&, const std::string&) { return std::string(R"({"status":{}})"); };
  const Reply reply = get("/healthz", "wrong");
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized",)"
            R"("reason":"Unauthorized","code":401})"
            "\n");
  EXPECT_EQ(refusals_, std::vector<std::string>{"Unable to authenticate the request: invalid bearer token"});
}

TEST_F(Guard, LetsThroughWhoMayRead) {
  const Reply reply = get("/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "secret");
  EXPECT_EQ(reply.headers.back().value, "no-cache, private");
}

TEST_F(Guard, StaysShutWhenTheApiServerCannotBeAsked) {
  review_ = fail("connection refused");
  const Reply reply = get("/metrics");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body, "Internal Server Error: \"/metrics?x\": connection refused\n");
  EXPECT_EQ(get("/healthz").body, "secret") << "health needs nobody";
}

}  // namespace

}  // namespace berth::serve
