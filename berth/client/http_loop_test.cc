// The real loop against a server of the test's own. A test waits for what it has asked for, never for a time to pass.
#include "berth/client/http_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "berth/client/test_listener.h"
#include "berth/client/test_requests.h"
#include "berth/client/test_server.h"

namespace berth::client {
namespace {

using Exchange = TestServer::Exchange;
using Received = TestServer::Received;

TEST(HttpLoop, SendsARequestAndBringsTheAnswer) {
  TestServer server([](const Received& request, Exchange& exchange) {
    exchange.answer(201,
                    request.method + " " + request.path + " " + request.body + " " + request.header("Content-Type") +
                        " " + request.header("Accept") + " " + request.header("User-Agent") + " " +
                        request.header("X-Extra"),
                    {{"Retry-After", "7"}, {"X-Name", "value"}});
  });
  Endpoint endpoint;
  endpoint.server = server.url() + "/prefix/";
  const auto loop = loop_to(endpoint, {.user_agent = "berth/test"});
  Request request;
  request.method = Method::kPost;
  request.path = "/api/v1/pods?limit=1";
  request.body = "{}";
  request.content_type = "application/json";
  request.accept = "application/yaml";
  request.headers = {{"X-Extra", "yes"}};
  const Response response = ask(*loop, request);
  EXPECT_EQ(response.transfer, Response::Transfer::kComplete) << response.error;
  EXPECT_EQ(response.status, 201);
  EXPECT_TRUE(response.is_success());
  EXPECT_EQ(response.body, "POST /prefix/api/v1/pods?limit=1 {} application/json application/yaml berth/test yes");
  EXPECT_EQ(response.header("x-name"), "value");
  EXPECT_EQ(response.retry_after(), Duration::seconds(7));
}

TEST(HttpLoop, KnowsAllMethodsAndReusesOneConnection) {
  TestServer server([](const Received& request, Exchange& exchange) {
    exchange.answer(200, request.method + ":" + request.body + ":" + request.header("Content-Type"));
  });
  const auto loop = loop_to(server.url());
  const struct {
    Method method;
    std::string body;
    std::string expected;
  } kCases[] = {
      {Method::kGet, "", "GET::"},       {Method::kPost, "a", "POST:a:text/plain"},
      {Method::kPost, "", "POST::"},     {Method::kPut, "b", "PUT:b:text/plain"},
      {Method::kGet, "", "GET::"},       {Method::kPatch, "c", "PATCH:c:text/plain"},
      {Method::kDelete, "", "DELETE::"}, {Method::kDelete, "d", "DELETE:d:text/plain"},
      {Method::kGet, "", "GET::"},
  };
  for (const auto& [method, body, expected] : kCases) {
    Request request;
    request.method = method;
    request.path = "/";
    request.body = body;
    if (!body.empty()) request.content_type = "text/plain";
    EXPECT_EQ(ask(*loop, request).body, expected);
  }
  EXPECT_EQ(server.connections(), 1U);
}

TEST(HttpLoop, SendsABodyThatIsLargerThanAllBuffers) {
  TestServer server([](const Received& request, Exchange& exchange) { exchange.answer(200, request.body); });
  const auto loop = loop_to(server.url());
  Request request;
  request.method = Method::kPut;
  request.path = "/";
  for (int i = 0; request.body.size() < 3'000'000; ++i) request.body += std::to_string(i);
  EXPECT_EQ(ask(*loop, request).body, request.body);
}

TEST(HttpLoop, SaysThatARefusedConnectionSentNothing) {
  const ClosedPort nobody;
  const auto loop = loop_to("http://127.0.0.1:" + std::to_string(nobody.port()));
  const Response response = get(*loop);
  EXPECT_EQ(response.transfer, Response::Transfer::kNotSent);
  EXPECT_EQ(response.status, 0);
  EXPECT_NE(response.error.find("127.0.0.1"), std::string::npos) << response.error;
  EXPECT_EQ(response.error.find(" ms"), std::string::npos) << "differs each time: " << response.error;
}

TEST(HttpLoop, SaysThatAnUnknownHostWasSentNothing) {
  const auto loop = loop_to("http://berth.invalid:80");
  EXPECT_EQ(get(*loop).transfer, Response::Transfer::kNotSent);
}

TEST(HttpLoop, SaysThatAnAnswerCutInTheMiddleIsBroken) {
  TestServer server([](const Received&, Exchange& exchange) {
    exchange.send("HTTP/1.1 200 Ok\r\nContent-Length: 100\r\n\r\nnot all of it");
    exchange.cut();
  });
  const auto loop = loop_to(server.url());
  const Response response = get(*loop);
  EXPECT_EQ(response.transfer, Response::Transfer::kBroken);
  EXPECT_EQ(response.body, "");
  EXPECT_NE(response.error, "");
}

TEST(HttpLoop, NeverSendsABodyTwiceWhenAUsedConnectionDies) {
  std::atomic<int> posts = 0;
  TestServer server([&](const Received& request, Exchange& exchange) {
    if (request.method == "POST") {
      ++posts;
      exchange.cut();  // it was acted upon, but nobody hears of it
    } else {
      exchange.answer(200);
    }
  });
  const auto loop = loop_to(server.url());
  ASSERT_TRUE(get(*loop).is_success());
  Request request;
  request.method = Method::kPost;
  request.path = "/binding";
  request.body = "{}";
  request.content_type = "application/json";
  EXPECT_EQ(ask(*loop, request).transfer, Response::Transfer::kBroken);
  EXPECT_EQ(posts, 1);
  // The next one goes its way.
  EXPECT_TRUE(get(*loop).is_success());
  request.method = Method::kPut;
  EXPECT_TRUE(ask(*loop, request).is_success());
}

TEST(HttpLoop, EndsARequestWhenItsTimeIsOver) {
  TestServer server([](const Received&, Exchange& exchange) { exchange.wait_until_closed(); });
  const auto loop = loop_to(server.url());
  Request request;
  request.path = "/";
  request.timeout = Duration::milliseconds(30);
  const Response response = ask(*loop, request);
  EXPECT_EQ(response.transfer, Response::Transfer::kBroken);
  EXPECT_NE(response.error.find("request timed out after 30ms"), std::string::npos) << response.error;
}

TEST(HttpLoop, SaysThatNothingWasSentIfTheTimeIsOverBeforeTlsIsUp) {
  // Plain, so that the client waits for the server's part of the handshake.
  TestServer server([](const Received&, Exchange&) {});
  Endpoint endpoint;
  endpoint.server = "https://127.0.0.1:" + std::to_string(server.port());
  endpoint.tls.insecure_skip_verify = true;
  const auto loop = loop_to(endpoint);
  Request request;
  request.path = "/";
  request.timeout = Duration::milliseconds(30);
  EXPECT_EQ(ask(*loop, request).transfer, Response::Transfer::kNotSent);
}

TEST(HttpLoop, DeliversAStreamPieceByPiece) {
  std::promise<void> first_was_seen;
  TestServer server([&](const Received&, Exchange& exchange) {
    exchange.begin();
    exchange.piece("one ");
    first_was_seen.get_future().wait();
    exchange.piece("two");
    exchange.end();
  });
  const auto loop = loop_to(server.url());
  Stream stream;
  StreamHandler handler = stream.handler();
  handler.on_piece = [&](std::string_view piece) {
    if (stream.pieces.empty()) first_was_seen.set_value();
    stream.pieces += piece;
  };
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), handler); });
  const Response end = stream.end.get_future().get();
  EXPECT_TRUE(end.is_success());
  EXPECT_EQ(end.body, "");
  EXPECT_EQ(stream.pieces, "one two");
  EXPECT_EQ(stream.begun, std::vector{200});
}

