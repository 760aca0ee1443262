// Requests and answers of the HTTP/2 wire, through the real loop and against a server of the test's own. What goes
// wrong on the way is in http2_wire_fault_test.cc.
#include "berth/client/http2_wire.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/client/test_folder.h"
#include "berth/client/test_gzip.h"
#include "berth/client/test_http2_connection.h"
#include "berth/client/test_http2_fixture.h"
#include "berth/client/test_http2_server.h"
#include "berth/client/test_listener.h"
#include "berth/client/test_requests.h"
#include "berth/client/test_server.h"

namespace berth::client {
namespace {

using Http2WireTest = Http2Test;

std::string text_of_size(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i);
  text.resize(size);
  return text;
}

TEST_F(Http2WireTest, BringsTheAnswerWithItsStatusHeadersAndBody) {
  TestHttp2Server server(certificate_, {.on_request = [](const Received& request, const Exchange& exchange) {
                           exchange.answer(201, request.method + " " + request.path + " " + request.body,
                                           {{"retry-after", "7"}, {"x-name", "value"}});
                         }});
  const auto loop = loop_to_server(server);
  const Response response = ask(*loop, post_of("/api/v1/pods?limit=1", "{}"));
  EXPECT_EQ(response.transfer, How::kComplete) << response.error;
  EXPECT_EQ(response.status, 201);
  EXPECT_TRUE(response.is_success());
  EXPECT_EQ(response.body, "POST /api/v1/pods?limit=1 {}");
  EXPECT_EQ(response.header("X-Name"), "value");
  EXPECT_EQ(response.retry_after(), Duration::seconds(7));
}

TEST_F(Http2WireTest, SendsHeadersAsHttp2WantsThem) {
  TestHttp2Server server(certificate_, to_inbox());
  Endpoint with_path = endpoint(server.url() + "/k8s/clusters/c-1/");
  with_path.credentials.bearer_token = "secret";
  const auto loop = loop_to(with_path, {.user_agent = "berth/test"});
  Request request = post_of("/api/v1/pods", "{}");
  request.accept = "application/yaml";
  request.headers = {{"X-Extra", "Yes"}};
  auto answer = begin(*loop, request);
  const auto [received, exchange] = requests_.take();
  exchange.answer(200);
  EXPECT_TRUE(answer.get().is_success());
  EXPECT_EQ(received.method, "POST");
  EXPECT_EQ(received.scheme, "https");
  EXPECT_EQ(received.authority, server.authority());
  EXPECT_EQ(received.path, "/k8s/clusters/c-1/api/v1/pods");
  EXPECT_EQ(received.header("authorization"), "Bearer secret");
  EXPECT_EQ(received.header("user-agent"), "berth/test");
  EXPECT_EQ(received.header("accept"), "application/yaml");
  EXPECT_EQ(received.header("accept-encoding"), "gzip");
  EXPECT_EQ(received.header("content-type"), "application/json");
  EXPECT_EQ(received.header("content-length"), "2");
  EXPECT_EQ(received.header("x-extra"), "Yes");
  for (const Header& header : received.headers) {
    EXPECT_TRUE(std::ranges::none_of(header.name, [](char c) { return c >= 'A' && c <= 'Z'; })) << header.name;
  }
}

TEST_F(Http2WireTest, DoesNotAskForPackedAnswersIfCompressionIsDisabled) {
  TestHttp2Server server(certificate_, {.on_request = [](const Received& request, const Exchange& exchange) {
                           exchange.answer(200, "[" + request.header("accept-encoding") + "]");
                         }});
  Endpoint unpacked = endpoint(server.url());
  unpacked.disable_compression = true;
  EXPECT_EQ(get(*loop_to(unpacked)).body, "[]");
}

TEST_F(Http2WireTest, KnowsAllMethodsWithAndWithoutABody) {
  TestHttp2Server server(certificate_, {.on_request = [](const Received& request, const Exchange& exchange) {
                           exchange.answer(
                               200, request.method + ":" + request.body + ":" + request.header("content-length"));
                         }});
  const auto loop = loop_to_server(server);
  const struct {
    Method method;
    std::string body;
    std::string expected;
  } kCases[] = {
      {Method::kGet, "", "GET::"},          {Method::kPost, "a", "POST:a:1"},   {Method::kPost, "", "POST::0"},
      {Method::kPut, "bb", "PUT:bb:2"},     {Method::kPatch, "c", "PATCH:c:1"}, {Method::kDelete, "", "DELETE::"},
      {Method::kDelete, "d", "DELETE:d:1"},
  };
  for (const auto& [method, body, expected] : kCases) {
    Request request = request_for("/");
    request.method = method;
    request.body = body;
    EXPECT_EQ(ask(*loop, request).body, expected);
  }
}

TEST_F(Http2WireTest, ManyRequestsShareOneConnection) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server);
  constexpr std::size_t kRequests = 200;
  std::vector<std::future<Response>> answers;
  for (std::size_t i = 0; i < kRequests; ++i) answers.push_back(begin(*loop, request_for("/" + std::to_string(i))));
  std::vector<Pending> pending;
  while (pending.size() < kRequests) pending.push_back(requests_.take());
  // All are there at the same time; the last comes back first.
  std::ranges::reverse(pending);
  for (const auto& [request, exchange] : pending) exchange.answer(200, request.path);
  for (std::size_t i = 0; i < kRequests; ++i) EXPECT_EQ(answers[i].get().body, "/" + std::to_string(i));
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(Http2WireTest, MoreRequestsThanTheServerTakesMakeFurtherConnections) {
  constexpr std::size_t kLimit = 2;
  constexpr std::size_t kRequests = 9;
  TestHttp2Server server(certificate_, to_inbox(), {.max_streams = kLimit});
  const auto loop = loop_to_server(server);
  std::vector<std::future<Response>> answers;
  for (std::size_t i = 0; i < kRequests; ++i) answers.push_back(begin(*loop, request_for("/" + std::to_string(i))));
  std::vector<Pending> pending;
  while (pending.size() < kRequests) pending.push_back(requests_.take());
  std::map<std::size_t, std::size_t> streams;
  std::set<std::string> paths;
  for (const auto& [request, exchange] : pending) {
    ++streams[request.connection];
    paths.insert(request.path);
    exchange.answer(200, request.path);
  }
  for (const auto& [connection, count] : streams) EXPECT_LE(count, kLimit) << connection;
  EXPECT_EQ(paths.size(), kRequests);
  EXPECT_EQ(streams.size(), 5U);
  for (std::size_t i = 0; i < kRequests; ++i) EXPECT_EQ(answers[i].get().body, "/" + std::to_string(i));
  // There is room again.
  auto next = begin(*loop, request_for("/next"));
  requests_.take().exchange.answer(200);
  EXPECT_TRUE(next.get().is_success());
  EXPECT_EQ(server.connections(), 5U);
}

