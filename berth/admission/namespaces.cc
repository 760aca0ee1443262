#include "berth/admission/namespaces.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/admission/admission.h"
#include "berth/api/kinds.h"

namespace berth::admission {

void Namespaces::add(const api::AnyObject& object) {
  if (const auto added = object.as<api::Namespace>()) {
    is_terminating_[added->metadata.name] =
        added->status.phase == "Terminating" || added->metadata.deletion_timestamp.is_set();
  } else if (object.kind().metadata != nullptr && object.kind().namespaced) {
    const std::string_view name = object.metadata().name_space.text();
    if (!name.empty() && !used_.contains(name)) used_.emplace(name);
  }
}

bool Namespaces::is_known(std::string_view name) const {
  return name.empty() || name == "default" || name == "kube-system" || name == "kube-public" ||
         name == "kube-node-lease" || is_terminating_.contains(name);
}

Result<void> Namespaces::check_active(std::string_view name) const {
  const auto found = is_terminating_.find(name);
  if (found == is_terminating_.end() || !found->second) return {};
  return fail(fmt::format("unable to create new content in namespace {} because it is being terminated", name));
}

Result<void> Namespaces::check_exists(std::string_view name) const {
  if (is_terminating_.empty() || is_known(name)) return {};
  const bool is_whole_list = std::ranges::all_of(used_, [this](const std::string& each) { return is_known(each); });
  if (!is_whole_list) return {};
  return fail(fmt::format("namespaces \"{}\" not found", name));
}

Result<void> check_namespace(const api::AnyObject& object, std::string_view name_space,
                             std::span<const api::AnyObject> cluster, std::span<const api::AnyObject> companions) {
  if (object.kind().metadata == nullptr || !object.kind().namespaced) return {};
  Namespaces namespaces;
  for (const api::AnyObject& each : cluster) namespaces.add(each);
  for (const api::AnyObject& each : companions) {
    if (each.as<api::Namespace>() != nullptr) namespaces.add(each);
  }
  if (const auto exists = namespaces.check_exists(name_space); !exists) return exists;
  const auto active = namespaces.check_active(name_space);
  return active ? active : fail(forbidden(object.kind(), object.metadata().name, active.error()));
}

}  // namespace berth::admission
