// The whole daemon but for threads and sockets: engine, informers, dispatcher, events and lease on one loop of virtual
// time, against an API server in memory. What a turn of the engine is and what each part does alone is tested beside
// it.
#include "berth/daemon/cluster_session.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/client/testing.h"
#include "berth/daemon/engine_step.h"
#include "berth/engine/testing.h"
#include "berth/informer/testing.h"

namespace berth::daemon {
namespace {

using engine::testing::node;
using engine::testing::pod;

class LoopClock final : public Clock {
 public:
  explicit LoopClock(const client::Loop& loop) : loop_(loop) {}
  Instant now() const override { return loop_.now(); }
  Instant wall_now() const override { return loop_.wall_now(); }

 private:
  const client::Loop& loop_;
};

// The engine on a loop: what EngineThread does with a thread.
class LoopEngine final : public EngineInbox {
 public:
  LoopEngine(client::Loop& loop, EngineStep::Send send)
      : loop_(loop),
        clock_(loop),
        scheduler_(*engine::Scheduler::make({})),
        step_(*scheduler_, clock_, std::move(send)) {}

  void observe(api::AnyObject object) override { put(Observe{std::move(object)}); }
  void observe_deleted(api::AnyObject object) override { put(ObserveDeleted{std::move(object)}); }
  void observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) override {
    put(ObserveList{&kind, std::move(objects)});
  }
  void complete(engine::CommandId id, engine::Outcome outcome) override { put(Complete{id, std::move(outcome)}); }
  void start() override { put(Start{}); }
  void end_work() { put(EndWork{}); }

  engine::Scheduler& scheduler() { return *scheduler_; }

  void turn() {
    step_.run(messages_);
    if (step_.has_work()) return wake_after(Duration());
    if (const Instant due = step_.next_due(); due.is_set()) wake_after(due - loop_.now());
  }

  Duration reaction_time;  // as of a thread that has to be woken first

 private:
  void put(EngineMessage message) {
    messages_.push_back(std::move(message));
    wake_after(reaction_time);
  }
  void wake_after(Duration delay) {
    loop_.cancel_timer(timer_);
    timer_ = loop_.after(delay, [this] { turn(); });
  }

  client::Loop& loop_;
  LoopClock clock_;
  std::unique_ptr<engine::Scheduler> scheduler_;
  EngineStep step_;
  std::vector<EngineMessage> messages_;
  client::TimerId timer_ = 0;
};

class LinesSink final : public LogSink {
 public:
  void write(std::string_view lines) override { text += lines; }
  std::string text;
};

class ClusterSessionTest : public testing::Test {
 protected:
  void start(ClusterSession::Options options = {}) {
    options.events.hostname = "host";
    options.on_lost_leadership = [this] { has_lost_ = true; };
    engine_ = std::make_unique<LoopEngine>(loop_, [this](EngineOutput output) { session_->send(std::move(output)); });
    session_ = std::make_unique<ClusterSession>(ApiLine{loop_, server_}, ApiLine{loop_, server_}, *engine_, log_,
                                                std::move(options));
    session_->start();
  }
  void advance(std::int64_t seconds) { loop_.advance(Duration::seconds(seconds)); }

  void add_node(std::string_view name, std::string_view cpu = "64") { server_.create(*node(name, cpu)); }
  void add_pod(std::string_view name, std::string_view cpu = "1") {
    api::Pod made = *pod(name, cpu).build();
    made.metadata.uid.clear();
    server_.create(std::move(made));
  }
  std::string node_of(const std::string& name) const {
    const auto found = server_.get<api::Pod>("default/" + name);
    return found ? found->spec.node_name.str() : "gone";
  }
  std::size_t bound_pods() const {
    std::size_t count = 0;
    for (const api::AnyObject& object : server_.list(api::kind_of<api::Pod>())) {
      count += object.as<api::Pod>()->spec.node_name.empty() ? 0 : 1;
    }
    return count;
  }
  // How often pods got a node, by name: more than once is a bug.
  std::map<std::string, int> bindings() const {
    std::map<std::string, int> counts;
    for (const auto& change : server_.changes()) {
      const auto now = change.object.as<api::Pod>();
      const auto before = change.before ? change.before.as<api::Pod>() : nullptr;
      if (now && before && before->spec.node_name.empty() && !now->spec.node_name.empty()) {
        ++counts[now->metadata.name];
      }
    }
    return counts;
  }
  void expect_settled() {
    engine::Scheduler& scheduler = engine_->scheduler();
    EXPECT_EQ(scheduler.commands_under_way(), 0u);
    EXPECT_EQ(scheduler.cache().assumed_count(), 0u);
    EXPECT_EQ(scheduler.broken_invariants(), std::vector<std::string>());
    for (const auto& [name, count] : bindings()) EXPECT_EQ(count, 1) << name;
  }

