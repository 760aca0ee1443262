#include "berth/plugins/taint_toleration_hints.h"

#include "berth/api/taint.h"
#include "berth/plugins/names.h"

namespace berth::plugins {

HintAnswer taint_toleration_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                              const TaintTolerationHintOptions& options) {
  const ObjectsOf<api::Node> node(objects);
  if (!node.has_after()) return HintAnswer::kError;
  const auto tolerates_all_of = [&](const api::Node& tainted) {
    return api::find_untolerated_taint(tainted.spec.taints, pod.spec->tolerations, options.comparison_operators) ==
           nullptr;
  };
  const bool did = node.before != nullptr && tolerates_all_of(*node.before);
  return queue_if(!did && tolerates_all_of(*node.after));
}

HintAnswer taint_toleration_after_tolerations(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::Pod> updated(objects);
  if (!updated.has_after()) return HintAnswer::kError;
  return queue_if(is_same_pod(pod, *updated.after));
}

std::vector<HintRegistration> taint_toleration_hints(Symbol profile, const TaintTolerationHintOptions& options) {
  HintList hints(profile, name::kTaintToleration);
  hints.add(queue::resource::kNode, queue::action::kAdd | queue::action::kUpdateNodeTaint,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return taint_toleration_after_node_change(pod, objects, options);
            });
  hints.add(queue::resource::kPod, queue::action::kUpdatePodToleration, taint_toleration_after_tolerations);
  return std::move(hints).take();
}

}  // namespace berth::plugins
