#include "berth/sim/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "berth/plugins/volume_claims.h"
#include "berth/sim/object_copy.h"

namespace berth::sim {

namespace {

using Kind = engine::Outcome::Kind;

// The letters of the API server's generated names.
constexpr std::string_view kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;

std::string suffix_of(std::uint64_t number) {
  std::string suffix(kSuffixLength, kSuffixLetters[0]);
  for (std::size_t i = kSuffixLength; i-- > 0; number /= kSuffixLetters.size()) {
    suffix[i] = kSuffixLetters[number % kSuffixLetters.size()];
  }
  return suffix;
}

// "pods", "deployments.apps".
std::string qualified(const api::ObjectKind& kind) {
  const std::size_t slash = kind.api_version.find('/');
  if (slash == std::string_view::npos) return std::string(kind.resource);
  return fmt::format("{}.{}", kind.resource, kind.api_version.substr(0, slash));
}

std::unexpected<ApiError> error(Kind kind, std::string message) {
  return std::unexpected(ApiError{kind, std::move(message)});
}

std::unexpected<ApiError> not_found(const api::ObjectKind& kind, std::string_view name) {
  return error(Kind::kNotFound, fmt::format("{} \"{}\" not found", qualified(kind), name));
}

std::unexpected<ApiError> conflict(std::string_view resource, std::string_view name, std::string_view why) {
  return error(Kind::kConflict, fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource, name, why));
}

// What a binding's UID precondition says when it fails, as it comes out of the real one's storage.
std::unexpected<ApiError> wrong_pod(const api::Pod& pod, std::string_view wanted) {
  return conflict(
      "pods", pod.metadata.name,
      fmt::format("StorageError: invalid object, Code: 4, Key: /registry/pods/{}/{}, ResourceVersion: 0, "
                  "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object meta: {}",
                  pod.metadata.name_space.text(), pod.metadata.name, wanted, pod.metadata.uid));
}

void set_condition(api::PodStatus& status, api::PodCondition condition, Instant now) {
  for (api::PodCondition& each : status.conditions) {
    if (each.type != condition.type) continue;
    if (each.status == condition.status) {
      condition.last_transition_time = each.last_transition_time;
    } else if (!condition.last_transition_time.is_set()) {
      condition.last_transition_time = now;
    }
    each = std::move(condition);
    return;
  }
  if (!condition.last_transition_time.is_set()) condition.last_transition_time = now;
  status.conditions.push_back(std::move(condition));
}

bool is_labelled_alike(const api::ObjectMeta& a, const api::ObjectMeta& b) {
  return a.labels == b.labels && a.annotations == b.annotations && a.finalizers == b.finalizers;
}

bool raises_generation(const api::AnyObject& fresh, const api::AnyObject& old) {
  if (!is_same_wish(fresh, old)) return true;
  const bool counts_metadata =
      &fresh.kind() == &api::kind_of<api::Pod>() || &fresh.kind() == &api::kind_of<api::Node>();
  return counts_metadata && !is_labelled_alike(fresh.metadata(), old.metadata());
}

}  // namespace

void ApiServer::listen(Listener listener) {
  listeners_.push_back(std::move(listener));
}

ObjectTable& ApiServer::table_of(const api::ObjectKind& kind) {
  if (tables_.empty()) tables_.resize(api::all_kinds().size());
  std::unique_ptr<ObjectTable>& table = tables_[static_cast<std::size_t>(&kind - api::all_kinds().data())];
  if (table == nullptr) table = std::make_unique<ObjectTable>();
  return *table;
}

const ObjectTable* ApiServer::find_table(const api::ObjectKind& kind) const {
  return tables_.empty() ? nullptr : tables_[static_cast<std::size_t>(&kind - api::all_kinds().data())].get();
}

void ApiServer::tell(const Change& change) {
  tell_admission(change);
  // By index: a listener may bring another one.
  for (std::size_t i = 0; i < listeners_.size(); ++i) listeners_[i](change);
  const api::PodPtr pod = change.object.as<api::Pod>();
  if (pod != nullptr && (change.kind == Change::Kind::kDeleted || api::is_terminal(*pod))) let_go_of_claims(*pod);
}

