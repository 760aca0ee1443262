// A small world for the engine's tests: one scheduler, virtual time, and an API server that does what the test says.
// For tests only; the library must not include it.
//
//     World world;
//     world.add(node("n1", "4"));
//     world.add(pod("a", "1").build());
//     world.run();                                  // "a" has a node now and is being bound
//     const Command bind = world.take<BindPod>();   // answered by hand ...
//     world.answer(bind, refused("no"));
//     world.answer_all();                           // ... or by an obedient API server
//
// The world's pods are those of the API server. What an answered command changes is reported to the scheduler at once;
// a test that wants it otherwise calls the scheduler itself.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/cache/testing.h"
#include "berth/engine/scheduler.h"

namespace berth::engine::testing {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;
using Texts = std::vector<std::string>;

inline constexpr Instant kStart = Instant::from_unix_seconds(1'000'000);

inline api::NodePtr node(std::string_view name, std::string_view cpu) {
  return NodeBuilder(name).allocatable("cpu", cpu).build();
}

// A pending pod for the default scheduler.
inline PodBuilder pod(std::string_view name, std::string_view cpu = "1") {
  PodBuilder builder(name);
  builder.spec().scheduler_name = Symbol("default-scheduler");
  builder.request("cpu", cpu);
  return builder;
}

inline config::LoadedConfig configured(std::string_view text, std::span<const config::PluginSpec> out_of_tree = {}) {
  std::string whole = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  auto loaded = config::load_config(whole += text, {.gates = {}, .out_of_tree = out_of_tree});
  if (!loaded) {
    for (const Error& error : loaded.error().errors("test")) ADD_FAILURE() << error.message();
    return config::default_config();
  }
  return *std::move(loaded);
}

inline Outcome outcome_of(Outcome::Kind kind, std::string message = "") {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = std::move(message);
  return outcome;
}
inline Outcome refused(std::string message) {
  return outcome_of(Outcome::Kind::kRefused, std::move(message));
}

// Notes what the queue is told of.
class EventLog final : public Observer {
 public:
  Texts labels;
  void event_happened(const queue::ClusterEvent& event, Instant) override { labels.push_back(event.label().str()); }
};

// --- A plugin that does what the test says ---------------------------------------------------------------------------

// What the plugin "Scripted" answers, and what was asked of it. Unset: it agrees. Whom it rejects waits for new nodes,
// or for pods to leave theirs.
struct Script {
  std::function<framework::Status()> reserve;
  std::function<framework::Permitted()> permit;
  std::function<framework::PreBinding()> pre_bind;
  Texts calls;  // "reserve a", "unreserve a", "permit a", "pre_bind a", "post_bind a"
};

class ScriptedPlugin final : public framework::Plugin,
                             public framework::ReservePlugin,
                             public framework::PermitPlugin,
                             public framework::PreBindPlugin,
                             public framework::PostBindPlugin {
 public:
  explicit ScriptedPlugin(Script& script) : script_(script) {}
  std::string_view name() const override { return "Scripted"; }
  // Not everything: a pod's own status, which shows the failure, would wake it.
  std::optional<std::vector<queue::HintRegistration>> events(Symbol profile) const override {
    const Symbol self(name());
    const auto registration = [&](std::string_view about, queue::ActionSet what) {
      return queue::HintRegistration{.profile = profile, .plugin = self, .event = {about, what}, .hint = {}};
    };
    return std::vector{registration(queue::resource::kNode, queue::action::kAdd),
                       registration(queue::resource::kAssignedPod, queue::action::kDelete)};
  }

  framework::Status reserve(const framework::PodToPlace& pod, const framework::ClusterView&, Symbol) override {
    note("reserve", pod);
    return script_.reserve ? script_.reserve() : framework::Status();
  }
  void unreserve(const framework::PodToPlace& pod, Symbol) override { note("unreserve", pod); }
  framework::Permitted permit(const framework::PodToPlace& pod, Symbol) override {
    note("permit", pod);
    return script_.permit ? script_.permit() : framework::Permitted{};
  }
  framework::PreBinding pre_bind(const framework::PodToPlace& pod, const framework::ClusterView&, Symbol) override {
    note("pre_bind", pod);
    if (script_.pre_bind) return script_.pre_bind();
    return {.status = framework::Status::skip(), .work = {}, .may_run_in_parallel = true};
  }
  void post_bind(const framework::PodToPlace& pod, Symbol) override { note("post_bind", pod); }

 private:
  void note(std::string_view what, const framework::PodToPlace& pod) {
    script_.calls.push_back(std::string(what) + " " + pod->metadata.name);
  }
  Script& script_;
};

inline constexpr config::ExtensionPoints kScriptedPoints = {
    config::ExtensionPoint::kReserve, config::ExtensionPoint::kPermit, config::ExtensionPoint::kPreBind,
    config::ExtensionPoint::kPostBind};

// Work of a PreBind plugin: writes `updates`, then says what `poll` says.
class ScriptedWork final : public framework::PreBindWork {
 public:
  std::vector<api::AnyObject> to_update;
  std::function<framework::Status()> on_poll;
  std::function<void(std::size_t)> on_updated;
  Duration limit = Duration::seconds(30);

