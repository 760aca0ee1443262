#include "berth/serve/reviews.h"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <utility>

namespace berth::serve {

namespace {

// Beyond the request's own timeout, for a loop that is busy.
constexpr Duration kPatience = Duration::seconds(1);

struct Asked {
  std::promise<client::Response> answer;
  client::RequestId request = 0;  // of the loop's thread
};

Result<std::string> body_of(client::Response response, const std::string& path) {
  if (!response.is_complete()) return fail(fmt::format("POST {}: {}", path, response.error));
  if (!response.is_success()) return fail(fmt::format("POST {}: the server answered {}", path, response.status));
  return std::move(response.body);
}

}  // namespace

Result<std::string> ApiReviews::post(std::string path, std::string body) {
  client::Request request;
  request.method = client::Method::kPost;
  request.path = path;
  request.body = std::move(body);
  request.content_type = "application/json";
  request.accept = "application/json";
  request.timeout = timeout_;

  const auto asked = std::make_shared<Asked>();
  std::future<client::Response> answer = asked->answer.get_future();
  client::Transport& transport = transport_;
  loop_.post([asked, &transport, request = std::move(request)] {
    asked->request = transport.start(request, [asked](client::Response response) {
      asked->request = 0;
      asked->answer.set_value(std::move(response));
    });
  });
  const Duration patience = timeout_ + kPatience;
  if (answer.wait_for(std::chrono::nanoseconds(patience.nanoseconds())) != std::future_status::ready) {
    loop_.post([asked, &transport] {
      if (asked->request != 0) transport.cancel(asked->request);
    });
    return fail(fmt::format("POST {}: no answer within {}", path, patience.str()));
  }
  try {
    return body_of(answer.get(), path);
  } catch (const std::future_error&) {
    return fail(fmt::format("POST {}: the client is shutting down", path));  // the loop dropped the question
  }
}

}  // namespace berth::serve
