// Nominations: pods that preemption (or the binding cycle) has nominated to a node, until they are placed or give it
// up. Other pods are tried as if the nominated ones were already there.
//
// A nomination belongs to a pod's UID and refers to the pod by name; it exists independently of where the pod is. In
// older releases it keeps the pod itself: see NominationRules in rules.h.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/function_ref.h"
#include "berth/base/hash.h"
#include "berth/queue/queued_pod.h"
#include "berth/queue/quirks.h"

namespace berth::queue {

// What a scheduling attempt says about the pod's nomination.
struct Nominating {
  enum class Mode : std::uint8_t {
    kKeep,      // what the pod's status says
    kOverride,  // `node_name`, whatever the status says; empty clears the nomination
  };
  Mode mode = Mode::kKeep;
  Symbol node_name;
};

// The pod as the API server has it now; null if it is gone.
using FindPod = std::function<api::PodPtr(Symbol name_space, std::string_view name)>;

struct NominationRules;

class Nominator {
 public:
  struct Nomination {
    Symbol name_space;
    std::string name;
    std::string uid;
    // Unless nominations keep only names: the pod, and where in the queue it was nominated from, if there.
    api::PodPtr pod = nullptr;
    const QueuedPod* queued = nullptr;
  };

  Nominator(FindPod find_pod, const NominationRules& rules, const Quirks& quirks)
      : find_pod_(std::move(find_pod)), rules_(rules), quirks_(quirks) {}

  // Replaces the pod's nomination. A pod that is gone or has a node gets none. `queued` is the pod's place in the
  // queue, if the queue itself asks.
  void add(const api::Pod& pod, const Nominating& nominating, const QueuedPod* queued = nullptr);
  void update(const api::Pod& old_pod, const api::Pod& new_pod, const QueuedPod* queued = nullptr);
  // Returns whether there was one.
  bool remove(std::string_view uid);

  // The queue has another version of a queued pod from now on (to be called before update()), or has it no longer.
  void on_change(const QueuedPod& queued, const api::PodPtr& new_pod);
  void on_leaving(const QueuedPod& queued);
  // A pod that was in flight is back in the queue, maybe in another version.
  void on_return(const QueuedPod& queued);

  // In the order in which they were made.
  const std::vector<Nomination>& for_node(Symbol node_name) const;
  // Changes with every change of a nomination.
  std::uint64_t version() const { return version_; }
  // Empty if the pod has no nomination.
  Symbol node_of(std::string_view uid) const;

  // The nodes that some pod is nominated to, in no order.
  void for_each_node(FunctionRef<void(Symbol)> fn) const;
  // Calls fn(Symbol node_name, const Nomination&), nodes in order of their names.
  void for_each(const std::function<void(Symbol, const Nomination&)>& fn) const;

 private:
  bool can_be_nominated(const api::Pod& pod) const;

  FindPod find_pod_;
  const NominationRules& rules_;
  const Quirks quirks_;
  std::uint64_t version_ = 0;
  std::unordered_map<Symbol, std::vector<Nomination>> by_node_;
  std::unordered_map<std::string, Symbol, TextHash, std::equal_to<>> node_by_uid_;
};

}  // namespace berth::queue