void ApiServer::tell_admission(const Change& change) {
  admission::Admission& rules = admission_.rules();
  bool has_to_count = false;
  switch (change.kind) {
    case Change::Kind::kAdded: has_to_count = rules.add(change.object); break;
    case Change::Kind::kModified: has_to_count = rules.change(change.before, change.object); break;
    case Change::Kind::kDeleted: rules.remove(change.object); break;
  }
  if (!has_to_count) return;
  const auto quota = change.object.as<api::ResourceQuota>();
  for (const api::ObjectKind& kind : api::all_kinds()) {
    if (!kind.namespaced) continue;
    for_each(kind, [&](const api::AnyObject& object) {
      if (object.metadata().name_space == quota->metadata.name_space) rules.count(*quota, object);
    });
  }
}

bool ApiServer::is_claim_in_use(Symbol name_space, std::string_view name) const {
  bool is_in_use = false;
  for_each<api::Pod>([&](const api::PodPtr& pod) {
    is_in_use = is_in_use || (pod->metadata.name_space == name_space && !pod->spec.node_name.empty() &&
                              !api::is_terminal(*pod) && plugins::uses_claim(*pod, name, /*with_ephemeral=*/true));
  });
  return is_in_use;
}

void ApiServer::let_go_of_claims(const api::Pod& pod) {
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<std::string> name = plugins::claim_name_of(pod, volume);
    if (!name) continue;
    const api::AnyObject claim = get(api::kind_of<api::PersistentVolumeClaim>(), pod.metadata.name_space, *name);
    if (claim && claim.metadata().deletion_timestamp.is_set() && !is_claim_in_use(pod.metadata.name_space, *name)) {
      erase(claim);
    }
  }
}

void ApiServer::store(Change::Kind kind, const api::AnyObject& object, api::AnyObject before) {
  ObjectTable& table = table_of(object.kind());
  if (kind == Change::Kind::kAdded) {
    table.add(object);
  } else {
    table.replace(object);
  }
  tell({.kind = kind, .object = object, .before = std::move(before), .version = version_});
}

api::PodPtr ApiServer::store_pod(api::Pod pod, const api::PodPtr& before) {
  pod.metadata.resource_version = std::to_string(++version_);
  auto stored = std::make_shared<const api::Pod>(std::move(pod));
  store(Change::Kind::kModified, api::AnyObject(stored), api::AnyObject(before));
  return stored;
}

// By value, because the table's own goes away.
void ApiServer::erase(api::AnyObject object) {
  table_of(object.kind()).remove(object.metadata().name_space, object.metadata().name);
  ++version_;
  tell({.kind = Change::Kind::kDeleted, .object = object, .before = std::move(object), .version = version_});
}

// --- Objects ---------------------------------------------------------------------------------------------------------

ApiResult<api::AnyObject> ApiServer::create(api::AnyObject object, Instant now) {
  if (object.metadata().name.empty() && !object.metadata().generate_name.empty()) {
    object = with_metadata(object, [this](api::ObjectMeta& metadata) {
      metadata.name = metadata.generate_name.str() + suffix_of(next_uid_);
    });
  }
  if (object.metadata().name.empty()) {
    return error(Kind::kRefused, fmt::format("{} \"\" is invalid: metadata.name: Required value: name or generateName "
                                             "is required",
                                             object.kind().kind));
  }
  if (created_ >= max_objects_) {
    is_full_ = true;
    return error(Kind::kRefused, fmt::format("the limit of {} objects is reached", max_objects_));
  }
  auto admitted = admission_.admit(object);
  if (!admitted) return error(Kind::kRefused, admitted.error().message());
  // The copy is ours alone: nobody has seen it yet.
  auto& metadata = const_cast<api::ObjectMeta&>(admitted->metadata());
  if (table_of(object.kind()).find(metadata.name_space, metadata.name) != nullptr) {
    return error(Kind::kConflict, fmt::format("{} \"{}\" already exists", qualified(object.kind()), metadata.name));
  }
  if (metadata.uid.empty()) metadata.uid = "uid-" + std::to_string(next_uid_);
  if (!metadata.creation_timestamp.is_set()) metadata.creation_timestamp = now;
  if (metadata.generation == 0) metadata.generation = 1;
  metadata.resource_version = std::to_string(++version_);
  ++next_uid_;
  created_ += &object.kind() == &api::kind_of<api::Node>() ? kObjectsPerNode : 1;
  store(Change::Kind::kAdded, *admitted, {});
  return *std::move(admitted);
}

