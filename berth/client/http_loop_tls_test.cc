// TLS and credentials of the real loop, against a server with certificates of the test's own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "berth/client/http_loop.h"
#include "berth/client/test_certificates.h"
#include "berth/client/test_folder.h"
#include "berth/client/test_requests.h"
#include "berth/client/test_server.h"

namespace berth::client {
namespace {

using Exchange = TestServer::Exchange;
using Received = TestServer::Received;

class TlsTest : public testing::Test {
 protected:
  static void show(const Received& request, Exchange& exchange) {
    exchange.answer(200, request.client_name + "|" + request.header("Authorization") + "|" + request.header("Host"));
  }

  TestAuthority authority_;
  TestServer server_{show, authority_.issue("server", "IP:127.0.0.1"), authority_.certificate()};

  Endpoint endpoint() const {
    Endpoint result;
    result.server = server_.url();
    result.tls.ca.text = authority_.certificate();
    return result;
  }
  std::string host() const { return "127.0.0.1:" + std::to_string(server_.port()); }
};

TEST_F(TlsTest, TrustsTheGivenAuthorityOnly) {
  EXPECT_EQ(get(*loop_to(endpoint())).body, "||" + host());

  Endpoint stranger = endpoint();
  stranger.tls.ca.text = TestAuthority("another CA").certificate();
  const Response refused = get(*loop_to(stranger));
  EXPECT_EQ(refused.transfer, Response::Transfer::kNotSent);
  EXPECT_NE(refused.error.find("certificate"), std::string::npos) << refused.error;

  // One that cannot be read does not hide those after it.
  stranger.tls.ca.text = "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n" +
                         authority_.certificate() + "-----BEGIN CERTIFICATE-----\ntorn";
  EXPECT_EQ(get(*loop_to(stranger)).body, "||" + host());

  stranger.tls.ca = {};
  EXPECT_EQ(get(*loop_to(stranger)).transfer, Response::Transfer::kNotSent);
  stranger.tls.insecure_skip_verify = true;
  EXPECT_TRUE(get(*loop_to(stranger)).is_success());
}

TEST_F(TlsTest, ChecksTheNameThatIsAskedFor) {
  TestServer server(show, authority_.issue("server", "DNS:kubernetes"), "");
  Endpoint by_address = endpoint();
  by_address.server = server.url();
  EXPECT_EQ(get(*loop_to(by_address)).transfer, Response::Transfer::kNotSent);
  by_address.tls.server_name = "kubernetes";
  const Response response = get(*loop_to(by_address));
  // The server still sees whom the URL names.
  EXPECT_EQ(response.body, "||127.0.0.1:" + std::to_string(server.port())) << response.error;
}

TEST_F(TlsTest, ShowsItsCertificateAndTheNewOneAfterRotation) {
  const TestFolder folder;
  std::atomic<bool> is_old_refused = false;
  TestServer server(
      [&](const Received& request, Exchange& exchange) {
        const bool is_refused = is_old_refused && request.client_name == "old";
        exchange.answer(is_refused ? 401 : 200, request.client_name);
      },
      authority_.issue("server", "IP:127.0.0.1"), authority_.certificate());
  const TestCertificate old = authority_.issue("old");
  Endpoint with_files = endpoint();
  with_files.server = server.url();
  with_files.tls.client_certificate.file = folder.write("client.crt", old.certificate);
  with_files.tls.client_key.file = folder.write("client.key", old.key);
  const auto loop = loop_to(with_files);
  EXPECT_EQ(get(*loop).body, "old");

  const TestCertificate renewed = authority_.issue("new");
  folder.write("client.crt", renewed.certificate);
  folder.write("client.key", renewed.key);
  is_old_refused = true;
  EXPECT_EQ(get(*loop).body, "new");
}

TEST_F(TlsTest, ReadsATokenFileAgainWhenTheServerRefusesTheToken) {
  const TestFolder folder;
  std::mutex mutex;
  std::string accepted = "first";
  std::vector<std::string> seen;
  TestServer server(
      [&](const Received& request, Exchange& exchange) {
        const std::scoped_lock lock(mutex);
        seen.push_back(request.header("Authorization"));
        exchange.answer(seen.back() == "Bearer " + accepted ? 200 : 401, request.body);
      },
      authority_.issue("server", "IP:127.0.0.1"), "");
  Endpoint with_token = endpoint();
  with_token.server = server.url();
  with_token.credentials.token_file = folder.write("token", "first\n");
  const auto loop = loop_to(with_token);
  EXPECT_EQ(get(*loop).status, 200);
  {
    const std::scoped_lock lock(mutex);
    accepted = "second";
  }
  // The file is as before: there is nothing to try again with.
  EXPECT_EQ(get(*loop).status, 401);
  folder.write("token", "second");
  EXPECT_EQ(get(*loop).status, 200);
  EXPECT_EQ(seen, (std::vector<std::string>{"Bearer first", "Bearer first", "Bearer first", "Bearer second"}));
}

TEST_F(TlsTest, AStreamIsRetriedWithNewCredentialsToo) {
  const TestFolder folder;
  TestServer server(
      [](const Received& request, Exchange& exchange) {
        if (request.header("Authorization") != "Bearer new") {
          exchange.answer(401, "no");
          return;
        }
        exchange.begin();
        exchange.piece("event");
        exchange.end();
      },
      authority_.issue("server", "IP:127.0.0.1"), "");
  Endpoint with_token = endpoint();
  with_token.server = server.url();
  with_token.credentials.token_file = folder.write("token", "old");
  const auto loop = loop_to(with_token);
  folder.write("token", "new");
  std::vector<int> begun;
  std::string pieces;
  std::promise<int> end;
  loop->post([&] {
    loop->start_stream(request_for("/watch"), {.on_begin = [&](int status) { begun.push_back(status); },
                                               .on_piece = [&](std::string_view piece) { pieces += piece; },
                                               .on_end = [&](const Response& last) { end.set_value(last.status); }});
  });
  EXPECT_EQ(end.get_future().get(), 200);
  EXPECT_EQ(begun, std::vector{200});
  EXPECT_EQ(pieces, "event");
}

TEST_F(TlsTest, SendsPasswordsAndActsForOthers) {
  TestServer server([](const Received& request, Exchange& exchange) {
    exchange.answer(200, request.header("Authorization") + "|" + request.header("Impersonate-User") + "|" +
                             request.header("Impersonate-Uid") + "|" + request.header("Impersonate-Group") + "|" +
                             request.header("Impersonate-Extra-acme.com%2Fscopes"));
  });
  Endpoint plain;
  plain.server = server.url();
  plain.credentials.username = "admin";
  plain.credentials.password = "secret";
  plain.credentials.impersonation = {
      .user = "jane", .uid = "42", .groups = {"dev"}, .extra = {{"acme.com/scopes", {"view"}}}};
  EXPECT_EQ(get(*loop_to(plain)).body, "Basic YWRtaW46c2VjcmV0|jane|42|dev|view");
}

class PluginTest : public testing::Test {
 protected:
  // Counts its runs, and prints a token with the number.
  static constexpr std::string_view kPlugin = R"sh(#!/bin/sh
cd "$(dirname "$0")"
echo run >> runs
cat > /dev/null
echo "$KUBERNETES_EXEC_INFO" > info
cat <<EOF
{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
 "status": {"token": "$PREFIX-$(grep -c run runs)"}}
EOF
)sh";

