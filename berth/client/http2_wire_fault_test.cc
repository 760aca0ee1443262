// What goes wrong between the HTTP/2 wire and its server: who is told what, and what is sent again. Requests that the
// server may have acted on never are.
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/client/clock.h"
#include "berth/client/http2_wire.h"
#include "berth/client/server_address.h"
#include "berth/client/test_http2_fixture.h"
#include "berth/client/test_http2_server.h"
#include "berth/client/test_listener.h"
#include "berth/client/test_requests.h"
#include "berth/client/timer_queue.h"
#include "berth/client/transfer.h"
#include "berth/client/wakeup_fd.h"
#include "berth/client/wire.h"

namespace berth::client {
namespace {

using Http2FaultTest = Http2Test;

// --- Streams that the server ends ------------------------------------------------------------------------------------

TEST_F(Http2FaultTest, ARefusedRequestIsSentAgainWithItsWholeBody) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server);
  const std::string body(100'000, 'x');
  auto answer = begin(*loop, post_of("/binding", body));
  requests_.take().exchange.reset(NGHTTP2_REFUSED_STREAM);
  const Pending again = requests_.take();
  EXPECT_EQ(again.request.path, "/binding");
  EXPECT_TRUE(again.request.body == body);
  again.exchange.answer(201);
  EXPECT_EQ(answer.get().status, 201);
  EXPECT_EQ(requests_.size(), 0U);
}

TEST_F(Http2FaultTest, ARequestThatIsRefusedAgainAndAgainWasNotSent) {
  std::atomic<int> tries = 0;
  TestHttp2Server server(certificate_, {.on_request = [&](const Received&, const Exchange& exchange) {
                           ++tries;
                           exchange.reset(NGHTTP2_REFUSED_STREAM);
                         }});
  const auto loop = loop_to_server(server);
  const Response response = ask(*loop, post_of("/", "{}"));
  EXPECT_EQ(response.transfer, How::kNotSent);
  EXPECT_NE(response.error.find("REFUSED_STREAM"), std::string::npos) << response.error;
  EXPECT_EQ(tries, 4);
}

TEST_F(Http2FaultTest, ARequestThatTheServerGaveUpIsBrokenAndNotSentAgain) {
  std::atomic<int> tries = 0;
  TestHttp2Server server(certificate_, {.on_request = [&](const Received& request, const Exchange& exchange) {
                           ++tries;
                           if (request.path == "/cancel") exchange.reset(NGHTTP2_CANCEL);
                           if (request.path == "/error") exchange.reset(NGHTTP2_INTERNAL_ERROR);
                           if (request.path == "/no-error") exchange.reset(NGHTTP2_NO_ERROR);
                         }});
  const auto loop = loop_to_server(server);
  for (const std::string path : {"/cancel", "/error", "/no-error"}) {
    const Response response = ask(*loop, post_of(path, "{}"));
    EXPECT_EQ(response.transfer, How::kBroken) << path;
    EXPECT_EQ(response.status, 0);
    EXPECT_EQ(response.body, "");
    EXPECT_NE(response.error.find("stream reset by the server"), std::string::npos) << response.error;
  }
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(Http2FaultTest, ARequestWhoseAnswerHasBegunIsNotSentAgainWhateverTheServerSays) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server);
  Stream stream;
  std::promise<void> begun;
  StreamHandler handler = stream.handler();
  handler.on_begin = [&](int) { begun.set_value(); };
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), handler); });
  const Exchange exchange = requests_.take().exchange;
  exchange.begin();
  begun.get_future().wait();
  exchange.reset(NGHTTP2_REFUSED_STREAM);
  EXPECT_EQ(stream.end.get_future().get().transfer, How::kBroken);
  EXPECT_EQ(requests_.size(), 0U);
}

TEST_F(Http2FaultTest, ABrokenStreamEndsAfterItsPieces) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server);
  Stream stream;
  std::promise<void> came;
  StreamHandler handler = stream.handler();
  handler.on_piece = [&](std::string_view piece) {
    stream.pieces += piece;
    came.set_value();
  };
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), handler); });
  const Exchange exchange = requests_.take().exchange;
  exchange.begin();
  exchange.piece("half");
  came.get_future().wait();
  exchange.cut();
  EXPECT_EQ(stream.end.get_future().get().transfer, How::kBroken);
  EXPECT_EQ(stream.pieces, "half");
}

// --- Servers that go away --------------------------------------------------------------------------------------------

TEST_F(Http2FaultTest, ARequestThatAServerGoingAwayDidNotLookAtTakesANewConnection) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server);
  auto answer = begin(*loop, post_of("/binding", "{}"));
  requests_.take().exchange.go_away(false);
  const Pending again = requests_.take();
  EXPECT_EQ(again.request.connection, 2U);
  EXPECT_EQ(again.request.body, "{}");
  again.exchange.answer(201);
  EXPECT_EQ(answer.get().status, 201);
}

