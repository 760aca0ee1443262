// What the parts of FakeApiServer share: answers as an API server words them. For tests only.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/function_ref.h"
#include "berth/base/time.h"
#include "berth/client/transport.h"

namespace berth::informer {

// In the form that the request accepts.
client::Response object_response(const client::Request& request, int status, const api::AnyObject& object);
client::Response status_response(const client::Request& request, int code, std::string_view reason, std::string message,
                                 Duration retry_after = {});
client::Response not_found(const client::Request& request, const api::ObjectKind& kind, std::string_view name);
api::AnyObject status_object(int code, std::string_view reason, std::string message, Duration retry_after = {});

bool wants_protobuf(const client::Request& request);
// Of the request's body, in JSON or protobuf as it says. Where it names no kind, it is of `kind`.
Result<api::AnyObject> object_in(const client::Request& request, const api::ObjectKind& kind);

api::AnyObject with_metadata(const api::AnyObject& object, FunctionRef<void(api::ObjectMeta&)> change);

// "status.phase!=Failed,metadata.name=a". Requires: only fields that are known here.
bool matches_fields(const api::AnyObject& object, std::string_view selector);

}  // namespace berth::informer
