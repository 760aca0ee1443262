// Asking an API server and waiting for the answer: for commands that do one thing after another. The daemon never
// waits; it uses HttpLoop as it is.
//
// From any thread but the loop's own.
#pragma once

#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/interned.h"
#include "berth/client/http_loop.h"
#include "berth/client/transport.h"

namespace berth::client {

// What the server answered, whatever its status; an error if there is no answer.
Result<Response> fetch(HttpLoop& loop, Request request);

// All objects of a kind in all namespaces, page by page. None if the server does not know the kind.
Result<std::vector<api::AnyObject>> list_all(HttpLoop& loop, const api::ObjectKind& kind, InternPool& pool);

// "application/vnd.kubernetes.protobuf,application/json": what to accept for kinds that are built in.
extern const char* const kAcceptProtobuf;

}  // namespace berth::client
