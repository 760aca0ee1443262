#include "berth/admission/admission.h"

#include <fmt/format.h>

#include <memory>

#include "berth/admission/pod_defaults.h"
#include "berth/api/label_keys.h"

namespace berth::admission {

namespace {

// Beyond it, what is remembered is dropped and found again in the pool.
constexpr std::size_t kMaxRemembered = 4096;
constexpr std::string_view kIsDefaultClass = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view kIsDefaultClassBeta = "storageclass.beta.kubernetes.io/is-default-class";

Interned<api::PodTemplate> intern(InternPool& pool, api::PodTemplate spec) {
  const std::uint64_t hash = api::hash_value(api::type_of<api::PodTemplate>(), &spec);
  return pool.intern(std::move(spec), hash);
}

bool is_default(const api::StorageClass& storage_class) {
  for (const std::string_view key : {kIsDefaultClass, kIsDefaultClassBeta}) {
    const std::string* value = storage_class.metadata.annotations->find(Symbol(key));
    if (value != nullptr && *value == "true") return true;
  }
  return false;
}

// "pods", "deployments.apps"
std::string qualified(const api::ObjectKind& kind) {
  const std::size_t slash = kind.api_version.find('/');
  if (slash == std::string_view::npos) return std::string(kind.resource);
  return fmt::format("{}.{}", kind.resource, kind.api_version.substr(0, slash));
}

// Of every container, in the API server's words.
Result<void> check_limits(const api::PodTemplate& spec) {
  const auto check = [](const std::vector<api::Container>& containers, std::string_view list) -> Result<void> {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const api::ResourceRequirements& resources = containers[i].resources;
      for (const auto& [name, amount] : resources.requests) {
        const api::Quantity* limit = resources.limits.find(name);
        if (limit == nullptr || amount <= *limit) continue;
        return fail(fmt::format(
            "spec.{}[{}].resources.requests: Invalid value: \"{}\": must be less than or equal to {} limit of {}", list,
            i, amount.str(), name.text(), limit->str()));
      }
    }
    return {};
  };
  if (auto valid = check(spec.init_containers, "initContainers"); !valid) return valid;
  return check(spec.containers, "containers");
}

}  // namespace

Error forbidden(const api::ObjectKind& kind, std::string_view name, const Error& why) {
  return Error(fmt::format("{} \"{}\" is forbidden: {}", qualified(kind), name, why.what()));
}

// --- What is there ---------------------------------------------------------------------------------------------------

bool Admission::set_policy(const api::AnyObject& object) {
  if (auto priority_class = object.as<api::PriorityClass>()) {
    priorities_.set(std::move(priority_class));
    templates_.clear();
  } else if (const auto range = object.as<api::LimitRange>()) {
    limit_ranges_.set(*range);
    templates_.clear();
  } else if (const auto storage_class = object.as<api::StorageClass>()) {
    default_storage_classes_.erase(storage_class->metadata.name);
    if (is_default(*storage_class)) {
      default_storage_classes_.emplace(storage_class->metadata.name, storage_class->metadata.creation_timestamp);
    }
  } else if (const auto quota = object.as<api::ResourceQuota>()) {
    return quotas_.set(*quota);
  }
  return false;
}

bool Admission::add(const api::AnyObject& object) {
  quotas_.add(object);
  return set_policy(object);
}

bool Admission::change(const api::AnyObject& before, const api::AnyObject& now) {
  quotas_.change(before, now);
  return set_policy(now);
}

void Admission::remove(const api::AnyObject& object) {
  quotas_.remove(object);
  const api::ObjectMeta& metadata = object.metadata();
  if (object.as<api::PriorityClass>() != nullptr) {
    priorities_.remove(metadata.name);
    templates_.clear();
  } else if (object.as<api::LimitRange>() != nullptr) {
    limit_ranges_.remove(metadata.name_space, metadata.name);
    templates_.clear();
  } else if (object.as<api::StorageClass>() != nullptr) {
    default_storage_classes_.erase(metadata.name);
  } else if (object.as<api::ResourceQuota>() != nullptr) {
    quotas_.remove(metadata.name_space, metadata.name);
  }
}

// --- What is to be created -------------------------------------------------------------------------------------------

