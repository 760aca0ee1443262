// Authentication and authorization in front of all handlers. Refusals look as kube-scheduler's:
// 401 and 403 with a Status, 500 if the API server could not be asked.
#pragma once

#include <functional>
#include <string_view>

#include "berth/base/error.h"
#include "berth/serve/authentication.h"
#include "berth/serve/authorization.h"
#include "berth/serve/call.h"

namespace berth::serve {

// Logs requests that failed because authentication or authorization failed with an error. Called on the server's
// threads.
using OnRefusal = std::function<void(const Call& call, std::string_view what, const Error& why)>;

// Both outlive the handler.
Handler guarded(Authenticator& authenticator, Authorizer& authorizer, Handler inner, OnRefusal on_refusal = {});

}  // namespace berth::serve