TEST_F(Http2WireTest, ARequestWaitsForRoomIfNoFurtherConnectionCanBeMade) {
  TestHttp2Server server(certificate_, to_inbox(), {.max_streams = 1});
  const auto loop = loop_to_server(server);
  auto first = begin(*loop, request_for("/first"));
  const Pending running = requests_.take();
  server.stop_listening();
  auto second = begin(*loop, request_for("/second"));
  on_loop(*loop, [] { return 0; });  // it was started
  running.exchange.answer(200);
  EXPECT_TRUE(first.get().is_success());
  requests_.take().exchange.answer(200, "at last");
  EXPECT_EQ(second.get().body, "at last");
}

TEST_F(Http2WireTest, NoMoreConnectionsAreMadeThanAllowed) {
  TestHttp2Server server(certificate_, to_inbox(), {.max_streams = 1});
  const auto loop = loop_to_server(server, {.max_connections = 2});
  std::vector<std::future<Response>> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(begin(*loop, request_for("/")));
  for (int i = 0; i < 5; ++i) requests_.take().exchange.answer(200);
  for (auto& answer : answers) EXPECT_TRUE(answer.get().is_success());
  EXPECT_LE(server.connections(), 2U);
}

TEST_F(Http2WireTest, SendsABodyThatIsLargerThanAllWindows) {
  TestHttp2Server server(certificate_, {.on_request = [](const Received& request, const Exchange& exchange) {
                           exchange.answer(200, request.body);
                         }});
  const auto loop = loop_to_server(server);
  const std::string body = text_of_size(2'000'000);
  EXPECT_EQ(ask(*loop, post_of("/", body)).body, body);
}

