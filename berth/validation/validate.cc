#include "berth/validation/validate.h"

#include <fmt/format.h>

#include "berth/api/names.h"
#include "berth/base/ascii.h"
#include "berth/validation/checks.h"
#include "berth/validation/resources.h"
#include "berth/validation/workloads.h"

namespace berth::validation {

namespace {

const Path kSpec("spec");

// A class of user's pods may have at most this value; above it are the two of the system.
constexpr std::int32_t kHighestUserPriority = 1'000'000'000;

void check_access_modes(const std::vector<Symbol>& modes, const Path& path, Errors& errors) {
  if (modes.empty()) errors.push_back(config::required(path, "at least 1 access mode is required"));
  for (const Symbol mode : modes) {
    check_choice(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, path, errors);
  }
}

// The size of a claim or a volume.
void check_storage(const api::ResourceList& amounts, const Path& path, Errors& errors) {
  static const Symbol storage("storage");
  const api::Quantity* size = amounts.find(storage);
  if (size == nullptr) {
    errors.push_back(config::required(path.key("storage")));
  } else if (size->sign() <= 0) {
    errors.push_back(config::invalid(path.key("storage"), config::show(size->str()), "must be greater than zero"));
  } else {
    check_amount(storage, *size, path, errors);
  }
}

void check_node(const api::Node& node, Errors& errors) {
  for (std::size_t i = 0; i < node.spec.taints.size(); ++i) {
    const api::Taint& taint = node.spec.taints[i];
    const Path at = kSpec.child("taints").index(i);
    check_label_key(taint.key.text(), at.child("key"), errors);
    for (const std::string& what : api::label_value_errors(taint.value.text())) {
      errors.push_back(config::invalid(at.child("value"), config::show(taint.value.text()), what));
    }
    if (taint.effect.empty()) errors.push_back(config::required(at.child("effect")));
    check_choice(taint.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, at.child("effect"), errors);
  }
  const Path status("status");
  for (const auto& [name, amount] : node.status.capacity) check_amount(name, amount, status.child("capacity"), errors);
  for (const auto& [name, amount] : node.status.allocatable) {
    check_amount(name, amount, status.child("allocatable"), errors);
  }
}

void check_budget(const api::PodDisruptionBudget& budget, Errors& errors) {
  const api::PodDisruptionBudgetSpec& spec = budget.spec;
  if (spec.min_available && spec.max_unavailable) {
    errors.push_back(Error("Invalid value: minAvailable and maxUnavailable cannot be both set").in("spec"));
  }
  check_count_or_percentage(spec.min_available, kSpec.child("minAvailable"), errors);
  check_count_or_percentage(spec.max_unavailable, kSpec.child("maxUnavailable"), errors);
  if (spec.selector) check_label_selector(*spec.selector, kSpec.child("selector"), errors);
  check_choice(spec.unhealthy_pod_eviction_policy, {"AlwaysAllow", "IfHealthyBudget"},
               kSpec.child("unhealthyPodEvictionPolicy"), errors);
}

void check_priority_class(const api::PriorityClass& priority, Errors& errors) {
  const bool is_of_system = priority.metadata.name.starts_with("system-");
  if (!is_of_system && priority.value > kHighestUserPriority) {
    errors.push_back(config::forbidden(
        Path("value"), fmt::format("maximum allowed value of a user defined priority is {}", kHighestUserPriority)));
  }
  check_choice(priority.preemption_policy, {"PreemptLowerPriority", "Never"}, Path("preemptionPolicy"), errors);
}

void check_amounts(const api::ResourceList& amounts, const Path& path, Errors& errors) {
  for (const auto& [name, amount] : amounts) check_amount(name, amount, path, errors);
}

void check_limit_range(const api::LimitRange& range, Errors& errors) {
  for (std::size_t i = 0; i < range.spec.limits.size(); ++i) {
    const api::LimitRangeItem& item = range.spec.limits[i];
    const Path at = kSpec.child("limits").index(i);
    check_amounts(item.max, at.child("max"), errors);
    check_amounts(item.min, at.child("min"), errors);
    check_amounts(item.default_limit, at.child("default"), errors);
    check_amounts(item.default_request, at.child("defaultRequest"), errors);
  }
}

bool is_namespace(const api::AnyObject& object) {
  return object.as<api::Namespace>() != nullptr;
}

}  // namespace

void check_metadata(const api::ObjectMeta& metadata, const Path& path, Errors& errors) {
  if (metadata.name.empty()) {
    if (metadata.generate_name.empty()) {
      errors.push_back(config::required(path.child("name"), "name or generateName is required"));
    }
  } else {
    check_dns_subdomain(metadata.name, path.child("name"), errors);
  }
  if (!metadata.name_space.empty()) check_dns_label(metadata.name_space.text(), path.child("namespace"), errors);
  check_labels(*metadata.labels, path.child("labels"), errors);
  for (const auto& [key, value] : *metadata.annotations) {
    std::string lower(key.text());
    for (char& c : lower) c = ascii_lower(c);
    check_label_key(lower, path.child("annotations"), errors);
  }
}

void check_claim_spec(const api::PersistentVolumeClaimSpec& spec, const Path& path, Errors& errors) {
  check_access_modes(spec.access_modes, path.child("accessModes"), errors);
  check_storage(spec.resources.requests, path.child("resources"), errors);
  if (spec.selector) check_label_selector(*spec.selector, path.child("selector"), errors);
  if (spec.storage_class_name && !spec.storage_class_name->empty()) {
    check_dns_subdomain(spec.storage_class_name->text(), path.child("storageClassName"), errors);
  }
  check_choice(spec.volume_mode, {"Block", "Filesystem"}, path.child("volumeMode"), errors);
}

std::vector<Error> validate(const api::AnyObject& object) {
  if (object.kind().metadata == nullptr) return {};
  if (const auto pod = object.as<api::Pod>()) return validate_pod(*pod);
  Errors errors;
  check_metadata(object.metadata(), Path("metadata"), errors);
  if (is_namespace(object) && errors.empty()) check_dns_label(object.metadata().name, Path("metadata.name"), errors);
  if (const auto deployment = object.as<api::Deployment>()) check_deployment(*deployment, errors);
  if (const auto set = object.as<api::ReplicaSet>()) check_replica_set(*set, errors);
  if (const auto set = object.as<api::StatefulSet>()) check_stateful_set(*set, errors);
  if (const auto set = object.as<api::DaemonSet>()) check_daemon_set(*set, errors);
  if (const auto controller = object.as<api::ReplicationController>())
    check_replication_controller(*controller, errors);
  if (const auto job = object.as<api::Job>()) check_job(*job, errors);
  if (const auto node = object.as<api::Node>()) check_node(*node, errors);
  if (const auto budget = object.as<api::PodDisruptionBudget>()) check_budget(*budget, errors);
  if (const auto priority = object.as<api::PriorityClass>()) check_priority_class(*priority, errors);
  if (const auto range = object.as<api::LimitRange>()) check_limit_range(*range, errors);
  if (const auto quota = object.as<api::ResourceQuota>()) {
    check_amounts(quota->spec.hard, kSpec.child("hard"), errors);
  }
  if (const auto claim = object.as<api::PersistentVolumeClaim>()) check_claim_spec(claim->spec, kSpec, errors);
  if (const auto volume = object.as<api::PersistentVolume>()) {
    check_access_modes(volume->spec.access_modes, kSpec.child("accessModes"), errors);
    check_storage(volume->spec.capacity, kSpec.child("capacity"), errors);
  }
  return errors;
}

}  // namespace berth::validation
