#include "berth/daemon/endpoints_view.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "berth/api/compiled_pod.h"
#include "berth/api/kinds.h"
#include "berth/api/pod_requests.h"
#include "berth/explain/wake_ups.h"
#include "berth/queue/cluster_event.h"

namespace berth::daemon {

namespace {

QueueEntry entry_of(const queue::SchedulingQueue& queue, const queue::QueuedPod& pod) {
  QueueEntry entry;
  entry.pod = api::full_name(pod.pod->metadata);
  entry.priority = api::priority_of(*pod.pod);
  entry.attempts = pod.attempts;
  entry.since = pod.timestamp;
  entry.first_tried_at = pod.initial_attempt_timestamp;
  if (pod.is_gated()) entry.gated_by = queue.plugin_name(pod.gating_plugin);
  pod.rejectors().for_each([&](queue::PluginId id) { entry.rejected_by.push_back(queue.plugin_name(id)); });
  std::ranges::sort(entry.rejected_by, SymbolTextLess());
  if (const auto wake_set = queue.wake_set(pod.pod->metadata.name_space, pod.pod->metadata.name)) {
    entry.backoff_ends_at = wake_set->backoff_ends_at;
    entry.forced_try_at = wake_set->forced_try_at;
  }
  return entry;
}

// One entry per thing that may happen: a plugin registers for several at once, and such a set has no name.
void add_triggers(const queue::WakeSet::Trigger& trigger, std::vector<WakeTrigger>& into) {
  const queue::ClusterEvent& event = trigger.event;
  if (!event.custom_label.empty() || !queue::action_name(event.actions).empty()) {
    into.push_back({event.label(), trigger.plugin});
    return;
  }
  for (queue::ActionSet bit = 1; bit <= queue::action::kAll; bit <<= 1) {
    if ((event.actions & bit) != 0) into.push_back({queue::ClusterEvent(event.resource, bit).label(), trigger.plugin});
  }
}

void add_wake_set(const engine::Scheduler& scheduler, const api::Pod& pod, PodAnswer& answer) {
  const auto wake_set = scheduler.queue().wake_set(pod.metadata.name_space, pod.metadata.name);
  if (!wake_set) return;
  for (const queue::WakeSet::Trigger& trigger : wake_set->triggers) {
    add_triggers(trigger, answer.wake_set);
  }
  const framework::Profile* profile = scheduler.profile(pod.spec->scheduler_name);
  if (profile == nullptr || wake_set->triggers.empty()) return;
  const std::vector<Symbol>& rejected_by = answer.queue->rejected_by;
  const std::vector<Symbol> gate = {wake_set->gating_plugin};
  answer.wake_ups = explain::wake_ups(*profile, wake_set->gating_plugin.empty() ? rejected_by : gate, pod,
                                      *api::compile(*pod.spec.shared));
}

AttemptAnswer attempt_of(const engine::AttemptRecord& record) {
  AttemptAnswer attempt;
  attempt.number = record.number;
  attempt.began_at = record.began_at;
  attempt.ended_at = record.ended_at;
  attempt.woken_by = record.woken_by;
  attempt.result = to_string(record.result);
  attempt.nodes_evaluated = static_cast<std::int64_t>(record.nodes_evaluated);
  attempt.nodes_feasible = static_cast<std::int64_t>(record.nodes_feasible);
  attempt.node = record.node;
  const engine::AttemptRecord::Detail& detail = record.detail();
  for (const engine::AttemptRecord::Rejection& each : detail.rejections) {
    attempt.rejections.push_back({each.plugin, each.reason, static_cast<std::int64_t>(each.nodes)});
  }
  attempt.rejecting_plugins = detail.rejecting_plugins;
  attempt.victims = detail.victims;
  attempt.message = detail.message;
  return attempt;
}

using Entries = std::vector<const queue::QueuedPod*>;

// The first `limit` in the order of `comes_before`; pods that it does not tell apart stay in the order of their names.
template <typename Less>
std::vector<QueueEntry> first_of(const queue::SchedulingQueue& queue, const Entries& pods, std::size_t limit,
                                 Less comes_before) {
  std::vector<std::size_t> order(pods.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t count = std::min(limit, order.size());
  const auto less = [&](std::size_t a, std::size_t b) {
    if (comes_before(*pods[a], *pods[b])) return true;
    return !comes_before(*pods[b], *pods[a]) && a < b;
  };
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), less);
  std::vector<QueueEntry> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(entry_of(queue, *pods[order[i]]));
  return result;
}

bool is_older(const queue::QueuedPod& a, const queue::QueuedPod& b) {
  return a.timestamp < b.timestamp;
}

std::int64_t size_of(const Entries& pods) {
  return static_cast<std::int64_t>(pods.size());
}

// "1500m", "2Gi": what people write.
FlatMap<std::string> texts_of(const api::ResourceVector& amounts, bool with_pods) {
  FlatMap<std::string> result;
  const auto set = [&](std::string_view name, const api::Quantity& amount) {
    if (!amount.is_zero()) result[Symbol(name)] = amount.str();
  };
  constexpr auto kBinary = api::Quantity::Format::kBinarySI;
  set("cpu", api::Quantity::from_milli(amounts.milli_cpu));
  set("memory", api::Quantity::from_units(amounts.memory, kBinary));
  set("ephemeral-storage", api::Quantity::from_units(amounts.ephemeral_storage, kBinary));
  if (with_pods) set("pods", api::Quantity::from_units(amounts.allowed_pods));
  for (const auto& [name, amount] : amounts.scalars) {
    set(name.text(), api::Quantity::from_units(
                         amount, api::is_huge_page_resource(name) ? kBinary : api::Quantity::Format::kDecimalSI));
  }
  return result;
}

PlacedPodAnswer placed_answer(const api::Pod& pod) {
  PlacedPodAnswer answer;
  answer.pod = api::full_name(pod.metadata);
  answer.priority = api::priority_of(pod);
  answer.requests = texts_of(api::pod_usage(*pod.spec.shared, pod.status).requested, true);
  return answer;
}

api::PodPtr with_nomination(const api::PodPtr& pod, Symbol node) {
  if (pod->status.nominated_node_name == node) return pod;
  api::Pod changed = *pod;
  changed.status.nominated_node_name = node;
  return std::make_shared<const api::Pod>(std::move(changed));
}

}  // namespace

