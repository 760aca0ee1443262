// Events of events.k8s.io about pods: what `kubectl describe` shows. An event is no command: it has no result, no order
// with the commands, and the engine goes on whether it is written or dropped.
//
// Not thread safe.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/symbol.h"
#include "berth/engine/command.h"

namespace berth::engine {

struct PodEvent {
  api::PodPtr regarding;
  Symbol reporting_controller;
  Symbol type;    // "Normal" or "Warning"
  Symbol reason;  // "Scheduled"
  Symbol action;  // "Binding"
  std::string note;
  std::optional<PodRef> related;
};

class EventRecorder {
 public:
  void record(const api::PodPtr& pod, Symbol type, Symbol reason, Symbol action, std::string note,
              std::optional<PodRef> related = std::nullopt) {
    events_.push_back({.regarding = pod,
                       .reporting_controller = pod->spec->scheduler_name,
                       .type = type,
                       .reason = reason,
                       .action = action,
                       .note = std::move(note),
                       .related = std::move(related)});
  }

  // In the order in which they were recorded.
  std::vector<PodEvent> take() { return std::exchange(events_, {}); }

 private:
  std::vector<PodEvent> events_;
};

}  // namespace berth::engine
