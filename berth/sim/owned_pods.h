// The pods of each controller, and each node's, kept up to date from change to change: nobody has to go through all
// pods to find a few.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/symbol.h"
#include "berth/sim/api_server.h"

namespace berth::sim {

// A pod as its controller sees it.
enum class PodState : std::uint8_t {
  kPending,  // not bound, starting, or not ready
  kReady,
  kTerminating,  // deleted, and not gone yet
  kSucceeded,
  kFailed,
};
inline constexpr std::size_t kPodStates = 5;

PodState state_of(const api::Pod& pod);
// Running, with the condition Ready.
bool is_ready(const api::Pod& pod);
inline bool is_active(PodState state) {
  return state == PodState::kPending || state == PodState::kReady;
}

struct PodCounts {
  std::array<std::int32_t, kPodStates> by_state{};

  std::int32_t of(PodState state) const { return by_state[static_cast<std::size_t>(state)]; }
  std::int32_t active() const { return of(PodState::kPending) + of(PodState::kReady); }
  std::int32_t ready() const { return of(PodState::kReady); }
  std::int32_t total() const {
    std::int32_t sum = 0;
    for (const std::int32_t n : by_state) sum += n;
    return sum;
  }
};

class OwnedPods {
 public:
  struct Group {
    PodCounts counts;
    std::vector<api::PodPtr> pods;  // in no order that means anything, but the same in every run
  };

  // Of pods only. The pod before the change is the one that came with the change before.
  void on_change(const Change& change);

  // By UID of the controller. The reference holds until the next change.
  const Group& of(const std::string& owner_uid) const;
  // In order of names; a copy, for those who write while they go through it.
  std::vector<api::PodPtr> list(const std::string& owner_uid) const;

 private:
  void add(const std::string& owner_uid, const api::PodPtr& pod);
  void remove(const std::string& owner_uid, const api::PodPtr& pod);
  // False if it is not there.
  bool replace(const std::string& owner_uid, const api::PodPtr& before, const api::PodPtr& now);

  absl::flat_hash_map<std::string, Group> groups_;              // never gone through
  absl::flat_hash_map<const api::Pod*, std::uint32_t> places_;  // in Group::pods; never gone through
};

class NodePods {
 public:
  void on_change(const Change& change);

  // Of the node, in the order in which they came; a copy, for those who write while they go through it.
  std::vector<api::PodPtr> list(Symbol node) const;

 private:
  // Nodes have some hundred pods at most: a row of pointers is the fastest there is.
  absl::flat_hash_map<Symbol, std::vector<api::PodPtr>> pods_;  // never gone through
};

}  // namespace berth::sim
