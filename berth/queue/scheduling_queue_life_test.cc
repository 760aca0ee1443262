#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/queue/scheduling_queue.h"
#include "berth/queue/testing.h"

// The life of two pods as kube-scheduler v1.36.3 went through it, step by step: the trace of queue.md 18.2.

namespace berth::queue {
namespace {

using testing::always;
using testing::at_ms;
using testing::give_back;
using testing::make_pod;
using testing::node_add;
using testing::on;
using testing::volume_add;

class TwoLives {
 public:
  explicit TwoLives(Quirks quirks) : queue_(options(quirks)) {}

  // "unschedulable 1/1/0 exp 1" (attempts, rejections, errors; when its backoff ends), "popped 1/0/0" or "-".
  std::string life_of(const std::string& name) const {
    std::string text = "-";
    const QueuedPod* pod = queue_.get(Symbol("default"), name);
    if (pod != nullptr) {
      text = pod->is_gated() ? "gated" : testing::to_string(pod->place);
    } else if (const auto popped = popped_.find(name); popped != popped_.end()) {
      text = "popped";
      pod = popped->second.get();
    }
    if (pod == nullptr) return text;
    text += fmt::format(" {}/{}/{}", pod->attempts, pod->unschedulable_count, pod->consecutive_errors);
    if (text.starts_with("popped") || text.starts_with("active") || text.starts_with("unsched")) return text;
    return text + fmt::format(" exp {}", (queue_.backoff_ends_at(*pod) - at_ms(0)).nanoseconds() / 1'000'000'000);
  }
  std::string state() const {
    return fmt::format("{} | {} | {} {} {}/{}", life_of("a"), life_of("b"), queue_.scheduling_cycle(),
                       queue_.move_request_cycle(), queue_.in_flight().size(), queue_.in_flight().log().size());
  }

  void add(const std::string& name, std::int32_t priority) { EXPECT_TRUE(queue_.add(make_pod(name, priority), now_)); }
  void pop(const std::string& expected) {
    PoppedPod popped = queue_.pop(now_);
    ASSERT_NE(popped, nullptr);
    EXPECT_EQ(popped->pod->metadata.name, expected);
    popped_[popped->pod->metadata.name] = std::move(popped);
  }
  void fail(const std::string& name, std::initializer_list<std::string_view> rejectors,
            std::initializer_list<std::string_view> pending = {}) {
    EXPECT_TRUE(give_back(queue_, std::move(popped_.extract(name).mapped()), rejectors, now_, pending));
  }
  void happens(const ClusterEvent& event) { EXPECT_TRUE(queue_.move_all(event, {}, now_)); }
  void flush() { EXPECT_TRUE(queue_.flush_backoff_completed(now_)); }
  void activate_both() {
    const api::PodPtr both[] = {make_pod("a"), make_pod("b")};
    EXPECT_TRUE(queue_.activate(both, now_));
  }
  void remove(const std::string& name) { EXPECT_TRUE(queue_.remove(*make_pod(name))); }
  void done(const std::string& name) { EXPECT_TRUE(queue_.done(name + "-uid")); }
  void shut_gate(bool shut) { gate_is_shut_ = shut; }
  void at(std::int64_t milliseconds) { now_ = at_ms(milliseconds); }

  CountingQueueMetrics metrics;

 private:
  QueueOptions options(Quirks quirks) {
    QueueOptions options =
        testing::options_with({on("F", node_add()), on("P", node_add()),
                               on("F", volume_add(), always(HintAnswer::kSkip)), on("g", volume_add())},
                              &metrics);
    options.pre_enqueue = {{testing::profile(), Symbol("g"), [this](const api::Pod&) { return !gate_is_shut_; }}};
    options.quirks = quirks;
    return options;
  }

  bool gate_is_shut_ = false;
  Instant now_;
  SchedulingQueue queue_;
  std::map<std::string, PoppedPod> popped_;
};

void live(TwoLives& lives) {
  const struct {
    std::int64_t ms;
    const char* what;
    std::function<void(TwoLives&)> step;
    const char* state;  // a | b | scheduling cycle, move request cycle, pods in flight / length of their record
  } steps[] = {
      {200, "Add a", [](TwoLives& l) { l.add("a", 1); }, "active 0/0/0 | - | 0 -1 0/0"},
      {300, "Add b", [](TwoLives& l) { l.add("b", 9); }, "active 0/0/0 | active 0/0/0 | 0 -1 0/0"},
      {300, "Pop", [](TwoLives& l) { l.pop("b"); }, "active 0/0/0 | popped 1/0/0 | 1 -1 1/1"},
      {300, "Pop", [](TwoLives& l) { l.pop("a"); }, "popped 1/0/0 | popped 1/0/0 | 2 -1 2/2"},
      {400, "F rejects b", [](TwoLives& l) { l.fail("b", {"F"}); }, "popped 1/0/0 | unschedulable 1/1/0 | 2 -1 1/1"},
      {400, "PvAdd", [](TwoLives& l) { l.happens(volume_add()); }, "popped 1/0/0 | unschedulable 1/1/0 | 2 2 1/2"},
      {400, "NodeAdd", [](TwoLives& l) { l.happens(node_add()); }, "popped 1/0/0 | backoff 1/1/0 exp 1 | 2 2 1/3"},
      {500, "F rejects a", [](TwoLives& l) { l.fail("a", {"F"}); },
       "backoff 1/1/0 exp 1 | backoff 1/1/0 exp 1 | 2 2 0/0"},
      {500, "Pop: same window, higher priority", [](TwoLives& l) { l.pop("b"); },
       "backoff 1/1/0 exp 1 | popped 2/1/0 | 3 2 1/1"},
      {1500, "b fails", [](TwoLives& l) { l.fail("b", {}); }, "backoff 1/1/0 exp 1 | errors 2/1/1 exp 2 | 3 2 0/0"},
      {1500, "flush", [](TwoLives& l) { l.flush(); }, "backoff 1/1/0 exp 1 | errors 2/1/1 exp 2 | 3 2 0/0"},
      {1500, "Pop: not b, which failed with an error", [](TwoLives& l) { l.pop("a"); },
       "popped 2/1/0 | errors 2/1/1 exp 2 | 4 2 1/1"},
      {1500, "F rejects a, P pends", [](TwoLives& l) { l.fail("a", {"F"}, {"P"}); },
       "unschedulable 2/2/0 | errors 2/1/1 exp 2 | 4 2 0/0"},
      {1500, "NodeAdd: at once, for P", [](TwoLives& l) { l.happens(node_add()); },
       "active 2/2/0 | errors 2/1/1 exp 2 | 4 4 0/0"},
      {1500, "Pop, the gate shuts, NodeAdd",
       [](TwoLives& l) {
         l.pop("a");
         l.shut_gate(true);
         l.happens(node_add());
       },
       "popped 3/2/0 | errors 2/1/1 exp 2 | 5 5 1/2"},
      {1500, "F rejects a", [](TwoLives& l) { l.fail("a", {"F"}); },
       "gated 3/3/0 exp 5 | errors 2/1/1 exp 2 | 5 5 0/0"},
      {3000, "flush: b is not asked by the gate again", [](TwoLives& l) { l.flush(); },
       "gated 3/3/0 exp 5 | active 2/1/1 | 5 5 0/0"},
      {3000, "Pop, b fails",
       [](TwoLives& l) {
         l.pop("b");
         l.fail("b", {});
       },
       "gated 3/3/0 exp 5 | gated 3/1/2 exp 5 | 6 5 0/0"},
      {3000, "Activate both", [](TwoLives& l) { l.activate_both(); },
       "gated 3/3/0 exp 5 | gated 3/1/2 exp 5 | 6 6 0/0"},
      {3000, "the gate opens, NodeAdd: not for g",
       [](TwoLives& l) {
         l.shut_gate(false);
         l.happens(node_add());
       },
       "gated 3/3/0 exp 5 | gated 3/1/2 exp 5 | 6 6 0/0"},
      {3000, "PvAdd", [](TwoLives& l) { l.happens(volume_add()); },
       "backoff 3/3/0 exp 5 | backoff 3/1/2 exp 5 | 6 6 0/0"},
      {13000, "flush", [](TwoLives& l) { l.flush(); }, "active 3/3/0 | active 3/1/2 | 6 6 0/0"},
      {13000, "b is deleted, Pop, a is done",
       [](TwoLives& l) {
         l.remove("b");
         l.pop("a");
         l.done("a");
       },
       "popped 4/3/0 | - | 7 6 0/0"},
  };
  int number = 0;
  for (const auto& [ms, what, step, state] : steps) {
    lives.at(ms);
    step(lives);
    ASSERT_EQ(lives.state(), state) << "step " << number << ": " << what;
    ++number;
  }
}

const std::map<std::string, std::int64_t> kArrivals = {{"active/BackoffComplete", 3},
                                                       {"active/NodeAdd", 1},
                                                       {"active/PopFromBackoffQ", 2},
                                                       {"active/UnschedulablePodAdd", 2},
                                                       {"backoff/NodeAdd", 1},
                                                       {"backoff/PersistentVolumeAdd", 2},
                                                       {"backoff/ScheduleAttemptFailure", 2},
                                                       {"unschedulable/ScheduleAttemptFailure", 4}};

TEST(LifeTrace, IsThatOfKubeScheduler) {
  TwoLives lives(Quirks::upstream());
  live(lives);
  EXPECT_EQ(lives.metrics.incoming, kArrivals);
  EXPECT_EQ(lives.metrics.unschedulable["F/default-scheduler"], 0);
  EXPECT_EQ(lives.metrics.unschedulable["P/default-scheduler"], 0);
  EXPECT_EQ(lives.metrics.unschedulable["g/default-scheduler"], 1) << "Q-04 leaks b's when it is deleted";
}

TEST(LifeTrace, IsTheSameWithoutQuirksButForTheLeak) {
  TwoLives lives(Quirks::none());
  live(lives);
  EXPECT_EQ(lives.metrics.incoming, kArrivals);
  for (const auto& [plugin, count] : lives.metrics.unschedulable) EXPECT_EQ(count, 0) << plugin;
  for (const auto& [queue, count] : lives.metrics.pending) EXPECT_EQ(count, 0) << queue;
}

}  // namespace
}  // namespace berth::queue
