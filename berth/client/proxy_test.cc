#include "berth/client/proxy.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "berth/client/endpoint.h"
#include "berth/client/server_address.h"

namespace berth::client {
namespace {

std::string proxy(const std::string& server, const std::map<std::string, std::string>& environment) {
  Endpoint endpoint;
  endpoint.server = server;
  return proxy_of_environment(*parse_server_address(endpoint), [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

TEST(Proxy, TheEnvironmentNamesItByTheSchemeOfTheServer) {
  EXPECT_EQ(proxy("https://a", {{"HTTPS_PROXY", "s"}, {"HTTP_PROXY", "p"}}), "s");
  EXPECT_EQ(proxy("http://a", {{"HTTPS_PROXY", "s"}, {"HTTP_PROXY", "p"}}), "p");
  EXPECT_EQ(proxy("https://a", {{"https_proxy", "s"}}), "s");
  EXPECT_EQ(proxy("https://a", {{"https_proxy", "small"}, {"HTTPS_PROXY", "large"}}), "large");
  EXPECT_EQ(proxy("https://a", {{"HTTP_PROXY", "p"}}), "");
}

TEST(Proxy, VariablesThatGoDoesNotKnowDoNotCount) {
  EXPECT_EQ(proxy("https://a", {{"ALL_PROXY", "p"}, {"all_proxy", "p"}}), "");
}

TEST(Proxy, TheEnvironmentNamesNoneForThisMachine) {
  EXPECT_EQ(proxy("https://127.0.0.1:6443", {{"HTTPS_PROXY", "s"}}), "");
  EXPECT_EQ(proxy("http://localhost", {{"HTTP_PROXY", "p"}}), "");
}

TEST(Proxy, OfSocksLibcurlIsToldThatNamesAreNotLookedUpHere) {
  EXPECT_EQ(proxy_for_curl("socks5://user:secret@p:1080"), "socks5h://user:secret@p:1080");
  EXPECT_EQ(proxy_for_curl("http://p:3128"), "http://p:3128");
  EXPECT_EQ(proxy_for_curl("p:3128"), "p:3128");
}

}  // namespace
}  // namespace berth::client
