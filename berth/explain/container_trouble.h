// What is wrong with a container of a pod, from its status and from events about it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "berth/api/pod.h"
#include "berth/explain/events.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

struct ContainerTrouble {
  RunningState state;
  // "its container a cannot start: image x cannot be pulled (ImagePullBackOff)"
  std::string text;
};

// What went wrong with one of the pod's containers; nothing if it runs, or waits for others. `events` are the pod's.
std::optional<ContainerTrouble> trouble_of(const api::Pod& pod, const api::Container& container,
                                           const api::ContainerStatus& status, bool is_init,
                                           std::span<const ObjectEvent* const> events);

// Of a container that runs and is not ready.
ContainerTrouble why_not_ready(const api::Container& container, std::span<const ObjectEvent* const> events);

// "exit code 137, OOMKilled: it used more memory than its limit of 128Mi"
std::string exit_text(const api::Container& container, const api::ContainerStateTerminated& ended);

}  // namespace berth::explain
