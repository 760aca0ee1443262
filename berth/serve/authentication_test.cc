#include "berth/serve/authentication.h"

#include <gtest/gtest.h>

#include "berth/serve/testing.h"

namespace berth::serve {

namespace {

using testing::StubReviews;
using testing::TestAuthority;
using Texts = std::vector<std::string>;

constexpr std::string_view kJane =
    R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},"status":{"authenticated":true,)"
    R"("user":{"username":"jane","uid":"u1","groups":["dev"],"extra":{"scopes":["a","b"]}},"audiences":["x"]}})";

class Authentication : public ::testing::Test {
 protected:
  Authentication() {
    reviews_.answer = [this](const std::string& path, const std::string&) -> Result<std::string> {
      EXPECT_EQ(path, "/apis/authentication.k8s.io/v1/tokenreviews");
      return review_;
    };
  }

  static Call with_token(const std::string& token) {
    Call call;
    call.headers = {{"authorization", "Bearer " + token}};
    return call;
  }
  static Call with_certificate(const KeyPair& pair) {
    Call call;
    call.certificate = ClientCertificate::from_pem(pair.certificates).value();
    return call;
  }
  // "name: groups", or "401".
  std::string who(const Call& call) {
    const auto user = authenticator_.authenticate(call);
    if (!user) return "401";
    std::string text = user->name + ":";
    for (const std::string& group : user->groups) text += " " + group;
    return text;
  }

  Instant now_ = testing::kNow;
  StubReviews reviews_;
  Result<std::string> review_ = std::string(kJane);
  Authenticator authenticator_{{.now = [this] { return now_; }}, &reviews_};
};

TEST_F(Authentication, TakesWhoShowsNothingForAnonymous) {
  EXPECT_EQ(who(Call{}), "system:anonymous: system:unauthenticated");
  Call basic;
  basic.headers = {{"Authorization", "Basic abc"}};
  EXPECT_EQ(who(basic), "system:anonymous: system:unauthenticated");
}

TEST_F(Authentication, AsksTheApiServerAboutATokenOnceInTenSeconds) {
  EXPECT_EQ(who(with_token("t\"1")), "jane: dev system:authenticated");
  EXPECT_EQ(reviews_.bodies(),
            Texts{R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":{"token":"t\"1"}})"});
  EXPECT_EQ(authenticator_.authenticate(with_token("t\"1"))->extra.find(Symbol("scopes"))->size(), 2u);
  now_ = now_ + Duration::seconds(9);
  EXPECT_EQ(who(with_token("t\"1")), "jane: dev system:authenticated");
  EXPECT_EQ(reviews_.bodies().size(), 1u);
  EXPECT_EQ(who(with_token("other")), "jane: dev system:authenticated");
  EXPECT_EQ(reviews_.bodies().size(), 2u);
  now_ = now_ + Duration::seconds(1);
  EXPECT_EQ(who(with_token("t\"1")), "jane: dev system:authenticated");
  EXPECT_EQ(reviews_.bodies().size(), 3u);
}

TEST_F(Authentication, RemembersBadTokensButNotFailures) {
  review_ = fail("connection refused");
  EXPECT_EQ(who(with_token("t")), "401");
  EXPECT_EQ(who(with_token("t")), "401");
  EXPECT_EQ(reviews_.bodies().size(), 2u);
  review_ = std::string("not json");
  EXPECT_EQ(who(with_token("t")), "401");
  review_ = std::string(R"({"status":{"authenticated":false,"error":"the webhook did not answer"}})");
  EXPECT_EQ(authenticator_.authenticate(with_token("t")).error().message(), "the webhook did not answer");
  EXPECT_EQ(who(with_token("t")), "401");
  EXPECT_EQ(reviews_.bodies().size(), 5u);
  review_ = std::string(R"({"status":{"authenticated":false}})");
  EXPECT_EQ(authenticator_.authenticate(with_token("t")).error().message(), "invalid bearer token");
  EXPECT_EQ(who(with_token("t")), "401");
  EXPECT_EQ(reviews_.bodies().size(), 6u);
}

TEST_F(Authentication, ForgetsTokensByAClockThatNobodySets) {
  Instant steady = now_;
  Authenticator authenticator({.now = [this] { return now_; }, .steady_now = [&] { return steady; }}, &reviews_);
  review_ = std::string(R"({"status":{"authenticated":true,"user":{"username":"u"}}})");
  EXPECT_TRUE(authenticator.authenticate(with_token("t")));
  now_ = now_ - Duration::hours(1);
  steady = steady + Duration::seconds(11);
  review_ = std::string(R"({"status":{"authenticated":false}})");
  EXPECT_FALSE(authenticator.authenticate(with_token("t"))) << "it was revoked";
}