TEST_F(Http2WireTest, BringsAnAnswerThatIsLargerThanAllWindows) {
  const std::string body = text_of_size(20'000'000);
  TestHttp2Server server(
      certificate_, {.on_request = [&](const Received&, const Exchange& exchange) { exchange.answer(200, body); }});
  const auto loop = loop_to_server(server);
  auto one = begin(*loop, request_for("/1"));
  auto other = begin(*loop, request_for("/2"));
  EXPECT_TRUE(one.get().body == body);
  EXPECT_TRUE(other.get().body == body);
  EXPECT_EQ(server.connections(), 1U);
}

// --- Packed answers --------------------------------------------------------------------------------------------------

TEST_F(Http2WireTest, UnpacksAnswersThatCameWhole) {
  const std::string text = text_of_size(300'000);
  TestHttp2Server server(certificate_, {.on_request = [&](const Received& request, const Exchange& exchange) {
                           exchange.answer(200, request.path == "/empty" ? "" : gzip(text),
                                           {{"content-encoding", "gzip"}});
                         }});
  const auto loop = loop_to_server(server);
  EXPECT_TRUE(get(*loop).body == text);
  const Response empty = get(*loop, "/empty");
  EXPECT_TRUE(empty.is_success()) << empty.error;
  EXPECT_EQ(empty.body, "");
}

TEST_F(Http2WireTest, UnpacksAnswersThatCameInPieces) {
  const std::string text = text_of_size(3'000);
  TestHttp2Server server(certificate_, {.on_request = [&](const Received&, const Exchange& exchange) {
                           exchange.begin(200, {{"content-encoding", "gzip"}});
                           for (const char byte : gzip(text)) exchange.piece(std::string(1, byte));
                           exchange.end();
                         }});
  const auto loop = loop_to_server(server);
  EXPECT_EQ(get(*loop).body, text);
  Stream stream;
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), stream.handler()); });
  EXPECT_TRUE(stream.end.get_future().get().is_success());
  EXPECT_EQ(stream.pieces, text);
}

TEST_F(Http2WireTest, APackedAnswerThatMakesNoSenseIsBroken) {
  const std::string packed = gzip(text_of_size(1'000));
  TestHttp2Server server(certificate_, {.on_request = [&](const Received& request, const Exchange& exchange) {
                           std::string body = packed;
                           if (request.path == "/garbage") body = "this is not gzip";
                           if (request.path == "/short") body.resize(body.size() / 2);
                           if (request.path == "/long") body += "more";
                           exchange.begin(200, {{"content-encoding", "gzip"}});
                           exchange.piece(body);
                           exchange.end();
                         }});
  const auto loop = loop_to_server(server);
  for (const std::string path : {"/garbage", "/short", "/long"}) {
    const Response response = get(*loop, path);
    EXPECT_EQ(response.transfer, How::kBroken) << path;
    EXPECT_NE(response.error.find("gzip"), std::string::npos) << response.error;
  }
  // The connection is still good.
  EXPECT_TRUE(get(*loop).is_success());
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(Http2WireTest, APackedAnswerThatMakesNoSenseIsNotReadToItsEnd) {
  Inbox<std::uint32_t> resets;
  Listeners listeners = to_inbox();
  listeners.on_reset = [&](const std::string&, std::uint32_t code) { resets.put(code); };
  TestHttp2Server server(certificate_, listeners);
  const auto loop = loop_to_server(server);
  auto answer = begin(*loop, request_for("/"));
  const Exchange exchange = requests_.take().exchange;
  exchange.begin(200, {{"content-encoding", "gzip"}});
  exchange.piece("this is not gzip");
  EXPECT_EQ(answer.get().transfer, How::kBroken);
  EXPECT_EQ(resets.take(), NGHTTP2_CANCEL);
}

// --- Streams ---------------------------------------------------------------------------------------------------------

TEST_F(Http2WireTest, DeliversAStreamPieceByPiece) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server);
  Stream stream;
  Inbox<std::string> pieces;
  StreamHandler handler = stream.handler();
  handler.on_piece = [&](std::string_view piece) { pieces.put(std::string(piece)); };
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), handler); });
  const Exchange exchange = requests_.take().exchange;
  exchange.begin();
  exchange.piece("one");
  EXPECT_EQ(pieces.take(), "one");
  exchange.piece("two");
  EXPECT_EQ(pieces.take(), "two");
  exchange.end();
  const Response end = stream.end.get_future().get();
  EXPECT_TRUE(end.is_success());
  EXPECT_EQ(end.body, "");
  EXPECT_EQ(stream.begun, std::vector{200});
}

