// An API server in memory: objects by kind, namespace and name, resource versions, and a stream of changes.
//
// It checks what the real one checks where a scheduler can run into it: conflicts of resource versions, pods that are
// bound already, deleted or bound to a node that does not exist, deletes with a UID that is not the one. Deleting a pod
// that has a node sets its deletion timestamp; it is gone when its kubelet says so (finish_deletion).
//
// Every change gets the next resource version and is told to the listeners at once; delays are theirs to make.
// Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/engine/command.h"
#include "berth/sim/admission.h"
#include "berth/sim/object_table.h"

namespace berth::sim {

struct Change {
  enum class Kind : std::uint8_t { kAdded, kModified, kDeleted };
  Kind kind = Kind::kAdded;
  api::AnyObject object;  // as it is now; of a deleted one, the last state
  api::AnyObject before;  // empty for an added one
  std::uint64_t version = 0;
};

// Why the API server did not do it, as the scheduler hears it.
struct ApiError {
  engine::Outcome::Kind kind = engine::Outcome::Kind::kRefused;
  std::string message;  // as the real one words it
};
template <typename T>
using ApiResult = std::expected<T, ApiError>;

// A node takes about as much memory as four pods.
inline constexpr std::size_t kObjectsPerNode = 4;

class ApiServer {
 public:
  using Listener = std::function<void(const Change&)>;

  // Called for every change from now on, in the order of registration.
  void listen(Listener listener);

  // --- Objects -------------------------------------------------------------------------------------------------------
  // Fills in what the API server would (admission.h), UID and creation time unless given, a name from generateName, and
  // the resource version. Conflict if the name is taken, refused if admission forbids it.
  ApiResult<api::AnyObject> create(api::AnyObject object, Instant now);
  // Replaces the object of that name. If `object` has a resource version, it must be the current one. UID, creation and
  // deletion time stay. Metadata.generation grows if the spec differs (pods, nodes: on any difference but status).
  ApiResult<api::AnyObject> update(const api::AnyObject& object);
  // What a kubelet does. Requires: `current` is the pod as it is here. Returns it as it is now.
  api::PodPtr write_status(const api::PodPtr& current, api::PodStatus status);
  // Pods that run on a node that is there are marked, and so are claims that a pod on a node uses, until that pod has
  // ended; others are gone at once. `uid`: only if it is that one. Deleting a marked one again changes nothing.
  ApiResult<void> remove(const api::ObjectKind& kind, Symbol name_space, std::string_view name, Instant now,
                         std::string_view uid = {});
  // The pod is really gone.
  void finish_deletion(Symbol name_space, std::string_view name, std::string_view uid);

  // Empty if there is none.
  api::AnyObject get(const api::ObjectKind& kind, Symbol name_space, std::string_view name) const;
  template <typename T>
  std::shared_ptr<const T> get(Symbol name_space, std::string_view name) const {
    return get(api::kind_of<T>(), name_space, name).template as<T>();
  }
  // In order of namespace and name.
  std::vector<api::AnyObject> list(const api::ObjectKind& kind) const;
  void for_each(const api::ObjectKind& kind, const std::function<void(const api::AnyObject&)>& fn) const;
  template <typename T>
  void for_each(const std::function<void(const std::shared_ptr<const T>&)>& fn) const {
    for_each(api::kind_of<T>(), [&](const api::AnyObject& object) { fn(object.as<T>()); });
  }
  std::size_t count(const api::ObjectKind& kind) const;
  std::uint64_t version() const { return version_; }

  // Nothing is created beyond so many objects, counted from the beginning, whatever has become of them. A node counts
  // for kObjectsPerNode.
  void set_max_objects(std::size_t most) { max_objects_ = most; }
  // Something was refused for that.
  bool is_full() const { return is_full_; }

  // --- What schedulers do --------------------------------------------------------------------------------------------
  // Sets the node, the condition PodScheduled=True, and takes the nomination away.
  ApiResult<void> bind(const api::Binding& binding, Instant now);
  ApiResult<void> patch_status(const engine::PatchPodStatus& patch, Instant now);

 private:
  ObjectTable& table_of(const api::ObjectKind& kind);
  // Null if there was never an object of that kind.
  const ObjectTable* find_table(const api::ObjectKind& kind) const;
  // Stores what has a version already, and tells the listeners.
  void store(Change::Kind kind, const api::AnyObject& object, api::AnyObject before);
  // Another state of a pod, with the next version.
  api::PodPtr store_pod(api::Pod pod, const api::PodPtr& before);
  void erase(api::AnyObject object);
  void tell(const Change& change);
  void tell_admission(const Change& change);
  bool is_claim_in_use(Symbol name_space, std::string_view name) const;
  // Erases the marked claims that nobody uses any more, now that this pod does not.
  void let_go_of_claims(const api::Pod& pod);

  std::vector<std::unique_ptr<ObjectTable>> tables_;  // in the order of api::all_kinds()
  Admission admission_;
  std::vector<Listener> listeners_;
  std::uint64_t version_ = 0;
  std::uint64_t next_uid_ = 1;
  std::size_t created_ = 0;
  std::size_t max_objects_ = SIZE_MAX;
  bool is_full_ = false;
};

}  // namespace berth::sim