TEST_F(Http2FaultTest, AServerGoingAwayFinishesWhatItHasAndNewRequestsTakeANewConnection) {
  Inbox<std::size_t> closed;
  Listeners listeners = to_inbox();
  listeners.on_closed = [&](std::size_t connection) { closed.put(connection); };
  TestHttp2Server server(certificate_, listeners);
  const auto loop = loop_to_server(server);
  Stream watch;
  std::promise<void> heard;
  StreamHandler handler = watch.handler();
  handler.on_begin = [&](int) { heard.set_value(); };
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), handler); });
  const Pending old = requests_.take();
  old.exchange.go_away(true);
  old.exchange.begin();
  heard.get_future().wait();  // and of the farewell before it

  auto answer = begin(*loop, request_for("/"));
  const Pending next = requests_.take();
  EXPECT_EQ(next.request.connection, 2U);
  next.exchange.answer(200);
  EXPECT_TRUE(answer.get().is_success());

  old.exchange.piece("event");
  old.exchange.end();
  EXPECT_TRUE(watch.end.get_future().get().is_success());
  EXPECT_EQ(watch.pieces, "event");
  EXPECT_EQ(closed.take(), 1U);
}

TEST_F(Http2FaultTest, ACancelOfTheLastRequestClosesTheConnectionOfAServerGoingAway) {
  Inbox<std::size_t> closed;
  Listeners listeners = to_inbox();
  listeners.on_closed = [&](std::size_t connection) { closed.put(connection); };
  TestHttp2Server server(certificate_, listeners);
  const auto loop = loop_to_server(server, {.max_connections = 1});
  Stream watch;
  std::promise<void> heard;
  StreamHandler handler = watch.handler();
  handler.on_begin = [&](int) { heard.set_value(); };
  const RequestId id = on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), handler); });
  const Pending old = requests_.take();
  old.exchange.go_away(true);
  old.exchange.begin();
  heard.get_future().wait();
  on_loop(*loop, [&] {
    loop->cancel(id);
    return 0;
  });
  EXPECT_EQ(closed.take(), 1U);
  auto answer = begin(*loop, request_for("/"));
  requests_.take().exchange.answer(200);
  EXPECT_TRUE(answer.get().is_success());
}

// --- Connections that end --------------------------------------------------------------------------------------------

TEST_F(Http2FaultTest, NeverSendsARequestTwiceWhoseConnectionDied) {
  std::atomic<int> posts = 0;
  TestHttp2Server server(certificate_, {.on_request = [&](const Received& request, const Exchange& exchange) {
                           if (request.path == "/binding") {
                             ++posts;
                             exchange.cut();  // it was acted upon, but nobody hears of it
                           } else {
                             exchange.answer(200);
                           }
                         }});
  const auto loop = loop_to_server(server);
  ASSERT_TRUE(get(*loop).is_success());
  EXPECT_EQ(ask(*loop, post_of("/binding", "{}")).transfer, How::kBroken);
  EXPECT_EQ(posts, 1);
  // The next one goes its way.
  EXPECT_TRUE(ask(*loop, post_of("/other", "{}")).is_success());
  EXPECT_EQ(server.connections(), 2U);
}

TEST_F(Http2FaultTest, AServerThatDoesNotFollowTheProtocolIsLeftAtOnce) {
  const struct {
    std::string bytes;
    std::string name;
  } kCases[] = {
      {std::string(9, '\0'), "an empty DATA frame of no stream"},
      {std::string("\x00\x00\x01\x05\x04\x00\x00\x00\x02x", 10), "a push that was forbidden"},
      {std::string("\xff\xff\xff\x00\x00\x00\x00\x00\x01", 9), "a frame of 16 MB"},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "another protocol"},
  };
  for (const auto& [bytes, name] : kCases) {
    TestHttp2Server server(certificate_, to_inbox());
    const auto loop = loop_to_server(server);
    auto answer = begin(*loop, request_for("/"));
    const Exchange exchange = requests_.take().exchange;
    exchange.talk_nonsense(bytes);
    EXPECT_EQ(answer.get().transfer, How::kBroken) << name;
    auto next = begin(*loop, request_for("/next"));
    const Pending pending = requests_.take();
    EXPECT_EQ(pending.request.connection, 2U) << name;
    pending.exchange.answer(200);
    EXPECT_TRUE(next.get().is_success()) << name;
  }
}

// --- Connections that never were -------------------------------------------------------------------------------------

