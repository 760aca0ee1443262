// The mailbox and the thread; what a turn does is in engine_step_test.cc. Nothing here sleeps: a test waits for what
// the thread does, and hangs if it does not.
#include "berth/daemon/engine_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/engine/testing.h"

namespace berth::daemon {
namespace {

using engine::testing::node;
using engine::testing::pod;

// An API server that does everything at once, on a thread of its own.
class Obedient {
 public:
  void connect(EngineThread& engine) {
    const std::lock_guard lock(mutex_);
    engine_ = &engine;
  }
  void take(std::vector<engine::Command> commands) {
    const std::lock_guard lock(mutex_);
    for (const engine::Command& command : commands) {
      if (const auto* bind = std::get_if<engine::BindPod>(&command.what)) {
        bound_.push_back(bind->binding->metadata.name);
        if (bound_.size() == wanted_) enough_.set_value();
      }
      engine_->complete(command.id, {});
    }
  }
  std::size_t bound() {
    const std::lock_guard lock(mutex_);
    return bound_.size();
  }
  std::future<void> when_bound(std::size_t count) {
    const std::lock_guard lock(mutex_);
    wanted_ = count;
    return enough_.get_future();
  }

 private:
  std::mutex mutex_;
  EngineThread* engine_ = nullptr;
  std::vector<std::string> bound_;
  std::size_t wanted_ = 0;
  std::promise<void> enough_;
};

class EngineThreadTest : public testing::Test {
 protected:
  EngineThreadTest() {
    auto made = EngineThread::make({}, [this](EngineOutput output) { server_.take(std::move(output.commands)); });
    engine_ = *std::move(made);
    server_.connect(*engine_);
  }
  void add_node() { engine_->observe(api::AnyObject(node("n1", "64"))); }

  Obedient server_;
  std::unique_ptr<EngineThread> engine_;
};

TEST_F(EngineThreadTest, BindsPodsFromSeveralThreads) {
  constexpr int kThreads = 4;
  constexpr int kPods = 25;
  auto all_bound = server_.when_bound(kThreads * kPods);
  add_node();
  engine_->start();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < kPods; ++i) {
        engine_->observe(api::AnyObject(pod(std::to_string(thread) + "-" + std::to_string(i), "1m").build()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  all_bound.wait();
}

TEST_F(EngineThreadTest, AnswersQuestionsAfterWhatWasReportedBefore) {
  add_node();
  std::size_t nodes = 0;
  EXPECT_TRUE(engine_->ask([&](engine::Scheduler& scheduler) { nodes = scheduler.cache().nodes().node_count(); }));
  EXPECT_EQ(nodes, 1u);
}

TEST_F(EngineThreadTest, AnswersNothingAfterTheEnd) {
  engine_->stop();
  EXPECT_FALSE(engine_->ask([](engine::Scheduler&) { FAIL(); }));
  add_node();  // nobody is there to hear it
}

TEST_F(EngineThreadTest, SendsNoBindAfterTheWorkHasEnded) {
  add_node();
  engine_->start();
  engine_->end_work();
  engine_->observe(api::AnyObject(pod("late").build()));
  ASSERT_TRUE(engine_->ask([](engine::Scheduler&) {}));
  engine_->stop();
  EXPECT_EQ(server_.bound(), 0u);
}

TEST_F(EngineThreadTest, WakesByItselfWhenSomethingIsDue) {
  // A pod that does not fit is in backoff after a node came; a second later it is tried again, without any message.
  auto bound = server_.when_bound(1);
  engine_->start();
  engine_->observe(api::AnyObject(pod("a").build()));
  ASSERT_TRUE(engine_->ask([](engine::Scheduler&) {}));
  add_node();
  bound.wait();
}

TEST(EngineThread, SaysWhichProfileCannotBeBuilt) {
  engine::Options options;
  options.add_plugins = [](framework::PluginRegistry&) -> Result<void> { return fail("no such library"); };
  const auto made = EngineThread::make(std::move(options), [](EngineOutput) {});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("no such library"), std::string::npos);
}

}  // namespace
}  // namespace berth::daemon
