// What the tests of the queue share: pods in one line, instants in seconds, and the whole state of a queue as text. For
// tests only; the library must not include it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/pod.h"
#include "berth/queue/metrics.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::queue::testing {

// Tests count time from this whole second on.
inline constexpr std::int64_t kEpochSeconds = 1'800'000'000;

inline Instant at_ms(std::int64_t milliseconds) {
  return Instant::from_unix_seconds(kEpochSeconds) + Duration::milliseconds(milliseconds);
}
inline Instant at(std::int64_t seconds) {
  return at_ms(seconds * 1000);
}

inline Symbol profile() {
  return Symbol("default-scheduler");
}

// PodBuilder("a").priority(9).label("app", "web").build(). Its UID is "a-uid" and its namespace "default".
class PodBuilder {
 public:
  explicit PodBuilder(std::string_view name) {
    pod_.metadata.name = name;
    pod_.metadata.uid = std::string(name) + "-uid";
    pod_.metadata.name_space = Symbol("default");
    template_.scheduler_name = profile();
  }
  // A pod of another pod's template and labels, so of the same class.
  PodBuilder(std::string_view name, const api::Pod& like) : PodBuilder(name) {
    shared_ = like.spec.shared;
    pod_.metadata.labels = like.metadata.labels;
    pod_.metadata.name_space = like.metadata.name_space;
  }
  // Another version of a pod.
  explicit PodBuilder(const api::Pod& old) : pod_(old), template_(*old.spec) {}

  PodBuilder& uid(std::string_view uid) { return pod_.metadata.uid = uid, *this; }
  PodBuilder& name_space(std::string_view name) { return pod_.metadata.name_space = Symbol(name), *this; }
  PodBuilder& priority(std::int32_t priority) { return template_.priority = priority, *this; }
  PodBuilder& scheduler(std::string_view name) { return template_.scheduler_name = Symbol(name), *this; }
  PodBuilder& node(std::string_view name) { return pod_.spec.node_name = Symbol(name), *this; }
  PodBuilder& nominated(std::string_view node) { return pod_.status.nominated_node_name = Symbol(node), *this; }
  PodBuilder& label(std::string_view key, std::string_view value) {
    api::Labels labels = *pod_.metadata.labels;
    labels[Symbol(key)] = Symbol(value);
    pod_.metadata.labels = labels;
    return *this;
  }
  PodBuilder& gate(std::string_view name) { return template_.scheduling_gates.push_back({Symbol(name)}), *this; }
  PodBuilder& no_gates() { return template_.scheduling_gates.clear(), *this; }
  PodBuilder& tolerate(std::string_view key) {
    api::Toleration& toleration = template_.tolerations.emplace_back();
    toleration.key = Symbol(key);
    toleration.op = Symbol("Exists");
    return *this;
  }
  PodBuilder& request(std::string_view resource, std::string_view quantity) {
    if (template_.containers.empty()) template_.containers.emplace_back();
    template_.containers[0].resources.requests[Symbol(resource)] = api::Quantity::parse(quantity).value();
    return *this;
  }
  PodBuilder& affinity_to(std::string_view key, std::string_view value) {
    api::PodAffinityTerm term;
    term.topology_key = Symbol("zone");
    term.label_selector.emplace().match_labels[Symbol(key)] = Symbol(value);
    template_.affinity.emplace().pod_affinity.emplace().required.push_back(std::move(term));
    return *this;
  }
  api::PodTemplate& spec() { return template_; }
  api::Pod& pod() { return pod_; }

  api::PodPtr build() const {
    auto pod = std::make_shared<api::Pod>(pod_);
    const bool is_like_another = *shared_ != api::PodTemplate{};
    const bool is_unchanged = !is_like_another && template_ == *pod_.spec;
    if (is_like_another) {
      pod->spec.shared = shared_;
    } else if (!is_unchanged) {
      pod->spec.shared = Interned<api::PodTemplate>(template_);
    }
    return pod;
  }

 private:
  api::Pod pod_;
  api::PodTemplate template_;
  Interned<api::PodTemplate> shared_;
};

inline api::PodPtr make_pod(std::string_view name, std::int32_t priority = 0) {
  return PodBuilder(name).priority(priority).build();
}

inline ClusterEvent node_add() {
  return {resource::kNode, action::kAdd};
}
inline ClusterEvent volume_add() {
  return {resource::kPersistentVolume, action::kAdd};
}

