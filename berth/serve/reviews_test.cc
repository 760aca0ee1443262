#include "berth/serve/reviews.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace berth::serve {

namespace {

// A loop on a thread of its own, for what is posted from others.
class ThreadLoop final : public client::Loop {
 public:
  ThreadLoop() : thread_([this] { run(); }) {}
  ~ThreadLoop() override { stop(); }

  Instant now() const override { return Instant::from_unix_seconds(0); }
  Instant wall_now() const override { return now(); }
  client::TimerId after(Duration, std::function<void()>) override { return 0; }
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
  client::Request last;
  bool is_silent = false;
  std::promise<client::RequestId> cancelled;

  client::RequestId start(client::Request request, std::function<void(client::Response)> on_end) override {
    last = std::move(request);
    if (!is_silent) loop_.post([this, on_end = std::move(on_end)] { on_end(response); });
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
  EXPECT_EQ(reviews.post("/x", "").error().message(), "POST /x: the server answered 403");
  transport.response.transfer = client::Response::Transfer::kNotSent;
  transport.response.error = "connection refused";
  EXPECT_EQ(reviews.post("/x", "").error().message(), "POST /x: connection refused");
}

TEST(ApiReviews, GivesUpAndCancels) {
  ThreadLoop loop;
  StubTransport transport(loop);
  transport.is_silent = true;
  ApiReviews reviews(loop, transport, Duration::seconds(-1) + Duration::milliseconds(10));
  EXPECT_NE(reviews.post("/x", "").error().message().find("no answer within"), std::string::npos);
  EXPECT_EQ(transport.cancelled.get_future().get(), 7u);
}

}  // namespace

}  // namespace berth::serve
