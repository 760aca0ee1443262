// Whoever wants to see what the engine does as it does it: a simulator's timeline, a trace, a flight recorder. Nothing
// that an observer does comes back to the engine.
#pragma once

#include <string_view>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/engine/attempt_log.h"
#include "berth/queue/cluster_event.h"
#include "berth/queue/metrics.h"
#include "berth/queue/queued_pod.h"

namespace berth::engine {

class Observer {
 public:
  virtual ~Observer() = default;

  // The queue was told of an event, before it moved anybody.
  virtual void event_happened(const queue::ClusterEvent&, Instant) {}
  // A pod came into a place of the queue. `label`: why, as the metric queue_incoming_pods_total names it.
  virtual void pod_moved(const queue::QueuedPod&, queue::QueueName, Symbol /*label*/, Instant) {}
  // An attempt is over. For a placed pod: node chosen, about to be bound.
  virtual void attempt_ended(const api::Pod&, const AttemptRecord&, Instant) {}
  virtual void pod_bound(const api::Pod&, Symbol /*node*/, Instant) {}
  // Everything after the choice of a node, up to an unsuccessful end.
  virtual void binding_failed(const api::Pod&, Symbol /*node*/, std::string_view /*why*/, Instant) {}
  virtual void preemption_began(const api::Pod& /*preemptor*/, Symbol /*node*/,
                                const std::vector<api::PodPtr>& /*victims*/, Instant) {}
  virtual void preemption_ended(const api::Pod& /*preemptor*/, Instant) {}
};

}  // namespace berth::engine
