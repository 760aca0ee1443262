// What each command is as an HTTP request, and what the answer to it means. Values in, values out: when to send, in
// which order and how often is the dispatcher's affair (dispatcher.h).
//
//   BindPod         POST pods/NAME/binding
//   ReadPod         GET pods/NAME, without a resourceVersion: the newest there is
//   PatchPodStatus  PATCH pods/NAME/status, strategic merge (status_patch.h)
//   DeletePod       DELETE pods/NAME with the UID as a precondition
//   UpdateObject    PATCH, JSON merge, with the resource version as a precondition
//
// After an answer that leaves it open what became of it, a pod is read or patched again (a patch sets, it does not
// add), and deleted again (the UID protects its successor); a binding or an update is unknown, and the engine reads.
//
// Where this is safer than kube-scheduler on purpose: it deletes without the precondition, and so may evict a pod that
// has the name of a victim; and it gives up status patches whose connection breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/transport.h"
#include "berth/daemon/status_patch.h"
#include "berth/engine/command.h"

namespace berth::daemon {

using Work = decltype(engine::Command::what);

// Kinds of work with queues and limits of their own, the most urgent first.
enum class Lane : std::uint8_t {
  kBind,        // bindings, and reading what became of one
  kNomination,  // status patches that name a node and say nothing else: a bind waits for them
  kEviction,    // victims: their condition DisruptionTarget and their deletion
  kVolume,      // volumes and claims before a bind
  kStatus,      // conditions of pods that found no node
  kExtender,    // HTTP extenders: other servers than the API server
};
inline constexpr std::size_t kLaneCount = 6;
std::string_view to_string(Lane lane);  // "bind"

// Requires: not an event.
Lane lane_of(const Work& work);

// The object that the work is about: work about one object is done one after the other. Empty: about none.
std::string object_of(const Work& work);

// The request to the API server; nothing if nothing has to be sent, because all is as it should be. The error: work
// that the API server cannot be asked for. Requires: neither an event nor a call of an extender.
Result<std::optional<client::Request>> request_for(const Work& work, const StatusPatchForm& form, Duration timeout);

// Whether another try makes sense.
enum class Retry : std::uint8_t {
  kNo,
  kSoon,           // a few times, as kube-scheduler does
  kThroughOutage,  // for a while: the server cannot be reached, and trying again does no harm
  kWhenTold,       // the server is busy and has not begun: after Retry-After
};
struct Reading {
  engine::Outcome outcome;  // if there is no other try
  Retry retry = Retry::kNo;
  Duration retry_after;  // for kWhenTold; zero: the server did not say
};

// Requires: as for request_for().
Reading read_answer(const Work& work, const client::Response& response);

engine::Outcome outcome_of(engine::Outcome::Kind kind, std::string message);

}  // namespace berth::daemon
