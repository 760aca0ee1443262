#include "berth/plugins/node_ports_hints.h"

#include <algorithm>

#include "berth/plugins/names.h"

namespace berth::plugins {

HintAnswer node_ports_after_pod_delete(const api::Pod& pod, const EventObjects& objects,
                                       const NodePortsHintOptions& options) {
  const ObjectsOf<api::Pod> deleted(objects);
  if (!deleted.has_before()) return HintAnswer::kError;
  if (!has_place(*deleted.before)) return HintAnswer::kSkip;
  const auto freed = options.compile(*deleted.before), wanted = options.compile(pod);
  return queue_if(std::ranges::any_of(freed->host_ports, [&wanted](const api::HostPort& port) {
    return std::ranges::any_of(wanted->host_ports, [&port](const api::HostPort& own) { return conflicts(port, own); });
  }));
}

std::vector<HintRegistration> node_ports_hints(Symbol profile, const NodePortsHintOptions& options) {
  HintList hints(profile, name::kNodePorts);
  hints.add(queue::resource::kPod, queue::action::kDelete, [options](const api::Pod& pod, const EventObjects& objects) {
    return node_ports_after_pod_delete(pod, objects, options);
  });
  hints.add_always(queue::resource::kNode, queue::action::kAdd);
  return std::move(hints).take();
}

}  // namespace berth::plugins
