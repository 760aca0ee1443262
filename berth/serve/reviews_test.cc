#include "berth/serve/reviews.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::serve {

namespace {

// A loop on a thread of its own, for what is posted from others.
class ThreadLoop final : public client::Loop {
 public:
  ThreadLoop() : thread_([this] { run(); }) {}
  ~ThreadLoop() override { stop(); }

  Instant now() const override { return Instant::from_unix_seconds(0); }
  Instant wall_now() const override { return now(); }
  client::TimerId after(Duration, std::function<void()> fn) override {
    post(std::move(fn));
    return 0;
  }
  void cancel_timer(client::TimerId) override {}
  void post(std::function<void()> fn) override {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return;
    posted_.push_back(std::move(fn));
    changed_.notify_all();
  }
  // What is posted and not run is dropped.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    posted_.clear();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_stopping_ || !posted_.empty(); });
      if (is_stopping_) return;
      const std::function<void()> fn = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      fn();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
  bool is_stopping_ = false;
  std::thread thread_;
};

class StubTransport final : public client::Transport {
 public:
  explicit StubTransport(client::Loop& loop) : loop_(loop) {}
  client::Response response;
  std::deque<client::Response> first_responses;  // before that one
  client::Request last;
  std::size_t requests = 0;
  bool is_silent = false;
  std::vector<std::function<void(client::Response)>> unanswered;  // while it is silent
  std::promise<client::RequestId> cancelled;

  client::RequestId start(client::Request request, std::function<void(client::Response)> on_end) override {
    last = std::move(request);
    ++requests;
    if (is_silent) {
      unanswered.push_back(std::move(on_end));
      return 7;
    }
    client::Response answer = response;
    if (!first_responses.empty()) {
      answer = std::move(first_responses.front());
      first_responses.pop_front();
    }
    loop_.post([answer = std::move(answer), on_end = std::move(on_end)] { on_end(answer); });
    return 7;
  }
  client::RequestId start_stream(client::Request, client::StreamHandler) override { return 0; }
  void cancel(client::RequestId request) override { cancelled.set_value(request); }

 private:
  client::Loop& loop_;
};

TEST(ApiReviews, BringsTheAnswerToTheThreadThatAsked) {
  ThreadLoop loop;
  StubTransport transport(loop);
  transport.response.status = 201;
  transport.response.body = "{}";
  ApiReviews reviews(loop, transport);
  EXPECT_EQ(reviews.post("/apis/x", "body").value(), "{}");
  EXPECT_EQ(transport.last.path, "/apis/x");
  EXPECT_EQ(transport.last.body, "body");
  EXPECT_EQ(transport.last.content_type, "application/json");
  EXPECT_EQ(transport.last.method, client::Method::kPost);
}

TEST(ApiReviews, SaysWhatWentWrong) {
  ThreadLoop loop;
  StubTransport transport(loop);
  ApiReviews reviews(loop, transport);
  transport.response.status = 403;
  EXPECT_EQ(reviews.post("/x", "").error().message(), "POST /x: the server responded with status 403");
  transport.response.transfer = client::Response::Transfer::kNotSent;
  transport.response.error = "connection refused";
  EXPECT_EQ(reviews.post("/x", "").error().message(), "POST /x: connection refused");
}

TEST(ApiReviews, AsksAServerThatFailsAgain) {
  ThreadLoop loop;
  StubTransport transport(loop);
  ApiReviews reviews(loop, transport);
  client::Response busy;
  busy.status = 429;
  client::Response broken;
  broken.transfer = client::Response::Transfer::kBroken;
  transport.first_responses = {busy, broken};
  transport.response.status = 201;
  transport.response.body = "{}";
  EXPECT_EQ(reviews.post("/x", "").value(), "{}");
  EXPECT_EQ(transport.requests, 3u);
  transport.response.status = 503;
  EXPECT_EQ(reviews.post("/x", "").error().message(), "POST /x: the server responded with status 503");
  EXPECT_EQ(transport.requests, 6u);
  transport.response.status = 403;
  EXPECT_FALSE(reviews.post("/x", ""));
  EXPECT_EQ(transport.requests, 7u) << "that is an answer";
}

TEST(ApiReviews, LeavesPlacesToOthers) {
  ThreadLoop loop;
  StubTransport transport(loop);
  transport.is_silent = true;
  ApiReviews reviews(loop, transport);
  std::vector<std::thread> asking;
  for (int i = 0; i < ApiReviews::kAtATime; ++i) {
    asking.emplace_back([&] { EXPECT_TRUE(reviews.post("/x", "")); });
  }
  const auto on_loop = [&](const auto& fn) {
    std::promise<void> done;
    loop.post([&] {
      fn();
      done.set_value();
    });
    done.get_future().wait();
  };
  std::size_t asked = 0;
  while (asked < static_cast<std::size_t>(ApiReviews::kAtATime)) on_loop([&] { asked = transport.unanswered.size(); });
  EXPECT_EQ(reviews.post("/x", "").error().message(), "POST /x: too many requests in flight");
  on_loop([&] {
    client::Response answer;
    answer.status = 201;
    for (const auto& on_end : transport.unanswered) on_end(answer);
    transport.unanswered.clear();
    transport.is_silent = false;
    transport.response = answer;
  });
  for (std::thread& thread : asking) thread.join();
  EXPECT_TRUE(reviews.post("/x", "")) << "there is room again";
}

TEST(ApiReviews, GivesUpAndCancels) {
  ThreadLoop loop;
  StubTransport transport(loop);
  transport.is_silent = true;
  ApiReviews reviews(loop, transport, Duration::seconds(-1) + Duration::milliseconds(10));
  EXPECT_NE(reviews.post("/x", "").error().message().find("request timed out after"), std::string::npos);
  EXPECT_EQ(transport.cancelled.get_future().get(), 7u);
}

}  // namespace

}  // namespace berth::serve
