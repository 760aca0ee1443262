#include "berth/queue/metrics.h"

namespace berth::queue {

std::string_view to_string(QueueName queue) {
  switch (queue) {
    case QueueName::kActive: return "active";
    case QueueName::kBackoff: return "backoff";
    case QueueName::kUnschedulable: return "unschedulable";
    case QueueName::kGated: return "gated";
  }
  return "";
}

void CountingQueueMetrics::count_incoming(QueueName queue, Symbol event_label, const QueuedPod&) {
  incoming[std::string(to_string(queue)) + "/" + event_label.str()] += 1;
}

void CountingQueueMetrics::add_pending(QueueName queue, int delta) {
  pending[std::string(to_string(queue))] += delta;
}

void CountingQueueMetrics::add_unschedulable(Symbol plugin, Symbol profile, int delta) {
  unschedulable[plugin.str() + "/" + profile.str()] += delta;
}

void CountingQueueMetrics::add_in_flight_events(Symbol event_label, std::int64_t delta) {
  in_flight_events[event_label.str()] += delta;
}

void CountingQueueMetrics::hint_ends(Symbol, Symbol, HintAnswer) {
  hints_asked += 1;
}

}  // namespace berth::queue
