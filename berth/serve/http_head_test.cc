#include "berth/serve/http_head.h"

#include <gtest/gtest.h>

namespace berth::serve {

namespace {

std::expected<RequestHead, HeadProblem> parse(std::string_view text) {
  return parse_head(text, 100);
}

int status_of(std::string_view text) {
  const auto head = parse(text);
  return head ? 0 : head.error().status;
}

TEST(HttpHead, ReadsMethodPathQueryAndHeaders) {
  const auto head =
      parse("GET /readyz/ping%20x?verbose&exclude=a%2Bb&exclude=c+d HTTP/1.1\r\nHost: x\r\nACCEPT:  text/plain ");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->call.method, "GET");
  EXPECT_EQ(head->call.path, "/readyz/ping x");
  EXPECT_EQ(head->call.target, "/readyz/ping%20x?verbose&exclude=a%2Bb&exclude=c+d");
  EXPECT_EQ(head->call.query_value("verbose"), "");
  EXPECT_EQ(head->call.query_value("exclude"), "a+b");
  EXPECT_EQ(head->call.query[2].value, "c d");
  EXPECT_FALSE(head->call.query_value("limit"));
  EXPECT_EQ(head->call.header("accept"), "text/plain");
  EXPECT_TRUE(head->keeps_alive);
}

TEST(HttpHead, KnowsWhenTheConnectionEnds) {
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nHost: x\r\nConnection: foo, Close")->keeps_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0")->keeps_alive);
}

TEST(HttpHead, RefusesWhatTwoProgramsMayReadDifferently) {
  EXPECT_EQ(status_of(""), 400);
  EXPECT_EQ(status_of("GET /"), 400);
  EXPECT_EQ(status_of("GET  HTTP/1.1\r\nHost: x"), 400);
  EXPECT_EQ(status_of("GET http://x/ HTTP/1.1\r\nHost: x"), 400);
  EXPECT_EQ(status_of("GET /a b HTTP/1.1\r\nHost: x"), 400);
  EXPECT_EQ(status_of("GET /%zz HTTP/1.1\r\nHost: x"), 400);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: x"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.1"), 400) << "no host";
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nHost: y"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nName : y"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\n folded"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d"), 400);
  EXPECT_EQ(status_of("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1"), 400);
  EXPECT_EQ(status_of("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: -1"), 400);
  EXPECT_EQ(status_of("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1x"), 400);
  EXPECT_EQ(status_of("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 101"), 413);
  EXPECT_EQ(status_of("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked"), 411);
  EXPECT_EQ(status_of("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100"), 0);
}

TEST(HttpHead, WritesTheHeadOfAnAnswer) {
  Reply reply = Reply::text("ok");
  reply.headers.push_back({"X", "y"});
  EXPECT_EQ(head_of(reply, true),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain; charset=utf-8\r\nX: y\r\n\r\n");
  EXPECT_TRUE(head_of(reply, false).ends_with("Connection: close\r\n\r\n"));
}

TEST(HttpHead, SaysWhenItWasWritten) {
  const Instant now = Instant::parse("2026-11-06T09:04:08.9Z").value();
  EXPECT_EQ(http_date(now), "Fri, 06 Nov 2026 09:04:08 GMT");
  EXPECT_EQ(http_date(Instant::from_unix_nanoseconds(-1)), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_NE(head_of(Reply::text("ok"), true, now).find("\r\nDate: Fri, 06 Nov 2026 09:04:08 GMT\r\n"),
            std::string::npos);
  EXPECT_EQ(head_of(Reply::text("ok"), true).find("Date"), std::string::npos);
}

}  // namespace

}  // namespace berth::serve
