#include "berth/queue/blocking_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "berth/queue/testing.h"

// Nothing here sleeps: a test that waits, waits in pop(). Built once more with the thread sanitizer.

namespace berth::queue {
namespace {

using testing::at_ms;
using testing::make_pod;
using testing::node_add;
using testing::on;
using testing::options_with;
using testing::PodBuilder;

// A clock on which a second passes with each look, always just before the next whole second: so the timer, which waits
// for whole seconds, hardly waits.
BlockingQueue::Clock hurried_clock() {
  auto seconds = std::make_shared<std::atomic<std::int64_t>>(0);
  return [seconds] { return at_ms(++*seconds * 1000 + 999); };
}

void reject(BlockingQueue& queue, BlockingQueue::Popped popped, std::string_view plugin) {
  const Symbol names[] = {Symbol(plugin)};
  popped->clear_rejectors();
  if (!plugin.empty()) {
    popped->unschedulable_plugins =
        queue.with_queue([&names](SchedulingQueue& inner, Instant) { return inner.plugin_set(names); });
  }
  EXPECT_TRUE(queue.add_unschedulable_if_not_present(std::move(popped)));
}

TEST(BlockingQueue, PopWaitsForAPod) {
  BlockingQueue queue(options_with({}));
  EXPECT_EQ(queue.try_pop(), nullptr);
  std::promise<std::string> popped;
  std::thread consumer([&] { popped.set_value(queue.pop()->pod->metadata.name); });
  ASSERT_TRUE(queue.add(make_pod("a")));
  EXPECT_EQ(popped.get_future().get(), "a");
  consumer.join();
}

TEST(BlockingQueue, NoPodIsLostOrDoubledAmongManyThreads) {
  constexpr int kProducers = 4, kConsumers = 4, kPodsEach = 250;
  BlockingQueue queue(options_with({on("Fit", node_add())}), hurried_clock());
  std::mutex mutex;
  std::multiset<std::string> placed;
  std::atomic<int> tries = 0;
  std::vector<std::thread> threads;
  for (int producer = 0; producer < kProducers; ++producer) {
    threads.emplace_back([&queue, producer] {
      for (int i = 0; i < kPodsEach; ++i) {
        EXPECT_TRUE(queue.add(make_pod(fmt::format("pod-{}-{}", producer, i), i % 3)));
      }
    });
  }
  for (int consumer = 0; consumer < kConsumers; ++consumer) {
    threads.emplace_back([&] {
      while (BlockingQueue::Popped popped = queue.pop()) {
        ++tries;
        // The first try of each pod fails: half of them are rejected and woken by the next event, half have an error
        // and come back by the timer.
        if (popped->attempts == 1) {
          const bool is_rejected = popped->pod->metadata.name.back() % 2 == 0;
          reject(queue, std::move(popped), is_rejected ? "Fit" : "");
          // The pod may have been woken by another thread's event and placed meanwhile, as the last: then all is
          // closed.
          if (is_rejected) (void)queue.move_all(node_add(), {});
          continue;
        }
        const std::string name = popped->pod->metadata.name;
        EXPECT_TRUE(queue.done(popped->uid()));
        popped.reset();
        std::unique_lock lock(mutex);
        placed.insert(name);
        if (placed.size() == kProducers * kPodsEach) {
          lock.unlock();
          queue.close();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(placed.size(), static_cast<std::size_t>(kProducers * kPodsEach));
  EXPECT_EQ(std::set<std::string>(placed.begin(), placed.end()).size(), placed.size()) << "a pod was placed twice";
  EXPECT_EQ(tries, 2 * kProducers * kPodsEach);
  queue.with_queue([](SchedulingQueue& inner, Instant) {
    EXPECT_TRUE(inner.pending_pods().empty());
    EXPECT_TRUE(inner.in_flight().empty());
    EXPECT_EQ(inner.in_flight().event_count(), 0u);
  });
}

TEST(BlockingQueue, CloseWakesAllThatWait) {
  BlockingQueue queue(options_with({}));
  std::atomic<int> ended = 0;
  std::vector<std::thread> consumers;
  for (int i = 0; i < 8; ++i) {
    consumers.emplace_back([&] {
      EXPECT_EQ(queue.pop(), nullptr);
      ++ended;
    });
  }
  queue.close();
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(ended, 8);
  queue.close();  // once more does no harm
}

TEST(BlockingQueue, WhatIsActiveCanBePoppedAfterClose) {
  BlockingQueue queue(options_with({}));
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(queue.add(make_pod(name)));
  queue.close();
  int popped = 0;
  while (queue.pop() != nullptr) ++popped;
  EXPECT_EQ(popped, 3);
  const Result<void> added = queue.add(make_pod("d"));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message(), "add: the scheduling queue is closed");
}

TEST(BlockingQueue, TheTimerBringsAPodBackFromBackoff) {
  BlockingQueue queue(options_with({}), hurried_clock());
  ASSERT_TRUE(queue.add(make_pod("a")));
  for (int tries = 1; tries <= 3; ++tries) {
    BlockingQueue::Popped popped = queue.pop();  // an error's backoff is waited out in full
    ASSERT_NE(popped, nullptr);
    EXPECT_EQ(popped->attempts, tries);
    EXPECT_EQ(popped->consecutive_errors, tries - 1);
    reject(queue, std::move(popped), "");
  }
}

TEST(BlockingQueue, TheTimerTriesALeftoverPodAgain) {
  QueueOptions options = options_with({});
  options.maximum_in_unschedulable = Duration::seconds(60);
  BlockingQueue queue(std::move(options), hurried_clock());
  ASSERT_TRUE(queue.add(make_pod("a")));
  reject(queue, queue.pop(), "Deaf");
  const BlockingQueue::Popped popped = queue.pop();
  ASSERT_NE(popped, nullptr);
  EXPECT_TRUE(popped->was_flushed);
}

TEST(BlockingQueue, FlushDoesWhatTheTimerDoes) {
  std::atomic<std::int64_t> now_ms = 0;
  BlockingQueue queue(options_with({}), [&now_ms] { return at_ms(now_ms); });
  ASSERT_TRUE(queue.add(make_pod("a")));
  reject(queue, queue.pop(), "");
  queue.flush();
  EXPECT_EQ(queue.try_pop(), nullptr);
  now_ms = 2000;
  queue.flush();
  EXPECT_NE(queue.try_pop(), nullptr);
}

TEST(BlockingQueue, AnEventWakesThePodAndTheThreadThatWaitsForIt) {
  QueueOptions options = options_with({on("Fit", node_add())});
  options.maximum_backoff = Duration();
  BlockingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a")));
  reject(queue, queue.pop(), "Fit");
  std::promise<std::int32_t> attempts;
  std::thread consumer([&] { attempts.set_value(queue.pop()->attempts); });
  ASSERT_TRUE(queue.move_all(node_add(), {}));
  EXPECT_EQ(attempts.get_future().get(), 2);
  consumer.join();
}

TEST(BlockingQueue, UpdateRemoveAndActivateReachTheQueue) {
  BlockingQueue queue(options_with({on("Fit", node_add())}));
  const api::PodPtr before = make_pod("a"), after = PodBuilder("a").label("x", "y").build();
  ASSERT_TRUE(queue.add(before));
  ASSERT_TRUE(queue.update(before, after));
  BlockingQueue::Popped popped = queue.pop();
  EXPECT_EQ(popped->pod, after);
  reject(queue, std::move(popped), "Fit");
  const api::PodPtr pods[] = {after};
  ASSERT_TRUE(queue.activate(pods));
  EXPECT_EQ(queue.with_queue([](SchedulingQueue& inner, Instant) { return inner.count(Place::kActive); }), 1u);
  ASSERT_TRUE(queue.remove(*after));
  EXPECT_EQ(queue.try_pop(), nullptr);
}

TEST(BlockingQueue, PoppedPodsMayBeDestroyedByOtherThreads) {
  BlockingQueue queue(options_with({}));
  constexpr int kPods = 600;
  std::thread producer([&queue] {
    for (int i = 0; i < kPods; ++i) EXPECT_TRUE(queue.add(make_pod(fmt::format("pod-{}", i))));
  });
  std::vector<BlockingQueue::Popped> popped;
  for (int i = 0; i < kPods; ++i) popped.push_back(queue.pop());
  std::vector<std::thread> destroyers;
  for (std::size_t part = 0; part < 3; ++part) {
    destroyers.emplace_back([&popped, &queue, part] {
      for (std::size_t i = part; i < popped.size(); i += 3) {
        EXPECT_TRUE(queue.done(popped[i]->uid()));
        popped[i].reset();
      }
    });
  }
  producer.join();
  for (std::thread& destroyer : destroyers) destroyer.join();
  EXPECT_TRUE(queue.with_queue([](SchedulingQueue& inner, Instant) { return inner.in_flight().empty(); }));
}

TEST(BlockingQueue, WithQueueWakesThreadsForWhatItChanged) {
  BlockingQueue queue(options_with({}));
  std::thread consumer([&queue] { EXPECT_NE(queue.pop(), nullptr); });
  queue.with_queue([](SchedulingQueue& inner, Instant now) { EXPECT_TRUE(inner.add(make_pod("a"), now)); });
  consumer.join();
}

TEST(BlockingQueue, TheWallClockGoesOn) {
  const Instant first = BlockingQueue::wall_clock();
  EXPECT_GT(first, Instant::from_unix_seconds(1'700'000'000));
  EXPECT_GE(BlockingQueue::wall_clock(), first);
}

}  // namespace
}  // namespace berth::queue
