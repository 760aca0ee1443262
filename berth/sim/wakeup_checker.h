// Looks for lost wake-ups: a pod that is parked although it could run now. The scheduler would try it only after its
// timeout, five minutes later; an event that should have woken it was not heard, or a plugin's hint said no by mistake.
//
// Whenever the scheduler has nothing to try, every parked pod is put before the filters of its profile, with the nodes,
// objects and nominations that the scheduler itself knows. One that passes is lost, and is told to the history with the
// events since it was last seen not to fit. Pods that are held back on purpose are not: by a gate of their own, by a
// preemption under way, by the scenario's script, by an extender.
//
// Two things that change what filters say are no news to anybody yet: a pod that is assumed to be on its node, and the
// volumes that it takes, are told when the API server has confirmed them. While a pod is assumed, those who may want to
// be near it, or share its volumes, are not judged.
//
// Looks only, and looks at a state once. Not thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/api/pod.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/engine/observer.h"
#include "berth/framework/pod_to_place.h"
#include "berth/framework/profile.h"
#include "berth/queue/queued_pod.h"
#include "berth/sim/world.h"

namespace berth::sim {

struct LostWakeUp {
  std::string pod;                    // "namespace/name"
  Duration at;                        // when it was found, since the world's beginning
  std::optional<Duration> last_look;  // when it was last seen not to fit; unset: not since its own attempt
  Symbol node;                        // that would take it
  std::vector<Symbol> waits_for;      // the plugins that rejected it, or hold it back
  std::vector<std::string> events;    // since the last look, the newest of them: "NodeAdd at 12s"

  // "it fits on n1 and is parked for NodeResourcesFit; since 10s, when it did not fit: NodeAdd at 12s".
  std::string text() const;
};

class WakeUpChecker final : public engine::Observer {
 public:
  // The world outlives the checker, which listens to its history from now on.
  explicit WakeUpChecker(World& world);
  ~WakeUpChecker() override;
  WakeUpChecker(const WakeUpChecker&) = delete;
  WakeUpChecker& operator=(const WakeUpChecker&) = delete;

  // To be called after everything that happens.
  void step();
  const std::vector<LostWakeUp>& found() const { return found_; }
  // How many times a pod was put before the filters.
  std::uint64_t evaluations() const { return evaluations_; }

  void event_happened(const queue::ClusterEvent& event, Instant now) override;

 private:
  // What the answers depend on, besides the pods that are asked about.
  using Versions = std::array<std::uint64_t, 15>;
  // Pods that filters cannot tell apart: namespace, template, labels, statuses of resource claims.
  using ClassKey = std::tuple<std::uint32_t, const void*, const void*, const void*>;
  struct Event {
    Duration at;
    Symbol label;
  };
  struct LastLook {
    Duration at;
    std::uint64_t events = 0;  // how many there had been
    std::uint64_t round = 0;   // when the pod was last parked
    bool is_reported = false;
  };

  Versions versions() const;
  // Whether anything is different from the last look.
  bool has_news(const std::vector<const queue::QueuedPod*>& parked);
  void look_at(const queue::QueuedPod& queued);
  bool is_held_back(const queue::QueuedPod& queued, const framework::Profile& profile) const;
  bool waits_for_others(const queue::QueuedPod& queued, const framework::Profile& profile) const;
  bool may_follow_assumed(const api::CompiledPod& compiled) const;
  // Empty if no node takes the pod.
  Symbol node_for(const framework::PodToPlace& pod, const framework::Profile& profile);
  Symbol evaluate(const framework::PodToPlace& pod, const framework::Profile& profile);
  void report(const queue::QueuedPod& queued, const LastLook* last, Symbol node);

  World& world_;
  api::CompiledPods compiled_;
  std::vector<LostWakeUp> found_;
  std::uint64_t evaluations_ = 0;

  Versions last_versions_{};
  std::vector<api::PodPtr> last_parked_;  // held, so that an address stands for one object
  std::map<ClassKey, Symbol> answers_;    // of the look under way

  std::uint64_t round_ = 0;
  std::map<std::string, LastLook, std::less<>> looks_;  // by UID, of parked pods
  std::deque<Event> events_;                            // the newest
  std::uint64_t event_count_ = 0;
};

}  // namespace berth::sim