  // Counts its runs, and prints what is in a file; fails if there is none.
  static constexpr std::string_view kPluginWithFile = R"sh(#!/bin/sh
cd "$(dirname "$0")"
echo run >> runs
exec cat answer 2> /dev/null
)sh";

  static std::string credential_json(const std::string& token) {
    return R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": ")" +
           token + R"("}})";
  }
  static std::string credential_json(const std::string& certificate, const std::string& key) {
    const auto quoted = [](std::string text) {
      for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n')) text.replace(at, 1, "\\n");
      return '"' + text + '"';
    };
    return R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": )" +
           fmt::format(R"({{"clientCertificateData": {}, "clientKeyData": {}}}}})", quoted(certificate), quoted(key));
  }

  Endpoint endpoint(const TestServer& server, std::string_view program) const {
    Endpoint result;
    result.server = server.url();
    ExecPlugin plugin;
    plugin.api_version = "client.authentication.k8s.io/v1";
    plugin.command = folder_.write_program("plugin", program);
    plugin.env = {{"PREFIX", "token"}};
    plugin.interactive = ExecPlugin::Interactive::kNever;
    plugin.provide_cluster_info = true;
    result.credentials.exec = plugin;
    return result;
  }

  TestFolder folder_;
};

TEST_F(PluginTest, RunsOnceForManyRequestsAndAgainWhenRefused) {
  std::mutex mutex;
  std::string accepted = "Bearer token-1";
  TestServer server([&](const Received& request, Exchange& exchange) {
    const std::scoped_lock lock(mutex);
    exchange.answer(request.header("Authorization") == accepted ? 200 : 401);
  });
  const auto loop = loop_to(endpoint(server, kPlugin));
  const auto ask_often = [&] {
    std::vector<std::promise<int>> statuses(5);
    loop->post([&] {
      for (auto& status : statuses) {
        loop->start(request_for("/"), [&](const Response& response) { status.set_value(response.status); });
      }
    });
    for (auto& status : statuses) EXPECT_EQ(status.get_future().get(), 200);
  };
  ask_often();
  EXPECT_EQ(folder_.read("runs"), "run\n");
  EXPECT_EQ(folder_.read("info"), R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
                                  R"("spec":{"cluster":{"server":")" +
                                      server.url() + R"("},"interactive":false}})" + "\n");
  {
    const std::scoped_lock lock(mutex);
    accepted = "Bearer token-2";
  }
  ask_often();
  EXPECT_EQ(folder_.read("runs"), "run\nrun\n");
}

