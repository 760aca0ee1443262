#include "berth/sim/object_copy.h"

#include <memory>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/check.h"

namespace berth::sim {

namespace {

template <typename Partial, typename... Ts>
struct TypeList {};

#define BERTH_TYPE(T, ...) , api::T
using KindsWithMetadata = TypeList<api::PartialObject BERTH_FOR_EACH_KIND(BERTH_TYPE)>;
#undef BERTH_TYPE

template <typename Part>
void keep(Part& fresh, const Part& old) {
  if (fresh == Part{}) fresh = old;
}

// A node's status is written by parts: one that comes with its resources alone keeps its conditions and images.
void keep_status(api::Node& fresh, const api::Node& old) {
  keep(fresh.status.capacity, old.status.capacity);
  keep(fresh.status.allocatable, old.status.allocatable);
  keep(fresh.status.conditions, old.status.conditions);
  keep(fresh.status.images, old.status.images);
  keep(fresh.status.declared_features, old.status.declared_features);
}

void keep_status(api::Pod& fresh, const api::Pod& old) {
  if (fresh.spec.node_name.empty()) fresh.spec.node_name = old.spec.node_name;
  keep(fresh.status.phase, old.status.phase);
  keep(fresh.status.nominated_node_name, old.status.nominated_node_name);
  keep(fresh.status.start_time, old.status.start_time);
  keep(fresh.status.conditions, old.status.conditions);
  keep(fresh.status.resource_claim_statuses, old.status.resource_claim_statuses);
}

template <typename T>
void keep_status(T& fresh, const T& old) {
  if constexpr (requires { fresh.status; }) keep(fresh.status, old.status);
}

// How to handle one kind.
struct Functions {
  const api::ObjectKind* kind = nullptr;
  std::shared_ptr<void> (*copy)(const void*) = nullptr;
  bool (*equal)(const void*, const void*) = nullptr;
  bool (*equal_wish)(const void*, const void*) = nullptr;
  void (*keep)(void* fresh, const void* old) = nullptr;
};

template <typename T>
Functions functions_of(const api::ObjectKind& kind) {
  return {.kind = &kind,
          .copy = [](const void* object) -> std::shared_ptr<void> {
            return std::make_shared<T>(*static_cast<const T*>(object));
          },
          .equal = [](const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); },
          .equal_wish =
              [](const void* a, const void* b) {
                const T& x = *static_cast<const T*>(a);
                const T& y = *static_cast<const T*>(b);
                if constexpr (requires { x.spec; }) {
                  return x.spec == y.spec;
                } else {
                  T same_rest = x;
                  same_rest.metadata = y.metadata;
                  return same_rest == y;
                }
              },
          .keep =
              [](void* fresh, const void* old) {
                T& x = *static_cast<T*>(fresh);
                const T& y = *static_cast<const T*>(old);
                keep(x.metadata.owner_references, y.metadata.owner_references);
                keep_status(x, y);
              }};
}

template <typename... Ts>
std::vector<Functions> table_of(TypeList<api::PartialObject, Ts...>) {
  std::vector<Functions> table(api::all_kinds().size());
  for (const Functions& each : {functions_of<Ts>(api::kind_of<Ts>())...}) {
    table[static_cast<std::size_t>(each.kind - api::all_kinds().data())] = each;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const api::ObjectKind& kind = api::all_kinds()[i];
    if (kind.type == &api::type_of<api::PartialObject>()) table[i] = functions_of<api::PartialObject>(kind);
  }
  return table;
}

const Functions& functions_for(const api::ObjectKind& kind) {
  static const std::vector<Functions> table = table_of(KindsWithMetadata{});
  const Functions& found = table[static_cast<std::size_t>(&kind - api::all_kinds().data())];
  BERTH_CHECK(found.kind != nullptr, "objects of kind {} have no metadata", kind.kind);
  return found;
}

}  // namespace

api::AnyObject with_metadata(const api::AnyObject& object, FunctionRef<void(api::ObjectMeta&)> change) {
  std::shared_ptr<void> copy = functions_for(object.kind()).copy(object.get());
  // The copy is ours and was not made const; only the kind's accessor says so.
  change(const_cast<api::ObjectMeta&>(object.kind().metadata(copy.get())));
  return api::AnyObject(object.kind(), std::move(copy));
}

bool is_same(const api::AnyObject& a, const api::AnyObject& b) {
  return a.get() == b.get() || functions_for(a.kind()).equal(a.get(), b.get());
}

bool is_same_wish(const api::AnyObject& a, const api::AnyObject& b) {
  return a.get() == b.get() || functions_for(a.kind()).equal_wish(a.get(), b.get());
}

api::AnyObject completed_by(const api::AnyObject& fresh, const api::AnyObject& old) {
  const Functions& functions = functions_for(fresh.kind());
  std::shared_ptr<void> copy = functions.copy(fresh.get());
  functions.keep(copy.get(), old.get());
  return api::AnyObject(fresh.kind(), std::move(copy));
}

api::Pod as_created(api::Pod pod) {
  api::ObjectMeta& metadata = pod.metadata;
  metadata.uid.clear();
  metadata.resource_version.clear();
  metadata.generation = 0;
  metadata.creation_timestamp = {};
  metadata.deletion_timestamp = {};
  metadata.deletion_grace_period_seconds.reset();
  metadata.finalizers = {};  // nobody in a simulation would take them away again
  pod.spec.node_name = {};
  pod.status = {};
  return pod;
}

}  // namespace berth::sim
