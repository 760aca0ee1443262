#include "berth/report/pending.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "berth/explain/explain.h"
#include "berth/explain/pod_classes.h"
#include "berth/explain/words.h"

namespace berth::report {

namespace {

struct PodClass {
  std::vector<api::PodPtr> pods;
  engine::PodPlace place = engine::PodPlace::kUnknown;
};

// Pods of one class in one place of the queue.
class Classes {
 public:
  void add(const api::PodPtr& pod, engine::PodPlace place) {
    const auto [it, is_new] = index_.try_emplace({numbers_.class_of(*pod), place}, classes_.size());
    if (is_new) classes_.push_back({.pods = {}, .place = place});
    classes_[it->second].pods.push_back(pod);
  }
  std::vector<PodClass> take() { return std::move(classes_); }

 private:
  explain::PodClasses numbers_;
  std::vector<PodClass> classes_;  // in the order of their first pod
  std::map<std::pair<std::size_t, engine::PodPlace>, std::size_t> index_;
};

std::string place_text(const sim::World& world, engine::PodPlace place) {
  return world.is_scheduler_up() ? std::string(engine::to_string(place)) : "waiting for a scheduler";
}

// Several plugins have some causes in common.
std::string wakes_text(const explain::Explanation& explanation) {
  constexpr std::string_view kLast = "or ";
  std::vector<std::string> clauses;
  for (const explain::WakeUp& wake_up : explanation.wake_ups) {
    for (const std::string& cause : wake_up.causes) {
      if (std::ranges::find(clauses, cause) == clauses.end()) clauses.push_back(cause);
    }
  }
  if (clauses.size() < 2) return clauses.empty() ? "" : clauses.front();
  clauses.back().insert(0, kLast);
  return fmt::format("{}", fmt::join(clauses, clauses.size() == 2 ? " " : ", "));
}

// When the pod is tried at the latest, whatever happens.
Instant next_try_of(const sim::World& world, const api::Pod& pod) {
  if (!world.is_scheduler_up()) return {};
  const auto wake_set = world.scheduler().queue().wake_set(pod.metadata.name_space, pod.metadata.name);
  if (!wake_set) return {};
  return wake_set->backoff_ends_at.is_set() ? wake_set->backoff_ends_at : wake_set->forced_try_at;
}

Instant oldest_of(const PodClass& pods) {
  Instant oldest;
  for (const api::PodPtr& pod : pods.pods) {
    const Instant created = pod->metadata.creation_timestamp;
    if (created.is_set() && (!oldest.is_set() || created < oldest)) oldest = created;
  }
  return oldest;
}

class Describer {
 public:
  Describer(const sim::World& world, explain::Cluster& cluster, const Settings& settings)
      : world_(world), cluster_(cluster), settings_(settings), epoch_(world.now() - world.elapsed()) {
    if (!world.is_scheduler_up()) return;
    for (const queue::QueuedPod* pod : world.scheduler().queue().pods_in(queue::Place::kActive)) {
      active_.emplace_back(rank_of(*pod));
    }
    std::ranges::sort(active_);
  }

  PendingPods describe(const PodClass& pods) {
    PendingPods result;
    for (const api::PodPtr& pod : pods.pods) result.pods.push_back(api::full_name(pod->metadata));
    result.place = place_text(world_, pods.place);
    if (const Instant oldest = oldest_of(pods); oldest.is_set()) {
      result.waits_seconds = (world_.now() - oldest).in_seconds();
    }
    const api::Pod& first = *pods.pods.front();
    if (const sim::PodTimeline* pod_timeline = world_.history().timeline_of_uid(first.metadata.uid))
      result.attempts = pod_timeline->attempts;
    if (pods.place == engine::PodPlace::kActive) result.ahead = pods_before(first);
    // A pod behind a gate is not tried at all.
    const Instant next = pods.place == engine::PodPlace::kGated ? Instant() : next_try_of(world_, first);
    if (next.is_set()) {
      result.next_try_seconds = (next - epoch_).in_seconds();
    }
    say_why(pods, result);
    return result;
  }

 private:
  // Who is tried first: the most important, and among equals who came first. Other plugins that sort the queue are not
  // known.
  using Rank = std::pair<std::int64_t, Instant>;
  static Rank rank_of(const queue::QueuedPod& pod) { return {-api::priority_of(*pod.pod), pod.timestamp}; }

  std::int64_t pods_before(const api::Pod& pod) const {
    const auto* queued = world_.scheduler().queue().get(pod.metadata.name_space, pod.metadata.name);
    return queued == nullptr ? 0 : std::ranges::lower_bound(active_, rank_of(*queued)) - active_.begin();
  }

  void say_why(const PodClass& pods, PendingPods& result) {
    const LastTry last = last_try_of(world_, *pods.pods.front());
    if (explained_ == kMaxExplained) {
      result.sentence = sentence_of(fail("too many pods wait for different things"), last, result.pods.front(), epoch_);
      return;
    }
    ++explained_;
    const auto explanation = explain::explain(cluster_, pods.pods.front(), settings_.config, settings_.gates);
    result.sentence = sentence_of(explanation, last, result.pods.front(), epoch_);
    const bool is_parked = pods.place == engine::PodPlace::kUnschedulable || pods.place == engine::PodPlace::kGated;
    if (explanation && is_parked) result.wakes = wakes_text(*explanation);
  }

  const sim::World& world_;
  explain::Cluster& cluster_;
  const Settings& settings_;
  Instant epoch_;
  std::size_t explained_ = 0;
  std::vector<Rank> active_;  // of all active pods, in their order
};

}  // namespace

std::vector<PendingPods> pending_of(const sim::World& world, explain::Cluster& cluster, const Settings& settings) {
  std::vector<api::PodPtr> pods;
  for (const auto& [name, pod] : cluster.pods) {
    if (pod->spec.node_name.empty() && !api::is_terminal(*pod)) pods.push_back(pod);
  }
  std::ranges::sort(pods, [](const api::PodPtr& a, const api::PodPtr& b) {
    if (a->metadata.name_space != b->metadata.name_space) {
      return a->metadata.name_space.text() < b->metadata.name_space.text();
    }
    return explain::natural_less(a->metadata.name, b->metadata.name);
  });
  Classes classes;
  for (const api::PodPtr& pod : pods) {
    const engine::PodPlace place = world.is_scheduler_up()
                                       ? world.scheduler().place_of(pod->metadata.name_space, pod->metadata.name)
                                       : engine::PodPlace::kUnknown;
    classes.add(pod, place);
  }
  std::vector<PodClass> ordered = classes.take();
  // Order of creation, then of names.
  std::vector<std::tuple<Instant, std::size_t>> order;
  for (std::size_t i = 0; i < ordered.size(); ++i) order.emplace_back(oldest_of(ordered[i]), i);
  std::ranges::sort(order);

  Describer describer(world, cluster, settings);
  std::vector<PendingPods> result;
  for (const auto& [created, i] : order) result.push_back(describer.describe(ordered[i]));
  return result;
}

}  // namespace berth::report
