#include "berth/client/server_address.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace berth::client {
namespace {

Endpoint endpoint_of(std::string server) {
  Endpoint endpoint;
  endpoint.server = std::move(server);
  return endpoint;
}

TEST(ServerAddress, TakesUrlsApart) {
  const struct {
    std::string server;
    bool is_tls;
    std::string authority;
    std::string base_path;
    std::string url_prefix;
  } kCases[] = {
      {"https://10.0.0.1:6443", true, "10.0.0.1:6443", "", "https://10.0.0.1:6443"},
      {"https://10.0.0.1", true, "10.0.0.1:443", "", "https://10.0.0.1:443"},
      {"http://10.0.0.1", false, "10.0.0.1:80", "", "http://10.0.0.1:80"},
      {"https://kubernetes.default.svc:", true, "kubernetes.default.svc:443", "", "https://kubernetes.default.svc:443"},
      {"https://kubernetes/", true, "kubernetes:443", "", "https://kubernetes:443"},
      {"https://a:1/k8s/clusters/c-1", true, "a:1", "/k8s/clusters/c-1", "https://a:1/k8s/clusters/c-1"},
      {"https://a:65535/k8s//", true, "a:65535", "/k8s", "https://a:65535/k8s"},
      {"https://a/k8s?", true, "a:443", "/k8s", "https://a:443/k8s"},
      {"https://[::1]:6443", true, "[::1]:6443", "", "https://[::1]:6443"},
      {"https://[2001:db8::7]/k8s", true, "[2001:db8::7]:443", "/k8s", "https://[2001:db8::7]:443/k8s"},
      {"https://[::ffff:10.0.0.1]", true, "[::ffff:10.0.0.1]:443", "", "https://[::ffff:10.0.0.1]:443"},
      {"https://user:pass@word@a:6443", true, "a:6443", "", "https://a:6443"},
      {"HTTPS://a", true, "a:443", "", "https://a:443"},
      {"Http://a", false, "a:80", "", "http://a:80"},
      {"a:8080", false, "a:8080", "", "http://a:8080"},
      {"a", false, "a:80", "", "http://a:80"},
  };
  for (const auto& [server, is_tls, authority, base_path, url_prefix] : kCases) {
    const auto address = parse_server_address(endpoint_of(server));
    ASSERT_TRUE(address) << server << ": " << address.error().message();
    EXPECT_EQ(address->is_tls, is_tls) << server;
    EXPECT_EQ(address->authority(), authority) << server;
    EXPECT_EQ(address->base_path, base_path) << server;
    EXPECT_EQ(address->url_prefix, url_prefix) << server;
  }
}

TEST(ServerAddress, WithoutASchemeIsHttpsIfThereIsAnythingAboutTls) {
  Endpoint endpoint = endpoint_of("a");
  endpoint.tls.insecure_skip_verify = true;
  EXPECT_EQ(parse_server_address(endpoint)->url_prefix, "https://a:443");
  endpoint = endpoint_of("a:6443");
  endpoint.tls.ca.file = "ca.crt";
  EXPECT_EQ(parse_server_address(endpoint)->url_prefix, "https://a:6443");
}

TEST(ServerAddress, IsAskedForByTheNameInItsCertificateOverTlsOnly) {
  Endpoint endpoint = endpoint_of("https://10.0.0.1:6443/k8s");
  endpoint.tls.server_name = "kubernetes";
  const auto address = parse_server_address(endpoint);
  EXPECT_EQ(address->url_prefix, "https://kubernetes:6443/k8s");
  EXPECT_EQ(address->authority(), "10.0.0.1:6443");
  endpoint.server = "http://10.0.0.1";
  EXPECT_EQ(parse_server_address(endpoint)->url_prefix, "http://10.0.0.1:80");
}

TEST(ServerAddress, RefusesWhatIsNoUrl) {
  const struct {
    std::string server;
    std::string why;
  } kCases[] = {
      {"", "server URL is empty"},
      {"https://", "is invalid"},
      {"https://:6443", "is invalid"},
      {"https://a:0", "is invalid"},
      {"https://a:65536", "is invalid"},
      {"https://a:https", "is invalid"},
      {"https://a:-1", "is invalid"},
      {"https://a:1:2", "is invalid"},
      {"https://::1", "is invalid"},
      {"https://[::1", "is invalid"},
      {"https://[]", "is invalid"},
      {"https://[::1]6443", "is invalid"},
      {"https://[kubernetes]", "is invalid"},
      {"https://a b", "is invalid"},
      {"https://a/b c", "is invalid"},
      {"https://a\n", "is invalid"},
      {"https://a?x=y", "has a query or a fragment"},
      {"https://a/#x", "has a query or a fragment"},
      {"ftp://a", "has an unsupported scheme, expected https or http"},
      {"://a", "has an unsupported scheme, expected https or http"},
  };
  for (const auto& [server, why] : kCases) {
    const auto address = parse_server_address(endpoint_of(server));
    ASSERT_FALSE(address) << server;
    EXPECT_NE(address.error().message().find(why), std::string::npos) << server << ": " << address.error().message();
  }
}

TEST(ServerAddress, NeverShowsAPassword) {
  EXPECT_EQ(without_password("https://user:secret@a:6443/x"), "https://***@a:6443/x");
  EXPECT_EQ(without_password("user:secret@a"), "***@a");
  EXPECT_EQ(without_password("https://a/x@y"), "https://a/x@y");
  const auto bad = parse_server_address(endpoint_of("https://user:secret@a:0"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message().find("secret"), std::string::npos) << bad.error().message();
}

TEST(ServerAddress, KnowsWhatIsOnThisMachine) {
  EXPECT_TRUE(parse_server_address(endpoint_of("https://localhost:1"))->is_loopback());
  EXPECT_TRUE(parse_server_address(endpoint_of("https://127.0.0.1"))->is_loopback());
  EXPECT_TRUE(parse_server_address(endpoint_of("https://[::1]"))->is_loopback());
  EXPECT_FALSE(parse_server_address(endpoint_of("https://10.0.0.1"))->is_loopback());
}

}  // namespace
}  // namespace berth::client