TEST(HttpLoop, BringsARefusedStreamWhole) {
  TestServer server([](const Received&, Exchange& exchange) { exchange.answer(410, "gone"); });
  const auto loop = loop_to(server.url());
  Stream stream;
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), stream.handler()); });
  const Response end = stream.end.get_future().get();
  EXPECT_EQ(end.status, 410);
  EXPECT_EQ(end.body, "gone");
  EXPECT_EQ(stream.pieces, "");
  EXPECT_EQ(stream.begun, std::vector{410});
}

TEST(HttpLoop, EndsAStreamThatFallsSilent) {
  TestServer server([](const Received&, Exchange& exchange) {
    exchange.begin();
    exchange.piece("last words");
    exchange.wait_until_closed();
  });
  const auto loop = loop_to(server.url());
  Stream stream;
  Request request;
  request.path = "/watch";
  request.timeout = Duration();
  request.idle_timeout = Duration::milliseconds(40);
  on_loop(*loop, [&] { return loop->start_stream(request, stream.handler()); });
  const Response end = stream.end.get_future().get();
  EXPECT_EQ(end.transfer, Response::Transfer::kBroken);
  EXPECT_NE(end.error.find("no data received for 40ms"), std::string::npos) << end.error;
  EXPECT_EQ(stream.pieces, "last words");
}

