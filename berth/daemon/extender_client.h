// HTTP extenders on the wire: kube-scheduler's extender API (k8s.io/kube-scheduler/extender/v1) in JSON. Keys are Go's
// field names ("NodeNames", "FailedNodes"); those of an answer are read in any case, as Go's decoder does.
//
// Berth's objects hold what a scheduler looks at, so pods and nodes reach an extender without the fields that Berth
// does not keep (a container's command, its environment). An extender that needs those asks the API server for them.
//
// What the answers come to is decided in engine/extenders.h.
#pragma once

#include "berth/base/error.h"
#include "berth/client/endpoint.h"
#include "berth/client/transport.h"
#include "berth/config/scheduler_config.h"
#include "berth/engine/command.h"

namespace berth::daemon {

// Where the extender is and how its TLS is checked: the transport for it is made from this, one for each extender.
// With enableHTTPS and without a CA nothing is checked, as kube-scheduler has it. The error: data that is not base64.
Result<client::Endpoint> extender_endpoint(const config::Extender& extender);

// For a transport made with extender_endpoint().
client::Request extender_request(const config::Extender& extender, const engine::CallExtender& call);

// A bind that may have been made although no good answer came has an unknown outcome, and the engine reads the pod.
engine::Outcome extender_outcome(const config::Extender& extender, const engine::CallExtender& call,
                                 const client::Response& response);

}  // namespace berth::daemon
