#include "berth/sim/wakeup_checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "berth/api/meta.h"
#include "berth/framework/attempt.h"
#include "berth/queue/scheduling_queue.h"
#include "berth/sim/pod_script.h"

namespace berth::sim {

namespace {

constexpr std::size_t kMaxEventsKept = 256;
constexpr std::size_t kMaxEventsTold = 8;

bool has_script_rule(const PodScript& script, const api::Pod& pod, ScriptPoint point) {
  return script.has_rules_at(point) && script.peek(api::full_name(pod.metadata), point).has_value();
}

std::string joined(const std::vector<Symbol>& names) {
  std::vector<std::string_view> texts;
  for (const Symbol name : names) texts.push_back(name.text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string LostWakeUp::text() const {
  std::string result =
      fmt::format("it fits on {} and is parked for {}", node.text(), waits_for.empty() ? "nobody" : joined(waits_for));
  result += last_look ? fmt::format("; since {}, when it did not fit: ", last_look->str())
                      : std::string("; it was not seen not to fit since its last attempt, and there was: ");
  return result + (events.empty() ? "nothing" : fmt::format("{}", fmt::join(events, ", ")));
}

WakeUpChecker::WakeUpChecker(World& world) : world_(world) {
  world_.history().set_event_listener(this);
}

WakeUpChecker::~WakeUpChecker() {
  world_.history().set_event_listener(nullptr);
}

void WakeUpChecker::event_happened(const queue::ClusterEvent& event, Instant /*now*/) {
  ++event_count_;
  events_.push_back({world_.elapsed(), event.label()});
  if (events_.size() > kMaxEventsKept) events_.pop_front();
}

WakeUpChecker::Versions WakeUpChecker::versions() const {
  const engine::Scheduler& scheduler = world_.scheduler();
  const cache::ClusterObjects& objects = scheduler.objects();
  return {scheduler.cache().nodes().generation(),
          scheduler.cache().assumed_count(),
          scheduler.queue().nominator().version(),
          scheduler.preemptions(),
          world_.history().counts().restarts,
          objects.namespaces.version(),
          objects.storage_classes.version(),
          objects.persistent_volumes.version(),
          objects.persistent_volume_claims.version(),
          objects.csi_drivers.version(),
          objects.csi_nodes.version(),
          objects.csi_storage_capacities.version(),
          objects.volume_attachments.version(),
          objects.device_classes.version(),
          objects.resource_claims.version()};
}

bool WakeUpChecker::has_news(const std::vector<const queue::QueuedPod*>& parked) {
  const Versions now = versions();
  const bool is_same =
      now == last_versions_ &&
      std::ranges::equal(parked, last_parked_,
                         [](const queue::QueuedPod* queued, const api::PodPtr& pod) { return queued->pod == pod; });
  if (is_same) return false;
  last_versions_ = now;
  last_parked_.clear();
  for (const queue::QueuedPod* queued : parked) last_parked_.push_back(queued->pod);
  return true;
}

void WakeUpChecker::step() {
  // Pods that are about to be tried may take the room.
  if (!world_.is_scheduler_up() || world_.scheduler().has_work()) return;
  const queue::SchedulingQueue& queue = world_.scheduler().queue();
  const auto parked = queue.pods_in(queue::Place::kUnschedulable);
  if (!has_news(parked)) return;
  ++round_;
  answers_.clear();
  for (const queue::QueuedPod* queued : parked) look_at(*queued);
  std::erase_if(looks_, [this](const auto& each) { return each.second.round != round_; });
}

void WakeUpChecker::look_at(const queue::QueuedPod& queued) {
  const framework::Profile* profile = world_.scheduler().profile(queued.profile());
  if (profile == nullptr || is_held_back(queued, *profile) || waits_for_others(queued, *profile)) return;
  const auto last = looks_.find(queued.uid());
  if (last != looks_.end()) last->second.round = round_;
  const framework::PodToPlace pod{queued.pod, compiled_.get(queued.pod->spec.shared)};
  if (world_.scheduler().cache().assumed_count() > 0 && may_follow_assumed(*pod.compiled)) return;
  const Symbol node = node_for(pod, *profile);
  if (node.empty()) {
    looks_[queued.uid()] = {.at = world_.elapsed(), .events = event_count_, .round = round_, .is_reported = false};
    return;
  }
  if (last != looks_.end() && last->second.is_reported) return;
  report(queued, last == looks_.end() ? nullptr : &last->second, node);
  LastLook& look = looks_[queued.uid()];
  look.round = round_;
  look.is_reported = true;
}

bool WakeUpChecker::is_held_back(const queue::QueuedPod& queued, const framework::Profile& profile) const {
  const api::Pod& pod = *queued.pod;
  if (pod.metadata.deletion_timestamp.is_set()) return true;
  for (const auto& [name, plugin] : profile.pre_enqueue()) {
    if (name == kScriptPlugin) {
      // Asking it would use a rule up.
      if (has_script_rule(world_.pod_script(), pod, ScriptPoint::kPreEnqueue)) return true;
    } else if (!plugin->pre_enqueue(pod).is_success()) {
      return true;
    }
  }
  return queued.is_gated() && world_.scheduler().queue().plugin_name(queued.gating_plugin) == kScriptPlugin;
}

// Whoever waits for somebody who is no filter, or who changes his mind without an event.
bool WakeUpChecker::waits_for_others(const queue::QueuedPod& queued, const framework::Profile& profile) const {
  if (has_script_rule(world_.pod_script(), *queued.pod, ScriptPoint::kFilter)) return true;
  bool is_so = false;
  queued.rejectors().for_each([&](queue::PluginId plugin) {
    const Symbol name = world_.scheduler().queue().plugin_name(plugin);
    const bool is_filter = std::ranges::any_of(
        profile.filters(), [&](const framework::Profile::Filter& each) { return each.name == name; });
    is_so = is_so || !is_filter || name == kScriptPlugin;
  });
  return is_so;
}

bool WakeUpChecker::may_follow_assumed(const api::CompiledPod& compiled) const {
  return !compiled.required_affinity.empty() || !compiled.spread_constraints.empty() || compiled.has_volume_claims;
}

Symbol WakeUpChecker::node_for(const framework::PodToPlace& pod, const framework::Profile& profile) {
  const bool is_nominated = !world_.scheduler().queue().nominator().node_of(pod->metadata.uid).empty();
  if (is_nominated || pod.compiled->has_volume_claims) return evaluate(pod, profile);
  const ClassKey key(pod->metadata.name_space.id(), pod->spec.shared.identity(), pod->metadata.labels.identity(),
                     pod->status.resource_claim_statuses.identity());
  const auto known = answers_.find(key);
  if (known != answers_.end()) return known->second;
  return answers_[key] = evaluate(pod, profile);
}

Symbol WakeUpChecker::evaluate(const framework::PodToPlace& pod, const framework::Profile& profile) {
  ++evaluations_;
  engine::Scheduler& scheduler = world_.scheduler();
  const cache::NodeTable& table = scheduler.cache().nodes();
  if (table.node_count() == 0) return {};
  const framework::ClusterView view{table, scheduler.objects()};
  const framework::PreFilterResult pre_filter = framework::run_pre_filter(profile, pod, view);
  if (!pre_filter.status.is_success()) return {};
  const framework::FilterResult filtered =
      framework::run_filters(profile, pre_filter, pod, view, scheduler.nominated());
  if (!filtered.errors.empty()) return {};
  Symbol first;  // by name: rows say nothing
  filtered.feasible.for_each([&](std::size_t row) {
    const Symbol name = table.at(static_cast<cache::RowId>(row)).name;
    if (first.empty() || name.text() < first.text()) first = name;
  });
  return first;
}

void WakeUpChecker::report(const queue::QueuedPod& queued, const LastLook* last, Symbol node) {
  const queue::SchedulingQueue& queue = world_.scheduler().queue();
  LostWakeUp lost;
  lost.pod = api::full_name(queued.pod->metadata);
  lost.at = world_.elapsed();
  if (last != nullptr) lost.last_look = last->at;
  lost.node = node;
  if (queued.is_gated()) lost.waits_for.push_back(queue.plugin_name(queued.gating_plugin));
  queued.rejectors().for_each([&](queue::PluginId plugin) { lost.waits_for.push_back(queue.plugin_name(plugin)); });
  const std::uint64_t since = event_count_ - (last == nullptr ? 0 : last->events);
  const std::size_t told = std::min({static_cast<std::size_t>(since), events_.size(), kMaxEventsTold});
  for (std::size_t i = events_.size() - told; i < events_.size(); ++i) {
    lost.events.push_back(fmt::format("{} at {}", events_[i].label.text(), events_[i].at.str()));
  }
  world_.history().lost_wake_up(*queued.pod, node, lost.text(), world_.now());
  found_.push_back(std::move(lost));
}

}  // namespace berth::sim
