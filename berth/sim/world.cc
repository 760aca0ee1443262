#include "berth/sim/world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/ascii.h"
#include "berth/base/check.h"
#include "berth/config/load.h"
#include "berth/plugins/default_plugins.h"
#include "berth/sim/admission.h"
#include "berth/sim/api_server.h"
#include "berth/sim/autoscaler.h"
#include "berth/sim/controllers.h"
#include "berth/sim/evictions.h"
#include "berth/sim/invariants.h"
#include "berth/sim/object_copy.h"
#include "berth/sim/pod_script.h"
#include "berth/sim/virtual_time.h"

namespace berth::sim {

namespace {

// Each part draws from a stream of its own, so that one that draws more does not disturb the others.
enum Stream : std::uint64_t { kSchedulerSeed = 1, kLinkStream, kControllersStream, kScenarioStream, kAutoscalerStream };

Result<void> as_result(const ApiResult<void>& result) {
  if (result) return {};
  return fail(result.error().message);
}

Result<void> as_result(const ApiResult<api::AnyObject>& result) {
  if (result) return {};
  return fail(result.error().message);
}

// What of a node has changed, in words.
std::string change_of(const api::Node& before, const api::Node& after) {
  std::vector<std::string_view> parts;
  if (before.spec.unschedulable != after.spec.unschedulable) {
    parts.emplace_back(after.spec.unschedulable ? "cordoned" : "uncordoned");  // with the taint that goes with it
  } else if (before.spec.taints != after.spec.taints) {
    parts.emplace_back("taints");
  }
  if (!(before.metadata.labels == after.metadata.labels)) parts.emplace_back("labels");
  if (!(before.status.allocatable == after.status.allocatable)) parts.emplace_back("allocatable");
  if (before.status.conditions != after.status.conditions) parts.emplace_back("conditions");
  return parts.empty() ? "other" : fmt::format("{}", fmt::join(parts, ", "));
}

// The configuration with the Script plugin in every profile.
Result<config::LoadedConfig> with_script(const engine::Options& options, PodScript& script) {
  framework::PluginRegistry registry;
  if (options.add_plugins) {
    if (auto added = options.add_plugins(registry); !added) return fail(std::move(added).error());
  }
  if (auto added = script.add_to(registry); !added) return fail(std::move(added).error());
  config::SchedulerConfig config = options.config.config;
  for (config::Profile& profile : config.profiles) {
    if (!profile.plugins) profile.plugins.emplace();
    profile.plugins->multi_point.enabled.push_back({.name = std::string(kScriptPlugin), .weight = 0});
  }
  const std::vector<config::PluginSpec> others = registry.out_of_tree();
  auto built = config::build_profiles(std::move(config), {.gates = options.gates, .out_of_tree = others});
  if (!built) return fail(std::move(built.error().front()));
  return *std::move(built);
}

}  // namespace

struct World::Parts {
  explicit Parts(WorldOptions given)
      : options(std::move(given)),
        root(options.seed),
        scenario_rng(root.fork(kScenarioStream)),
        time(options.epoch),
        history(options.max_events),
        evictions(api, time, history) {
    api.set_max_objects(options.max_objects);
  }

  Result<void> build();
  void on_change(const Change& change);
  void on_pod_change(const Change& change);
  void on_node_change(const Change& change);
  void add_namespace(Symbol name);
  bool is_idle() const { return time.work() == 0 && !link->is_busy(); }
  std::string business() const;
  void step();
  Result<api::NodePtr> find_node(std::string_view name) const;
  // The scheduler's profiles once more, about other objects.
  Result<Autoscaler::Profiles> build_profiles(const cache::ClusterObjects& objects) const;