TEST_F(Authentication, TakesOneBundleAlsoIfTheOtherIsNone) {
  const TestAuthority authority("clients");
  EXPECT_FALSE(authenticator_.set_trust({.client_ca = authority.pem(), .request_header_ca = "garbage"}));
  EXPECT_EQ(who(with_certificate(authority.issue({"u", {}}))), "u: system:authenticated");
}

TEST_F(Authentication, IgnoresTokensWhereNobodyCanBeAsked) {
  Authenticator alone({.now = [this] { return now_; }}, nullptr);
  EXPECT_EQ(alone.authenticate(with_token("t"))->name, "system:anonymous");
}

TEST_F(Authentication, ReadsUserAndGroupsFromACertificate) {
  const TestAuthority authority("clients");
  ASSERT_TRUE(authenticator_.set_trust({.client_ca = authority.pem()}));
  EXPECT_EQ(who(with_certificate(authority.issue({"kube-admin", {"system:masters"}}))),
            "kube-admin: system:masters system:authenticated");
  EXPECT_EQ(who(with_certificate(TestAuthority("strangers").issue({"kube-admin", {"system:masters"}}))), "401");
  EXPECT_EQ(who(with_certificate(authority.issue({"kube-admin", {}}, 1'500'000'000))), "401") << "expired";
  EXPECT_EQ(who(with_certificate(authority.issue({"", {"x"}}))), "system:anonymous: system:unauthenticated");
}

TEST_F(Authentication, IgnoresCertificatesWithoutAnAuthority) {
  EXPECT_EQ(who(with_certificate(TestAuthority("any").issue({"x", {"system:masters"}}))),
            "system:anonymous: system:unauthenticated");
}

TEST_F(Authentication, LetsAGoodTokenStandBesideABadCertificate) {
  ASSERT_TRUE(authenticator_.set_trust({.client_ca = TestAuthority("clients").pem()}));
  Call call = with_certificate(TestAuthority("strangers").issue({"x", {}}));
  call.headers = {{"Authorization", "bearer t"}};
  EXPECT_EQ(who(call), "jane: dev system:authenticated");
}

class RequestHeaders : public Authentication {
 protected:
  RequestHeaders() {
    EXPECT_TRUE(authenticator_.set_trust({.client_ca = clients_.pem(),
                                          .request_header_ca = proxies_.pem(),
                                          .allowed_names = {"front-proxy-client"},
                                          .username_headers = {"X-Remote-User"},
                                          .uid_headers = {"X-Remote-Uid"},
                                          .group_headers = {"X-Remote-Group"},
                                          .extra_header_prefixes = {"X-Remote-Extra-"}}));
  }
  Call vouched(const KeyPair& pair) const {
    Call call = with_certificate(pair);
    call.headers = {{"x-remote-user", "jane"},
                    {"X-Remote-Group", "a"},
                    {"x-remote-group", "b"},
                    {"X-Remote-Uid", "7"},
                    {"X-Remote-Extra-Acme%2FScope", "read"}};
    return call;
  }
  TestAuthority clients_{"clients"};
  TestAuthority proxies_{"proxies"};
};

TEST_F(RequestHeaders, CountWithTheProxysCertificate) {
  const auto user = authenticator_.authenticate(vouched(proxies_.issue({"front-proxy-client", {}})));
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "jane");
  EXPECT_EQ(user->uid, "7");
  EXPECT_EQ(user->groups, (Texts{"a", "b", "system:authenticated"}));
  ASSERT_NE(user->extra.find(Symbol("acme/scope")), nullptr);
  EXPECT_EQ(*user->extra.find(Symbol("acme/scope")), Texts{"read"});
}

TEST_F(RequestHeaders, CountForNothingOtherwise) {
  Call headers_only = vouched(proxies_.issue({"front-proxy-client", {}}));
  headers_only.certificate = nullptr;
  EXPECT_EQ(who(headers_only), "system:anonymous: system:unauthenticated");
  EXPECT_EQ(who(vouched(proxies_.issue({"somebody", {}}))), "401") << "a name that is not allowed";
  EXPECT_EQ(who(vouched(clients_.issue({"joe", {}}))), "joe: system:authenticated") << "a user is no proxy";
  EXPECT_EQ(who(vouched(TestAuthority("proxies").issue({"front-proxy-client", {}}))), "401");
}

TEST_F(Authentication, KeepsItsTrustIfTheNewOneIsBroken) {
  const TestAuthority authority("clients");
  ASSERT_TRUE(authenticator_.set_trust({.client_ca = authority.pem()}));
  EXPECT_FALSE(authenticator_.set_trust({.client_ca = "garbage"}));
  EXPECT_EQ(who(with_certificate(authority.issue({"joe", {}}))), "joe: system:authenticated");
}

}  // namespace

}  // namespace berth::serve
