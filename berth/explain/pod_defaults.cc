#include "berth/explain/pod_defaults.h"

#include <fmt/format.h>

#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/label_keys.h"
#include "berth/explain/cluster.h"

namespace berth::explain {

namespace {

api::PodPtr from_template(const api::ObjectMeta& owner, const api::PodTemplateSpec& of_pod) {
  api::Pod pod;
  pod.metadata = of_pod.metadata;
  pod.metadata.name = owner.name;
  pod.metadata.name_space = owner.name_space;
  pod.spec = of_pod.spec;
  return std::make_shared<const api::Pod>(std::move(pod));
}

void default_requests(api::Container& container) {
  for (const auto& [resource, limit] : container.resources.limits) {
    if (!container.resources.requests.contains(resource)) container.resources.requests[resource] = limit;
  }
}

Result<void> resolve_priority(api::PodTemplate& spec, const cache::ClusterObjects& objects) {
  if (spec.priority) return {};
  const api::PriorityClass* found = nullptr;
  if (spec.priority_class_name.empty()) {
    objects.priority_classes.for_each([&](const auto& each) {
      // The API server takes the lowest of several defaults.
      if (each->global_default && (found == nullptr || each->value < found->value)) found = each.get();
    });
    if (found != nullptr) spec.priority_class_name = Symbol(found->metadata.name);
  } else {
    found = objects.priority_classes.find(spec.priority_class_name.text());
    // These two every cluster has, even if the dump does not.
    if (found == nullptr && spec.priority_class_name == "system-cluster-critical") spec.priority = 2'000'000'000;
    if (found == nullptr && spec.priority_class_name == "system-node-critical") spec.priority = 2'000'001'000;
    if (found == nullptr && !spec.priority) {
      return fail(Error(fmt::format("no PriorityClass with name {} was found", spec.priority_class_name.text()))
                      .with_fix("dump priorityclasses too, or correct the name"));
    }
  }
  if (found != nullptr) spec.priority = found->value;
  if (!spec.priority) spec.priority = 0;
  if (!spec.preemption_policy) {
    spec.preemption_policy =
        found != nullptr && found->preemption_policy ? found->preemption_policy : Symbol("PreemptLowerPriority");
  }
  return {};
}

}  // namespace

Result<api::PodPtr> pod_of_manifest(const api::AnyObject& object) {
  if (auto pod = object.as<api::Pod>()) return pod;
  if (const auto owner = object.as<api::Deployment>()) return from_template(owner->metadata, owner->spec.pod_template);
  if (const auto owner = object.as<api::ReplicaSet>()) return from_template(owner->metadata, owner->spec.pod_template);
  if (const auto owner = object.as<api::StatefulSet>()) return from_template(owner->metadata, owner->spec.pod_template);
  if (const auto owner = object.as<api::Job>()) return from_template(owner->metadata, owner->spec.pod_template);
  if (const auto owner = object.as<api::ReplicationController>(); owner != nullptr && owner->spec.pod_template) {
    return from_template(owner->metadata, *owner->spec.pod_template);
  }
  return fail(Error(
      fmt::format("a {} is no pod, nor does it have a template for pods that go to any node", object.kind().kind)));
}

Result<api::PodPtr> with_api_defaults(const api::Pod& pod, const cache::ClusterObjects& objects) {
  api::Pod completed = pod;
  if (completed.metadata.name.empty()) {
    completed.metadata.name = completed.metadata.generate_name.empty() ? "pod" : completed.metadata.generate_name.str();
  }
  api::PodTemplate spec = *pod.spec.shared;
  if (spec.scheduler_name.empty()) spec.scheduler_name = Symbol("default-scheduler");
  for (auto* containers : {&spec.init_containers, &spec.containers}) {
    for (api::Container& container : *containers) {
      default_requests(container);
      for (api::ContainerPort& port : container.ports) {
        if (spec.host_network && port.host_port == 0) port.host_port = port.container_port;
      }
    }
  }
  api::merge_label_keys(spec, *completed.metadata.labels);
  if (auto resolved = resolve_priority(spec, objects); !resolved) return fail(resolved.error());
  completed.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  return with_identity(std::make_shared<const api::Pod>(std::move(completed)));
}

}  // namespace berth::explain
