// The mailbox and the thread; what a turn does is in engine_step_test.cc. Nothing here sleeps: a test waits for what
// the thread does, and hangs if it does not.
#include "berth/daemon/engine_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
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

// A question keeps the thread busy until the test lets it go on.
class BusyEngine {
 public:
  explicit BusyEngine(EngineThread& engine)
      : asking_([this, &engine] {
          (void)engine.ask([this](engine::Scheduler&) {
            is_busy_.set_value();
            go_on_.get_future().wait();
          });
        }) {
    is_busy_.get_future().wait();
  }
  void let_go() { go_on_.set_value(); }
  ~BusyEngine() { asking_.join(); }

 private:
  std::promise<void> is_busy_;
  std::promise<void> go_on_;
  std::thread asking_;
};

api::AnyObject small_pod(std::size_t i) {
  return api::AnyObject(pod("p" + std::to_string(i), "1m").build());
}

TEST_F(EngineThreadTest, LetsThoseWhoReportObjectsWaitWhileTheMailboxIsFull) {
  BusyEngine busy(*engine_);
  for (std::size_t i = 0; i < EngineThread::kMaxMailboxObjects; ++i) engine_->observe(small_pod(i));
  std::atomic<bool> is_in = false;
  std::thread reporting([&] {
    engine_->observe(small_pod(EngineThread::kMaxMailboxObjects));
    is_in = true;
  });
  engine_->complete(1, {});  // results do not wait
  EXPECT_FALSE(is_in);
  busy.let_go();
  reporting.join();
  std::size_t pods = 0;
  ASSERT_TRUE(engine_->ask([&](engine::Scheduler& scheduler) { pods = scheduler.pods().size(); }));
  EXPECT_EQ(pods, EngineThread::kMaxMailboxObjects + 1);
}

TEST_F(EngineThreadTest, CountsTheObjectsOfAListAndLetsALongOneIn) {
  BusyEngine busy(*engine_);
  std::vector<api::AnyObject> objects;
  for (std::size_t i = 0; i <= EngineThread::kMaxMailboxObjects; ++i) objects.push_back(small_pod(i));
  engine_->observe_list(api::kind_of<api::Pod>(), std::move(objects));
  std::atomic<bool> is_in = false;
  std::thread reporting([&] {
    add_node();
    is_in = true;
  });
  EXPECT_FALSE(is_in);
  busy.let_go();
  reporting.join();
}

TEST_F(EngineThreadTest, StopReleasesThoseWhoWaitForRoom) {
  auto busy = std::make_unique<BusyEngine>(*engine_);
  for (std::size_t i = 0; i < EngineThread::kMaxMailboxObjects; ++i) engine_->observe(small_pod(i));
  std::thread reporting([&] { engine_->observe(small_pod(EngineThread::kMaxMailboxObjects)); });
  std::thread stopping([&] { engine_->stop(); });
  reporting.join();  // although the engine takes nothing out
  busy->let_go();
  stopping.join();
  busy.reset();
  EXPECT_FALSE(engine_->ask([](engine::Scheduler&) { FAIL(); }));
}

TEST_F(EngineThreadTest, AnswersNothingAfterTheEnd) {
  engine_->stop();
  EXPECT_FALSE(engine_->ask([](engine::Scheduler&) { FAIL(); }));
  add_node();  // dropped
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
