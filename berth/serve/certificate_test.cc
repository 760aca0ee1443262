#include "berth/serve/certificate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "berth/serve/openssl.h"
#include "berth/serve/testing.h"

namespace berth::serve {

namespace {

using testing::kNow;
using testing::TestAuthority;

// A folder of its own for each test.
class CertificateFiles : public ::testing::Test {
 protected:
  CertificateFiles() {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("berth_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~CertificateFiles() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name + ".new")) << text;
    std::filesystem::rename(path(name + ".new"), path(name));
  }
  KeyPair write_pair() const {
    KeyPair pair = make_self_signed({.host_name = "n1", .addresses = {}, .now = kNow}).value();
    write("tls.crt", pair.certificates);
    write("tls.key", pair.key);
    return pair;
  }

  std::filesystem::path folder_;
};

TEST(SelfSigned, IsForTheHostAndItsAddresses) {
  const auto pair = make_self_signed({.host_name = "node-1", .addresses = {"10.0.0.7", "0.0.0.0"}, .now = kNow});
  ASSERT_TRUE(pair);
  const X509Ptr certificate = certificates_from_pem(pair->certificates)->front();
  for (const char* name : {"node-1", "localhost"}) {
    EXPECT_EQ(X509_check_host(certificate.get(), name, 0, 0, nullptr), 1) << name;
  }
  for (const char* address : {"127.0.0.1", "::1", "10.0.0.7"}) {
    EXPECT_EQ(X509_check_ip_asc(certificate.get(), address, 0), 1) << address;
  }
  EXPECT_NE(X509_check_ip_asc(certificate.get(), "0.0.0.0", 0), 1);
  EXPECT_TRUE(CertificateSource::fixed(*pair));
}

TEST_F(CertificateFiles, NamesTheFileThatIsMissing) {
  const auto loaded = CertificateSource::files(path("tls.crt"), path("tls.key"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message(),
            "unable to load server certificate: open " + path("tls.crt") + ": No such file or directory");
}

TEST_F(CertificateFiles, RefusesAKeyOfAnotherCertificate) {
  write_pair();
  write("tls.key", make_self_signed({.host_name = "n1", .addresses = {}, .now = kNow})->key);
  const auto loaded = CertificateSource::files(path("tls.crt"), path("tls.key"));
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message().find("private key does not match public key"), std::string::npos);
}

TEST_F(CertificateFiles, AreReadAgainWhenTheyChange) {
  write_pair();
  const auto source = CertificateSource::files(path("tls.crt"), path("tls.key")).value();
  const auto first = source->current();
  EXPECT_EQ(source->current(), first) << "unchanged files are not parsed again";
  write_pair();
  const auto second = source->current();
  EXPECT_NE(second, first);

  write("tls.crt", "not a certificate");
  EXPECT_EQ(source->current(), second) << "what cannot be used does not replace what can";
  EXPECT_NE(source->problem(), "");
  write_pair();
  EXPECT_NE(source->current(), second);
  EXPECT_EQ(source->problem(), "");
}

TEST_F(CertificateFiles, AreMadeInAnEmptyCertDir) {
  const SelfSignedOptions options{.host_name = "n1", .addresses = {}, .now = kNow};
  const std::string folder = path("pki");
  ASSERT_TRUE(CertificateSource::folder(folder, options));
  const auto pair = load_key_pair(folder + "/kube-scheduler.crt", folder + "/kube-scheduler.key");
  ASSERT_TRUE(pair);
  const auto permissions = std::filesystem::status(folder + "/kube-scheduler.key").permissions();
  EXPECT_EQ(permissions & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
            std::filesystem::perms::none);
  ASSERT_TRUE(CertificateSource::folder(folder, options));
  EXPECT_EQ(load_key_pair(folder + "/kube-scheduler.crt", folder + "/kube-scheduler.key")->key, pair->key)
      << "what is there is kept";
}

TEST(ClientCertificate, TellsNameAndGroups) {
  const KeyPair pair = TestAuthority("ca").issue({"jane", {"developers", "admins"}});
  const auto certificate = ClientCertificate::from_pem(pair.certificates).value();
  EXPECT_EQ(certificate->common_name(), "jane");
  EXPECT_EQ(certificate->organizations(), (std::vector<std::string>{"developers", "admins"}));
  EXPECT_EQ(certificate->sha256().size(), 64u);
}

TEST(CertificateAuthorities, TrustOnlyWhatTheySignedAndWhileItIsValid) {
  const TestAuthority known("known");
  const TestAuthority other("other");
  const auto authorities = CertificateAuthorities::from_pem(known.pem()).value();
  const auto verify = [&](const KeyPair& pair) {
    return authorities->verify(*ClientCertificate::from_pem(pair.certificates).value(), kNow).has_value();
  };
  EXPECT_TRUE(verify(known.issue({"jane", {}})));
  EXPECT_FALSE(verify(other.issue({"jane", {}})));
  EXPECT_FALSE(verify(known.issue({"jane", {}}, 1'500'000'000))) << "expired";
}

TEST(CertificateAuthorities, ComeFromABundle) {
  const TestAuthority a("a");
  const TestAuthority b("b");
  const auto authorities = CertificateAuthorities::from_pem("# comment\n" + a.pem() + b.pem()).value();
  EXPECT_TRUE(authorities->verify(*ClientCertificate::from_pem(b.issue({"x", {}}).certificates).value(), kNow));
  EXPECT_FALSE(CertificateAuthorities::from_pem("nothing"));
}

}  // namespace

}  // namespace berth::serve
