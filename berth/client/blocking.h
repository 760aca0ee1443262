// Asking an API server and waiting for the answer: for commands that do one thing after another. The daemon never
// waits; it uses HttpLoop as it is.
//
// From any thread but the loop's own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/function_ref.h"
#include "berth/base/interned.h"
#include "berth/client/http_loop.h"
#include "berth/client/transport.h"

namespace berth::client {

// What the server answered, whatever its status; an error if there is no answer.
Result<Response> fetch(HttpLoop& loop, Request request);

// All objects of a kind in all namespaces, page by page. None if the server does not know the kind. `progress` is told
// after each page how many there are so far.
Result<std::vector<api::AnyObject>> list_all(
    HttpLoop& loop, const api::ObjectKind& kind, InternPool& pool,
    FunctionRef<void(std::size_t)> progress = [](std::size_t) {});

// Some of them: of a namespace, and those with which a field selector agrees ("involvedObject.name=web-1").
struct ListScope {
  std::string name_space = {};
  std::string field_selector = {};
};
Result<std::vector<api::AnyObject>> list_some(
    HttpLoop& loop, const api::ObjectKind& kind, const ListScope& scope, InternPool& pool,
    FunctionRef<void(std::size_t)> progress = [](std::size_t) {});

// "application/vnd.kubernetes.protobuf,application/json": what to accept for kinds that are built in.
extern const char* const kAcceptProtobuf;

}  // namespace berth::client