TEST(HttpLoop, CutStreamIsBrokenAfterItsPieces) {
  TestServer server([](const Received&, Exchange& exchange) {
    exchange.begin();
    exchange.piece("half");
    exchange.cut();
  });
  const auto loop = loop_to(server.url());
  Stream stream;
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), stream.handler()); });
  EXPECT_EQ(stream.end.get_future().get().transfer, Response::Transfer::kBroken);
  EXPECT_EQ(stream.pieces, "half");
}

TEST(HttpLoop, CallsNobodyAfterACancel) {
  std::promise<void> closed;
  TestServer server([&](const Received&, Exchange& exchange) {
    exchange.begin();
    exchange.piece("more");
    exchange.wait_until_closed();
    closed.set_value();
  });
  const auto loop = loop_to(server.url());
  int calls = 0;
  RequestId id = 0;
  StreamHandler handler;
  handler.on_piece = [&](std::string_view) {
    ++calls;
    loop->cancel(id);  // from within its own callback
    loop->cancel(id);
  };
  handler.on_end = [&](const Response&) { ++calls; };
  on_loop(*loop, [&] { return id = loop->start_stream(request_for("/watch"), std::move(handler)); });
  closed.get_future().wait();
  EXPECT_EQ(on_loop(*loop, [&] { return calls; }), 1);
}

TEST(HttpLoop, StartsRequestsFromWithinCallbacks) {
  TestServer server([](const Received& request, Exchange& exchange) { exchange.answer(200, request.path); });
  const auto loop = loop_to(server.url());
  std::promise<std::string> second;
  loop->post([&] {
    loop->start(request_for("/a"), [&](const Response& first) {
      loop->start(request_for(first.body + "/b"), [&](const Response& answer) { second.set_value(answer.body); });
    });
  });
  EXPECT_EQ(second.get_future().get(), "/a/b");
}

TEST(HttpLoop, CallsNobodyAfterItsEnd) {
  TestServer server([](const Received&, Exchange& exchange) { exchange.wait_until_closed(); });
  auto loop = loop_to(server.url());
  std::atomic<int> calls = 0;
  on_loop(*loop, [&] {
    loop->start(request_for("/"), [&](const Response&) { ++calls; });
    loop->after(Duration::hours(1), [&] { ++calls; });
    return 0;
  });
  loop.reset();
  EXPECT_EQ(calls, 0);
}

TEST(HttpLoop, RunsPostedWorkOfManyThreadsInTheirOrder) {
  constexpr int kThreads = 4;
  constexpr int kPosts = 1000;
  const auto loop = loop_to("http://127.0.0.1:1");
  std::vector<std::vector<int>> seen(kThreads);
  {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kPosts; ++i) loop->post([&, t, i] { seen[static_cast<std::size_t>(t)].push_back(i); });
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::vector<int> expected(kPosts);
  for (int i = 0; i < kPosts; ++i) expected[static_cast<std::size_t>(i)] = i;
  on_loop(*loop, [] { return 0; });
  for (const auto& of_thread : seen) EXPECT_EQ(of_thread, expected);
}