  std::vector<api::AnyObject> updates() override { return to_update; }
  void updated(std::size_t index, const api::AnyObject&) override {
    if (on_updated) on_updated(index);
  }
  framework::Status poll(const framework::ClusterView&) override { return on_poll ? on_poll() : framework::Status(); }
  Duration timeout() const override { return limit; }
};

// Options with the plugin "Scripted" behind the default ones. The script outlives the scheduler.
inline Options scripted(Script& script, std::string_view more_configuration = "") {
  static const config::PluginSpec kSpec{"Scripted", kScriptedPoints};
  Options options;
  options.config = configured(
      std::string("profiles:\n- schedulerName: default-scheduler\n  plugins:\n    multiPoint:\n      enabled:\n"
                  "      - name: Scripted\n") +
          std::string(more_configuration),
      std::span(&kSpec, 1));
  options.add_plugins = [&script](framework::PluginRegistry& registry) {
    return registry.add({"Scripted", kScriptedPoints,
                         [&script](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
                           return std::make_unique<ScriptedPlugin>(script);
                         }});
  };
  return options;
}

// --- The world -------------------------------------------------------------------------------------------------------

class World {
 public:
  World() : World(Options{}) {}
  explicit World(Options options) : scheduler_(Scheduler::make(std::move(options)).value()) { scheduler_->start(now_); }
  // Whatever a test does, the state must be consistent afterwards.
  ~World() {
    for (const std::string& broken : scheduler_->broken_invariants()) ADD_FAILURE() << "broken: " << broken;
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Scheduler& scheduler() { return *scheduler_; }
  Instant now() const { return now_; }

  // --- Objects ---
  // Adds or changes an object, in the API server and for the scheduler. Returns it as it is there.
  api::NodePtr add(const api::NodePtr& node) {
    scheduler_->observe(api::AnyObject(node), now_);
    return node;
  }
  api::PodPtr add(const api::PodPtr& pod) {
    api::PodPtr stored = store(*pod);
    scheduler_->observe(api::AnyObject(stored), now_);
    return stored;
  }
  template <typename T>
  void add_object(const T& object) {
    scheduler_->observe(api::AnyObject(std::make_shared<const T>(object)), now_);
  }
  void remove(const api::NodePtr& node) { scheduler_->observe_deleted(api::AnyObject(node), now_); }
  void remove(std::string_view pod_name) {
    const api::PodPtr gone = pods_.at(std::string(pod_name));
    pods_.erase(std::string(pod_name));
    scheduler_->observe_deleted(api::AnyObject(gone), now_);
  }
  // Changes a pod that is there.
  api::PodPtr change(std::string_view pod_name, const std::function<void(api::Pod&)>& how) {
    api::Pod changed = *pods_.at(std::string(pod_name));
    how(changed);
    return add(std::make_shared<const api::Pod>(std::move(changed)));
  }
  // Its deletion begins.
  void terminate(std::string_view pod_name) {
    change(pod_name, [&](api::Pod& pod) { pod.metadata.deletion_timestamp = now_; });
  }
  // In the API server only: the scheduler has not seen it yet.
  api::PodPtr store(const api::Pod& pod) {
    auto stored = std::make_shared<api::Pod>(pod);
    stored->metadata.resource_version = std::to_string(++version_);
    return pods_[pod.metadata.name] = std::move(stored);
  }
  // Null if the API server does not have it.
  api::PodPtr find(std::string_view pod_name) const {
    const auto found = pods_.find(std::string(pod_name));
    return found == pods_.end() ? nullptr : found->second;
  }

  // --- Running ---
  void run() {
    scheduler_->run_until_idle(now_);
    collect();
  }
  // Lets time pass, stopping wherever the scheduler has something to do. Nothing is answered.
  void run_for(Duration duration) {
    const Instant end = now_ + duration;
    while (true) {
      run();
      const Instant due = scheduler_->next_due();
      if (!due.is_set() || due >= end) break;
      ASSERT_GT(due, now_) << "what was due has not been done";
      now_ = due;
    }
    now_ = end;
    run();
  }

  // --- Commands ---
  template <typename T>
  std::size_t count() const {
    std::size_t found = 0;
    for (const Command& command : commands_) found += std::holds_alternative<T>(command.what) ? 1 : 0;
    return found;
  }
  // The first that is not answered yet.
  template <typename T>
  Command take() {
    for (auto it = commands_.begin(); it != commands_.end(); ++it) {
      if (!std::holds_alternative<T>(it->what)) continue;
      Command taken = std::move(*it);
      commands_.erase(it);
      return taken;
    }
    ADD_FAILURE() << "no such command was given";
    return {};
  }
  void answer(const Command& command, const Outcome& outcome) {
    scheduler_->complete(command.id, outcome, now_);
    run();
  }
  // Does what the command says, and reports the change before the result.
  void obey(const Command& command) {
    Outcome outcome;
    std::visit([&](const auto& what) { outcome = perform(what); }, command.what);
    answer(command, outcome);
  }
  // Obeys everything, also what comes of it. Calls to extenders stay.
  void answer_all() {
    for (run(); !commands_.empty(); run()) {
      Command next = std::move(commands_.front());
      commands_.pop_front();
      obey(next);
    }
  }

  // --- Looking ---
  std::string place(std::string_view pod_name) const {
    return std::string(to_string(scheduler_->place_of(Symbol("default"), pod_name)));
  }
  // Where the API server has it; "" if nowhere.
  std::string node_of(std::string_view pod_name) const {
    const api::PodPtr pod = find(pod_name);
    return pod == nullptr ? "" : pod->spec.node_name.str();
  }
  Symbol nominated_node(std::string_view pod_name) const {
    return scheduler_->queue().nominator().node_of(std::string(pod_name) + "-uid");
  }
  // "FailedScheduling a: 0/1 nodes are available: ...", in order, of all events so far.
  const Texts& events() const { return events_; }
  const PodEvent& last_event() const { return published_.back(); }
  // How often a pod was tried.
  std::int32_t attempts(std::string_view pod_name) const {
    const AttemptRecord* last = scheduler_->attempts().last(std::string(pod_name) + "-uid");
    return last == nullptr ? 0 : last->number;
  }
  const AttemptRecord& last_attempt(std::string_view pod_name) const {
    static const AttemptRecord kNone;
    const AttemptRecord* last = scheduler_->attempts().last(std::string(pod_name) + "-uid");
    return last == nullptr ? kNone : *last;
  }
  // The condition PodScheduled in the API server: "False Unschedulable message"; "" if there is none.
  std::string condition(std::string_view pod_name) const {
    const api::PodPtr pod = find(pod_name);
    const api::PodCondition* found = pod == nullptr ? nullptr : api::find_condition(*pod, Symbol("PodScheduled"));
    return found == nullptr ? "" : found->status.str() + " " + found->reason.str() + " " + found->message;
  }

 private:
  void collect() {
    for (PodEvent& event : scheduler_->take_events()) {
      events_.push_back(event.reason.str() + " " + event.regarding->metadata.name + ": " + event.note);
      published_.push_back(std::move(event));
    }
    for (Command& command : scheduler_->take_commands()) commands_.push_back(std::move(command));
  }

  Outcome perform(const BindPod& bind) {
    const api::PodPtr known = find(bind.binding->metadata.name);
    if (known == nullptr) return outcome_of(Outcome::Kind::kNotFound, "not found");
    if (!known->spec.node_name.empty()) return outcome_of(Outcome::Kind::kConflict, "already assigned");
    change(bind.binding->metadata.name, [&](api::Pod& pod) {
      pod.spec.node_name = Symbol(bind.binding->target.name);
      pod.status.nominated_node_name = Symbol();
    });
    return {};
  }
  Outcome perform(const PatchPodStatus& patch) {
    const api::PodPtr known = find(patch.base->metadata.name);
    if (known == nullptr || known->metadata.uid != patch.base->metadata.uid)
      return outcome_of(Outcome::Kind::kNotFound);
    change(known->metadata.name, [&](api::Pod& pod) {
      if (patch.nominated_node_name) pod.status.nominated_node_name = *patch.nominated_node_name;
      if (!patch.condition) return;
      std::erase_if(pod.status.conditions, [&](const auto& each) { return each.type == patch.condition->type; });
      pod.status.conditions.push_back(*patch.condition);
    });
    return {};
  }
  Outcome perform(const DeletePod& command) {
    const api::PodPtr known = find(command.pod.name);
    if (known == nullptr || known->metadata.uid != command.pod.uid) return outcome_of(Outcome::Kind::kNotFound);
    remove(known->metadata.name);
    return {};
  }
  Outcome perform(const ReadPod& command) {
    const api::PodPtr known = find(command.pod.name);
    if (known == nullptr) return outcome_of(Outcome::Kind::kNotFound);
    Outcome outcome;
    outcome.object = api::AnyObject(known);
    return outcome;
  }
  Outcome perform(const UpdateObject& command) {
    scheduler_->observe(command.object, now_);
    Outcome outcome;
    outcome.object = command.object;
    return outcome;
  }
  Outcome perform(const CallExtender&) {
    ADD_FAILURE() << "calls to extenders are the test's to answer";
    return outcome_of(Outcome::Kind::kRefused);
  }

  Instant now_ = kStart;
  std::unique_ptr<Scheduler> scheduler_;
  std::map<std::string, api::PodPtr> pods_;
  std::deque<Command> commands_;
  std::vector<PodEvent> published_;
  Texts events_;
  int version_ = 0;
};

}  // namespace berth::engine::testing
