// Turns the header of a queue trace into the options of a queue: hint functions, PreEnqueue plugins, order, gates.
//
// In a trace of mode "synthetic" the header describes the functions. In mode "default" they are those of
// kube-scheduler's plugins, which the header only lists: Berth's own are used, and have to be the same ones.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "berth/api/resource.h"
#include "berth/queue/scheduling_queue.h"
#include "tests/conformance/trace.h"

namespace berth::conformance {

// What the plugins and the nominator of a trace look into: the informers' caches.
struct ClusterView {
  std::map<std::string, api::PodPtr> pods;  // by "namespace/name"
  std::map<std::string, std::shared_ptr<const api::Labels>> namespaces;
  std::map<std::string, std::shared_ptr<const api::ResourceClaim>> claims;        // by "namespace/name"
  std::map<std::string, std::shared_ptr<const api::DeviceClass>> device_classes;  // by name
};

// Whether the trace has Berth's own plugins answer. v1.28's had no hint functions of their own, so that the header of
// such a trace says everything.
bool uses_plugins(Json header);

// `view` must outlive the queue.
queue::QueueOptions options_from_header(Json header, ClusterView& view);

// Mode "default": the first registration or PreEnqueue plugin that only one side has; empty if there is none.
std::string registration_difference(Json header, const queue::QueueOptions& options);

}  // namespace berth::conformance
