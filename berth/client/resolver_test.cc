#include "berth/client/resolver.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "berth/client/wakeup_fd.h"

namespace berth::client {
namespace {

std::string text_of(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.get());
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    return std::string(text.data()) + " " + std::to_string(ntohs(v6->sin6_port));
  }
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(address.get());
  ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
  return std::string(text.data()) + " " + std::to_string(ntohs(v4->sin_port));
}

// Blocks until the wakeup is signalled.
void wait_for(const WakeupFd& wakeup) {
  pollfd file{.fd = wakeup.fd(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&file, 1, -1), 1);
}

TEST(Resolver, KnowsAddressesAtOnce) {
  const struct {
    std::string host;
    std::string expected;
  } kCases[] = {{"10.0.0.1", "10.0.0.1 6443"}, {"::1", "::1 6443"}, {"2001:db8::7", "2001:db8::7 6443"}};
  for (const auto& [host, expected] : kCases) {
    Resolver resolver(host, "6443", std::make_shared<WakeupFd>());
    resolver.ask();
    const auto answer = resolver.take_answer();
    ASSERT_TRUE(answer && *answer) << host;
    ASSERT_EQ((*answer)->size(), 1U);
    EXPECT_EQ(text_of((*answer)->front()), expected);
  }
}

TEST(Resolver, RingsWhenItHasFoundAName) {
  const auto wakeup = std::make_shared<WakeupFd>();
  Resolver resolver("localhost", "443", wakeup);
  resolver.ask();
  EXPECT_TRUE(resolver.is_asking());
  wait_for(*wakeup);
  const auto answer = resolver.take_answer();
  ASSERT_TRUE(answer && *answer);
  ASSERT_FALSE((*answer)->empty());
  for (const SocketAddress& address : **answer) {
    const std::string text = text_of(address);
    EXPECT_TRUE(text == "127.0.0.1 443" || text == "::1 443") << text;
  }
}

TEST(Resolver, RingsWhenThereIsNoSuchNameAndSaysWhichOne) {
  const auto wakeup = std::make_shared<WakeupFd>();
  Resolver resolver("berth.invalid", "443", wakeup);
  resolver.ask();
  wait_for(*wakeup);
  const auto answer = resolver.take_answer();
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  EXPECT_TRUE(answer->error().message().starts_with("cannot resolve host berth.invalid: "))
      << answer->error().message();
}

TEST(Resolver, GivesAnAnswerOnceAndMayBeAskedAgain) {
  Resolver resolver("127.0.0.1", "1", std::make_shared<WakeupFd>());
  EXPECT_FALSE(resolver.is_asking());
  EXPECT_FALSE(resolver.take_answer());
  for (int i = 0; i < 2; ++i) {
    resolver.ask();
    EXPECT_TRUE(resolver.is_asking());
    EXPECT_TRUE(resolver.take_answer());
    EXPECT_FALSE(resolver.is_asking());
    EXPECT_FALSE(resolver.take_answer());
  }
}

TEST(Resolver, MayGoBeforeTheAnswerComes) {
  const auto wakeup = std::make_shared<WakeupFd>();
  {
    Resolver resolver("berth.invalid", "443", wakeup);
    resolver.ask();
  }
  wait_for(*wakeup);
}

}  // namespace
}  // namespace berth::client