std::optional<PodAnswer> pod_answer(const engine::Scheduler& scheduler, Symbol name_space, std::string_view name) {
  const engine::PodPlace place = scheduler.place_of(name_space, name);
  const api::PodPtr pod = scheduler.find_pod(name_space, name);
  if (place == engine::PodPlace::kUnknown || pod == nullptr) return std::nullopt;
  PodAnswer answer;
  answer.pod = api::full_name(pod->metadata);
  answer.uid = pod->metadata.uid;
  answer.scheduler = pod->spec->scheduler_name;
  answer.place = to_string(place);
  answer.node = pod->spec.node_name;
  if (const api::PodPtr assumed = scheduler.cache().find(pod->metadata.uid)) answer.node = assumed->spec.node_name;
  answer.nominated_node = scheduler.queue().nominator().node_of(pod->metadata.uid);
  if (const queue::QueuedPod* queued = scheduler.queue().get(name_space, name)) {
    answer.queue = entry_of(scheduler.queue(), *queued);
    add_wake_set(scheduler, *pod, answer);
  }
  for (const engine::AttemptRecord& record : scheduler.attempts().of(pod->metadata.uid)) {
    answer.attempts.push_back(attempt_of(record));
  }
  return answer;
}

QueueAnswer queue_answer(const engine::Scheduler& scheduler, std::size_t limit) {
  const queue::SchedulingQueue& queue = scheduler.queue();
  const Entries active = queue.pods_in(queue::Place::kActive);
  const Entries rejected = queue.pods_in(queue::Place::kBackoff);
  const Entries failed = queue.pods_in(queue::Place::kErrorBackoff);
  Entries parked = queue.pods_in(queue::Place::kUnschedulable);
  Entries gated;
  std::ranges::copy_if(parked, std::back_inserter(gated), &queue::QueuedPod::is_gated);
  std::erase_if(parked, [](const queue::QueuedPod* pod) { return pod->is_gated(); });
  Entries backoff = rejected;
  backoff.insert(backoff.end(), failed.begin(), failed.end());

  QueueAnswer answer;
  answer.limit = static_cast<std::int64_t>(limit);
  answer.counts = {.active = size_of(active),
                   .backoff = size_of(rejected),
                   .error_backoff = size_of(failed),
                   .unschedulable = size_of(parked),
                   .gated = size_of(gated),
                   .in_flight = static_cast<std::int64_t>(queue.in_flight().size()),
                   .binding = static_cast<std::int64_t>(scheduler.bindings())};
  answer.active = first_of(queue, active, limit, [](const queue::QueuedPod& a, const queue::QueuedPod& b) {
    const std::int32_t first = api::priority_of(*a.pod);
    const std::int32_t second = api::priority_of(*b.pod);
    return first != second ? first > second : a.timestamp < b.timestamp;
  });
  answer.backoff = first_of(queue, backoff, limit, [&queue](const queue::QueuedPod& a, const queue::QueuedPod& b) {
    return queue.backoff_ends_at(a) < queue.backoff_ends_at(b);
  });
  answer.unschedulable = first_of(queue, parked, limit, is_older);
  answer.gated = first_of(queue, gated, limit, is_older);
  return answer;
}