TEST_F(Http2FaultTest, SaysThatARefusedConnectionSentNothing) {
  const ClosedPort nobody;
  const auto loop = loop_to(endpoint("https://127.0.0.1:" + std::to_string(nobody.port())));
  for (int i = 0; i < 2; ++i) {
    const Response response = ask(*loop, post_of("/", "{}"));
    EXPECT_EQ(response.transfer, How::kNotSent);
    EXPECT_EQ(response.error, "127.0.0.1:" + std::to_string(nobody.port()) + ": cannot connect: Connection refused");
  }
}

TEST_F(Http2FaultTest, SaysThatAnUnknownHostWasSentNothing) {
  const auto loop = loop_to(endpoint("https://berth.invalid:6443"));
  const Response response = get(*loop);
  EXPECT_EQ(response.transfer, How::kNotSent);
  EXPECT_NE(response.error.find("cannot resolve host berth.invalid"), std::string::npos) << response.error;
}

TEST_F(Http2FaultTest, SaysWhatIsWrongWithTheServersCertificate) {
  TestHttp2Server server(certificate_, to_inbox());
  Endpoint stranger = endpoint(server.url());
  stranger.tls.ca.text = TestAuthority("another CA").certificate();
  const Response distrusted = ask(*loop_to(stranger), post_of("/", "{}"));
  EXPECT_EQ(distrusted.transfer, How::kNotSent);
  EXPECT_NE(distrusted.error.find("TLS handshake: cannot verify server certificate"), std::string::npos)
      << distrusted.error;

  for (const std::string name : {"kubernetes", "10.0.0.1"}) {
    Endpoint renamed = endpoint(server.url());
    renamed.tls.server_name = name;
    const Response mistaken = ask(*loop_to(renamed), post_of("/", "{}"));
    EXPECT_EQ(mistaken.transfer, How::kNotSent);
    EXPECT_NE(mistaken.error.find("mismatch"), std::string::npos) << mistaken.error;
  }
  EXPECT_EQ(requests_.size(), 0U);
}

TEST_F(Http2FaultTest, SaysThatNothingWasSentToAServerThatRefusesAllWithoutACertificate) {
  TestHttp2Server server(certificate_, to_inbox(),
                         {.client_ca = authority_.certificate(), .needs_client_certificate = true});
  const Response response = ask(*loop_to_server(server), post_of("/", "{}"));
  EXPECT_EQ(response.transfer, How::kNotSent);
  EXPECT_NE(response.error.find("certificate required"), std::string::npos) << response.error;
}

TEST_F(Http2FaultTest, GivesUpAServerThatDoesNotShakeHands) {
  TestListener listener([](int fd, std::size_t) {
    char byte = 0;
    while (::recv(fd, &byte, 1, 0) > 0) {
    }
  });
  const auto loop = loop_to(endpoint("https://127.0.0.1:" + std::to_string(listener.port())),
                            {.connect_timeout = Duration::milliseconds(50)});
  const Response response = ask(*loop, post_of("/", "{}"));
  EXPECT_EQ(response.transfer, How::kNotSent);
  EXPECT_NE(response.error.find("connect timed out after 50ms"), std::string::npos) << response.error;
}

TEST_F(Http2FaultTest, GivesUpAServerThatShakesHandsAndSaysNothing) {
  const Owned<SSL_CTX> context = make_test_tls_context(certificate_, "", "h2");
  TestListener listener([&](int fd, std::size_t) {
    const Owned<SSL> tls(SSL_new(context.get()));
    SSL_set_fd(tls.get(), fd);
    SSL_accept(tls.get());
    char byte = 0;
    while (SSL_read(tls.get(), &byte, 1) > 0) {
    }
  });
  const auto loop = loop_to(endpoint("https://127.0.0.1:" + std::to_string(listener.port())),
                            {.connect_timeout = Duration::milliseconds(100)});
  const Response response = ask(*loop, post_of("/", "{}"));
  EXPECT_EQ(response.transfer, How::kNotSent);
  EXPECT_NE(response.error.find("connect timed out after 100ms"), std::string::npos) << response.error;
}

// --- Silence ---------------------------------------------------------------------------------------------------------

TEST_F(Http2FaultTest, ARequestWhoseTimeIsOverIsBrokenAndTheServerHearsOfIt) {
  Inbox<std::uint32_t> resets;
  Listeners listeners = to_inbox();
  listeners.on_reset = [&](const std::string&, std::uint32_t code) { resets.put(code); };
  TestHttp2Server server(certificate_, listeners);
  const auto loop = loop_to_server(server);
  auto warm_up = begin(*loop, request_for("/"));
  requests_.take().exchange.answer(200);
  EXPECT_TRUE(warm_up.get().is_success());

  Request request = request_for("/slow");
  request.timeout = Duration::milliseconds(50);
  const Response response = ask(*loop, request);
  EXPECT_EQ(response.transfer, How::kBroken);
  EXPECT_NE(response.error.find("request timed out after 50ms"), std::string::npos) << response.error;
  EXPECT_EQ(resets.take(), NGHTTP2_CANCEL);

  Stream stream;
  request.path = "/watch";
  request.timeout = Duration();
  request.idle_timeout = Duration::milliseconds(50);
  on_loop(*loop, [&] { return loop->start_stream(request, stream.handler()); });
  EXPECT_EQ(stream.end.get_future().get().transfer, How::kBroken);
  EXPECT_EQ(resets.take(), NGHTTP2_CANCEL);
}

