#include "berth/serve/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <stdexcept>
#include <thread>
#include <utility>

#include "berth/serve/guard.h"
#include "berth/serve/routes.h"
#include "berth/serve/testing.h"

namespace berth::serve {

namespace {

using testing::Client;
using testing::fetch;
using testing::Fetched;
using testing::StubReviews;
using testing::TestAuthority;

// The client checks by the machine's clock.
Instant machine_now() {
  return Instant::from_unix_seconds(static_cast<std::int64_t>(std::time(nullptr)));
}

KeyPair self_signed() {
  return make_self_signed({.host_name = "berth-test", .addresses = {}, .now = machine_now()}).value();
}

ServerOptions on_loopback() {
  ServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  return options;
}

std::unique_ptr<HttpsServer> serve_with(Handler handler, const ServerOptions& options = on_loopback()) {
  return HttpsServer::start(options, CertificateSource::fixed(self_signed()).value(), std::move(handler)).value();
}

// A client that connects and says nothing.
class SilentClient {
 public:
  explicit SilentClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr any{};
    std::memcpy(&any, &address, sizeof(any));
    EXPECT_EQ(::connect(fd_, &any, sizeof(any)), 0);
  }
  SilentClient(SilentClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  SilentClient& operator=(SilentClient&&) = delete;
  ~SilentClient() {
    if (fd_ >= 0) ::close(fd_);
  }
  void send(std::string_view bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // Waits until the server ends the connection.
  bool is_closed_by_server() const {
    char byte = 0;
    return ::recv(fd_, &byte, 1, 0) <= 0;
  }

 private:
  int fd_;
};

TEST(HttpsServer, AnswersWithASelfSignedCertificate) {
  const KeyPair pair = self_signed();
  const auto server = HttpsServer::start(on_loopback(), CertificateSource::fixed(pair).value(), [](const Call& call) {
                        return Reply::text(call.method + " " + call.path + " from " + call.remote_address);
                      }).value();
  const Fetched reply = fetch(server->port(), "/a%20b?x=1", {.server_ca = pair.certificates});
  EXPECT_EQ(reply.error, "");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "GET /a b from 127.0.0.1");
  EXPECT_NE(fetch(server->port(), "/", {.server_ca = self_signed().certificates}).error, "");
}

TEST(HttpsServer, KeepsConnectionsAndReadsBodies) {
  const auto server = serve_with([](const Call& call) { return Reply::text(call.method + ":" + call.body); });
  Client client;
  EXPECT_EQ(client.fetch(server->port(), "/", {.method = "PUT", .body = "5"}).body, "PUT:5");
  EXPECT_EQ(client.new_connections(), 1);
  EXPECT_EQ(client.fetch(server->port(), "/").body, "GET:");
  EXPECT_EQ(client.new_connections(), 0);
  const Fetched head = client.fetch(server->port(), "/", {.method = "HEAD"});
  EXPECT_EQ(head.body, "");
  EXPECT_NE(head.headers.find("Content-Length: 5"), std::string::npos);
}

TEST(HttpsServer, SaysWhatTimeItIs) {
  ServerOptions options = on_loopback();
  options.now = [] { return Instant::parse("2026-11-16T19:54:18Z").value(); };
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); }, options);
  constexpr std::string_view kDate = "\r\nDate: Mon, 16 Nov 2026 19:54:18 GMT\r\n";
  EXPECT_NE(fetch(server->port(), "/").headers.find(kDate), std::string::npos);
  const Fetched refused = fetch(server->port(), "/", {.method = "PUT", .body = std::string(100'000, 'x')});
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.headers.find(kDate), std::string::npos);
}

TEST(HttpsServer, SendsLargeAnswersWhole) {
  const std::string large(5'000'000, 'x');
  const auto server = serve_with([&](const Call&) { return Reply::text(large); });
  EXPECT_EQ(fetch(server->port(), "/").body.size(), large.size());
}

TEST(HttpsServer, RefusesWhatIsTooLarge) {
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); });
  EXPECT_EQ(fetch(server->port(), "/", {.method = "PUT", .body = std::string(100'000, 'x')}).status, 413);
  EXPECT_EQ(fetch(server->port(), "/" + std::string(100'000, 'x')).status, 431);
  EXPECT_EQ(fetch(server->port(), "/").status, 200);
}

TEST(HttpsServer, SurvivesAHandlerThatThrows) {
  const auto server = serve_with([](const Call&) -> Reply { throw std::runtime_error("bad"); });
  EXPECT_EQ(fetch(server->port(), "/").status, 500);
}

TEST(HttpsServer, HasTheTlsVersionsThatWereAskedFor) {
  ServerOptions options = on_loopback();
  options.tls.min_version = "VersionTLS13";
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); }, options);
  EXPECT_EQ(fetch(server->port(), "/").body, "ok");
  EXPECT_NE(fetch(server->port(), "/", {.max_tls = CURL_SSLVERSION_MAX_TLSv1_2}).error, "");
}

TEST(HttpsServer, HasTheCipherSuitesThatWereAskedFor) {
  ServerOptions options = on_loopback();
  options.tls.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"};
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); }, options);
  EXPECT_EQ(fetch(server->port(), "/", {.max_tls = CURL_SSLVERSION_MAX_TLSv1_2}).body, "ok");
}