Result<api::Pod> Admission::admit(api::Pod pod, Origin origin) {
  const api::ObjectKind& kind = api::kind_of<api::Pod>();
  // Pods of a template that differ in a label which it has keys for are of templates of their own.
  Interned<api::PodTemplate> own = pod.spec.shared;
  if (api::has_label_keys(*own)) {
    api::PodTemplate merged = *own;
    api::merge_label_keys(merged, *pod.metadata.labels);
    own = intern(pool_, std::move(merged));
  }
  const Template& found = complete(own, pod.metadata.name_space, origin);
  // What names a field is invalid.
  if (found.refusal.starts_with("spec.")) {
    return fail(fmt::format("Pod \"{}\" is invalid: {}", pod.metadata.name, found.refusal));
  }
  if (!found.refusal.empty()) return fail(forbidden(kind, pod.metadata.name, Error(found.refusal)));
  pod.spec.shared = found.completed;
  if (origin == Origin::kNew && quotas_.covers(pod.metadata.name_space)) {
    const api::AnyObject checked(std::make_shared<const api::Pod>(pod));
    if (const auto has_room = quotas_.check(checked); !has_room) {
      return fail(forbidden(kind, pod.metadata.name, has_room.error()));
    }
  }
  return pod;
}

const Admission::Template& Admission::complete(const Interned<api::PodTemplate>& given, Symbol name_space,
                                               Origin origin) {
  const bool has_ranges = origin == Origin::kNew && limit_ranges_.covers(name_space);
  // Pods of a cluster keep what they state; new ones may not, which makes them templates of another sort.
  const bool keeps_priority = options_.keeps_given_priority || origin == Origin::kCluster;
  const std::uint64_t place = (has_ranges ? std::uint64_t{name_space.id()} + 1 : 0) * 2 + (keeps_priority ? 1 : 0);
  const TemplateKey key(given.identity(), place);
  if (const auto it = templates_.find(key); it != templates_.end()) return it->second;

  Template entry{.given = given, .completed = {}, .refusal = {}};
  api::PodTemplate spec = *given;
  set_defaults(spec);
  if (has_ranges) limit_ranges_.set_defaults(name_space, spec);
  Result<void> admitted = priorities_.resolve(spec, keeps_priority);
  // The limits that a LimitRange fills in may be lower than what the pod asks for.
  if (admitted && has_ranges) admitted = check_limits(spec);
  if (admitted && has_ranges) admitted = limit_ranges_.check(name_space, spec);
  if (admitted) {
    entry.completed = intern(pool_, std::move(spec));
  } else {
    entry.refusal = admitted.error().what();
  }
  if (templates_.size() >= kMaxRemembered) templates_.clear();
  // What is complete already stays what it is.
  if (admitted) {
    Template again{.given = entry.completed, .completed = entry.completed, .refusal = {}};
    templates_.insert_or_assign(TemplateKey(entry.completed.identity(), place), std::move(again));
  }
  return templates_.insert_or_assign(key, std::move(entry)).first->second;
}

std::optional<Symbol> Admission::default_storage_class() const {
  // The newest; of several, the first by name.
  const std::pair<const std::string, Instant>* newest = nullptr;
  for (const auto& each : default_storage_classes_) {
    if (newest == nullptr || each.second > newest->second) newest = &each;
  }
  return newest == nullptr ? std::nullopt : std::optional(Symbol(newest->first));
}

Result<api::PersistentVolumeClaim> Admission::admit(api::PersistentVolumeClaim claim, Origin origin) const {
  if (origin == Origin::kCluster) return claim;
  if (!claim.spec.storage_class_name) claim.spec.storage_class_name = default_storage_class();
  const api::ObjectKind& kind = api::kind_of<api::PersistentVolumeClaim>();
  if (const auto allowed = limit_ranges_.check(claim); !allowed) {
    return fail(forbidden(kind, claim.metadata.name, allowed.error()));
  }
  const api::AnyObject checked(std::make_shared<const api::PersistentVolumeClaim>(claim));
  if (const auto has_room = quotas_.check(checked); !has_room) {
    return fail(forbidden(kind, claim.metadata.name, has_room.error()));
  }
  return claim;
}

Result<void> Admission::check(const api::AnyObject& object) const {
  if (const auto has_room = quotas_.check(object); !has_room) {
    return fail(forbidden(object.kind(), object.metadata().name, has_room.error()));
  }
  return {};
}

}  // namespace berth::admission