ApiResult<api::AnyObject> ApiServer::update(const api::AnyObject& object) {
  const api::ObjectMeta& given = object.metadata();
  api::AnyObject old = get(object.kind(), given.name_space, given.name);
  if (!old) return not_found(object.kind(), given.name);
  if (!given.resource_version.empty() && given.resource_version != old.metadata().resource_version) {
    return conflict(qualified(object.kind()), given.name,
                    "the object has been modified; please apply your changes to the latest version and try again");
  }
  const bool raises = raises_generation(object, old);
  const api::ObjectMeta& known = old.metadata();
  api::AnyObject fresh = with_metadata(object, [&](api::ObjectMeta& metadata) {
    metadata.uid = known.uid;
    metadata.creation_timestamp = known.creation_timestamp;
    metadata.deletion_timestamp = known.deletion_timestamp;
    metadata.deletion_grace_period_seconds = known.deletion_grace_period_seconds;
    metadata.generation = known.generation + (raises ? 1 : 0);
    metadata.resource_version = known.resource_version;
  });
  if (is_same(fresh, old)) return old;
  ++version_;
  // The copy is ours alone: nobody has seen it yet.
  const_cast<api::ObjectMeta&>(fresh.metadata()).resource_version = std::to_string(version_);
  store(Change::Kind::kModified, fresh, old);
  return fresh;
}

ApiResult<void> ApiServer::remove(const api::ObjectKind& kind, Symbol name_space, std::string_view name, Instant now,
                                  std::string_view uid) {
  const api::AnyObject object = get(kind, name_space, name);
  if (!object) return not_found(kind, name);
  const api::ObjectMeta& metadata = object.metadata();
  if (!uid.empty() && metadata.uid != uid) {
    return conflict(qualified(kind), name,
                    fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The object "
                                "might have been deleted and then recreated",
                                uid, metadata.uid));
  }
  if (&kind == &api::kind_of<api::PersistentVolumeClaim>() && is_claim_in_use(name_space, name)) {
    if (metadata.deletion_timestamp.is_set()) return {};
    ++version_;
    store(Change::Kind::kModified,
          with_metadata(object,
                        [&](api::ObjectMeta& marked) {
                          marked.deletion_timestamp = now;
                          marked.resource_version = std::to_string(version_);
                        }),
          object);
    return {};
  }
  const api::PodPtr pod = object.as<api::Pod>();
  const bool waits_for_kubelet = pod != nullptr && !pod->spec.node_name.empty() && !api::is_terminal(*pod) &&
                                 get(api::kind_of<api::Node>(), Symbol(), pod->spec.node_name.text());
  if (!waits_for_kubelet) {
    erase(object);
    return {};
  }
  if (metadata.deletion_timestamp.is_set()) return {};
  api::Pod marked = *pod;
  marked.metadata.deletion_timestamp = now;
  store_pod(std::move(marked), pod);
  return {};
}

void ApiServer::finish_deletion(Symbol name_space, std::string_view name, std::string_view uid) {
  const api::AnyObject pod = get(api::kind_of<api::Pod>(), name_space, name);
  if (pod && (uid.empty() || pod.metadata().uid == uid)) erase(pod);
}

