// What the engine wants done, and what became of it.
//
// The engine writes nothing itself. It hands out commands, each with an id, and goes on; the world carries them out and
// reports with Scheduler::complete(). A result may come late, twice or out of order: the id says what it is about, and
// a result that nobody waits for any more is dropped.
//
// What a world has to keep: commands about one object (bind, patch, delete of one pod) are carried out in the order in
// which they were given. Commands about different objects have no order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "berth/api/cluster.h"
#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/base/symbol.h"
#include "berth/engine/extender_protocol.h"

namespace berth::engine {

// Unique in the life of a scheduler; 0 is none.
using CommandId = std::uint64_t;

// A pod by name, and the one of that name that is meant.
struct PodRef {
  Symbol name_space;
  std::string name;
  std::string uid;

  PodRef() = default;
  explicit PodRef(const api::Pod& pod)
      : name_space(pod.metadata.name_space), name(pod.metadata.name), uid(pod.metadata.uid) {}
  bool operator==(const PodRef&) const = default;
};

// POST pods/NAME/binding.
struct BindPod {
  std::shared_ptr<const api::Binding> binding;
};

// PATCH pods/NAME/status, strategic merge: only what is set here changes. `base` is the pod that the change was worked
// out from.
struct PatchPodStatus {
  api::PodPtr base;
  std::optional<api::PodCondition> condition;
  std::optional<Symbol> nominated_node_name;  // empty: taken away
};

// DELETE pods/NAME, if it is still the pod of that UID.
struct DeletePod {
  PodRef pod;
};

// GET pods/NAME, past all caches: what became of a binding whose outcome is unknown.
struct ReadPod {
  PodRef pod;
};

// A volume or a claim as it should be. Berth does not keep all fields of these, so a world against a real API server
// sends the difference to what it knows of the object, with its resource version.
struct UpdateObject {
  api::AnyObject object;
};

struct Command {
  CommandId id = 0;
  std::variant<BindPod, PatchPodStatus, DeletePod, ReadPod, UpdateObject, CallExtender> what;
};

struct Outcome {
  enum class Kind : std::uint8_t {
    kDone,
    kNotFound,
    kConflict,  // changed meanwhile, or (for a binding) the pod has a node already
    kRefused,   // any other error: it was not done
    kUnknown,   // the connection broke or the time ran out: it may have been done or not
  };
  Kind kind = Kind::kDone;
  std::string message;           // of an error, as the API server words it
  api::AnyObject object;         // for ReadPod and UpdateObject: as it is now
  ExtenderReply extender_reply;  // for CallExtender

  bool is_done() const { return kind == Kind::kDone; }
};

}  // namespace berth::engine
