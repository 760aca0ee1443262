// Requests of tests through the real loop: from the test's own thread, which waits for what comes.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/client/endpoint.h"
#include "berth/client/http_loop.h"
#include "berth/client/transport.h"

namespace berth::client {

inline Request request_for(std::string path) {
  Request request;
  request.path = std::move(path);
  return request;
}

inline Request post_of(std::string path, std::string body) {
  Request request = request_for(std::move(path));
  request.method = Method::kPost;
  request.body = std::move(body);
  request.content_type = "application/json";
  return request;
}

inline std::unique_ptr<HttpLoop> loop_to(const Endpoint& endpoint, HttpLoop::Options options = {}) {
  auto loop = HttpLoop::make(endpoint, std::move(options));
  EXPECT_TRUE(loop) << loop.error().message();
  return loop ? *std::move(loop) : nullptr;
}

inline std::unique_ptr<HttpLoop> loop_to(const std::string& url) {
  Endpoint endpoint;
  endpoint.server = url;
  return loop_to(endpoint);
}

// Starts it; the future says how it ended, whatever it was.
inline std::future<Response> begin(HttpLoop& loop, Request request) {
  auto end = std::make_shared<std::promise<Response>>();
  loop.post([&loop, end, request = std::move(request)] {
    loop.start(request, [end](Response response) { end->set_value(std::move(response)); });
  });
  return end->get_future();
}

inline Response ask(HttpLoop& loop, Request request) {
  return begin(loop, std::move(request)).get();
}

inline Response get(HttpLoop& loop, std::string path = "/") {
  return ask(loop, request_for(std::move(path)));
}

// Runs on the loop's thread, and waits.
template <typename Fn>
auto on_loop(HttpLoop& loop, Fn fn) {
  std::promise<decltype(fn())> done;
  loop.post([&] { done.set_value(fn()); });
  return done.get_future().get();
}

// What came of a stream, and a promise that it has ended. Read the first two only after that, or on the loop's thread.
struct Stream {
  std::vector<int> begun;
  std::string pieces;
  std::promise<Response> end;

  StreamHandler handler() {
    return {.on_begin = [this](int status) { begun.push_back(status); },
            .on_piece = [this](std::string_view piece) { pieces += piece; },
            .on_end = [this](const Response& response) { end.set_value(response); }};
  }
};

}  // namespace berth::client