TEST_F(PluginTest, FailsRequestsWithoutSendingThemIfThePluginFails) {
  TestServer server([](const Received&, Exchange& exchange) { exchange.answer(200); });
  const auto loop = loop_to(endpoint(server, "#!/bin/sh\nexit 3\n"));
  const Response response = get(*loop);
  EXPECT_EQ(response.transfer, Response::Transfer::kNotSent);
  EXPECT_NE(response.error.find("plugin' failed with exit code 3"), std::string::npos) << response.error;
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(PluginTest, ACertificateThatIsNotOfItsKeyIsAFailureOfThePlugin) {
  const TestAuthority authority;
  folder_.write("answer", credential_json(authority.issue("one").certificate, authority.issue("two").key));
  TestServer server([](const Received&, Exchange& exchange) { exchange.answer(200); });
  const auto loop = loop_to(endpoint(server, kPluginWithFile));
  const Response response = get(*loop);
  EXPECT_EQ(response.transfer, Response::Transfer::kNotSent);
  EXPECT_NE(response.error.find("plugin': client certificate and client key do not match"), std::string::npos)
      << response.error;
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(PluginTest, RunsAgainAfterAFailureHoweverOftenItIsAsked) {
  TestServer server([](const Received& request, Exchange& exchange) {
    exchange.answer(request.header("Authorization") == "Bearer good" ? 200 : 401);
  });
  const auto loop = loop_to(endpoint(server, kPluginWithFile));
  EXPECT_EQ(get(*loop).transfer, Response::Transfer::kNotSent) << "there is no answer yet";
  folder_.write("answer", credential_json("good"));
  Response response;
  while (!response.is_success()) response = get(*loop);
}

TEST_F(PluginTest, AnAnswerThatWasRefusedCountsAgainIfThePluginFails) {
  std::atomic<int> refusals_left = 0;
  TestServer server([&](const Received& request, Exchange& exchange) {
    const bool is_refused = refusals_left > 0 && refusals_left-- > 0;
    exchange.answer(is_refused ? 401 : 200, request.header("Authorization"));
  });
  folder_.write("answer", credential_json("old"));
  std::vector<std::string> warnings;
  const auto loop =
      loop_to(endpoint(server, kPluginWithFile), {.warn = [&](std::string_view text) { warnings.emplace_back(text); }});
  EXPECT_EQ(get(*loop).body, "Bearer old");

  std::filesystem::remove(folder_ / "answer");
  refusals_left = 1;
  EXPECT_EQ(get(*loop).body, "Bearer old");
  EXPECT_EQ(folder_.read("runs"), "run\nrun\n");
  EXPECT_EQ(get(*loop).body, "Bearer old") << "without another refusal";
  EXPECT_EQ(folder_.read("runs"), "run\nrun\n");
  EXPECT_EQ(on_loop(*loop, [&] { return warnings.size(); }), 1U);
}

TEST_F(PluginTest, IsAskedAgainWhenARefusedAnswerHadToCountAgain) {
  TestServer server([](const Received& request, Exchange& exchange) {
    exchange.answer(request.header("Authorization") == "Bearer good" ? 200 : 401);
  });
  folder_.write("answer", credential_json("bad"));
  const auto loop = loop_to(
      endpoint(server, "#!/bin/sh\ncd \"$(dirname \"$0\")\"\ncat answer 2> /dev/null\nrm answer 2> /dev/null\n"));
  EXPECT_EQ(get(*loop).status, 401) << "once with the answer, once more because there is no other";
  folder_.write("answer", credential_json("good"));
  Response response;
  while (!response.is_success()) response = get(*loop);
}

TEST_F(PluginTest, ARequestDoesNotWaitForThePluginBeyondItsTime) {
  TestServer server([](const Received&, Exchange& exchange) { exchange.answer(200); });
  // Ends when the loop does.
  auto loop = loop_to(endpoint(server, "#!/bin/sh\nexec tail -f /dev/null\n"));
  Request request;
  request.path = "/";
  request.timeout = Duration::milliseconds(30);
  std::promise<Response> end;
  loop->post([&] { loop->start(request, [&](Response response) { end.set_value(std::move(response)); }); });
  EXPECT_EQ(end.get_future().get().transfer, Response::Transfer::kNotSent);
  loop.reset();
}

}  // namespace
}  // namespace berth::client
