#include "berth/serve/reviews.h"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <memory>
#include <utility>

namespace berth::serve {

namespace {

// Beyond the request's own timeout, for a loop that is busy.
constexpr Duration kTimeoutMargin = Duration::seconds(1);

// A server that is restarted or busy for a moment need not become an error of whoever asks.
constexpr std::size_t kTries = 3;
constexpr Duration kPause = Duration::milliseconds(500);

bool is_worth_another_try(const client::Response& response) {
  constexpr int kTooManyRequests = 429;
  return !response.is_complete() || response.status == kTooManyRequests || response.status >= 500;
}

Result<std::string> body_of(client::Response response, const std::string& path) {
  if (!response.is_complete()) return fail(fmt::format("POST {}: {}", path, response.error));
  if (!response.is_success())
    return fail(fmt::format("POST {}: the server responded with status {}", path, response.status));
  return std::move(response.body);
}

// On the loop's thread, but for the future.
class Question : public std::enable_shared_from_this<Question> {
 public:
  Question(client::Loop& loop, client::Transport& transport, client::Request request)
      : loop_(loop), transport_(transport), request_(std::move(request)) {}

  std::future<client::Response> answer() { return answer_.get_future(); }

  void send() {
    if (is_given_up_) return;
    ++tries_;
    id_ = transport_.start(request_, [self = shared_from_this()](client::Response response) {
      self->id_ = 0;
      self->answered(std::move(response));
    });
  }

  void give_up() {
    is_given_up_ = true;
    if (id_ != 0) transport_.cancel(id_);
  }

 private:
  void answered(client::Response response) {
    if (tries_ < kTries && is_worth_another_try(response)) {
      loop_.after(kPause, [self = shared_from_this()] { self->send(); });
    } else {
      answer_.set_value(std::move(response));
    }
  }

  client::Loop& loop_;
  client::Transport& transport_;
  const client::Request request_;
  std::promise<client::Response> answer_;
  client::RequestId id_ = 0;
  std::size_t tries_ = 0;
  bool is_given_up_ = false;
};

}  // namespace

Result<std::string> ApiReviews::post(std::string path, std::string body) {
  // Whoever waits for an answer holds a connection of the server; there must be some left for health checks.
  if (!places_.try_acquire()) return fail(fmt::format("POST {}: too many requests in flight", path));
  auto answered = ask(path, std::move(body));
  places_.release();
  return answered;
}

Result<std::string> ApiReviews::ask(const std::string& path, std::string body) {
  client::Request request;
  request.method = client::Method::kPost;
  request.path = path;
  request.body = std::move(body);
  request.content_type = "application/json";
  request.accept = "application/json";
  request.timeout = timeout_;

  auto question = std::make_shared<Question>(loop_, transport_, std::move(request));
  std::future<client::Response> answer = question->answer();
  // From now on the loop's: if that ends, so does the wait.
  const std::weak_ptr<Question> asked = question;
  loop_.post([question = std::move(question)] { question->send(); });
  const Duration timeout = timeout_ + kTimeoutMargin;
  if (answer.wait_for(std::chrono::nanoseconds(timeout.nanoseconds())) != std::future_status::ready) {
    loop_.post([asked] {
      if (const auto waiting = asked.lock()) waiting->give_up();
    });
    return fail(fmt::format("POST {}: request timed out after {}", path, timeout.str()));
  }
  try {
    return body_of(answer.get(), path);
  } catch (const std::future_error&) {
    return fail(fmt::format("POST {}: the client is shutting down", path));  // the loop dropped the question
  }
}

}  // namespace berth::serve
