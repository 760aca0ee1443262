// What every controller of a simulated cluster has: the API server that it reads and writes, the agenda, how long
// things take, and a list of objects to look at.
//
// The rules of all of them: a change is noted at once (on_change, which writes nothing), the work is done later, from
// the agenda. Work about one object is done once per latency, however many changes there were meanwhile; so a thousand
// pods that end together cost one look at their owner.
//
// What is on the agenda refers to the controllers: they live as long as the agenda runs.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/rng.h"
#include "berth/sim/agenda.h"
#include "berth/sim/api_server.h"
#include "berth/sim/failed_creations.h"
#include "berth/sim/faults.h"
#include "berth/sim/history.h"

namespace berth::sim {

struct Surroundings {
  ApiServer& api;
  Agenda& agenda;
  const Faults& faults;
  FailedCreations& failed_creations;
  History& history;

  Instant now() const { return agenda.now(); }
};

struct ObjectKey {
  Symbol name_space;
  std::string name;

  ObjectKey(Symbol in, std::string named) : name_space(in), name(std::move(named)) {}
  explicit ObjectKey(const api::ObjectMeta& metadata) : name_space(metadata.name_space), name(metadata.name) {}

  bool operator==(const ObjectKey&) const = default;
  bool operator<(const ObjectKey& other) const {
    if (name_space != other.name_space) return name_space.text() < other.name_space.text();
    return name < other.name;
  }
  template <typename H>
  friend H AbslHashValue(H state, const ObjectKey& key) {
    return H::combine(std::move(state), key.name_space.id(), key.name);
  }
};

// Objects to look at, each once per latency.
class WorkList {
 public:
  // `latency` lives as long as the list.
  WorkList(const Surroundings& around, const Latency& latency, Rng rng, std::function<void(const ObjectKey&)> look)
      : around_(around), latency_(latency), rng_(rng), look_(std::move(look)) {}

  void add(ObjectKey key) {
    if (!waiting_.insert(key).second) return;
    around_.agenda.after(latency_.draw(rng_), Agenda::Urgency::kWork, [this, key = std::move(key)] {
      waiting_.erase(key);
      look_(key);
    });
  }
  // The controller of a pod is looked at.
  void add_owner(Symbol name_space, const api::OwnerReference& owner) { add(ObjectKey(name_space, owner.name)); }

 private:
  Surroundings around_;
  const Latency& latency_;
  Rng rng_;
  std::function<void(const ObjectKey&)> look_;
  absl::flat_hash_set<ObjectKey> waiting_;  // never gone through
};

// A copy of the object with a change, written back; the API server sees to it that what changes nothing is no change.
// False if it refused, which is to say that the object is gone: nobody else writes meanwhile.
template <typename T, typename Edit>
bool rewrite(ApiServer& api, const T& current, Edit&& edit) {
  auto changed = std::make_shared<T>(current);
  std::forward<Edit>(edit)(*changed);
  return api.update(api::AnyObject(std::shared_ptr<const T>(std::move(changed)))).has_value();
}

template <typename T>
ApiResult<api::AnyObject> create(const Surroundings& around, T object) {
  const auto shared = std::make_shared<const T>(std::move(object));
  return around.api.create(api::AnyObject(shared), around.now());
}

// Refused means that the pod is gone already, or that another one has the name.
inline void delete_pod(const Surroundings& around, const api::Pod& pod) {
  around.history.leaves(pod, Departure::kController);
  static_cast<void>(around.api.remove(api::kind_of<api::Pod>(), pod.metadata.name_space, pod.metadata.name,
                                      around.now(), pod.metadata.uid));
}

// Whether somebody wants something else of the object than before; not so if only its status changed.
template <typename T>
bool wants_other(const Change& change) {
  if (change.kind != Change::Kind::kModified) return true;
  const auto before = change.before.as<T>(), now = change.object.as<T>();
  return before->metadata.generation != now->metadata.generation ||
         before->metadata.deletion_timestamp != now->metadata.deletion_timestamp || !(before->spec == now->spec);
}

}  // namespace berth::sim