  client::FakeLoop loop_;
  informer::FakeApiServer server_{loop_, Rng(1)};
  LinesSink lines_;
  Log log_{LogOptions(), [this] { return loop_.wall_now(); }, lines_};
  bool has_lost_ = false;
  std::unique_ptr<LoopEngine> engine_;
  std::unique_ptr<ClusterSession> session_;
};

ClusterSession::Options candidate() {
  ClusterSession::Options options;
  options.election.emplace().identity = "me";
  return options;
}

// A lease that another holds and does not renew.
api::Lease lease_of_another() {
  api::Lease lease;
  lease.metadata.name = "kube-scheduler";
  lease.metadata.name_space = Symbol("kube-system");
  lease.spec.holder_identity = "other";
  lease.spec.lease_duration_seconds = 15;
  return lease;
}

TEST_F(ClusterSessionTest, BindsWhatIsThereAndWhatComes) {
  add_node("n1");
  add_pod("a");
  start();
  advance(2);
  EXPECT_TRUE(session_->is_synced());
  EXPECT_EQ(node_of("a"), "n1");
  add_pod("b");
  loop_.advance(Duration::milliseconds(20));  // at once: four times the server's latency
  EXPECT_EQ(node_of("b"), "n1");
  advance(2);
  expect_settled();
}

TEST_F(ClusterSessionTest, SaysWhyAPodHasNoNode) {
  add_node("n1", "1");
  add_pod("big", "2");
  start();
  advance(5);
  const auto big = server_.get<api::Pod>("default/big");
  ASSERT_EQ(big->status.conditions.size(), 1u);
  EXPECT_EQ(big->status.conditions[0].reason, "Unschedulable");
  EXPECT_NE(big->status.conditions[0].message.find("0/1 nodes are available: 1 Insufficient cpu."), std::string::npos);
  const auto events = server_.list(api::kind_of<api::Event>());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].as<api::Event>()->reason, "FailedScheduling");
  add_node("n2", "4");
  advance(15);
  EXPECT_EQ(node_of("big"), "n2");
  expect_settled();
}

TEST_F(ClusterSessionTest, SettlesBindingsWhoseAnswerIsLost) {
  add_node("n1");
  add_node("n2");
  start();
  advance(2);
  server_.faults.lost_answers = 300;
  server_.faults.lost_requests = 200;
  for (int i = 0; i < 50; ++i) add_pod("p" + std::to_string(i));
  advance(60);
  server_.faults = {};
  advance(120);
  EXPECT_EQ(bound_pods(), 50u);
  expect_settled();
}

TEST_F(ClusterSessionTest, ListsAgainWhenTheHistoryIsGone) {
  add_node("n1");
  start();
  advance(2);
  server_.behaviour.is_up = false;
  server_.break_streams();
  server_.remove<api::Node>("n1");
  add_node("n2");
  add_pod("a");
  server_.forget_history();
  advance(10);
  server_.behaviour.is_up = true;
  advance(120);
  EXPECT_EQ(node_of("a"), "n2");
  EXPECT_EQ(engine_->scheduler().cache().nodes().node_count(), 1u);
  expect_settled();
}

TEST_F(ClusterSessionTest, GetsThroughAnHourOfFaults) {
  for (int i = 0; i < 10; ++i) add_node("n" + std::to_string(i));
  start();
  server_.faults = {.refused = 20,
                    .lost_requests = 20,
                    .lost_answers = 20,
                    .too_many_requests = 20,
                    .internal_errors = 20,
                    .expired = 20,
                    .unreadable_answers = 5,
                    .repeated_events = 50,
                    .cut_streams = 10,
                    .truncated_streams = 10,
                    .half_open_streams = 2,
                    .garbage = 2,
                    .longest_delay = Duration::milliseconds(50)};
  for (int i = 0; i < 200; ++i) {
    add_pod("p" + std::to_string(i));
    if (i % 3 == 2) server_.remove<api::Pod>("default/p" + std::to_string(i - 2));
    advance(15);
  }
  server_.faults = {};
  advance(300);
  EXPECT_EQ(bound_pods(), server_.list(api::kind_of<api::Pod>()).size());
  expect_settled();
}

