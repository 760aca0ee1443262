#include "berth/admission/quotas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "berth/admission/pod_defaults.h"
#include "berth/api/label_selector.h"
#include "berth/api/pod_requests.h"

namespace berth::admission {

namespace {

constexpr std::string_view kStorageClassPart = ".storageclass.storage.k8s.io/";
constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kLimits = "limits.";

// If a quota bounds one of these, each container has to name it.
constexpr auto kHaveToBeNamed = std::to_array<std::string_view>(
    {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"});

api::Quantity one() {
  return api::Quantity::from_units(1);
}

// "count/pods", "count/deployments.apps"
Symbol count_name(const api::ObjectKind& kind) {
  const std::size_t slash = kind.api_version.find('/');
  if (slash == std::string_view::npos) return Symbol(fmt::format("count/{}", kind.resource));
  return Symbol(fmt::format("count/{}.{}", kind.resource, kind.api_version.substr(0, slash)));
}

bool is_quota_of_requests(Symbol resource) {
  constexpr std::string_view kDeviceClass = "deviceclass.resource.kubernetes.io/";
  return api::is_extended_resource(resource) || resource.text().starts_with(kDeviceClass);
}

// What requests and limits count for.
api::ResourceList compute_usage(const api::ResourceList& requests, const api::ResourceList& limits) {
  static const Symbol cpu("cpu"), memory("memory"), storage("ephemeral-storage");
  api::ResourceList usage;
  usage[Symbol("pods")] = one();
  for (const Symbol resource : {cpu, memory, storage}) {
    if (const api::Quantity* request = requests.find(resource)) {
      usage[resource] = *request;
      usage[Symbol(fmt::format("{}{}", kRequests, resource.text()))] = *request;
    }
    if (const api::Quantity* limit = limits.find(resource)) {
      usage[Symbol(fmt::format("{}{}", kLimits, resource.text()))] = *limit;
    }
  }
  for (const auto& [resource, request] : requests) {
    const bool is_huge_page = resource.text().starts_with(kHugePages);
    if (is_huge_page) usage[resource] = request;
    if (is_huge_page || is_quota_of_requests(resource)) {
      usage[Symbol(fmt::format("{}{}", kRequests, resource.text()))] = request;
    }
  }
  return usage;
}

api::ResourceList limits_with_overhead(const api::PodTemplate& spec) {
  api::ResourceList limits = sum_of_limits(spec);
  for (const auto& [resource, overhead] : spec.overhead) {
    if (limits.contains(resource)) limits[resource] += overhead;
  }
  return limits;
}

api::ResourceList usage_of_pod(const api::Pod& pod) {
  api::ResourceList usage;
  if (!api::is_terminal(pod)) {
    const api::PodRequestsOptions options{.use_status = true};
    usage = compute_usage(api::pod_requests(*pod.spec, pod.status, options), limits_with_overhead(*pod.spec));
  }
  return usage;
}

void add_usage_of_claim(const api::PersistentVolumeClaim& claim, api::ResourceList& usage) {
  const std::string storage_class = claim.spec.storage_class_name.value_or(Symbol()).str();
  const auto add = [&](std::string_view resource, const api::Quantity& amount) {
    usage[Symbol(resource)] = amount;
    if (!storage_class.empty())
      usage[Symbol(storage_class + std::string(kStorageClassPart) + std::string(resource))] = amount;
  };
  add("persistentvolumeclaims", one());
  if (const api::Quantity* request = claim.spec.resources.requests.find(Symbol("storage"))) {
    api::Quantity whole = *request;
    whole.round_up(0);
    add("requests.storage", whole);
  }
}

// Whether a quota that bounds `resource` bounds objects of this kind.
bool is_about(Symbol resource, const api::AnyObject& object) {
  const api::ObjectKind& kind = object.kind();
  if (resource == count_name(kind)) return true;
  const std::string_view text = resource.text();
  if (&kind == &api::kind_of<api::Pod>()) {
    static const std::set<std::string_view> of_pods = {"pods",
                                                       "cpu",
                                                       "memory",
                                                       "ephemeral-storage",
                                                       "requests.cpu",
                                                       "requests.memory",
                                                       "limits.cpu",
                                                       "limits.memory",
                                                       "requests.ephemeral-storage",
                                                       "limits.ephemeral-storage"};
    if (of_pods.contains(text) || text.starts_with(kHugePages) || text.starts_with("requests.hugepages-")) return true;
    return text.starts_with(kRequests) && is_quota_of_requests(Symbol(text.substr(kRequests.size())));
  }
  if (&kind == &api::kind_of<api::PersistentVolumeClaim>()) {
    return text == "persistentvolumeclaims" || text == "requests.storage" ||
           text.ends_with(fmt::format("{}persistentvolumeclaims", kStorageClassPart)) ||
           text.ends_with(fmt::format("{}requests.storage", kStorageClassPart));
  }
  const bool is_old_name = text == "services" || text == "replicationcontrollers" || text == "resourcequotas";
  return is_old_name && text == kind.resource;
}

// --- Scopes ----------------------------------------------------------------------------------------------------------

bool is_cross_namespace(const api::PodAffinityTerm& term) {
  return !term.namespaces.empty() || term.namespace_selector.has_value();
}

bool has_cross_namespace_terms(const std::optional<api::PodAffinity>& affinity) {
  if (!affinity) return false;
  return std::ranges::any_of(affinity->required, is_cross_namespace) ||
         std::ranges::any_of(affinity->preferred, [](const api::WeightedPodAffinityTerm& term) {
           return is_cross_namespace(term.pod_affinity_term);
         });
}

bool matches_class(const api::ScopedResourceSelectorRequirement& scope, Symbol class_name) {
  const auto is_listed = [&] { return std::ranges::find(scope.values, class_name) != scope.values.end(); };
  if (scope.op == "Exists") return !class_name.empty();
  if (scope.op == "DoesNotExist") return class_name.empty();
  if (scope.op == "In") return !class_name.empty() && is_listed();
  if (scope.op == "NotIn") return class_name.empty() || !is_listed();
  return false;
}

bool matches_scope(const api::ScopedResourceSelectorRequirement& scope, const api::PodTemplate& spec) {
  const bool is_terminating = spec.active_deadline_seconds && *spec.active_deadline_seconds >= 0;
  if (scope.scope_name == "Terminating") return is_terminating;
  if (scope.scope_name == "NotTerminating") return !is_terminating;
  if (scope.scope_name == "BestEffort") return is_best_effort(spec);
  if (scope.scope_name == "NotBestEffort") return !is_best_effort(spec);
  if (scope.scope_name == "PriorityClass") return matches_class(scope, spec.priority_class_name);
  if (scope.scope_name == "CrossNamespacePodAffinity") {
    return spec.affinity && (has_cross_namespace_terms(spec.affinity->pod_affinity) ||
                             has_cross_namespace_terms(spec.affinity->pod_anti_affinity));
  }
  return false;
}

bool matches_scope(const api::ScopedResourceSelectorRequirement& scope, const api::AnyObject& object) {
  if (const auto pod = object.as<api::Pod>()) return matches_scope(scope, *pod->spec);
  if (const auto claim = object.as<api::PersistentVolumeClaim>();
      claim && scope.scope_name == "VolumeAttributesClass") {
    return matches_class(scope, claim->spec.volume_attributes_class_name.value_or(Symbol()));
  }
  return false;
}

bool is_in_scope(const api::ResourceQuotaSpec& quota, const api::AnyObject& object) {
  for (const Symbol scope : quota.scopes) {
    if (!matches_scope({.scope_name = scope, .op = Symbol("Exists"), .values = {}}, object)) return false;
  }
  if (!quota.scope_selector) return true;
  return std::ranges::all_of(quota.scope_selector->match_expressions,
                             [&](const auto& scope) { return matches_scope(scope, object); });
}

bool applies_to(const api::ResourceQuotaSpec& quota, const api::AnyObject& object) {
  const bool names_it = std::ranges::any_of(quota.hard, [&](const auto& entry) { return is_about(entry.key, object); });
  return names_it && is_in_scope(quota, object);
}

// --- Checks ----------------------------------------------------------------------------------------------------------

// "must specify limits.cpu for: main; requests.cpu for: main,sidecar"; empty if nothing is missing.
std::string what_is_not_specified(const api::ResourceQuotaSpec& quota, const api::PodTemplate& spec) {
  if (has_pod_level_resources(spec)) return "";
  std::map<std::string_view, std::set<std::string_view>> missing;
  for (const auto* containers : {&spec.containers, &spec.init_containers}) {
    for (const api::Container& container : *containers) {
      const api::ResourceList has = compute_usage(container.resources.requests, container.resources.limits);
      for (const std::string_view resource : kHaveToBeNamed) {
        if (!quota.hard.contains(Symbol(resource)) || has.contains(Symbol(resource))) continue;
        missing[resource].insert(container.name.text());
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto& [resource, containers] : missing) {
    parts.push_back(fmt::format("{} for: {}", resource, fmt::join(containers, ",")));
  }
  return parts.empty() ? "" : fmt::format("must specify {}", fmt::join(parts, "; "));
}

std::string text_of(const std::vector<std::pair<Symbol, api::Quantity>>& amounts) {
  std::vector<std::string> parts;
  for (const auto& [resource, amount] : amounts) parts.push_back(fmt::format("{}={}", resource.text(), amount.str()));
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

api::ResourceList quota_usage(const api::AnyObject& object) {
  api::ResourceList usage;
  if (const auto pod = object.as<api::Pod>()) usage = usage_of_pod(*pod);
  if (const auto claim = object.as<api::PersistentVolumeClaim>()) add_usage_of_claim(*claim, usage);
  const api::ObjectKind& kind = object.kind();
  for (const std::string_view old_name : {"services", "replicationcontrollers", "resourcequotas"}) {
    if (kind.resource == old_name) usage[Symbol(old_name)] = one();
  }
  usage[count_name(kind)] = one();
  return usage;
}

const Quotas::ByName* Quotas::in(Symbol name_space) const {
  if (quotas_.empty()) return nullptr;
  const auto found = quotas_.find(name_space);
  return found == quotas_.end() ? nullptr : &found->second;
}

bool Quotas::set(const api::ResourceQuota& quota) {
  Quota& kept = quotas_[quota.metadata.name_space][quota.metadata.name];
  if (!kept.used.empty() && kept.spec == quota.spec) return false;
  kept.spec = quota.spec;
  kept.used.clear();
  for (const auto& [resource, amount] : quota.spec.hard) kept.used[resource] = api::Quantity();
  return true;
}

void Quotas::remove(Symbol name_space, std::string_view name) {
  const auto found = quotas_.find(name_space);
  if (found == quotas_.end()) return;
  if (const auto quota = found->second.find(name); quota != found->second.end()) found->second.erase(quota);
  if (found->second.empty()) quotas_.erase(found);
}

void Quotas::count(const api::ResourceQuota& quota, const api::AnyObject& object) {
  Quota& kept = quotas_[quota.metadata.name_space][quota.metadata.name];
  if (!applies_to(kept.spec, object)) return;
  for (const auto& [resource, amount] : quota_usage(object)) {
    if (kept.used.contains(resource)) kept.used[resource] += amount;
  }
}

void Quotas::charge(const api::AnyObject& object, bool is_added) {
  const auto found = quotas_.find(object.metadata().name_space);
  if (found == quotas_.end()) return;
  api::ResourceList usage;
  for (auto& [name, quota] : found->second) {
    if (!applies_to(quota.spec, object)) continue;
    if (usage.empty()) usage = quota_usage(object);
    for (const auto& [resource, amount] : usage) {
      if (!quota.used.contains(resource)) continue;
      if (is_added) {
        quota.used[resource] += amount;
      } else {
        quota.used[resource] -= amount;
      }
    }
  }
}

void Quotas::add(const api::AnyObject& object) {
  if (object.kind().namespaced && covers(object.metadata().name_space)) charge(object, true);
}

void Quotas::remove(const api::AnyObject& object) {
  if (object.kind().namespaced && covers(object.metadata().name_space)) charge(object, false);
}

void Quotas::change(const api::AnyObject& before, const api::AnyObject& now) {
  if (!now.kind().namespaced || !covers(now.metadata().name_space)) return;
  if (const auto pod = now.as<api::Pod>()) {
    const auto old = before.as<api::Pod>();
    // Most changes are of the status, and of no consequence.
    if (pod->spec.shared.same_as(old->spec.shared) && api::is_terminal(*pod) == api::is_terminal(*old) &&
        !api::has_resources_in_status(pod->status) && !api::has_resources_in_status(old->status)) {
      return;
    }
  } else if (now.as<api::PersistentVolumeClaim>() == nullptr) {
    return;  // it counts as one, whatever it says
  }
  charge(before, false);
  charge(now, true);
}

Result<void> Quotas::check(const api::AnyObject& object) const {
  const ByName* quotas = object.kind().namespaced ? in(object.metadata().name_space) : nullptr;
  if (quotas == nullptr) return {};
  const auto pod = object.as<api::Pod>();
  std::vector<std::pair<const std::string*, const Quota*>> applying;
  for (const auto& [name, quota] : *quotas) {
    if (!applies_to(quota.spec, object)) continue;
    if (pod != nullptr) {
      const std::string missing = what_is_not_specified(quota.spec, *pod->spec);
      if (!missing.empty()) return fail(fmt::format("failed quota: {}: {}", name, missing));
    }
    applying.emplace_back(&name, &quota);
  }
  if (applying.empty()) return {};
  const api::ResourceList usage = quota_usage(object);
  for (const auto& [name, quota] : applying) {
    std::vector<std::pair<Symbol, api::Quantity>> requested, used, limited;
    for (const auto& [resource, amount] : usage) {
      const api::Quantity* hard = quota->spec.hard.find(resource);
      if (hard == nullptr || amount.is_zero()) continue;
      const api::Quantity& so_far = *quota->used.find(resource);
      if (so_far + amount <= *hard) continue;
      requested.emplace_back(resource, amount);
      used.emplace_back(resource, so_far);
      limited.emplace_back(resource, *hard);
    }
    if (!requested.empty()) {
      return fail(fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", *name, text_of(requested),
                              text_of(used), text_of(limited)));
    }
  }
  return {};
}

}  // namespace berth::admission
