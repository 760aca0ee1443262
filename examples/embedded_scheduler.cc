// Berth's scheduler inside a program that has nothing to do with Kubernetes: a render farm that keeps its own machines
// and tasks, and its own time. The scheduler is told what there is (observe), is asked what to do (take_commands), and
// is told what came of it (complete). It reads no clock and starts no thread: the farm's time is a number that jumps to
// whatever is due next, so a day takes a moment and every run is the same. A program with real machines does the same
// with a real clock.
//
// To build it with the installed library (docs/library.md has more ways):
//   g++ -std=c++23 embedded_scheduler.cc -o embedded_scheduler $(pkg-config --cflags --libs berth-scheduler)
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/engine/scheduler.h"

using namespace berth;

class RenderFarm {
 public:
  RenderFarm() : scheduler_(engine::Scheduler::make({}).value()) {}

  void add_machine(const std::string& name, int cpus) {
    auto node = std::make_shared<api::Node>();
    node->metadata.name = name;
    node->status.allocatable = {{"cpu", api::Quantity::from_units(cpus)}, {"pods", api::Quantity::from_units(100)}};
    scheduler_->observe(api::AnyObject(std::shared_ptr<const api::Node>(node)), now_);
  }

  void submit(const std::string& name, int cpus, Duration runs_for, std::int32_t priority = 0) {
    api::PodTemplate spec;
    spec.scheduler_name = Symbol("default-scheduler");
    spec.priority = priority;
    spec.containers.emplace_back().resources.requests = {{"cpu", api::Quantity::from_units(cpus)}};
    api::Pod task;
    task.metadata.name_space = Symbol("default");
    task.metadata.name = task.metadata.uid = name;
    task.spec.shared = std::move(spec);
    runs_for_[name] = runs_for;
    store(std::move(task));
  }

  // Until `end`, or until all tasks have ended.
  void run_until(Instant end) {
    scheduler_->start(now_);
    while (true) {
      scheduler_->run_until_idle(now_);
      const std::vector<engine::Command> commands = scheduler_->take_commands();
      scheduler_->take_events();  // a log of one's own would write them
      for (const engine::Command& command : commands) {
        const engine::Outcome outcome = std::visit([&](const auto& what) { return carry_out(what); }, command.what);
        scheduler_->complete(command.id, outcome, now_);
      }
      if (!commands.empty()) continue;  // what they changed may let more happen now
      const Instant next = next_due();
      if (!next.is_set() || next > end) break;
      now_ = next;
      end_tasks();
    }
    now_ = std::max(now_, end);
  }

  Instant now() const { return now_; }
  std::size_t tasks() const { return tasks_.size(); }

 private:
  static engine::Outcome failed(engine::Outcome::Kind kind) {
    engine::Outcome outcome;
    outcome.kind = kind;
    return outcome;
  }

  // --- What the scheduler wants done ---
  engine::Outcome carry_out(const engine::BindPod& bind) {
    const auto task = tasks_.find(bind.binding->metadata.name);
    if (task == tasks_.end()) return failed(engine::Outcome::Kind::kNotFound);
    api::Pod running = *task->second;
    running.spec.node_name = Symbol(bind.binding->target.name);
    ends_at_[running.metadata.name] = now_ + runs_for_.at(running.metadata.name);
    say("{} starts on {}", running.metadata.name, bind.binding->target.name);
    store(std::move(running));
    return {};
  }
  engine::Outcome carry_out(const engine::PatchPodStatus& patch) {
    const auto task = tasks_.find(patch.base->metadata.name);
    if (task == tasks_.end()) return failed(engine::Outcome::Kind::kNotFound);
    api::Pod waiting = *task->second;
    if (patch.nominated_node_name) waiting.status.nominated_node_name = *patch.nominated_node_name;
    if (patch.condition && patch.condition->type == Symbol("PodScheduled")) {
      say("{} waits: {}", waiting.metadata.name, patch.condition->message);
      waiting.status.conditions = {*patch.condition};
    }
    store(std::move(waiting));
    return {};
  }
  engine::Outcome carry_out(const engine::DeletePod& preempted) {
    say("{} has to make room", preempted.pod.name);
    remove(preempted.pod.name);
    return {};
  }
  // Volumes, extenders and lost connections: the farm has none.
  template <typename Other>
  engine::Outcome carry_out(const Other&) {
    return failed(engine::Outcome::Kind::kRefused);
  }

  // --- The farm's own objects ---
  void store(api::Pod task) {
    const auto stored = std::make_shared<const api::Pod>(std::move(task));
    tasks_[stored->metadata.name] = stored;
    scheduler_->observe(api::AnyObject(stored), now_);
  }
  void remove(const std::string& name) {
    const api::PodPtr task = tasks_.at(name);
    tasks_.erase(name);
    ends_at_.erase(name);
    scheduler_->observe_deleted(api::AnyObject(task), now_);
  }
  void end_tasks() {
    for (const auto& [name, end] : std::map(ends_at_)) {
      if (end > now_) continue;
      say("{} has ended", name);
      remove(name);
    }
  }
  // Unset: nothing will ever happen by itself.
  Instant next_due() const {
    if (tasks_.empty()) return {};
    Instant next = scheduler_->next_due();
    for (const auto& [name, end] : ends_at_) next = next.is_set() ? std::min(next, end) : end;
    return next;
  }

  template <typename... Arguments>
  void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    fmt::print("{:>5}  {}\n", (now_ - kStart).str(), fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  static constexpr Instant kStart = Instant::from_unix_seconds(1'767'225'600);
  Instant now_ = kStart;
  std::unique_ptr<engine::Scheduler> scheduler_;
  std::map<std::string, api::PodPtr> tasks_;
  std::map<std::string, Duration> runs_for_;
  std::map<std::string, Instant> ends_at_;
};

int main() {
  RenderFarm farm;
  farm.add_machine("east", 8);
  farm.add_machine("west", 8);
  for (int i = 1; i <= 5; ++i) {
    farm.submit(fmt::format("frame-{}", i), 4, Duration::seconds(20));
    farm.run_until(farm.now() + Duration::seconds(1));
  }
  farm.submit("preview", 8, Duration::seconds(5), /*priority=*/100);
  farm.run_until(farm.now() + Duration::minutes(10));
  if (farm.tasks() == 0) fmt::print("all tasks have ended\n");
}
