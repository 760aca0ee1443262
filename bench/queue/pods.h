// The pods, nodes and plugins that both sides of the benchmark use. tests/oracle/queuebench makes the same ones in Go
// from the same numbers, and both print a checksum of the order in which pods were popped.
//
// Pods come in classes, as the pods of a ReplicaSet do: same namespace, labels, priority and template, shared through
// an InternPool as a decoder would share them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::bench {

inline constexpr std::size_t kClasses = 100;

enum class Templates : std::uint8_t {
  kShared,    // one per class
  kDistinct,  // one per pod, with labels of its own
};

enum class Sizes : std::uint8_t {
  kEven,         // all classes have about the same number of pods
  kFirstHasTen,  // class 0 has 10 pods
};

// Pod `number` of a workload. The same numbers give the same pods.
std::size_t class_of(std::size_t number, Sizes sizes);

struct Workload {
  InternPool pool;
  std::vector<api::PodPtr> pods;
};
void make_pods(Workload& workload, std::size_t count, Templates templates = Templates::kShared,
               Sizes sizes = Sizes::kEven);

// A node whose appearance wakes one class of pods, all ("*") or none ("nobody"), as its label bench/wakes says.
api::NodePtr make_node(std::string_view wakes);
std::string class_name(std::size_t pod_class);

inline const Symbol kProfile{"default-scheduler"};
inline const Symbol kFit{"NodeResourcesFit"};         // asks about new nodes
inline const Symbol kAffinity{"InterPodAffinity"};    // asks about pods that got a node
inline const Symbol kVolumeBinding{"VolumeBinding"};  // asks about new claims, and rejects nobody

// kube-scheduler's defaults, with these three plugins.
queue::QueueOptions queue_options(queue::QueueMetrics* metrics);

// Counts everything that the queue reports, as a server of metrics has to.
class Counters final : public queue::QueueMetrics {
 public:
  void count_incoming(queue::QueueName queue, Symbol event_label, const queue::QueuedPod& pod) override;
  void add_pending(queue::QueueName queue, int delta) override;
  void add_unschedulable(Symbol plugin, Symbol profile, int delta) override;
  void add_in_flight_events(Symbol event_label, std::int64_t delta) override;
  void hint_ends(Symbol plugin, Symbol event_label, queue::HintAnswer answer) override;

 private:
  // One row per symbol, by its number: symbols are few here.
  struct Row {
    std::int64_t incoming[4] = {};
    std::int64_t in_flight = 0;
    std::int64_t unschedulable = 0;
    std::int64_t answers[3] = {};
  };
  Row& row(Symbol symbol);

  std::vector<Row> rows_;
  std::int64_t pending_[4] = {};
};

}  // namespace berth::bench
