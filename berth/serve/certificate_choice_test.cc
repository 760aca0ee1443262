#include "berth/serve/certificate_choice.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/serve/openssl.h"
#include "berth/serve/server.h"
#include "berth/serve/testing.h"

namespace berth::serve {

namespace {

using testing::kNow;

// The client checks by the machine's clock.
Instant machine_now() {
  return Instant::from_unix_seconds(static_cast<std::int64_t>(std::time(nullptr)));
}

std::shared_ptr<CertificateSource> certificate_for(const std::string& host, std::vector<std::string> addresses = {}) {
  const auto pair = make_self_signed({.host_name = host, .addresses = std::move(addresses), .now = kNow});
  return CertificateSource::fixed(pair.value()).value();
}

class CertificateChoiceTest : public ::testing::Test {
 protected:
  // Who is shown to a client that asks for `name`.
  std::string shown(const std::vector<NamedCertificate>& named, const std::string& name) const {
    const auto identity = CertificateChoice(usual, named).choose(name);
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (identity == named[i].source->current()) return std::to_string(i);
    }
    return identity == usual->current() ? "usual" : "nobody";
  }

  const std::shared_ptr<CertificateSource> usual = certificate_for("usual.example.com");
  const std::shared_ptr<CertificateSource> a = certificate_for("a.example.com", {"10.0.0.7"});
  const std::shared_ptr<CertificateSource> b = certificate_for("b.example.com");
};

TEST_F(CertificateChoiceTest, IsTheUsualOneWhereNoOtherFits) {
  EXPECT_EQ(shown({}, "a.example.com"), "usual");
  EXPECT_EQ(shown({{{"a.example.com"}, a}}, "c.example.com"), "usual");
  EXPECT_EQ(shown({{{"a.example.com"}, a}}, ""), "usual");
}

TEST_F(CertificateChoiceTest, TakesNamesFromTheCertificateWhereNoneAreGiven) {
  const std::vector<NamedCertificate> named = {{{}, a}, {{}, b}};
  EXPECT_EQ(shown(named, "A.example.com"), "0");
  EXPECT_EQ(shown(named, "b.example.com"), "1");
  EXPECT_EQ(shown(named, "10.0.0.7"), "0") << "the address that a client without a name has reached";
}

TEST_F(CertificateChoiceTest, PrefersGivenNamesAndExactOnesAndTheFirst) {
  EXPECT_EQ(shown({{{}, a}, {{"a.example.com"}, b}}, "a.example.com"), "1");
  EXPECT_EQ(shown({{{"*.example.com"}, a}, {{"b.example.com"}, b}}, "b.example.com"), "1");
  EXPECT_EQ(shown({{{"*.example.com"}, a}, {{"b.example.com"}, b}}, "c.example.com"), "0");
  EXPECT_EQ(shown({{{"x", "b.org"}, a}, {{"b.org"}, b}}, "b.org"), "0");
  EXPECT_EQ(shown({{{"*.example.com"}, a}}, "c.d.example.com"), "usual") << "a star is one label";
}

TEST_F(CertificateChoiceTest, IsMadeForEachConnection) {
  ServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  const KeyPair named = make_self_signed({.host_name = "a.example.com", .addresses = {}, .now = machine_now()}).value();
  options.named_certificates = {{{"a.example.com"}, CertificateSource::fixed(named).value()}};
  const auto server = HttpsServer::start(options, usual, [](const Call&) { return Reply::text("hello"); }).value();
  // The client trusts this certificate and no other.
  const std::string host = "a.example.com";
  EXPECT_EQ(testing::fetch(server->port(), "/", {.server_ca = named.certificates, .host = host}).body, "hello");
  EXPECT_NE(testing::fetch(server->port(), "/", {.server_ca = named.certificates}).error, "");
}

}  // namespace

}  // namespace berth::serve
