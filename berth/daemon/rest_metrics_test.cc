#include "berth/daemon/rest_metrics.h"

#include <gtest/gtest.h>

#include "berth/client/testing.h"

namespace berth::daemon {

namespace {

TEST(CountedTransport, CountsAnswersFailuresAndWatches) {
  client::FakeLoop loop;
  client::FakeTransport inner(loop);
  RestCounts counts("10.0.0.1:6443");
  CountedTransport transport(loop, inner, counts);
  int ended = 0;

  client::Request post;
  post.method = client::Method::kPost;
  post.body = std::string(2'000'000, 'x');
  const client::RequestId first = transport.start(post, [&](const client::Response&) { ++ended; });
  loop.advance(Duration::milliseconds(20));
  inner.answer(first, 201);
  const client::RequestId second = transport.start(post, [&](const client::Response&) { ++ended; });
  inner.break_off(second, client::Response::Transfer::kNotSent);
  const client::RequestId watch = transport.start_stream(
      {}, {.on_begin = {}, .on_piece = [](std::string_view) {}, .on_end = [&](const client::Response&) { ++ended; }});
  inner.begin(watch);
  inner.answer(watch, 200);
  loop.run();
  EXPECT_EQ(ended, 3);

  MetricText text;
  counts.write(text);
  for (const std::string_view line :
       {"rest_client_requests_total{code=\"201\",host=\"10.0.0.1:6443\",method=\"POST\"} 1\n",
        "rest_client_requests_total{code=\"<error>\",host=\"10.0.0.1:6443\",method=\"POST\"} 1\n",
        "rest_client_requests_total{code=\"200\",host=\"10.0.0.1:6443\",method=\"GET\"} 1\n",
        "rest_client_request_duration_seconds_bucket{host=\"10.0.0.1:6443\",verb=\"POST\",le=\"0.005\"} 1\n",
        "rest_client_request_duration_seconds_bucket{host=\"10.0.0.1:6443\",verb=\"POST\",le=\"0.025\"} 2\n",
        "rest_client_request_duration_seconds_count{host=\"10.0.0.1:6443\",verb=\"POST\"} 2\n",
        "rest_client_request_size_bytes_bucket{host=\"10.0.0.1:6443\",verb=\"POST\",le=\"1.048576e+06\"} 0\n",
        "rest_client_request_size_bytes_bucket{host=\"10.0.0.1:6443\",verb=\"POST\",le=\"4.194304e+06\"} 2\n",
        "rest_client_response_size_bytes_bucket{host=\"10.0.0.1:6443\",verb=\"POST\",le=\"64\"} 2\n"}) {
    EXPECT_NE(text.text().find(line), std::string::npos) << line << text.text();
  }
}

TEST(MetricText, EscapesAndPrintsNumbersAsPrometheusDoes) {
  MetricText text;
  text.family("x", engine::MetricType::kGauge, engine::Stability::kBeta, "a\nb");
  text.sample({{"l", "q\"\\\n"}}, 0.25);
  text.sample({}, 1e9);
  EXPECT_EQ(text.text(), "# HELP x [BETA] a\\nb\n# TYPE x gauge\nx{l=\"q\\\"\\\\\\n\"} 0.25\nx 1000000000\n");
}

}  // namespace

}  // namespace berth::daemon