TEST_F(Http2WireTest, BringsARefusedWatchWhole) {
  TestHttp2Server server(certificate_, {.on_request = [](const Received&, const Exchange& exchange) {
                           exchange.begin(410);
                           exchange.piece("it is ");
                           exchange.piece("gone");
                           exchange.end();
                         }});
  const auto loop = loop_to_server(server);
  Stream stream;
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), stream.handler()); });
  const Response end = stream.end.get_future().get();
  EXPECT_EQ(end.status, 410);
  EXPECT_EQ(end.body, "it is gone");
  EXPECT_EQ(stream.pieces, "");
  EXPECT_EQ(stream.begun, std::vector{410});
}

TEST_F(Http2WireTest, IsNotConfusedByWhatComesBeforeAndAfterTheAnswer) {
  TestHttp2Server server(certificate_, {.on_request = [](const Received&, const Exchange& exchange) {
                           exchange.inform(100);
                           exchange.inform(103, {{"x-early", "hint"}});
                           exchange.begin(200, {{"x-name", "value"}});
                           exchange.piece("body");
                           exchange.end({{"x-name", "other"}, {"x-trailer", "late"}});
                         }});
  const auto loop = loop_to_server(server);
  const Response response = ask(*loop, post_of("/", "{}"));
  EXPECT_EQ(response.status, 200) << response.error;
  EXPECT_EQ(response.body, "body");
  ASSERT_EQ(response.headers.size(), 1U);
  EXPECT_EQ(response.header("x-name"), "value");
}

