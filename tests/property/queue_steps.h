// What the property tests of the queue are made of: steps drawn by rapidcheck, events, and hints of every kind.
#pragma once

#include <rapidcheck.h>

#include <ostream>
#include <utility>
#include <vector>

#include "berth/queue/hints.h"
#include "berth/queue/testing.h"

namespace berth::queue::testing {

enum class Do : int {
  kAdd,
  kUpdate,
  kRemove,
  kPop,
  kPopSpecific,
  kDone,
  kGiveBack,
  kEvent,
  kActivate,
  kStep,
  kFlushBackoff,
  kFlushLeftover,
  kTurnGate,
  kNominate
};

struct Step {
  int what = 0;  // a Do
  int pod = 0;
  int choice = 0;
};

inline void showValue(const Step& step, std::ostream& out) {
  out << "{" << step.what << ", " << step.pod << ", " << step.choice << "}";
}

// Mostly tries, failures and events, which is what the queue is about.
inline rc::Gen<Step> any_step() {
  const auto make = [](Do what, int pod, int choice) { return Step{static_cast<int>(what), pod, choice}; };
  return rc::gen::resize(rc::kNominalSize,  // the whole range at once: the size is for the number of steps
                         rc::gen::apply(make,
                                        rc::gen::weightedElement<Do>({{5, Do::kAdd},
                                                                      {3, Do::kUpdate},
                                                                      {1, Do::kRemove},
                                                                      {8, Do::kPop},
                                                                      {1, Do::kPopSpecific},
                                                                      {1, Do::kDone},
                                                                      {8, Do::kGiveBack},
                                                                      {6, Do::kEvent},
                                                                      {1, Do::kActivate},
                                                                      {2, Do::kStep},
                                                                      {2, Do::kFlushBackoff},
                                                                      {1, Do::kFlushLeftover},
                                                                      {1, Do::kTurnGate},
                                                                      {1, Do::kNominate}}),
                                        rc::gen::inRange(0, 12), rc::gen::inRange(0, 1000)));
}

inline constexpr int kPluginCount = 4;
inline const char* const kPlugins[kPluginCount] = {"A", "B", "C", "Gate"};

inline const std::vector<ClusterEvent>& all_events() {
  static const std::vector<ClusterEvent> events = {
      {resource::kNode, action::kAdd},
      {resource::kNode, action::kUpdateNodeLabel},
      {resource::kPersistentVolume, action::kAdd},
      {resource::kAssignedPod, action::kDelete},
      {resource::kUnschedulablePod, action::kUpdatePodLabel},
      {resource::kUnschedulablePod, action::kUpdate},
      {resource::kStorageClass, action::kAdd},  // nobody registers for it
  };
  return events;
}

inline HintAnswer queue_if(bool condition) {
  return condition ? HintAnswer::kQueue : HintAnswer::kSkip;
}

// Hints of every kind: constant, by label, by the event's object, by "is it mine", by more than the class.
inline std::vector<HintRegistration> all_hints() {
  const auto registration = [](const char* plugin, ClusterEvent event, Hint hint, HintScope scope = HintScope::kClass) {
    return HintRegistration{profile(), Symbol(plugin), event, std::move(hint), scope};
  };
  const Hint by_label = [](const api::Pod& pod, const EventObjects&) {
    const Symbol* app = pod.metadata.labels->find(Symbol("app"));
    return queue_if(app != nullptr && *app == "1");
  };
  const Hint by_object = [](const api::Pod&, const EventObjects& objects) {
    const api::AnyObject& object = objects.new_object ? objects.new_object : objects.old_object;
    return queue_if(object && object.metadata().name.back() % 2 == 0);
  };
  const Hint by_own_name = [](const api::Pod& pod, const EventObjects&) {
    return pod.metadata.name.back() % 2 == 0 ? HintAnswer::kError : HintAnswer::kSkip;
  };
  return {
      registration("A", {resource::kNode, action::kAdd | action::kUpdateNodeLabel}, {}),
      registration("A", {resource::kPod, action::kUpdatePodLabel}, own_pod_only()),
      registration("B", {resource::kNode, action::kAdd}, by_label),
      registration("B", {resource::kPod, action::kDelete}, by_object),
      registration("B", {resource::kPersistentVolume, action::kAdd}, always(HintAnswer::kSkip)),
      registration("C", {resource::kNode, action::kUpdateNodeLabel}, by_own_name, HintScope::kPod),
      registration("C", {resource::kPod, action::kUpdate}, own_pod_only()),
      registration("Gate", {resource::kPersistentVolume, action::kAdd}, {}),
  };
}

// queue.md 9.1 in its own words, apart from the library's.
inline bool listens_to(const ClusterEvent& registered, const ClusterEvent& happened) {
  const bool is_any_pod = registered.resource == resource::kPod && happened.resource.text().ends_with("Pod");
  return (registered.resource == happened.resource || is_any_pod) && (registered.actions & happened.actions) != 0 &&
         happened.actions <= registered.actions;
}

}  // namespace berth::queue::testing
