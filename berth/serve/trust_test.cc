#include "berth/serve/trust.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "berth/client/testing.h"
#include "berth/serve/testing.h"

namespace berth::serve {

namespace {

constexpr const char* kConfigMap =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"extension-apiserver-authentication"},"data":{
    "client-ca-file":"CLIENTS","requestheader-client-ca-file":"PROXIES","requestheader-allowed-names":"[\"front\"]",
    "requestheader-username-headers":"[\"X-Remote-User\"]","requestheader-group-headers":"[\"X-Remote-Group\"]",
    "requestheader-extra-headers-prefix":"[\"X-Remote-Extra-\"]"}})";

class ReadingTrust : public ::testing::Test {
 protected:
  void start(TrustOptions options = {}) {
    reader_ = std::make_unique<AuthConfigReader>(
        loop_, transport_, std::move(options),
        [this](const Trust& trust) -> Result<void> {
          if (trust.client_ca == "BROKEN") return fail("no certificate");
          trusts_.push_back(trust);
          return {};
        },
        [this](const Error& error) { problems_.push_back(error.message()); });
    reader_->start([this](const Result<void>& result) { first_ = result ? "ok" : result.error().message(); });
    loop_.run();
  }
  void answer(int status, const std::string& body) {
    transport_.answer(transport_.last().id, status, body);
    loop_.run();
  }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = ::testing::TempDir() + "/berth_trust_" + name;
    std::ofstream(path) << text;
    return path;
  }

  client::FakeLoop loop_;
  client::FakeTransport transport_{loop_};
  std::vector<Trust> trusts_;
  std::vector<std::string> problems_;
  std::string first_;
  std::unique_ptr<AuthConfigReader> reader_;
};

TEST_F(ReadingTrust, TakesTheClustersOwn) {
  start();
  EXPECT_EQ(transport_.last().request.path,
            "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
  EXPECT_EQ(first_, "");
  answer(200, kConfigMap);
  EXPECT_EQ(first_, "ok");
  ASSERT_EQ(trusts_.size(), 1u);
  EXPECT_EQ(trusts_[0].client_ca, "CLIENTS");
  EXPECT_EQ(trusts_[0].request_header_ca, "PROXIES");
  EXPECT_EQ(trusts_[0].allowed_names, std::vector<std::string>{"front"});
  EXPECT_EQ(trusts_[0].extra_header_prefixes, std::vector<std::string>{"X-Remote-Extra-"});
}

TEST_F(ReadingTrust, LooksAgainAndTellsOnlyChanges) {
  start();
  answer(200, kConfigMap);
  loop_.advance(TrustOptions::kRefresh);
  answer(200, kConfigMap);
  EXPECT_EQ(trusts_.size(), 1u);
  loop_.advance(TrustOptions::kRefresh);
  answer(200, R"({"data":{"client-ca-file":"ROTATED"}})");
  ASSERT_EQ(trusts_.size(), 2u);
  EXPECT_EQ(trusts_[1].client_ca, "ROTATED");
  EXPECT_EQ(trusts_[1].request_header_ca, "");
}

TEST_F(ReadingTrust, GoesOnWithoutAndTriesAgain) {
  start();
  answer(403, "{}");
  EXPECT_EQ(first_, "ok");
  ASSERT_EQ(trusts_.size(), 1u);
  EXPECT_EQ(trusts_[0], Trust());
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0],
            "configmap kube-system/extension-apiserver-authentication: the server responded with status 403");
  loop_.advance(TrustOptions::kRetry);
  answer(200, kConfigMap);
  EXPECT_EQ(trusts_.size(), 2u);
  loop_.advance(TrustOptions::kRefresh);
  transport_.break_off(transport_.last().id, client::Response::Transfer::kBroken);
  loop_.run();
  EXPECT_EQ(trusts_.size(), 2u) << "what was known stays";
}

TEST_F(ReadingTrust, FailsIfItMustNotGoOn) {
  start({.tolerate_lookup_failure = false});
  answer(500, "");
  EXPECT_NE(first_.find("the server responded with status 500"), std::string::npos);
}

TEST_F(ReadingTrust, PrefersFiles) {
  const std::string pem = testing::TestAuthority("clients").pem();
  const std::string clients = file("clients", pem);
  start({.client_ca_file = clients});
  answer(200, kConfigMap);
  EXPECT_EQ(trusts_[0].client_ca, pem);
  EXPECT_EQ(trusts_[0].request_header_ca, "PROXIES");
}

TEST_F(ReadingTrust, ReadsRotatedFilesWithoutAskingTheCluster) {
  const std::string clients = file("rotated", testing::TestAuthority("one").pem());
  start({.client_ca_file = clients, .skip_lookup = true});
  EXPECT_TRUE(transport_.log().empty());
  EXPECT_EQ(first_, "ok");
  const std::string rotated = testing::TestAuthority("two").pem();
  (void)file("rotated", rotated);
  loop_.advance(TrustOptions::kRefresh);
  ASSERT_EQ(trusts_.size(), 2u);
  EXPECT_EQ(trusts_[1].client_ca, rotated);
  (void)file("rotated", "BROKEN");
  loop_.advance(TrustOptions::kRefresh);
  EXPECT_EQ(trusts_.size(), 2u);
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_TRUE(problems_[0].starts_with("--client-ca-file: ")) << problems_[0];
}

TEST_F(ReadingTrust, GoesOnIfTheClusterNamesNonsense) {
  start();
  answer(200, R"({"data":{"client-ca-file":"BROKEN"}})");
  EXPECT_EQ(first_, "ok");
  EXPECT_EQ(problems_, std::vector<std::string>{"no certificate"});
  loop_.advance(TrustOptions::kRefresh);
  answer(200, kConfigMap);
  EXPECT_EQ(trusts_.size(), 1u) << "it is mended";
}

TEST_F(ReadingTrust, FailsForAFileOfNonsense) {
  start({.client_ca_file = file("nonsense", "BROKEN")});
  answer(200, kConfigMap);
  EXPECT_TRUE(first_.starts_with("--client-ca-file: ")) << first_;
}

TEST_F(ReadingTrust, FailsForAFileThatIsMissing) {
  start({.client_ca_file = "/nonexistent/ca.crt", .skip_lookup = true});
  EXPECT_EQ(first_, "--client-ca-file: open /nonexistent/ca.crt: No such file or directory");
}

}  // namespace

}  // namespace berth::serve
