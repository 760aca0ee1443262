#include "berth/client/system_ca.h"

#include <gtest/gtest.h>
#include <openssl/x509.h>

#include <set>

namespace berth::client {
namespace {

// Whatever the environment of the test says.
class SystemCa : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("SSL_CERT_FILE");
    ::unsetenv("SSL_CERT_DIR");
  }
};

std::string found_among(const std::set<std::string>& files) {
  return system_ca_bundle([&](const std::string& file) { return files.contains(file); });
}

TEST_F(SystemCa, IsWhereTheDistributionKeepsIt) {
  EXPECT_EQ(found_among({"/etc/ssl/certs/ca-certificates.crt"}), "/etc/ssl/certs/ca-certificates.crt");
  EXPECT_EQ(found_among({"/etc/pki/tls/certs/ca-bundle.crt"}), "/etc/pki/tls/certs/ca-bundle.crt");
  EXPECT_EQ(found_among({"/etc/ssl/ca-bundle.pem"}), "/etc/ssl/ca-bundle.pem");
  EXPECT_EQ(found_among({}), "");
}

TEST_F(SystemCa, IsOpensslsOwnWhereThatIsThere) {
  EXPECT_EQ(found_among({X509_get_default_cert_file(), "/etc/ssl/certs/ca-certificates.crt"}), "");
  EXPECT_EQ(found_among({X509_get_default_cert_dir(), "/etc/ssl/certs/ca-certificates.crt"}), "");
}

TEST_F(SystemCa, IsWhatTheEnvironmentNames) {
  ::setenv("SSL_CERT_FILE", "/somewhere/else.pem", 1);
  EXPECT_EQ(found_among({"/etc/ssl/certs/ca-certificates.crt"}), "");
  ::unsetenv("SSL_CERT_FILE");
}

}  // namespace
}  // namespace berth::client