TEST(TlsOptions, RefuseUnknownNames) {
  EXPECT_EQ(check_tls_options({.min_version = "TLS1", .cipher_suites = {}}).error().message(),
            "unknown tls version \"TLS1\"");
  EXPECT_EQ(check_tls_options({.min_version = "", .cipher_suites = {"TLS_FOO"}}).error().message(),
            "Cipher suite TLS_FOO not supported or doesn't exist");
  EXPECT_TRUE(check_tls_options({.min_version = "VersionTLS12", .cipher_suites = {"TLS_AES_128_GCM_SHA256"}}));
}

TEST(HttpsServer, SaysWhyItCannotListen) {
  const auto server = serve_with([](const Call&) { return Reply(); });
  ServerOptions taken = on_loopback();
  taken.port = server->port();
  const auto second =
      HttpsServer::start(taken, CertificateSource::fixed(self_signed()).value(), [](const Call&) { return Reply(); });
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message().find("Address already in use"), std::string::npos);
  ServerOptions wrong = on_loopback();
  wrong.bind_address = "localhost";
  EXPECT_FALSE(
      HttpsServer::start(wrong, CertificateSource::fixed(self_signed()).value(), [](const Call&) { return Reply(); }));
}

TEST(HttpsServer, UsesRotatedFilesForNewConnections) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "berth_rotation";
  std::filesystem::create_directories(folder);
  const auto write = [&](const KeyPair& pair) {
    std::ofstream(folder / "new.key") << pair.key;
    std::ofstream(folder / "new.crt") << pair.certificates;
    std::filesystem::rename(folder / "new.key", folder / "tls.key");
    std::filesystem::rename(folder / "new.crt", folder / "tls.crt");
  };
  const KeyPair first = self_signed();
  const KeyPair second = self_signed();
  write(first);
  auto source = CertificateSource::files(folder / "tls.crt", folder / "tls.key").value();
  const auto server = HttpsServer::start(on_loopback(), source, [](const Call&) { return Reply::text("ok"); }).value();
  EXPECT_EQ(fetch(server->port(), "/", {.server_ca = first.certificates}).body, "ok");
  write(second);
  EXPECT_EQ(fetch(server->port(), "/", {.server_ca = second.certificates}).body, "ok");
  EXPECT_NE(fetch(server->port(), "/", {.server_ca = first.certificates}).error, "");
  std::filesystem::remove_all(folder);
}

TEST(HttpsServer, AnswersWhileSilentClientsHoldEveryConnection) {
  ServerOptions options = on_loopback();
  options.limits.connections = 4;
  options.limits.handshake = Duration::hours(1);
  options.limits.idle = Duration::hours(1);
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); }, options);
  std::vector<SilentClient> silent;
  for (int i = 0; i < 12; ++i) silent.emplace_back(server->port());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fetch(server->port(), "/healthz").body, "ok");
  EXPECT_TRUE(silent.front().is_closed_by_server()) << "the one that waited longest made room";
}

TEST(HttpsServer, PrefersNewClientsToIdleOnes) {
  ServerOptions options = on_loopback();
  options.limits.connections = 2;
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); }, options);
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 5; ++i) {
    idle.push_back(std::make_unique<Client>());
    EXPECT_EQ(idle.back()->fetch(server->port(), "/").body, "ok");
  }
  EXPECT_EQ(idle.front()->fetch(server->port(), "/").body, "ok") << "it connects anew";
}

