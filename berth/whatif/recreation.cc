#include "berth/whatif/recreation.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/sim/object_copy.h"
#include "berth/sim/pod_prototype.h"

namespace berth::whatif {

namespace {

bool is_stateful(const api::OwnerReference& owner) {
  return owner.kind == "StatefulSet";
}

}  // namespace

Recreation::Recreation(sim::World& world, std::uint64_t seed) : world_(world), names_(seed) {
  world.api().listen([this](const sim::Change& change) { on_change(change); });
}

const api::OwnerReference* Recreation::missing_owner_of(const api::Pod& pod) const {
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  if (owner == nullptr || owner->kind == "DaemonSet" || owner->kind == "Node") return nullptr;
  const api::ObjectKind* kind = api::find_kind(owner->api_version.text(), owner->kind.text());
  if (kind == nullptr) return owner;
  const api::AnyObject found = world_.api().get(*kind, pod.metadata.name_space, owner->name);
  return found && found.metadata().uid == owner->uid ? nullptr : owner;
}

void Recreation::on_change(const sim::Change& change) {
  if (change.kind == sim::Change::Kind::kAdded) return;
  const api::PodPtr pod = change.object.as<api::Pod>();
  if (pod == nullptr || api::is_terminal(*pod)) return;
  const bool is_gone = change.kind == sim::Change::Kind::kDeleted;
  if (!is_gone && !pod->metadata.deletion_timestamp.is_set()) return;
  const api::OwnerReference* owner = missing_owner_of(*pod);
  // The next pod of a StatefulSet has the same name: the last one has to be gone.
  if (owner == nullptr || (!is_gone && is_stateful(*owner))) return;
  if (!replaced_.insert(pod->metadata.uid).second) return;
  world_.at(world_.now(), [this, pod, owner] { make_again(*pod, *owner); });
}

void Recreation::make_again(const api::Pod& pod, const api::OwnerReference& owner) {
  auto copy = std::make_shared<api::Pod>(sim::as_created(pod));
  if (!is_stateful(owner)) copy->metadata.name = fmt::format("{}-{}", owner.name, sim::random_suffix(names_));
  // Refused only if the name is taken, which is to say that somebody was faster.
  (void)world_.create(api::AnyObject(api::PodPtr(std::move(copy))));
}

}  // namespace berth::whatif