api::AnyObject ApiServer::get(const api::ObjectKind& kind, Symbol name_space, std::string_view name) const {
  const ObjectTable* table = find_table(kind);
  const api::AnyObject* found = table == nullptr ? nullptr : table->find(name_space, name);
  return found == nullptr ? api::AnyObject() : *found;
}

std::vector<api::AnyObject> ApiServer::list(const api::ObjectKind& kind) const {
  std::vector<api::AnyObject> objects;
  objects.reserve(count(kind));
  for_each(kind, [&](const api::AnyObject& object) { objects.push_back(object); });
  return objects;
}

void ApiServer::for_each(const api::ObjectKind& kind, const std::function<void(const api::AnyObject&)>& fn) const {
  if (const ObjectTable* table = find_table(kind)) table->for_each(fn);
}

std::size_t ApiServer::count(const api::ObjectKind& kind) const {
  const ObjectTable* table = find_table(kind);
  return table == nullptr ? 0 : table->size();
}

api::PodPtr ApiServer::write_status(const api::PodPtr& current, api::PodStatus status) {
  if (status == current->status) return current;
  api::Pod changed = *current;
  changed.status = std::move(status);
  return store_pod(std::move(changed), current);
}

// --- What schedulers do ----------------------------------------------------------------------------------------------

ApiResult<void> ApiServer::bind(const api::Binding& binding, Instant now) {
  const std::string& name = binding.metadata.name;
  const api::PodPtr pod = get<api::Pod>(binding.metadata.name_space, name);
  if (pod == nullptr) return not_found(api::kind_of<api::Pod>(), name);
  const std::string& uid = binding.metadata.uid;
  if (!uid.empty() && uid != pod->metadata.uid) return wrong_pod(*pod, uid);

  constexpr std::string_view kResource = "pods/binding";
  if (pod->metadata.deletion_timestamp.is_set()) {
    return conflict(kResource, name, fmt::format("pod {} is being deleted, cannot be assigned to a host", name));
  }
  if (!pod->spec.node_name.empty()) {
    return conflict(kResource, name,
                    fmt::format("pod {} is already assigned to node \"{}\"", name, pod->spec.node_name.text()));
  }
  if (!pod->spec->scheduling_gates.empty()) {
    return conflict(kResource, name, fmt::format("pod {} has non-empty .spec.schedulingGates", name));
  }
  // The real one lets any name pass; a scheduler that binds to a node that is gone should hear of it here.
  if (!get(api::kind_of<api::Node>(), Symbol(), binding.target.name)) {
    return error(Kind::kRefused, fmt::format("nodes \"{}\" not found", binding.target.name));
  }

  static const Symbol kPodScheduled("PodScheduled"), kTrue("True");
  api::Pod bound = *pod;
  bound.spec.node_name = Symbol(binding.target.name);
  bound.status.nominated_node_name = {};
  api::PodCondition scheduled;
  scheduled.type = kPodScheduled;
  scheduled.status = kTrue;
  scheduled.observed_generation = bound.metadata.generation;
  set_condition(bound.status, std::move(scheduled), now);
  store_pod(std::move(bound), pod);
  return {};
}

ApiResult<void> ApiServer::patch_status(const engine::PatchPodStatus& patch, Instant now) {
  const api::ObjectMeta& about = patch.base->metadata;
  const api::PodPtr pod = get<api::Pod>(about.name_space, about.name);
  if (pod == nullptr) return not_found(api::kind_of<api::Pod>(), about.name);
  // A patch goes by name alone on the wire. It is worked out from a status, though, and says nothing about another pod.
  if (!about.uid.empty() && about.uid != pod->metadata.uid) return wrong_pod(*pod, about.uid);
  api::Pod patched = *pod;
  if (patch.condition) set_condition(patched.status, *patch.condition, now);
  if (patch.nominated_node_name) patched.status.nominated_node_name = *patch.nominated_node_name;
  if (patched.status == pod->status) return {};
  store_pod(std::move(patched), pod);
  return {};
}

}  // namespace berth::sim
