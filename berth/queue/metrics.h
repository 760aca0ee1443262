// What the queue counts, handed out as values. Whoever serves metrics implements QueueMetrics; the queue knows no
// registry and no clock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/symbol.h"
#include "berth/queue/queued_pod.h"
#include "berth/queue/queueing_hint.h"

namespace berth::queue {

// The queues as metrics name them: "active", "backoff" (both heaps), "unschedulable" and, for gauges only, "gated".
enum class QueueName : std::uint8_t { kActive, kBackoff, kUnschedulable, kGated };
std::string_view to_string(QueueName queue);

class QueueMetrics {
 public:
  virtual ~QueueMetrics() = default;

  // queue_incoming_pods_total. The pod is in its place already.
  virtual void count_incoming(QueueName, Symbol /*event_label*/, const QueuedPod&) {}
  // pending_pods
  virtual void add_pending(QueueName, int /*delta*/) {}
  // unschedulable_pods
  virtual void add_unschedulable(Symbol /*plugin*/, Symbol /*profile*/, int /*delta*/) {}
  // inflight_events; a popped pod counts under "PodPopped"
  virtual void add_in_flight_events(Symbol /*event_label*/, std::int64_t /*delta*/) {}
  // queueing_hint_execution_duration_seconds: called right before and right after a hint function runs, so that a world
  // which has a clock can measure.
  virtual void hint_begins() {}
  virtual void hint_ends(Symbol /*plugin*/, Symbol /*event_label*/, HintAnswer) {}
  // framework_extension_point_duration_seconds of PreEnqueue: all plugins that a pod asks
  virtual void gating_begins() {}
  virtual void gating_ends(Symbol /*profile*/, bool /*admitted*/) {}
  // plugin_execution_duration_seconds of PreEnqueue
  virtual void pre_enqueue_begins() {}
  virtual void pre_enqueue_ends(Symbol /*plugin*/, Symbol /*profile*/, bool /*admitted*/) {}
};

// Adds everything up, for tests and conformance.
class CountingQueueMetrics final : public QueueMetrics {
 public:
  void count_incoming(QueueName queue, Symbol event_label, const QueuedPod& pod) override;
  void add_pending(QueueName queue, int delta) override;
  void add_unschedulable(Symbol plugin, Symbol profile, int delta) override;
  void add_in_flight_events(Symbol event_label, std::int64_t delta) override;
  void hint_ends(Symbol plugin, Symbol event_label, HintAnswer answer) override;

  std::map<std::string, std::int64_t> incoming;          // "active/NodeAdd"
  std::map<std::string, std::int64_t> pending;           // "active"
  std::map<std::string, std::int64_t> unschedulable;     // "NodeResourcesFit/default-scheduler"
  std::map<std::string, std::int64_t> in_flight_events;  // "NodeAdd"
  std::int64_t hints_asked = 0;
};

}  // namespace berth::queue
