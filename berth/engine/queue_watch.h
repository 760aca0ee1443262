// Tells observers and metrics where pods go in the queue, and remembers which event woke them.
//
// Not thread safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/engine/observer.h"
#include "berth/engine/text_map.h"
#include "berth/queue/metrics.h"
#include "berth/queue/queued_pod.h"

namespace berth::engine {

class QueueWatch final : public queue::QueueMetrics {
 public:
  // All outlive it; the first two may be null. `now` is the instant of the call under way.
  QueueWatch(queue::QueueMetrics* metrics, Observer* observer, const Instant& now)
      : metrics_(metrics), observer_(observer), now_(now) {}

  void count_incoming(queue::QueueName queue, Symbol label, const queue::QueuedPod& pod) override;
  void add_pending(queue::QueueName queue, int delta) override;
  void add_unschedulable(Symbol plugin, Symbol profile, int delta) override;
  void add_in_flight_events(Symbol label, std::int64_t delta) override;
  void hint_begins() override;
  void hint_ends(Symbol plugin, Symbol label, queue::HintAnswer answer) override;
  void gating_begins() override;
  void gating_ends(Symbol profile, bool admitted) override;
  void pre_enqueue_begins() override;
  void pre_enqueue_ends(Symbol plugin, Symbol profile, bool admitted) override;

  // Empty if nothing did.
  Symbol woken_by(std::string_view uid) const;
  void forget(std::string_view uid);

 private:
  queue::QueueMetrics* metrics_;
  Observer* observer_;
  const Instant& now_;
  TextMap<Symbol> woken_by_;
};

}  // namespace berth::engine