TEST(HttpLoop, RunsTimersInTheOrderOfTheirTimes) {
  const auto loop = loop_to("http://127.0.0.1:1");
  std::string order;
  std::promise<void> done;
  loop->post([&] {
    const TimerId cancelled = loop->after(Duration::milliseconds(1), [&] { order += "x"; });
    loop->after(Duration::milliseconds(3), [&] {
      order += "c";
      done.set_value();
    });
    loop->after(Duration::milliseconds(2), [&] { order += "b"; });
    loop->after(Duration(), [&] { order += "a"; });
    loop->cancel_timer(cancelled);
    order += "0";
  });
  done.get_future().wait();
  EXPECT_EQ(order, "0abc");
}

TEST(HttpLoop, GoesThroughAProxy) {
  TestServer proxy([](const Received& request, Exchange& exchange) { exchange.answer(200, request.path); });
  Endpoint endpoint;
  endpoint.server = "http://kubernetes.invalid:8080";
  endpoint.proxy_url = proxy.url();
  const auto loop = loop_to(endpoint);
  EXPECT_EQ(get(*loop, "/version").body, "http://kubernetes.invalid:8080/version");
}

// Answers one request, with the name that it was asked to connect to.
void serve_socks5(int fd) {
  const auto receive = [&](std::size_t size) {
    std::string bytes(size, '\0');
    return ::recv(fd, bytes.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size) ? bytes : std::string();
  };
  const auto send = [&](std::string_view bytes) { ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); };
  const std::string greeting = receive(2);
  if (greeting.empty()) return;
  receive(static_cast<std::size_t>(greeting[1]));  // the ways to log in that it offers
  send(std::string_view("\5\0", 2));
  const std::string wanted = receive(5);
  constexpr char kByName = 3;
  if (wanted.empty() || wanted[3] != kByName) return;
  const std::string name = receive(static_cast<std::size_t>(wanted[4]));
  receive(2);  // the port
  send(std::string_view("\5\0\0\1\0\0\0\0\0\0", 10));
  std::string request;
  while (!request.ends_with("\r\n\r\n")) {
    const std::string byte = receive(1);
    if (byte.empty()) return;
    request += byte;
  }
  send(fmt::format("HTTP/1.1 200 Ok\r\nContent-Length: {}\r\n\r\n{}", name.size(), name));
}

TEST(HttpLoop, LetsASocksProxyLookUpTheName) {
  TestListener proxy([](int fd, std::size_t) { serve_socks5(fd); });
  Endpoint endpoint;
  endpoint.server = "http://kubernetes.invalid:8080";
  for (const std::string scheme : {"socks5", "SOCKS5"}) {
    endpoint.proxy_url = fmt::format("{}://127.0.0.1:{}", scheme, proxy.port());
    const Response response = get(*loop_to(endpoint));
    EXPECT_EQ(response.body, "kubernetes.invalid") << response.error;
  }
}

TEST(HttpLoop, ReportsWhatIsWrongWithTheServersUrl) {
  const struct {
    std::string server;
    std::string error;
  } kCases[] = {
      {"", "server URL is empty (set the cluster's server)"},
      {"ftp://a",
       "server URL 'ftp://a' has an unsupported scheme, expected https or http (give one such as "
       "https://10.0.0.1:6443)"},
      {"https://user:secret@a:6443/?x=y",
       "server URL 'https://***@a:6443/?x=y' has a query or a fragment (give one such as https://10.0.0.1:6443)"},
  };
  for (const auto& [server, error] : kCases) {
    Endpoint endpoint;
    endpoint.server = server;
    const auto loop = HttpLoop::make(endpoint, {});
    ASSERT_FALSE(loop) << server;
    EXPECT_EQ(loop.error().message(), error);
  }
}

}  // namespace
}  // namespace berth::client
