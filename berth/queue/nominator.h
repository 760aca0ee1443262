// Nominations: pods that preemption (or the binding cycle) has promised a node, until they are placed or give it up.
// Other pods are tried as if the nominated ones were already there.
//
// A nomination belongs to a pod's UID and refers to the pod by name; it exists independently of where the pod is.
//
// Not thread safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/api/pod.h"

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

class Nominator {
 public:
  struct Nomination {
    Symbol name_space;
    std::string name;
    std::string uid;
  };

  // `keeps_cleared`: quirk Q-07, a cleared nomination stays as one to the node "".
  Nominator(FindPod find_pod, bool keeps_cleared) : find_pod_(std::move(find_pod)), keeps_cleared_(keeps_cleared) {}

  // Replaces the pod's nomination. A pod that is gone or has a node gets none.
  void add(const api::Pod& pod, const Nominating& nominating);
  void update(const api::Pod& old_pod, const api::Pod& new_pod);
  // Returns whether there was one.
  bool remove(std::string_view uid);

  // In the order in which they were made.
  const std::vector<Nomination>& for_node(Symbol node_name) const;
  // Empty if the pod has no nomination.
  Symbol node_of(std::string_view uid) const;

  // Calls fn(Symbol node_name, const Nomination&), nodes in order of their names.
  void for_each(const std::function<void(Symbol, const Nomination&)>& fn) const;

 private:
  FindPod find_pod_;
  bool keeps_cleared_;
  std::unordered_map<Symbol, std::vector<Nomination>> by_node_;
  std::unordered_map<std::string, Symbol> node_by_uid_;
};

}  // namespace berth::queue
