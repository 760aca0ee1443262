#include "berth/admission/priorities.h"

#include <fmt/format.h>

#include <utility>

namespace berth::admission {

namespace {

constexpr std::string_view kPreemptLowerPriority = "PreemptLowerPriority";

Priorities::ClassPtr system_class(std::string_view name, std::int32_t value) {
  auto made = std::make_shared<api::PriorityClass>();
  made->metadata.name = std::string(name);
  made->value = value;
  made->preemption_policy = Symbol(kPreemptLowerPriority);
  return made;
}

}  // namespace

void Priorities::set(ClassPtr priority_class) {
  std::string name = priority_class->metadata.name;
  classes_.insert_or_assign(std::move(name), std::move(priority_class));
}

void Priorities::remove(std::string_view name) {
  if (const auto found = classes_.find(name); found != classes_.end()) classes_.erase(found);
}

Priorities::ClassPtr Priorities::find(std::string_view name) const {
  static const ClassPtr cluster_critical = system_class("system-cluster-critical", 2'000'000'000);
  static const ClassPtr node_critical = system_class("system-node-critical", 2'000'001'000);
  if (const auto found = classes_.find(name); found != classes_.end()) return found->second;
  if (name == cluster_critical->metadata.name) return cluster_critical;
  if (name == node_critical->metadata.name) return node_critical;
  return nullptr;
}

Priorities::ClassPtr Priorities::default_class() const {
  ClassPtr lowest;
  for (const auto& [name, each] : classes_) {
    if (each->global_default && (lowest == nullptr || each->value < lowest->value)) lowest = each;
  }
  return lowest;
}

Result<void> Priorities::resolve(api::PodTemplate& spec, bool keeps_given) const {
  const bool is_kept = keeps_given && spec.priority.has_value();
  ClassPtr found;
  if (!spec.priority_class_name.empty()) {
    found = find(spec.priority_class_name.text());
    if (found == nullptr && !is_kept) {
      return fail(fmt::format("no PriorityClass with name {} was found", spec.priority_class_name.text()));
    }
  } else if (!is_kept) {
    found = default_class();
    if (found != nullptr) spec.priority_class_name = Symbol(found->metadata.name);
  }
  const std::int32_t computed = found != nullptr ? found->value : 0;
  if (!is_kept && spec.priority && *spec.priority != computed) {
    return fail(fmt::format(
        "the integer value of priority ({}) must not be provided in pod spec; priority admission controller "
        "computed {} from the given PriorityClass name",
        *spec.priority, computed));
  }
  if (!spec.priority) spec.priority = computed;
  const Symbol policy =
      found != nullptr && found->preemption_policy ? *found->preemption_policy : Symbol(kPreemptLowerPriority);
  if (!keeps_given && spec.preemption_policy && *spec.preemption_policy != policy) {
    return fail(fmt::format(
        "the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority admission controller "
        "computed {} from the given PriorityClass name",
        spec.preemption_policy->text(), policy.text()));
  }
  if (!spec.preemption_policy) spec.preemption_policy = policy;
  return {};
}

}  // namespace berth::admission
