// What becomes of a pod that was not placed: back into the queue, with what may wake it; its nomination; an event and a
// condition for whoever looks at the pod.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/engine/state.h"
#include "berth/queue/nominator.h"

namespace berth::engine {

struct Failure {
  bool is_rejection = true;  // else an error: the pod is tried again after its backoff, whatever happens
  std::string message;
  // Who may wake it: plugins that rejected it, and those of them that wait for something of their own.
  std::vector<Symbol> unschedulable_plugins;
  std::vector<Symbol> pending_plugins;
  // Unset: the nomination stays as it is. Empty: it is taken away.
  std::optional<Symbol> nominated_node;

  static Failure error(std::string message) {
    return {.is_rejection = false,
            .message = std::move(message),
            .unschedulable_plugins = {},
            .pending_plugins = {},
            .nominated_node = Symbol()};
  }
  // Rejected by one plugin after a node was chosen. Nobody's rejection (an empty name) has nobody who could wake the
  // pod: it is tried again by time.
  static Failure rejected_by(Symbol plugin, const std::vector<std::string>& reasons);
};

// Ends the pod's attempt. `began`: what the stopwatch of the metrics said then.
void handle_failure(State& state, queue::PoppedPod popped, const Failure& failure, Instant began = Instant());

// "... " in the middle of a word tells that a text was cut: events have room for kMaxNoteBytes.
inline constexpr std::size_t kMaxNoteBytes = 1024;
std::string truncated_note(std::string note);

}  // namespace berth::engine
