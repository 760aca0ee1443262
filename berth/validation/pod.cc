#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "berth/validation/resources.h"
#include "berth/validation/scheduling_rules.h"
#include "berth/validation/validate.h"

namespace berth::validation {

namespace {

void check_name_in_list(const std::string& name, const Path& path, std::set<std::string>& names, Errors& errors) {
  if (name.empty()) {
    errors.push_back(config::required(path));
    return;
  }
  check_dns_label(name, path, errors);
  if (!names.insert(name).second) errors.push_back(config::duplicate(path, config::show(name)));
}

void check_port(std::int32_t port, const Path& path, Errors& errors) {
  if (port < 1 || port > 65535) {
    errors.push_back(config::invalid(path, config::show(port), "must be between 1 and 65535, inclusive"));
  }
}

void check_containers(const std::vector<api::Container>& containers, const Path& path, std::set<std::string>& names,
                      Errors& errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const api::Container& container = containers[i];
    const Path at = path.index(i);
    check_name_in_list(container.name.str(), at.child("name"), names, errors);
    for (std::size_t k = 0; k < container.ports.size(); ++k) {
      const Path port = at.child("ports").index(k);
      check_port(container.ports[k].container_port, port.child("containerPort"), errors);
      if (container.ports[k].host_port != 0) check_port(container.ports[k].host_port, port.child("hostPort"), errors);
      check_choice(container.ports[k].protocol, {"SCTP", "TCP", "UDP"}, port.child("protocol"), errors);
    }
    check_choice(container.restart_policy, {"Always", "Never", "OnFailure"}, at.child("restartPolicy"), errors);
    check_container_resources(container.resources, at.child("resources"), errors);
  }
}

void check_volumes(const std::vector<api::Volume>& volumes, const Path& path, Errors& errors) {
  for (const api::Volume& volume : volumes) {
    // Volumes that Berth does not keep are missing from the list, so there is no index.
    const Path at = path.key(volume.name);
    if (volume.source.persistent_volume_claim && volume.source.persistent_volume_claim->claim_name.empty()) {
      errors.push_back(config::required(at.child("persistentVolumeClaim").child("claimName")));
    }
    if (volume.source.ephemeral && volume.source.ephemeral->volume_claim_template) {
      check_claim_spec(volume.source.ephemeral->volume_claim_template->spec,
                       at.child("ephemeral").child("volumeClaimTemplate").child("spec"), errors);
    }
  }
}

}  // namespace

void check_pod_spec(const api::PodTemplate& spec, const Path& path, Errors& errors) {
  check_volumes(spec.volumes, path.child("volumes"), errors);
  if (spec.containers.empty()) errors.push_back(config::required(path.child("containers")));
  std::set<std::string> names;
  check_containers(spec.containers, path.child("containers"), names, errors);
  check_containers(spec.init_containers, path.child("initContainers"), names, errors);
  check_choice(spec.restart_policy, {"Always", "OnFailure", "Never"}, path.child("restartPolicy"), errors);
  if (spec.termination_grace_period_seconds) {
    check_at_least(0, *spec.termination_grace_period_seconds, path.child("terminationGracePeriodSeconds"), errors);
  }
  if (spec.active_deadline_seconds) {
    check_at_least(1, *spec.active_deadline_seconds, path.child("activeDeadlineSeconds"), errors);
  }
  check_labels(spec.node_selector, path.child("nodeSelector"), errors);
  if (spec.affinity) check_affinity(*spec.affinity, path.child("affinity"), errors);
  check_tolerations(spec.tolerations, path.child("tolerations"), errors);
  if (!spec.priority_class_name.empty()) {
    check_dns_subdomain(spec.priority_class_name.text(), path.child("priorityClassName"), errors);
  }
  check_choice(spec.preemption_policy, {"PreemptLowerPriority", "Never"}, path.child("preemptionPolicy"), errors);
  for (const auto& [resource, amount] : spec.overhead) check_amount(resource, amount, path.child("overhead"), errors);
  check_spread(spec.topology_spread_constraints, path.child("topologySpreadConstraints"), errors);
  std::set<std::string> gates;
  for (std::size_t i = 0; i < spec.scheduling_gates.size(); ++i) {
    const Path at = path.child("schedulingGates").index(i);
    const std::string gate = spec.scheduling_gates[i].name.str();
    check_label_key(gate, at, errors);
    if (!gates.insert(gate).second) errors.push_back(config::duplicate(at, config::show(gate)));
  }
  if (spec.resources) check_container_resources(*spec.resources, path.child("resources"), errors);
}

void check_pod_template(const api::PodTemplateSpec& pod_template, const Path& path, Errors& errors) {
  check_labels(*pod_template.metadata.labels, path.child("metadata").child("labels"), errors);
  check_pod_spec(*pod_template.spec, path.child("spec"), errors);
}

std::vector<Error> validate_pod(const api::Pod& pod) {
  Errors errors;
  check_metadata(pod.metadata, Path("metadata"), errors);
  check_pod_spec(*pod.spec, Path("spec"), errors);
  return errors;
}

}  // namespace berth::validation