  WorldOptions options;
  Rng root;
  Rng scenario_rng;
  VirtualTime time;
  ApiServer api;
  History history;
  PodScript script;
  Invariants invariants;
  Evictions evictions;
  std::unique_ptr<Controllers> controllers;
  std::unique_ptr<SchedulerLink> link;
  std::unique_ptr<Autoscaler> autoscaler;  // null: nobody has asked for it
  std::function<void()> on_step;
  std::function<void()> on_create;
  std::vector<Symbol> made_namespaces;  // that nobody asked for
};

Result<void> World::Parts::build() {
  script.set_clock([this] { return time.now(); });
  engine::Options scheduler = options.scheduler;
  scheduler.seed = root.fork(kSchedulerSeed).next_u64();
  if (options.scripted) {
    auto config = with_script(scheduler, script);
    if (!config) return fail(std::move(config).error());
    scheduler.config = *std::move(config);
    scheduler.add_plugins = [this, others = options.scheduler.add_plugins](framework::PluginRegistry& registry) {
      if (others) {
        if (auto added = others(registry); !added) return added;
      }
      return script.add_to(registry);
    };
  }
  // The history first: what others do about a change comes after it.
  api.listen([this](const Change& change) { on_change(change); });
  controllers = std::make_unique<Controllers>(api, time, options.faults, history, root.fork(kControllersStream));
  auto made = SchedulerLink::make(std::move(scheduler), options.extender, {api, time, options.faults, history},
                                  root.fork(kLinkStream));
  if (!made) return fail(std::move(made).error());
  link = *std::move(made);
  api.listen([this](const Change& change) { link->on_change(change); });
  return {};
}

void World::Parts::on_change(const Change& change) {
  if (on_create && change.kind == Change::Kind::kAdded) on_create();
  invariants.on_change(change);
  const api::ObjectKind* kind = &change.object.kind();
  if (kind == &api::kind_of<api::Pod>()) on_pod_change(change);
  if (kind == &api::kind_of<api::Node>()) on_node_change(change);
}

void World::Parts::on_pod_change(const Change& change) {
  const api::PodPtr pod = change.object.as<api::Pod>();
  const Instant now = time.now();
  if (change.kind == Change::Kind::kDeleted) {
    history.pod_gone(*pod, false, now);
    return;
  }
  const api::PodPtr before = change.before.as<api::Pod>();
  if (before == nullptr) {
    history.created(*pod, controllers->group_of(*pod), now);
  } else if (before->spec.node_name.empty() && !pod->spec.node_name.empty()) {
    history.bound_in_api(*pod, now);
  }
  if (api::is_terminal(*pod) && (before == nullptr || !api::is_terminal(*before))) {
    history.pod_gone(*pod, pod->status.phase == "Succeeded", now);
  }
}

void World::Parts::on_node_change(const Change& change) {
  const api::NodePtr node = change.object.as<api::Node>();
  const Symbol name(node->metadata.name);
  switch (change.kind) {
    case Change::Kind::kAdded: history.note(HistoryEvent::Kind::kNodeAdded, time.now(), {}, name); break;
    case Change::Kind::kDeleted: history.note(HistoryEvent::Kind::kNodeRemoved, time.now(), {}, name); break;
    case Change::Kind::kModified:
      history.note(HistoryEvent::Kind::kNodeChanged, time.now(), change_of(*change.before.as<api::Node>(), *node),
                   name);
      break;
  }
}

// Selectors on namespaces look at their labels, so a namespace that objects are in has to be there.
void World::Parts::add_namespace(Symbol name) {
  if (name.empty() || api.get(api::kind_of<api::Namespace>(), Symbol(), name.text())) return;
  auto made = std::make_shared<api::Namespace>();
  made->metadata.name = name.str();
  made_namespaces.push_back(name);
  const auto added = api.create(api::AnyObject(std::shared_ptr<const api::Namespace>(std::move(made))), time.now());
  BERTH_CHECK(added.has_value(), "namespace {} cannot be made: {}", name.text(), added.error().message);
}

std::string World::Parts::business() const {
  const std::string of_scheduler = link->business();
  const std::string others = time.work() == 0 ? "" : fmt::format("{} more on the agenda", time.work());
  return fmt::format("{}{}{}", of_scheduler, of_scheduler.empty() || others.empty() ? "" : ", ", others);
}

void World::Parts::step() {
  time.step();
  if (on_step) on_step();
}

Result<api::NodePtr> World::Parts::find_node(std::string_view name) const {
  if (api::NodePtr node = api.get<api::Node>(Symbol(), name)) return node;
  return fail(fmt::format("nodes \"{}\" not found", name));
}

Result<Autoscaler::Profiles> World::Parts::build_profiles(const cache::ClusterObjects& objects) const {
  framework::PluginRegistry registry = plugins::default_registry(options.scheduler.quirks.plugins);
  if (options.scheduler.add_plugins) {
    if (auto added = options.scheduler.add_plugins(registry); !added) return fail(std::move(added).error());
  }
  Autoscaler::Profiles profiles;
  for (const config::Profile& configured : options.scheduler.config.config.profiles) {
    auto built = framework::Profile::build(configured, registry, options.scheduler.gates, objects);
    if (!built) return fail(std::move(built).error());
    profiles.push_back(*std::move(built));
  }
  return profiles;
}

World::World(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
World::~World() = default;

Result<std::unique_ptr<World>> World::make(WorldOptions options) {
  auto parts = std::make_unique<Parts>(std::move(options));
  if (auto built = parts->build(); !built) return fail(std::move(built).error());
  return std::unique_ptr<World>(new World(std::move(parts)));
}

// --- Time ------------------------------------------------------------------------------------------------------------

Instant World::now() const {
  return parts_->time.now();
}

Duration World::elapsed() const {
  return now() - parts_->options.epoch;
}

void World::at(Instant when, std::function<void()> what) {
  parts_->time.at(when, Agenda::Urgency::kWork, std::move(what));
}

void World::run_until(Instant when) {
  VirtualTime& time = parts_->time;
  while (time.next_at().is_set() && time.next_at() <= when) {
    if (is_full()) return;
    parts_->step();
  }
  time.advance_to(when);
}

Result<void> World::run_until_idle(Instant limit) {
  VirtualTime& time = parts_->time;
  while (!parts_->is_idle()) {
    if (is_full()) return {};
    const Instant next = time.next_at();
    if (next.is_set() && next <= limit) {
      parts_->step();
      continue;
    }
    time.advance_to(limit);
    return fail(fmt::format("still busy at {}: {}", elapsed().str(), parts_->business()));
  }
  return {};
}

bool World::run_until(const std::function<bool()>& condition, Instant limit) {
  VirtualTime& time = parts_->time;
  while (!condition()) {
    if (is_full()) return false;
    const Instant next = time.next_at();
    if (!next.is_set() || next > limit) {
      time.advance_to(limit);
      return condition();
    }
    parts_->step();
  }
  return true;
}

void World::set_on_step(std::function<void()> on_step) {
  parts_->on_step = std::move(on_step);
}

void World::set_on_create(std::function<void()> on_create) {
  parts_->on_create = std::move(on_create);
}

bool World::is_full() const {
  return parts_->api.is_full();
}

void World::jump_clock(Duration by) {
  parts_->history.note(HistoryEvent::Kind::kFault, now(), fmt::format("the scheduler's clock jumps by {}", by.str()));
  parts_->link->jump_clock(by);
}

// --- What users and administrators do --------------------------------------------------------------------------------

Result<void> World::create(api::AnyObject object) {
  const api::ObjectKind& kind = object.kind();
  if (kind.metadata == nullptr) return fail(fmt::format("a {} cannot be created", kind.kind));
  const std::string& name = object.metadata().name;
  if (&kind == &api::kind_of<api::Namespace>()) {
    const auto made = std::ranges::find(parts_->made_namespaces, Symbol(name));
    if (made != parts_->made_namespaces.end()) {
      parts_->made_namespaces.erase(made);
      return update(std::move(object));
    }
  }
  if (kind.namespaced) {
    const Symbol name_space = object.metadata().name_space;
    parts_->add_namespace(name_space.empty() ? Symbol("default") : name_space);
  }
  return as_result(parts_->api.create(std::move(object), now()));
}

Result<void> World::update(api::AnyObject object) {
  if (object.kind().metadata == nullptr) return fail(fmt::format("a {} cannot be updated", object.kind().kind));
  const api::AnyObject given = with_metadata(object, [&](api::ObjectMeta& metadata) {
    if (object.kind().namespaced && metadata.name_space.empty()) metadata.name_space = Symbol("default");
    metadata.resource_version.clear();
  });
  const api::AnyObject old = parts_->api.get(given.kind(), given.metadata().name_space, given.metadata().name);
  return as_result(parts_->api.update(old ? completed_by(given, old) : given));
}

Result<void> World::apply(api::AnyObject object) {
  const api::ObjectMeta& metadata = object.metadata();
  const bool needs_default = object.kind().namespaced && metadata.name_space.empty();
  const Symbol name_space = needs_default ? Symbol("default") : metadata.name_space;
  const bool is_there = static_cast<bool>(parts_->api.get(object.kind(), name_space, metadata.name));
  return is_there ? update(std::move(object)) : create(std::move(object));
}

Result<void> World::remove(const api::ObjectKind& kind, std::string_view name_space, std::string_view name) {
  Symbol where;
  if (kind.namespaced) where = Symbol(name_space.empty() ? "default" : name_space);
  return as_result(parts_->api.remove(kind, where, name, now()));
}

namespace {

// Sets the number of pods of a workload of type T.
template <typename T>
Result<void> scale_to(ApiServer& api, Symbol name_space, std::string_view name, std::int32_t replicas) {
  const std::shared_ptr<const T> old = api.get<T>(name_space, name);
  if (old == nullptr) return fail(fmt::format("{} \"{}\" not found", api::kind_of<T>().resource, name));
  auto scaled = std::make_shared<T>(*old);
  if constexpr (requires { scaled->spec.replicas; }) {
    scaled->spec.replicas = replicas;
  } else {
    scaled->spec.parallelism = replicas;
  }
  return as_result(api.update(api::AnyObject(std::shared_ptr<const T>(std::move(scaled)))));
}

bool names(std::string_view word, const api::ObjectKind& kind) {
  return same_ignoring_case(word, kind.kind) || same_ignoring_case(word, kind.resource);
}

}  // namespace

Result<void> World::scale(std::string_view kind, std::string_view name_space, std::string_view name,
                          std::int32_t replicas) {
  ApiServer& api = parts_->api;
  const Symbol where(name_space.empty() ? "default" : name_space);
  if (names(kind, api::kind_of<api::Deployment>())) return scale_to<api::Deployment>(api, where, name, replicas);
  if (names(kind, api::kind_of<api::ReplicaSet>())) return scale_to<api::ReplicaSet>(api, where, name, replicas);
  if (names(kind, api::kind_of<api::StatefulSet>())) return scale_to<api::StatefulSet>(api, where, name, replicas);
  if (names(kind, api::kind_of<api::ReplicationController>())) {
    return scale_to<api::ReplicationController>(api, where, name, replicas);
  }
  if (names(kind, api::kind_of<api::Job>())) return scale_to<api::Job>(api, where, name, replicas);
  return fail(fmt::format("a {} has no number of pods to set", kind));
}

Result<void> World::cordon(std::string_view node, bool unschedulable) {
  const auto found = parts_->find_node(node);
  if (!found) return fail(found.error());
  auto changed = std::make_shared<api::Node>(**found);
  changed->spec.unschedulable = unschedulable;
  taint_as_cordoned(*changed);
  return as_result(parts_->api.update(api::AnyObject(std::shared_ptr<const api::Node>(std::move(changed)))));
}

Result<void> World::drain(std::string_view node) {
  if (auto cordoned = cordon(node, true); !cordoned) return cordoned;
  const Symbol name(node);
  parts_->history.note(HistoryEvent::Kind::kStatement, now(), fmt::format("drain {}", node), name);
  std::vector<api::PodPtr> pods;
  parts_->api.for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (pod->spec.node_name != name) return;
    const api::OwnerReference* owner = api::controller_of(pod->metadata);
    const bool stays = (owner != nullptr && owner->kind == "DaemonSet") ||
                       pod->metadata.annotations->contains(Symbol("kubernetes.io/config.mirror"));
    if (!stays) pods.push_back(pod);
  });
  parts_->evictions.drain(name, pods);
  return {};
}