TEST_F(Http2WireTest, ACancelTellsTheServerAndCallsNobody) {
  Inbox<std::pair<std::string, std::uint32_t>> resets;
  Listeners listeners = to_inbox();
  listeners.on_reset = [&](const std::string& path, std::uint32_t code) { resets.put({path, code}); };
  TestHttp2Server server(certificate_, listeners);
  const auto loop = loop_to_server(server);
  int calls = 0;
  RequestId watch = 0;
  StreamHandler handler;
  handler.on_piece = [&](std::string_view) {
    ++calls;
    loop->cancel(watch);  // from within its own callback
    loop->cancel(watch);
  };
  handler.on_end = [&](const Response&) { ++calls; };
  on_loop(*loop, [&] { return watch = loop->start_stream(request_for("/watch"), handler); });
  const Exchange exchange = requests_.take().exchange;
  exchange.begin();
  exchange.piece("one");
  EXPECT_EQ(resets.take(), (std::pair<std::string, std::uint32_t>("/watch", NGHTTP2_CANCEL)));
  const RequestId whole =
      on_loop(*loop, [&] { return loop->start(request_for("/whole"), [&](const Response&) { ++calls; }); });
  const Exchange late = requests_.take().exchange;
  on_loop(*loop, [&] {
    loop->cancel(whole);
    return 0;
  });
  EXPECT_EQ(resets.take(), (std::pair<std::string, std::uint32_t>("/whole", NGHTTP2_CANCEL)));
  late.answer(200);
  // What comes later finds the connection as good as before.
  auto next = begin(*loop, request_for("/next"));
  requests_.take().exchange.answer(200);
  EXPECT_TRUE(next.get().is_success());
  EXPECT_EQ(on_loop(*loop, [&] { return calls; }), 1);
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(Http2WireTest, ARequestThatIsCancelledBeforeItIsSentNeverReachesTheServer) {
  TestHttp2Server server(certificate_, to_inbox());
  const auto loop = loop_to_server(server);
  std::atomic<int> calls = 0;
  auto warm_up = begin(*loop, request_for("/"));
  requests_.take().exchange.answer(200);
  EXPECT_TRUE(warm_up.get().is_success());
  on_loop(*loop, [&] {
    loop->cancel(loop->start(request_for("/cancelled"), [&](const Response&) { ++calls; }));
    return 0;
  });
  auto next = begin(*loop, request_for("/next"));
  const Pending pending = requests_.take();
  EXPECT_EQ(pending.request.path, "/next");
  pending.exchange.answer(200);
  EXPECT_TRUE(next.get().is_success());
  EXPECT_EQ(calls, 0);
}

// --- Connections -----------------------------------------------------------------------------------------------------

TEST_F(Http2WireTest, ReachesAnIpv6AddressInBrackets) {
  const int probe = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool has_ipv6 = probe >= 0 && ::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  if (probe >= 0) ::close(probe);
  if (!has_ipv6) GTEST_SKIP() << "this machine has no IPv6";
  TestHttp2Server server(certificate_,
                         {.on_request = [](const Received& request,
                                           const Exchange& exchange) { exchange.answer(200, request.authority); }},
                         {.is_ipv6 = true});
  const Response response = get(*loop_to_server(server));
  EXPECT_EQ(response.body, "[::1]:" + std::to_string(server.port())) << response.error;
}

TEST_F(Http2WireTest, SpeaksHttp1WithAServerThatKnowsNothingElseAndLosesNoRequest) {
  std::atomic<int> posts = 0;
  TestServer server(
      [&](const TestServer::Received& request, TestServer::Exchange& exchange) {
        if (request.method == "POST") ++posts;
        exchange.answer(200, request.path + request.body);
      },
      certificate_, "", "http/1.1");
  const auto loop = loop_to(endpoint(server.url()));
  std::vector<std::future<Response>> answers;
  for (int i = 0; i < 20; ++i) answers.push_back(begin(*loop, post_of("/" + std::to_string(i) + "/", "{}")));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(answers[static_cast<std::size_t>(i)].get().body, "/" + std::to_string(i) + "/{}");
  }
  EXPECT_EQ(posts, 20);
  EXPECT_EQ(get(*loop, "/later").body, "/later");
}

TEST_F(Http2WireTest, AConnectionWithoutHttp2DoesNotEndTheOthers) {
  const Owned<SSL_CTX> with_http2 = make_test_tls_context(certificate_, "", "h2");
  const Owned<SSL_CTX> without_http2 = make_test_tls_context(certificate_, "", nullptr);
  const Listeners listeners = to_inbox();
  std::promise<void> second_connection_is_gone;
  TestListener listener([&](int fd, std::size_t number) {
    if (number == 1) {
      std::make_shared<TestHttp2Connection>(listeners, number)->run(fd, with_http2.get(), 1);
      return;
    }
    const Owned<SSL> tls(SSL_new(without_http2.get()));
    SSL_set_fd(tls.get(), fd);
    SSL_accept(tls.get());
    char byte = 0;
    while (SSL_read(tls.get(), &byte, 1) > 0) {
    }
    if (number == 2) second_connection_is_gone.set_value();
  });
  const auto loop = loop_to(endpoint("https://127.0.0.1:" + std::to_string(listener.port())));
  auto first = begin(*loop, request_for("/first"));
  const Pending running = requests_.take();
  auto second = begin(*loop, request_for("/second"));  // for which there is no room
  second_connection_is_gone.get_future().wait();
  running.exchange.answer(200, "in peace");
  EXPECT_EQ(first.get().body, "in peace");
  requests_.take().exchange.answer(200, "at last");
  EXPECT_EQ(second.get().body, "at last");
}

