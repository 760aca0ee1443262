#include "berth/client/credential_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "berth/client/test_certificates.h"
#include "berth/client/test_folder.h"

namespace berth::client {
namespace {

class CredentialSourceTest : public testing::Test {
 protected:
  CredentialSource make(const Endpoint& endpoint) {
    auto source = CredentialSource::make(endpoint, [this](std::string_view text) { warnings_.emplace_back(text); });
    EXPECT_TRUE(source) << source.error().message();
    return *std::move(source);
  }
  // A second later.
  const Identity& later(CredentialSource& source) {
    now_ = now_ + kCredentialFileInterval;
    return *source.identity(now_);
  }

  TestFolder folder_;
  TestAuthority authority_;
  Instant now_ = Instant::from_unix_seconds(1000);
  std::vector<std::string> warnings_;
};

TEST_F(CredentialSourceTest, LooksAtATokenFileOnceASecond) {
  Endpoint endpoint;
  endpoint.credentials.token_file = folder_.write("token", " one\n");
  CredentialSource source = make(endpoint);
  const std::uint64_t first = source.identity(now_)->generation;
  EXPECT_EQ(source.identity(now_)->authorization, "Bearer one");
  folder_.write("token", "two");
  EXPECT_EQ(source.identity(now_ + Duration::milliseconds(999))->authorization, "Bearer one");
  EXPECT_EQ(later(source).authorization, "Bearer two");
  EXPECT_NE(source.identity(now_)->generation, first);
  EXPECT_EQ(later(source).generation, source.identity(now_)->generation);
}

TEST_F(CredentialSourceTest, KeepsATokenWhoseFileIsGoneOrEmpty) {
  Endpoint endpoint;
  endpoint.credentials.token_file = folder_.write("token", "one");
  CredentialSource source = make(endpoint);
  EXPECT_EQ(later(source).authorization, "Bearer one");
  std::filesystem::remove(folder_ / "token");
  EXPECT_EQ(later(source).authorization, "Bearer one");
  EXPECT_EQ(later(source).authorization, "Bearer one");
  EXPECT_EQ(warnings_.size(), 1U) << "once per trouble";
  folder_.write("token", "");
  EXPECT_EQ(later(source).authorization, "Bearer one");
  EXPECT_EQ(warnings_.size(), 2U);
  folder_.write("token", "two");
  EXPECT_EQ(later(source).authorization, "Bearer two");
}

TEST_F(CredentialSourceTest, TakesACertificateOverOnlyWithItsKey) {
  const TestCertificate old = authority_.issue("old");
  const TestCertificate renewed = authority_.issue("new");
  Endpoint endpoint;
  endpoint.tls.client_certificate.file = folder_.write("crt", old.certificate);
  endpoint.tls.client_key.file = folder_.write("key", old.key);
  CredentialSource source = make(endpoint);
  EXPECT_EQ(later(source).certificate, old.certificate);
  folder_.write("crt", renewed.certificate);
  EXPECT_EQ(later(source).certificate, old.certificate);
  EXPECT_EQ(later(source).key, old.key);
  folder_.write("key", renewed.key);
  EXPECT_EQ(later(source).certificate, renewed.certificate);
  EXPECT_EQ(later(source).key, renewed.key);
}

TEST_F(CredentialSourceTest, AFileThatMakesNoSenseDoesNotHoldUpTheOthers) {
  const TestCertificate old = authority_.issue("old");
  const TestCertificate renewed = authority_.issue("new");
  Endpoint endpoint;
  endpoint.tls.ca.file = folder_.write("ca", authority_.certificate());
  endpoint.tls.client_certificate.file = folder_.write("crt", old.certificate);
  endpoint.tls.client_key.file = folder_.write("key", old.key);
  endpoint.credentials.token_file = folder_.write("token", "one");
  CredentialSource source = make(endpoint);
  const std::string ca = later(source).ca;

  folder_.write("ca", "nonsense");
  folder_.write("token", "two");
  EXPECT_EQ(later(source).authorization, "Bearer two");
  EXPECT_EQ(later(source).ca, ca);
  EXPECT_EQ(warnings_.size(), 1U);

  std::filesystem::remove(folder_ / "ca");
  std::filesystem::remove(folder_ / "token");
  folder_.write("crt", renewed.certificate);
  folder_.write("key", renewed.key);
  EXPECT_EQ(later(source).certificate, renewed.certificate);
  EXPECT_EQ(later(source).authorization, "Bearer two");

  const std::string other_ca = TestAuthority("another CA").certificate();
  folder_.write("ca", other_ca);
  std::filesystem::remove(folder_ / "key");
  folder_.write("token", "three");
  EXPECT_NE(later(source).ca, ca);
  EXPECT_EQ(later(source).authorization, "Bearer three");
  EXPECT_EQ(later(source).key, renewed.key);
}

TEST_F(CredentialSourceTest, ATokenCountsUntilItsFileMakesSense) {
  Endpoint endpoint;
  endpoint.credentials.bearer_token = "in place";
  endpoint.credentials.token_file = folder_ / "token";
  CredentialSource source = make(endpoint);
  EXPECT_EQ(later(source).authorization, "Bearer in place");
  EXPECT_EQ(warnings_.size(), 1U);
  folder_.write("token", "\n");
  EXPECT_EQ(later(source).authorization, "Bearer in place");
  EXPECT_EQ(warnings_.size(), 2U);
  folder_.write("token", "of the file");
  EXPECT_EQ(later(source).authorization, "Bearer of the file");
}

TEST_F(CredentialSourceTest, ARefusalLooksAtOnce) {
  Endpoint endpoint;
  endpoint.credentials.token_file = folder_.write("token", "one");
  CredentialSource source = make(endpoint);
  const std::uint64_t first = source.identity(now_)->generation;
  EXPECT_FALSE(source.refused(first, now_)) << "nothing else to try";
  folder_.write("token", "two");
  EXPECT_TRUE(source.refused(first, now_));
  EXPECT_EQ(source.identity(now_)->authorization, "Bearer two");
  EXPECT_TRUE(source.refused(first, now_)) << "somebody else has renewed it already";
}

TEST_F(CredentialSourceTest, KeepsAPluginsAnswerUntilItExpires) {
  Endpoint endpoint;
  endpoint.credentials.exec.emplace().command = "login";
  CredentialSource source = make(endpoint);
  const Instant noon = Instant::from_unix_seconds(50'000);
  EXPECT_TRUE(source.needs_plugin(noon));
  ExecCredential credential;
  credential.token = "t";
  credential.expires_at = noon + Duration::minutes(10);
  EXPECT_TRUE(source.set_plugin_credential(credential));
  EXPECT_FALSE(source.needs_plugin(noon));
  EXPECT_EQ(source.identity(now_)->authorization, "Bearer t");
  EXPECT_TRUE(source.needs_plugin(noon + Duration::minutes(10)));
}

TEST_F(CredentialSourceTest, APluginsAnswerThatWasRefusedIsKeptUntilThereIsAnother) {
  Endpoint endpoint;
  endpoint.credentials.exec.emplace().command = "login";
  CredentialSource source = make(endpoint);
  const Instant noon = Instant::from_unix_seconds(50'000);
  ExecCredential credential;
  credential.token = "one";
  credential.expires_at = noon + Duration::minutes(10);
  ASSERT_TRUE(source.set_plugin_credential(credential));
  EXPECT_TRUE(source.refused(source.identity(now_)->generation, now_));
  EXPECT_TRUE(source.needs_plugin(noon));
  source.keep_plugin_credential();
  EXPECT_FALSE(source.needs_plugin(noon));
  EXPECT_EQ(source.identity(now_)->authorization, "Bearer one");
  EXPECT_TRUE(source.needs_plugin(noon + Duration::minutes(10))) << "not beyond its end";

  EXPECT_TRUE(source.refused(source.identity(now_)->generation, now_));
  credential.token = "two";
  ASSERT_TRUE(source.set_plugin_credential(credential));
  EXPECT_FALSE(source.needs_plugin(noon));
  EXPECT_EQ(source.identity(now_)->authorization, "Bearer two");
}

TEST_F(CredentialSourceTest, APluginsCertificateIsTakenOverOnlyWithItsKey) {
  Endpoint endpoint;
  endpoint.credentials.exec.emplace().command = "login";
  CredentialSource source = make(endpoint);
  const TestCertificate one = authority_.issue("one");
  const TestCertificate two = authority_.issue("two");
  ExecCredential credential;
  credential.client_certificate = one.certificate;
  credential.client_key = one.key;
  ASSERT_TRUE(source.set_plugin_credential(credential));
  credential.client_key = two.key;
  const auto taken = source.set_plugin_credential(credential);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().message(), "exec plugin 'login': client certificate and client key do not match");
  EXPECT_EQ(source.identity(now_)->key, one.key);
}

TEST_F(CredentialSourceTest, RefusesInvalidCredentials) {
  const TestCertificate one = authority_.issue("one");
  const TestCertificate two = authority_.issue("two");
  const auto error_of = [](const Endpoint& endpoint) {
    const auto source = CredentialSource::make(endpoint, {});
    return source ? "(no error)" : source.error().message();
  };
  Endpoint endpoint;
  endpoint.tls.client_certificate.text = one.certificate;
  EXPECT_EQ(error_of(endpoint), "client certificate and client key must be set together (add client-key)");
  endpoint.tls.client_key.text = two.key;
  EXPECT_EQ(error_of(endpoint), "client certificate and client key do not match");
  endpoint.tls.client_key.text = "nonsense";
  EXPECT_EQ(error_of(endpoint), "client key is not valid PEM, or is encrypted with a passphrase");
  endpoint.tls.client_key.text = one.key;
  EXPECT_EQ(error_of(endpoint), "(no error)");
  endpoint.tls.ca.file = folder_.write("ca", "nonsense");
  EXPECT_EQ(error_of(endpoint), (folder_ / "ca") + ": certificate-authority contains no PEM certificate");
  endpoint.tls.ca.file = folder_ / "nowhere";
  EXPECT_EQ(error_of(endpoint), (folder_ / "nowhere") + ": cannot read file: No such file or directory");
}

TEST(ExecCredential, IsReadOrRefusedWithoutShowingIt) {
  ExecPlugin plugin;
  plugin.command = "login";
  plugin.api_version = "client.authentication.k8s.io/v1";
  const auto head = std::string(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1")");
  const auto good =
      read_exec_credential(head + R"(,"status":{"token":"t","expirationTimestamp":"2026-01-02T03:04:05Z"}})", plugin);
  ASSERT_TRUE(good) << good.error().message();
  EXPECT_EQ(good->token, "t");
  EXPECT_EQ(good->expires_at.rfc3339(), "2026-01-02T03:04:05Z");

  const struct {
    std::string output;
    std::string error;
  } kCases[] = {
      {"secret", "exec plugin 'login' printed an invalid ExecCredential at line 1, column 1"},
      {head + R"(,"status":{"token":17}})", "exec plugin 'login' printed an invalid ExecCredential at status.token"},
      {R"({"kind":"Secret"})", "exec plugin 'login' printed an object that is not an ExecCredential"},
      {R"({"kind":"ExecCredential","apiVersion":"v0"})",
       "exec plugin 'login' printed apiVersion 'v0', but the kubeconfig asks for 'client.authentication.k8s.io/v1'"},
      {head + "}", "exec plugin 'login' printed an ExecCredential without a status"},
      {head + R"(,"status":{}})", "exec plugin 'login' printed neither a token nor a certificate"},
      {head + R"(,"status":{"clientKeyData":"secret"}})",
       "exec plugin 'login' printed a certificate without its key, or a key without its certificate"},
  };
  for (const auto& [output, error] : kCases) {
    const auto credential = read_exec_credential(output, plugin);
    ASSERT_FALSE(credential) << output;
    EXPECT_EQ(credential.error().message(), error);
  }
}

TEST(ExecCredential, AProgramThatIsNotThereGivesItsHint) {
  ExecPlugin plugin;
  plugin.command = "berth-no-such-program";
  plugin.install_hint = "get it from your administrator";
  plugin.interactive = ExecPlugin::Interactive::kNever;
  const auto process = PluginProcess::start(plugin, Endpoint(), "");
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().message(),
            "cannot start exec plugin 'berth-no-such-program': No such file or directory "
            "(get it from your administrator)");
}

}  // namespace
}  // namespace berth::client
