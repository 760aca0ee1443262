// What the hint functions of all plugins share: the objects of an event in their types, and a list of registrations.
//
// A hint answers kError if the event carries objects of another kind than it registered for, or lacks the one that it
// needs. That cannot happen in a scheduler that is put together right; the queue then takes the pod for worth a try.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/api/kinds.h"
#include "berth/queue/queueing_hint.h"

namespace berth::plugins {

using queue::EventObjects;
using queue::HintAnswer;
using queue::HintRegistration;
using queue::HintScope;

// What the scheduler worked out about the pod's template.
using CompilePod = std::function<std::shared_ptr<const api::CompiledPod>(const api::Pod&)>;

// Compiles each template once, as long as it is in use. The copies of the function share what they know.
inline CompilePod compile_once() {
  return [known = std::make_shared<api::CompiledPods>()](const api::Pod& pod) { return known->get(pod.spec.shared); };
}

inline HintAnswer queue_if(bool condition) {
  return condition ? HintAnswer::kQueue : HintAnswer::kSkip;
}

// The objects of an event as objects of one kind.
template <typename T>
struct ObjectsOf {
  bool is_other_kind = false;  // first: finding the objects sets it
  const T* before = nullptr;
  const T* after = nullptr;

  explicit ObjectsOf(const EventObjects& objects)
      : before(typed(objects.old_object)), after(typed(objects.new_object)) {}

  bool has_before() const { return !is_other_kind && before != nullptr; }
  bool has_after() const { return !is_other_kind && after != nullptr; }
  bool has_both() const { return has_before() && has_after(); }
  bool has_any() const { return has_before() || has_after(); }

 private:
  const T* typed(const api::AnyObject& object) {
    if (!object) return nullptr;
    if (&object.kind() != &api::kind_of<T>()) is_other_kind = true;
    return is_other_kind ? nullptr : static_cast<const T*>(object.get());
  }
};

inline bool is_same_pod(const api::Pod& a, const api::Pod& b) {
  return a.metadata.uid == b.metadata.uid;
}

// Takes up room on a node, or is about to.
inline bool has_place(const api::Pod& pod) {
  return !pod.spec.node_name.empty() || !pod.status.nominated_node_name.empty();
}

// The registrations of one plugin in one profile, in the order in which they are added.
class HintList {
 public:
  HintList(Symbol profile, std::string_view plugin) : profile_(profile), plugin_(plugin) {}

  void add(std::string_view resource, queue::ActionSet actions, queue::Hint hint, HintScope scope = HintScope::kClass) {
    list_.push_back({profile_, plugin_, queue::ClusterEvent(resource, actions), std::move(hint), scope});
  }
  // The event is always worth another try.
  void add_always(std::string_view resource, queue::ActionSet actions) { add(resource, actions, {}); }

  std::vector<HintRegistration> take() && { return std::move(list_); }

 private:
  Symbol profile_;
  Symbol plugin_;
  std::vector<HintRegistration> list_;
};

}  // namespace berth::plugins