Result<void> World::fail_node(std::string_view node) {
  if (const auto found = parts_->find_node(node); !found) return fail(found.error());
  parts_->history.note(HistoryEvent::Kind::kFault, now(), fmt::format("node {} fails", node), Symbol(node));
  parts_->controllers->fail_node(Symbol(node));
  return {};
}

Result<void> World::recover_node(std::string_view node) {
  if (const auto found = parts_->find_node(node); !found) return fail(found.error());
  parts_->history.note(HistoryEvent::Kind::kFault, now(), fmt::format("node {} is back", node), Symbol(node));
  parts_->controllers->recover_node(Symbol(node));
  return {};
}

// --- The autoscaler --------------------------------------------------------------------------------------------------

Result<Autoscaler*> World::use_autoscaler() {
  Parts& parts = *parts_;
  if (parts.autoscaler == nullptr) {
    auto made = Autoscaler::make(
        {parts.api, parts.time, parts.history, parts.evictions},
        [&](const cache::ClusterObjects& objects) { return parts.build_profiles(objects); },
        parts.root.fork(kAutoscalerStream));
    if (!made) return fail(made.error());
    parts.autoscaler = *std::move(made);
    parts.api.listen([&parts](const Change& change) { parts.autoscaler->on_change(change); });
  }
  return parts.autoscaler.get();
}