inline Hint always(HintAnswer answer) {
  return [answer](const api::Pod&, const EventObjects&) { return answer; };
}
// Queue for the pod that the event is about, Skip for all others.
inline Hint own_pod_only() {
  return [](const api::Pod& pod, const EventObjects& objects) {
    const bool is_own = objects.new_object && objects.new_object.metadata().uid == pod.metadata.uid;
    return is_own ? HintAnswer::kQueue : HintAnswer::kSkip;
  };
}

inline HintRegistration on(std::string_view plugin, const ClusterEvent& event, Hint hint = {},
                           HintScope scope = HintScope::kClass) {
  return {profile(), Symbol(plugin), event, std::move(hint), scope};
}

// A queue of one profile, with metrics. The tests' usual plugins: "Fit" wants node additions.
inline QueueOptions options_with(std::vector<HintRegistration> hints, CountingQueueMetrics* metrics = nullptr) {
  QueueOptions options;
  options.profiles = {profile()};
  options.hints = std::move(hints);
  options.metrics = metrics;
  return options;
}

inline PluginSet plugins(SchedulingQueue& queue, std::initializer_list<std::string_view> names) {
  std::vector<Symbol> symbols;
  for (const std::string_view name : names) symbols.emplace_back(name);
  return queue.plugin_set(symbols);
}

// What the failure handler does: the newest object, this attempt's rejectors, and back into the queue.
inline Result<void> give_back(SchedulingQueue& queue, PoppedPod popped,
                              std::initializer_list<std::string_view> rejectors, Instant now,
                              std::initializer_list<std::string_view> pending = {}) {
  popped->clear_rejectors();
  popped->unschedulable_plugins = plugins(queue, rejectors);
  popped->pending_plugins = plugins(queue, pending);
  return queue.add_unschedulable_if_not_present(std::move(popped), queue.scheduling_cycle(), now);
}

// Adds the pod, tries it and gives it back rejected. Requires: nothing else is active or in backoff.
inline Result<void> add_rejected(SchedulingQueue& queue, api::PodPtr pod,
                                 std::initializer_list<std::string_view> rejectors, Instant now) {
  if (auto added = queue.add(std::move(pod), now); !added) return added;
  return give_back(queue, queue.pop(now), rejectors, now);
}

inline Place place_of(const SchedulingQueue& queue, std::string_view name) {
  const QueuedPod* pod = queue.get(Symbol("default"), name);
  return pod == nullptr ? Place::kNone : pod->place;
}

inline std::string_view to_string(Place place) {
  switch (place) {
    case Place::kNone: return "none";
    case Place::kActive: return "active";
    case Place::kBackoff: return "backoff";
    case Place::kErrorBackoff: return "errors";
    case Place::kUnschedulable: return "unschedulable";
  }
  return "";
}

// The names of what pop() gives until there is nothing left, ending each flight.
inline std::vector<std::string> drain(SchedulingQueue& queue, Instant now) {
  std::vector<std::string> names;
  while (PoppedPod popped = queue.pop(now)) {
    names.push_back(popped->pod->metadata.name);
    if (!queue.done(popped->uid())) names.push_back("not in flight");
  }
  return names;
}

// Everything that a caller can see, one line per pod, so that "changes nothing" is one comparison.
inline std::string whole_state(const SchedulingQueue& queue) {
  std::string text;
  for (const Place place : {Place::kActive, Place::kBackoff, Place::kErrorBackoff, Place::kUnschedulable}) {
    for (const QueuedPod* pod : queue.pods_in(place)) {
      text += fmt::format("{} {}#{}@{:p} {}/{}/{} time {} backoff {} waits {} first {} rejectors {:x} {:x} gate {}{}\n",
                          to_string(place), api::full_name(pod->pod->metadata), pod->uid(),
                          static_cast<const void*>(pod->pod.get()), pod->attempts, pod->unschedulable_count,
                          pod->consecutive_errors, pod->timestamp.rfc3339_nano(), pod->backoff_ends_at.rfc3339_nano(),
                          pod->waits_since.rfc3339_nano(), pod->initial_attempt_timestamp.rfc3339_nano(),
                          pod->unschedulable_plugins.bits(), pod->pending_plugins.bits(), pod->gating_plugin,
                          pod->was_flushed ? " flushed" : "");
    }
  }
  for (const std::string& line : queue.in_flight().log()) text += line + "\n";
  queue.nominator().for_each([&text](Symbol node, const Nominator::Nomination& nomination) {
    text += fmt::format("nominated {} to '{}'\n", nomination.uid, node.text());
  });
  return text + fmt::format("cycle {} moved {}\n", queue.scheduling_cycle(), queue.move_request_cycle());
}

}  // namespace berth::queue::testing
