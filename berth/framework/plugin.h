// The extension points: what a plugin may implement, in kube-scheduler's vocabulary.
//
// A plugin is one class that implements Plugin and the interfaces of the points that it wants to be asked at. It is
// built once per profile from its arguments and then only asked: what it works out for one pod lives in the PodFilter
// or PodScorer that it returns. A plugin that looks at one node at a time is written even shorter: see per_node.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/cluster.h"
#include "berth/api/object.h"
#include "berth/base/time.h"
#include "berth/framework/pod_filter.h"
#include "berth/framework/pod_scorer.h"
#include "berth/framework/pod_to_place.h"
#include "berth/framework/status.h"
#include "berth/queue/queue_sort.h"
#include "berth/queue/queueing_hint.h"

namespace berth::framework {

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;

  // EventsToRegister: what may make a pod schedulable that this plugin rejected. Asked of plugins with PreEnqueue,
  // PreFilter, Filter, Reserve or Permit. Nothing said means every event. An empty list is refused when the profile is
  // built unless needs_no_events() says that it is meant: nothing would wake the pods but a timeout of minutes.
  virtual std::optional<std::vector<queue::HintRegistration>> events(Symbol /*profile*/) const { return std::nullopt; }
  // True if the plugin rejects no pod, or if no event can help a pod that it rejected.
  virtual bool needs_no_events() const { return false; }
};

// PreEnqueue: may the pod enter the active queue at all?
class PreEnqueuePlugin {
 public:
  virtual ~PreEnqueuePlugin() = default;
  virtual Status pre_enqueue(const api::Pod& pod) const = 0;
};

// QueueSort: which pod is tried first. Exactly one per scheduler.
class QueueSortPlugin {
 public:
  virtual ~QueueSortPlugin() = default;
  // Empty: priority, then time, which the queue does fastest itself.
  virtual queue::QueueSort queue_sort() const = 0;
};

// PreFilter and Filter.
struct PreFiltered {
  // kSuccess: `filter` is to be asked. kSkip: every node is fine; if that may change as pods come and go elsewhere, the
  // filter (of Scope::kCluster) is given nevertheless, to be kept. A rejection: no node can take the pod.
  Status status;
  std::unique_ptr<PodFilter> filter;
  // If set, only nodes of these names, sorted by text, are worth asking about. May name unknown nodes.
  std::optional<std::vector<Symbol>> node_names;
};
class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  virtual PreFiltered pre_filter(const PodToPlace& pod, const ClusterView& cluster) const = 0;
};

// PreScore and Score.
struct PreScored {
  // kSkip: the plugin has nothing to say about this pod; a scorer for which that may change is given nevertheless.
  Status status;
  std::unique_ptr<PodScorer> scorer;
};
class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  // `feasible` are the rows that passed the filters.
  virtual PreScored pre_score(const PodToPlace& pod, const ClusterView& cluster, const Bitset& feasible) const = 0;
  // What every pod fails with if the plugin is enabled at Score and not at PreScore. Empty: Score does without.
  virtual std::string error_without_pre_score() const { return {}; }
};

// PostFilter: no node can take the pod; is there something to be done about it?
class FailedAttempt;  // attempt.h
struct PostFiltered {
  Status status;  // kSuccess: done; kUnschedulable: the next plugin may try
  // Unset: the pod's nomination stays as it is. Empty: it is taken away.
  std::optional<Symbol> nominated_node;
  std::vector<api::PodPtr> victims;  // on nominated_node, the most important first
  // All that could be done, for extenders to choose from; what is above is the best of them.
  struct Candidate {
    Symbol node;
    std::vector<api::PodPtr> victims;
    std::int64_t pdb_violations = 0;
  };
  std::vector<Candidate> candidates;
};
class PostFilterPlugin {
 public:
  virtual ~PostFilterPlugin() = default;
  virtual PostFiltered post_filter(const FailedAttempt& attempt) const = 0;
};

// Reserve: the pod is assumed to be on the node; keep what it needs. unreserve() undoes it, and is called for every
// Reserve plugin when any of them, or a later point, fails: it must not mind that nothing was reserved.
class ReservePlugin {
 public:
  virtual ~ReservePlugin() = default;
  virtual Status reserve(const PodToPlace& pod, const ClusterView& cluster, Symbol node_name) = 0;
  virtual void unreserve(const PodToPlace& pod, Symbol node_name) = 0;
};

// Permit: may the pod be bound now (kSuccess), later (kWait, for at most `timeout`) or not?
struct Permitted {
  Status status;
  Duration timeout;
};
class PermitPlugin {
 public:
  virtual ~PermitPlugin() = default;
  virtual Permitted permit(const PodToPlace& pod, Symbol node_name) = 0;
};

// PreBind: what has to be written before the pod is bound, and what has to be waited for then. The plugin does not
// write: whoever runs the binding cycle does, and asks poll() until it does not say kWait.
class PreBindWork {
 public:
  virtual ~PreBindWork() = default;
  // Objects to be updated, in this order.
  virtual std::vector<api::AnyObject> updates() = 0;
  // The API server's answer to update number `index`.
  virtual void updated(std::size_t /*index*/, const api::AnyObject& /*object*/) {}
  // Between the looks: kSuccess, kWait or an error.
  virtual Status poll(const ClusterView& cluster) = 0;
  virtual Duration poll_interval() const { return Duration::seconds(1); }
  virtual Duration timeout() const = 0;
};
struct PreBinding {
  Status status;  // kSkip: nothing to do
  std::unique_ptr<PreBindWork> work;
  bool may_run_in_parallel = true;  // with the neighbours in the list that may too
};
class PreBindPlugin {
 public:
  virtual ~PreBindPlugin() = default;
  virtual PreBinding pre_bind(const PodToPlace& pod, const ClusterView& cluster, Symbol node_name) = 0;
};

// Bind: the binding to be written; nothing means that the next plugin is asked.
class BindPlugin {
 public:
  virtual ~BindPlugin() = default;
  virtual std::optional<api::Binding> bind(const api::Pod& pod, Symbol node_name) const = 0;
};

// PostBind: the pod is bound.
class PostBindPlugin {
 public:
  virtual ~PostBindPlugin() = default;
  virtual void post_bind(const PodToPlace& pod, Symbol node_name) = 0;
};

}  // namespace berth::framework