std::optional<NodeCopy> node_copy(const engine::Scheduler& scheduler, Symbol name) {
  const cache::NodeTable& nodes = scheduler.cache().nodes();
  const cache::RowId row = nodes.row_of(name);
  if (row == cache::kNoRow || nodes.at(row).node == nullptr) return std::nullopt;
  NodeCopy copy;
  copy.state = nodes.at(row);
  for (cache::PlacedPod& placed : copy.state.pods) {
    placed.pod_class = nullptr;  // belongs to the engine
    if (scheduler.cache().is_assumed(placed.pod->metadata.uid)) copy.assumed.push_back(placed.pod->metadata.uid);
  }
  for (const queue::Nominator::Nomination& each : scheduler.queue().nominator().for_node(name)) {
    copy.nominated.push_back({each.name_space.str() + "/" + each.name, scheduler.find_pod(each.name_space, each.name)});
  }
  return copy;
}

NodeAnswer node_answer(const NodeCopy& copy) {
  NodeAnswer answer;
  answer.node = copy.state.name.str();
  answer.unschedulable = copy.state.node->spec.unschedulable;
  answer.taints = copy.state.node->spec.taints;
  answer.allocatable = texts_of(copy.state.allocatable, true);
  answer.requested = texts_of(copy.state.requested, false);
  answer.requested[Symbol("pods")] = std::to_string(copy.state.pods.size());
  for (const cache::PlacedPod& placed : copy.state.pods) {
    PlacedPodAnswer pod = placed_answer(*placed.pod);
    pod.assumed = std::ranges::find(copy.assumed, placed.pod->metadata.uid) != copy.assumed.end();
    answer.pods.push_back(std::move(pod));
  }
  std::ranges::sort(answer.pods, [](const PlacedPodAnswer& a, const PlacedPodAnswer& b) { return a.pod < b.pod; });
  for (const NodeCopy::Nominated& each : copy.nominated) {
    PlacedPodAnswer pod = each.object == nullptr ? PlacedPodAnswer{} : placed_answer(*each.object);
    pod.pod = each.pod;
    answer.nominated_pods.push_back(std::move(pod));
  }
  return answer;
}

std::vector<api::AnyObject> cluster_copy(const engine::Scheduler& scheduler) {
  std::vector<api::AnyObject> objects;
  const cache::SchedulerCache& cache = scheduler.cache();
  objects.reserve(cache.nodes().node_count() + cache.pod_count());
  for (std::size_t row = 0; row < cache.nodes().rows(); ++row) {
    const cache::NodeState& state = cache.nodes().at(static_cast<cache::RowId>(row));
    if (state.node != nullptr) objects.emplace_back(state.node);
  }
  cache.for_each_pod([&](const api::PodPtr& pod, bool) { objects.emplace_back(pod); });
  const queue::Nominator& nominator = scheduler.queue().nominator();
  for (const api::PodPtr& pod : scheduler.queue().pending_pods()) {
    objects.emplace_back(with_nomination(pod, nominator.node_of(pod->metadata.uid)));
  }
  for (const api::ObjectKind& kind : api::all_kinds()) {
    scheduler.objects().for_each_of(kind, [&](const api::AnyObject& object) { objects.push_back(object); });
  }
  return objects;
}

}  // namespace berth::daemon
