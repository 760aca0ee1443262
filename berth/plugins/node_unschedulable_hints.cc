#include "berth/plugins/node_unschedulable_hints.h"

#include "berth/api/taint.h"
#include "berth/plugins/names.h"

namespace berth::plugins {

HintAnswer node_unschedulable_after_node_change(const api::Pod&, const EventObjects& objects) {
  const ObjectsOf<api::Node> node(objects);
  if (!node.has_after()) return HintAnswer::kError;
  const bool was_open = node.before != nullptr && !node.before->spec.unschedulable;
  return queue_if(!was_open && !node.after->spec.unschedulable);
}

HintAnswer node_unschedulable_after_tolerations(const api::Pod& pod, const EventObjects& objects,
                                                const NodeUnschedulableHintOptions& options) {
  static const api::Taint cordoned{
      .key = Symbol("node.kubernetes.io/unschedulable"), .value = {}, .effect = Symbol("NoSchedule"), .time_added = {}};
  const ObjectsOf<api::Pod> updated(objects);
  if (!updated.has_after()) return HintAnswer::kError;
  return queue_if(is_same_pod(pod, *updated.after) &&
                  api::tolerates(updated.after->spec->tolerations, cordoned, options.comparison_operators));
}

std::vector<HintRegistration> node_unschedulable_hints(Symbol profile, const NodeUnschedulableHintOptions& options) {
  HintList hints(profile, name::kNodeUnschedulable);
  hints.add(queue::resource::kNode, queue::action::kAdd | queue::action::kUpdateNodeTaint,
            node_unschedulable_after_node_change);
  hints.add(queue::resource::kPod, queue::action::kUpdatePodToleration,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return node_unschedulable_after_tolerations(pod, objects, options);
            });
  return std::move(hints).take();
}

}  // namespace berth::plugins