TEST_F(Http2FaultTest, ADeadConnectionIsGivenUpAndTheNextRequestTakesANewOne) {
  Inbox<std::string> warnings;
  TestHttp2Server server(certificate_, {.on_request = [](const Received& request, const Exchange& exchange) {
                           if (request.connection == 1 && request.path == "/silent") {
                             exchange.fall_silent();
                           } else {
                             exchange.answer(200);
                           }
                         }});
  const auto loop = loop_to_server(server, {.silence_of_answers = Duration::milliseconds(50),
                                            .sign_of_life_timeout = Duration::milliseconds(200),
                                            .warn = [&](std::string_view text) { warnings.put(std::string(text)); }});
  EXPECT_TRUE(get(*loop).is_success());
  const Response response = ask(*loop, post_of("/silent", "{}"));
  EXPECT_EQ(response.transfer, How::kBroken);
  EXPECT_NE(response.error.find("connection timed out"), std::string::npos) << response.error;
  EXPECT_EQ(warnings.take(), server.authority() + ": connection timed out, reconnecting");
  EXPECT_TRUE(get(*loop).is_success());
  EXPECT_EQ(server.connections(), 2U);
}

TEST_F(Http2FaultTest, AConnectionWithNothingButAWatchIsGivenUpToo) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server, {.silence_of_answers = Duration::milliseconds(50),
                                            .silence_of_streams = Duration::milliseconds(100),
                                            .sign_of_life_timeout = Duration::milliseconds(50)});
  Stream stream;
  Request request = request_for("/watch");
  request.timeout = Duration();
  on_loop(*loop, [&] { return loop->start_stream(request, stream.handler()); });
  requests_.take().exchange.fall_silent();
  EXPECT_EQ(stream.end.get_future().get().transfer, How::kBroken);
}

TEST_F(Http2FaultTest, AServerThatAnswersPingsMayTakeItsTime) {
  Inbox<int> pings;
  Listeners listeners = to_inbox();
  listeners.on_ping = [&] { pings.put(1); };
  TestHttp2Server server(certificate_, listeners);
  // The time for an answer to a ping is what a busy machine may take; what is tested is that it is answered at all.
  const auto loop = loop_to_server(
      server, {.silence_of_answers = Duration::milliseconds(50), .sign_of_life_timeout = Duration::seconds(10)});
  auto answer = begin(*loop, request_for("/slow"));
  const Exchange exchange = requests_.take().exchange;
  for (int i = 0; i < 3; ++i) pings.take();  // a second one is sent only if the first was answered
  exchange.answer(200, "at last");
  EXPECT_EQ(answer.get().body, "at last");
  EXPECT_EQ(server.connections(), 1U);
}

// Both find out in the same turn that the connection is dead: the wire, and a request whose own time is over.
TEST_F(Http2FaultTest, ARequestMayBeForgottenWhenItsConnectionHasJustDied) {
  TestHttp2Server server(certificate_, {.on_request = [&](const Received& request, const Exchange& exchange) {
                           exchange.fall_silent();
                           requests_.put({.request = request, .exchange = exchange});
                         }});
  const Endpoint to = endpoint(server.url());
  const ServerAddress address = *parse_server_address(to);
  bool is_dead = false;
  const HttpLoop::Options options{.silence_of_answers = Duration::milliseconds(1),
                                  .sign_of_life_timeout = Duration::milliseconds(1),
                                  .warn = [&](std::string_view) { is_dead = true; }};
  TimerQueue timers;
  WireNews news;
  Http2Wire wire(to, address, options, timers, news, std::make_shared<WakeupFd>());
  auto identity = std::make_shared<Identity>();
  identity->ca = authority_.certificate();
  Transfer transfer;
  transfer.id = 1;
  transfer.request = request_for("/");
  transfer.identity = identity;
  transfer.started_at = clock_now();
  wire.send(transfer);
  const auto turn = [&] {
    wire.perform();
    wire.wait({}, Duration::milliseconds(1));
  };
  while (!is_dead) {
    turn();
    if (requests_.size() > 0) timers.run(clock_now());
  }
  EXPECT_EQ(wire.judge(transfer), How::kBroken);
  wire.forget(transfer);
  turn();
  EXPECT_TRUE(news.ended.empty());
}

}  // namespace
}  // namespace berth::client