TEST(HttpsServer, GivesUpOnAClientThatIsTooSlow) {
  ServerOptions options = on_loopback();
  options.limits.handshake = Duration::milliseconds(20);
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); }, options);
  const SilentClient client(server->port());
  client.send("\x16");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(HttpsServer, LetsCallsUnderWayFinishWhenItStops) {
  std::latch entered(1);
  std::promise<void> release;
  const auto server = serve_with([&, released = release.get_future().share()](const Call&) {
    entered.count_down();
    released.wait();
    return Reply::text("late");
  });
  const std::uint16_t port = server->port();
  auto slow = std::async(std::launch::async, [port] { return fetch(port, "/"); });
  entered.wait();
  std::thread stopper([&] { server->stop(Duration::minutes(1)); });
  release.set_value();
  EXPECT_EQ(slow.get().body, "late");
  stopper.join();
  EXPECT_NE(fetch(port, "/").error, "") << "nobody listens any more";
}

TEST(HttpsServer, EndsSilentConnectionsWhenItStops) {
  const auto server = serve_with([](const Call&) { return Reply::text("ok"); });
  const SilentClient client(server->port());
  EXPECT_EQ(fetch(server->port(), "/").body, "ok");
  server->stop(Duration::minutes(1));
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST(HttpsServer, ServesManyAtOnce) {
  std::atomic<int> calls = 0;
  const auto server = serve_with([&](const Call&) { return Reply::text(std::to_string(++calls)); });
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Client client;
      for (int k = 0; k < 10; ++k) good += client.fetch(server->port(), "/").status == 200;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 80);
  EXPECT_EQ(calls, 80);
}

// --- Behind the gate -------------------------------------------------------------------------------------------------

class GuardedServer : public ::testing::Test {
 protected:
  GuardedServer() {
    reviews_.answer = [](const std::string& path, const std::string& body) -> Result<std::string> {
      const auto has = [&body](std::string_view text) { return body.find(text) != std::string::npos; };
      if (path.ends_with("tokenreviews")) {
        if (!has(R"("token":"prometheus")")) return std::string(R"({"status":{"authenticated":false}})");
        return std::string(R"({"status":{"authenticated":true,"user":{"username":"prometheus"}}})");
      }
      return std::string(has(R"("user":"prometheus")") || has(R"("groups":["readers",)")
                             ? R"({"status":{"allowed":true}})"
                             : R"({"status":{"allowed":false}})");
    };
    EXPECT_TRUE(authenticator_.set_trust({.client_ca = clients_.pem()}));
    routes_.add("/healthz", [](const Call&) { return Reply::text("ok"); });
    routes_.add("/metrics", [](const Call&) { return Reply::text("numbers"); });
    server_ = serve_with(guarded(authenticator_, authorizer_, routes_));
  }
  long status(const std::string& path, const testing::FetchOptions& options = {}) {
    return fetch(server_->port(), path, options).status;
  }

  StubReviews reviews_;
  TestAuthority clients_{"clients"};
  Authenticator authenticator_{{.now = machine_now}, &reviews_};
  Authorizer authorizer_{{.now = machine_now}, &reviews_};
  Routes routes_;
  std::unique_ptr<HttpsServer> server_;
};

TEST_F(GuardedServer, ShowsStrangersHealthOnly) {
  EXPECT_EQ(status("/healthz"), 200);
  EXPECT_EQ(status("/metrics"), 403);
  EXPECT_EQ(status("/healthz/../metrics"), 403);
  EXPECT_EQ(status("//metrics"), 403);
  EXPECT_EQ(status("/%6detrics"), 403);
  EXPECT_EQ(status("/nothing"), 403);
  EXPECT_NE(fetch(server_->port(), "/metrics").body.find(R"(User \"system:anonymous\" cannot get path \"/metrics\")"),
            std::string::npos);
}

TEST_F(GuardedServer, KnowsClientsByTheirCertificate) {
  EXPECT_EQ(status("/metrics", {.client = clients_.issue({"jane", {"readers"}})}), 200);
  EXPECT_EQ(status("/metrics", {.client = clients_.issue({"admin", {"system:masters"}})}), 200);
  EXPECT_EQ(status("/metrics", {.client = clients_.issue({"joe", {}})}), 403);
  EXPECT_EQ(status("/metrics", {.client = TestAuthority("others").issue({"admin", {"system:masters"}})}), 401);
}

TEST_F(GuardedServer, KnowsClientsByTheirToken) {
  EXPECT_EQ(status("/metrics", {.headers = {"Authorization: Bearer prometheus"}}), 200);
  EXPECT_EQ(status("/metrics", {.headers = {"Authorization: Bearer prometheus"}}), 200);
  EXPECT_EQ(reviews_.bodies().size(), 2u) << "one question about the token and one about the right";
  EXPECT_EQ(status("/metrics", {.headers = {"Authorization: Bearer wrong"}}), 401);
}

}  // namespace

}  // namespace berth::serve