TEST_F(Http2WireTest, CallsNobodyAfterItsEnd) {
  TestHttp2Server server(certificate_, to_inbox());
  std::atomic<int> calls = 0;
  auto loop = loop_to_server(server);
  on_loop(*loop, [&] {
    loop->start(post_of("/", "{}"), [&](const Response&) { ++calls; });
    loop->start_stream(request_for("/watch"), {.on_begin = [&](int) { ++calls; },
                                               .on_piece = [&](std::string_view) { ++calls; },
                                               .on_end = [&](const Response&) { ++calls; }});
    return 0;
  });
  requests_.take();
  requests_.take();
  on_loop(*loop, [&] {
    loop->start(request_for("/not-even-sent"), [&](const Response&) { ++calls; });
    return 0;
  });
  loop.reset();
  EXPECT_EQ(calls, 0);
}

// With its certificate in files, which the test replaces. The loop looks at them again when the server says 401.
class Http2RotationTest : public Http2Test {
 protected:
  void write_certificate(const std::string& name) const {
    const TestCertificate certificate = authority_.issue(name);
    folder_.write("client.crt", certificate.certificate);
    folder_.write("client.key", certificate.key);
  }
  Endpoint endpoint_with_files(const TestHttp2Server& server) const {
    Endpoint result = endpoint(server.url());
    result.tls.client_certificate.file = folder_ / "client.crt";
    result.tls.client_key.file = folder_ / "client.key";
    return result;
  }

  TestFolder folder_;
};

TEST_F(Http2RotationTest, ANewCertificateMakesANewConnectionAndTheOldOneGoesWhenNobodyNeedsIt) {
  Inbox<std::size_t> closed;
  Listeners listeners = to_inbox();
  listeners.on_closed = [&](std::size_t connection) { closed.put(connection); };
  TestHttp2Server server(certificate_, listeners, {.client_ca = authority_.certificate()});
  write_certificate("old");
  const auto loop = loop_to(endpoint_with_files(server));
  Stream watch;
  on_loop(*loop, [&] { return loop->start_stream(request_for("/watch"), watch.handler()); });
  const Pending old = requests_.take();
  EXPECT_EQ(old.request.client_name, "old");
  old.exchange.begin();

  write_certificate("new");
  auto answer = begin(*loop, request_for("/"));
  requests_.take().exchange.answer(401);
  const Pending again = requests_.take();
  EXPECT_EQ(again.request.client_name, "new");
  EXPECT_EQ(again.request.connection, 2U);
  again.exchange.answer(200);
  EXPECT_TRUE(answer.get().is_success());

  // The watch was not disturbed.
  EXPECT_EQ(closed.size(), 0U);
  old.exchange.piece("event");
  old.exchange.end();
  EXPECT_TRUE(watch.end.get_future().get().is_success());
  EXPECT_EQ(watch.pieces, "event");
  EXPECT_EQ(closed.take(), 1U);
  EXPECT_EQ(server.connections(), 2U);
}

TEST_F(Http2RotationTest, ARequestWhoseConnectionIsStillBeingMadeIsNotForgotten) {
  std::promise<void> go_on;
  Inbox<std::size_t> accepted;
  Listeners listeners = to_inbox();
  listeners.on_accepted = [&](std::size_t connection) {
    accepted.put(connection);
    if (connection == 2) go_on.get_future().wait();
  };
  TestHttp2Server server(certificate_, listeners, {.max_streams = 1, .client_ca = authority_.certificate()});
  write_certificate("old");
  const auto loop = loop_to(endpoint_with_files(server));
  auto first = begin(*loop, request_for("/first"));
  const Pending running = requests_.take();
  auto second = begin(*loop, request_for("/second"));
  EXPECT_EQ(accepted.take(), 1U);
  EXPECT_EQ(accepted.take(), 2U);

  write_certificate("new");
  running.exchange.go_away(true);  // so that the second does not take the place of the first
  running.exchange.answer(401);
  const Pending again = requests_.take();
  EXPECT_EQ(again.request.client_name, "new");
  EXPECT_EQ(again.request.path, "/first");
  go_on.set_value();
  const Pending late = requests_.take();
  EXPECT_EQ(late.request.path, "/second");
  EXPECT_EQ(late.request.client_name, "old");
  late.exchange.answer(200);
  again.exchange.answer(200);
  EXPECT_TRUE(first.get().is_success());
  EXPECT_TRUE(second.get().is_success());
}

}  // namespace
}  // namespace berth::client
