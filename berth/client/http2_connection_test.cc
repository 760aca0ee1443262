// A host with several addresses: whatever goes wrong at one before the server has said that it takes requests, the next
// one is tried. Without the wire around the connection, since only here a test can say which addresses there are.
#include "berth/client/http2_connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/client/clock.h"
#include "berth/client/test_certificates.h"
#include "berth/client/test_http2_fixture.h"
#include "berth/client/test_http2_server.h"
#include "berth/client/test_listener.h"
#include "berth/client/tls_context.h"

namespace berth::client {
namespace {

using State = Http2Connection::State;

SocketAddress loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  SocketAddress result;
  std::memcpy(&result.storage, &address, sizeof(address));
  result.size = sizeof(address);
  return result;
}

class Http2ConnectionTest : public Http2Test {
 protected:
  ~Http2ConnectionTest() override { std::signal(SIGPIPE, before_); }

  std::unique_ptr<Http2Connection> connection_to(SocketAddresses addresses) {
    auto identity = std::make_shared<Identity>();
    identity->ca = authority_.certificate();
    auto context = make_tls_context(*identity, false);
    EXPECT_TRUE(context);
    return std::make_unique<Http2Connection>(std::move(addresses), identity, *std::move(context), "127.0.0.1", news_);
  }
  static void move_bytes(Http2Connection& connection) {
    connection.flush();
    pollfd file{.fd = connection.fd(), .events = connection.wanted_events(), .revents = 0};
    if (!connection.has_more()) ::poll(&file, 1, -1);
    connection.ready(file.revents, clock_now());
  }
  // Until it is known what becomes of it.
  static void connect(Http2Connection& connection) {
    while (connection.is_connecting()) move_bytes(connection);
  }
  // Opens a connection to two servers of which the second is good.
  void expect_second_is_reached(int bad_port) {
    TestHttp2Server good(certificate_, to_inbox());
    const auto connection = connection_to({loopback(bad_port), loopback(good.port())});
    connect(*connection);
    EXPECT_EQ(connection->state(), State::kOpen) << connection->error();
    EXPECT_EQ(good.connections(), 1U);
  }
  // Shakes hands and says this.
  auto says(std::string_view text) {
    return [this, text](int fd, std::size_t) {
      const Owned<SSL> tls(SSL_new(context_.get()));
      SSL_set_fd(tls.get(), fd);
      if (SSL_accept(tls.get()) == 1 && !text.empty()) {
        SSL_write(tls.get(), text.data(), static_cast<int>(text.size()));
      }
    };
  }

  // This thread has not blocked its signals.
  void (*const before_)(int) = std::signal(SIGPIPE, SIG_IGN);
  const Owned<SSL_CTX> context_ = make_test_tls_context(certificate_, "", "h2");
  WireNews news_;
};

TEST_F(Http2ConnectionTest, TheNextAddressIsTriedIfOneHangsUpWithoutShakingHands) {
  TestListener bad([](int, std::size_t) {});
  expect_second_is_reached(bad.port());
}

TEST_F(Http2ConnectionTest, TheNextAddressIsTriedIfOneHasTheWrongCertificate) {
  TestHttp2Server bad(TestAuthority("another CA").issue("server", "IP:127.0.0.1"), to_inbox());
  expect_second_is_reached(bad.port());
}

TEST_F(Http2ConnectionTest, TheNextAddressIsTriedIfOneHangsUpAfterShakingHands) {
  TestListener bad(says(""));
  expect_second_is_reached(bad.port());
}

TEST_F(Http2ConnectionTest, TheNextAddressIsTriedIfOneDoesNotFollowTheProtocol) {
  TestListener bad(says("SSH-2.0-OpenSSH_9.2p1 and so on, which is no frame of HTTP/2"));
  expect_second_is_reached(bad.port());
}

// The wire gives up an address when its time is over, whatever has happened there.
TEST_F(Http2ConnectionTest, ABrokenConnectionToOneAddressDoesNotBreakTheNext) {
  TestListener resets([this](int fd, std::size_t) {
    const Owned<SSL> tls(SSL_new(context_.get()));
    SSL_set_fd(tls.get(), fd);
    SSL_accept(tls.get());
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  });
  TestHttp2Server good(certificate_, to_inbox());
  const auto connection = connection_to({loopback(resets.port()), loopback(good.port())});
  while (connection->state() != State::kGreeting) move_bytes(*connection);
  pollfd hung_up{.fd = connection->fd(), .events = 0, .revents = 0};
  ::poll(&hung_up, 1, -1);
  connection->flush();  // which fails
  ASSERT_TRUE(connection->try_next_address("it takes too long"));
  EXPECT_FALSE(connection->has_more());
  connect(*connection);
  EXPECT_EQ(connection->state(), State::kOpen) << connection->error();
}

TEST_F(Http2ConnectionTest, TheErrorIsThatOfTheLastAddress) {
  TestListener bad([](int, std::size_t) {});
  TestHttp2Server stranger(TestAuthority("another CA").issue("server", "IP:127.0.0.1"), to_inbox());
  const auto connection = connection_to({loopback(bad.port()), loopback(stranger.port())});
  connect(*connection);
  EXPECT_EQ(connection->state(), State::kClosed);
  EXPECT_NE(connection->error().find("TLS handshake: cannot verify server certificate"), std::string::npos)
      << connection->error();
}

}  // namespace
}  // namespace berth::client