TEST_F(ClusterSessionTest, WorksOnlyWhileItLeads) {
  add_node("n1");
  add_pod("a");
  start(candidate());
  advance(1);
  EXPECT_TRUE(session_->is_leading());
  advance(2);
  EXPECT_EQ(node_of("a"), "n1");
  const auto lease = server_.get<api::Lease>("kube-system/kube-scheduler");
  ASSERT_NE(lease, nullptr);
  EXPECT_EQ(lease->spec.holder_identity, "me");
  EXPECT_FALSE(has_lost_);
  server_.behaviour.is_up = false;
  server_.break_streams();
  advance(30);
  EXPECT_TRUE(has_lost_);
  EXPECT_FALSE(session_->is_leading());
}

TEST_F(ClusterSessionTest, WaitsForTheLeaseOfAnother) {
  server_.create(lease_of_another());
  add_node("n1");
  add_pod("a");
  start(candidate());
  advance(10);
  EXPECT_TRUE(session_->is_synced());
  EXPECT_EQ(node_of("a"), "");
  advance(30);
  EXPECT_EQ(node_of("a"), "n1");
}

TEST_F(ClusterSessionTest, ReadsNothingBeforeItLeadsIfSoConfigured) {
  server_.create(lease_of_another());
  add_node("n1");
  add_pod("a");
  ClusterSession::Options options = candidate();
  options.reads_only_when_leading = true;
  start(std::move(options));
  advance(10);
  EXPECT_EQ(server_.count_requests("/api/v1/pods"), 0u);
  advance(30);
  EXPECT_EQ(node_of("a"), "n1");
}

TEST_F(ClusterSessionTest, LeavesTheLeaseToOthersWhenItStops) {
  add_node("n1");
  add_pod("a");
  start(candidate());
  advance(5);
  bool is_done = false;
  engine_->end_work();
  session_->begin_shutdown({}, [&] { is_done = true; });
  add_pod("late");
  advance(1);
  EXPECT_TRUE(is_done);
  EXPECT_FALSE(has_lost_);
  EXPECT_EQ(node_of("late"), "");
  EXPECT_EQ(server_.get<api::Lease>("kube-system/kube-scheduler")->spec.holder_identity.value_or(""), "");
  EXPECT_EQ(server_.list(api::kind_of<api::Event>()).size(), 3u);  // Scheduled, began to lead, stopped
  EXPECT_FALSE(session_->is_leading());
}

TEST_F(ClusterSessionTest, FindsOutAboutTheLastBindBeforeItStops) {
  ClusterSession::Options options = candidate();
  options.let_engine_settle = [this] { engine_->turn(); };
  add_node("n1");
  start(std::move(options));
  advance(5);
  server_.faults.lost_answers = 1000;
  add_pod("a");
  loop_.advance(Duration::milliseconds(8));
  engine_->end_work();
  loop_.advance(Duration());
  engine_->reaction_time = Duration::minutes(1);
  bool is_done = false;
  session_->begin_shutdown({}, [&] { is_done = true; });
  loop_.advance(Duration::milliseconds(100));
  server_.faults.lost_answers = 0;
  EXPECT_EQ(node_of("a"), "n1");
  EXPECT_TRUE(session_->is_leading()) << "somebody has to find out";
  advance(1);
  EXPECT_TRUE(is_done);
  EXPECT_FALSE(session_->is_leading());
  std::size_t scheduled = 0;
  for (const api::AnyObject& event : server_.list(api::kind_of<api::Event>())) {
    scheduled += event.as<api::Event>()->reason == "Scheduled" ? 1 : 0;
  }
  EXPECT_EQ(scheduled, 1u);
}

TEST_F(ClusterSessionTest, StopsInTimeAlsoIfTheServerIsGone) {
  add_node("n1");
  start(candidate());
  advance(5);
  add_pod("a");
  loop_.advance(Duration::milliseconds(2));
  server_.behaviour.is_up = false;
  server_.break_streams();
  bool is_done = false;
  engine_->end_work();
  session_->begin_shutdown({}, [&] { is_done = true; });
  advance(18);
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace berth::daemon
