// What the scheduler reads of each kind, from the table of kinds (kind_table.h): which kinds it lists and watches, and
// which of them have events that pods may wait for.
#pragma once

#include <cstdint>
#include <span>

#include "berth/api/object.h"
#include "berth/base/symbol.h"

namespace berth::api {

enum class KindReading : std::uint8_t {
  kNotRead,
  kWatched,
  kWatchedIfServed,  // a cluster may not serve it: an older release, or an API group that is disabled
  // Read by the simulator and from dumps, not by `berth run`: admission copies a priority class's value to the pod, and
  // kube-scheduler's role may not read priority classes.
  kSimulated,
};

struct WatchedKind {
  const ObjectKind* kind = nullptr;
  KindReading reading = KindReading::kWatched;
  bool has_events = false;
};

// All kinds that are not kNotRead, in the order in which they are read: pods last, because by then everything that they
// may refer to is known, and nodes before them.
std::span<const WatchedKind> watched_kinds();

// The resource that cluster events about the kind name: "Namespace", "storage.k8s.io/CSINode". Empty if no pod waits
// for events of the kind.
Symbol event_resource(const ObjectKind& kind);

}  // namespace berth::api