const Autoscaler* World::autoscaler() const {
  return parts_->autoscaler.get();
}

// --- The scheduler ---------------------------------------------------------------------------------------------------

void World::crash_scheduler() {
  if (!parts_->link->is_up()) return;
  parts_->history.note(HistoryEvent::Kind::kSchedulerDown, now(), {});
  parts_->link->crash();
}

void World::start_scheduler() {
  if (parts_->link->is_up()) return;
  parts_->history.note(HistoryEvent::Kind::kSchedulerUp, now(), {});
  parts_->link->start();
}

bool World::is_scheduler_up() const {
  return parts_->link->is_up();
}

engine::Scheduler& World::scheduler() {
  BERTH_CHECK(is_scheduler_up(), "the scheduler is down");
  return *parts_->link->scheduler();
}

const engine::Scheduler& World::scheduler() const {
  BERTH_CHECK(is_scheduler_up(), "the scheduler is down");
  return *parts_->link->scheduler();
}

void World::nudge_scheduler() {
  parts_->link->request_run();
}

void World::break_watch(const api::ObjectKind& kind) {
  parts_->history.note(HistoryEvent::Kind::kFault, now(), fmt::format("the watch of {} breaks", kind.resource));
  parts_->link->break_watch(kind);
}

void World::break_all_watches() {
  parts_->history.note(HistoryEvent::Kind::kFault, now(), "all watches break");
  parts_->link->break_all_watches();
}

std::vector<Drain> World::open_drains() const {
  return parts_->evictions.open_drains();
}
std::vector<Rollout> World::rollouts() const {
  return parts_->controllers->rollouts();
}

Faults& World::faults() {
  return parts_->options.faults;
}
PodScript& World::pod_script() {
  return parts_->script;
}
ApiServer& World::api() {
  return parts_->api;
}
const ApiServer& World::api() const {
  return parts_->api;
}
const FailedCreations& World::failed_creations() const {
  return parts_->controllers->failed_creations();
}
History& World::history() {
  return parts_->history;
}
const History& World::history() const {
  return parts_->history;
}
Rng& World::rng() {
  return parts_->scenario_rng;
}

std::vector<std::string> World::broken_invariants() const {
  return parts_->invariants.broken(parts_->api, parts_->history, *parts_->link);
}

}  // namespace berth::sim
