#include "berth/client/blocking.h"

#include <fmt/format.h>

#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "berth/client/api_error.h"
#include "berth/client/paths.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"

namespace berth::client {

namespace {

// As kubectl: large enough to be quick, small enough not to burden the server.
constexpr std::string_view kPageSize = "500";
// While a long list is being read, the server may forget the state that the first page was of; then it begins anew.
constexpr int kMaxRestarts = 3;

Result<api::ObjectList> decode_list(const Response& response, InternPool& pool) {
  codec::DecodeOptions options;
  options.pool = &pool;
  const bool is_protobuf = response.header("Content-Type").starts_with("application/vnd.kubernetes.protobuf");
  return is_protobuf ? codec::list_from_protobuf(response.body, options)
                     : codec::list_from_json(response.body, options);
}

}  // namespace

const char* const kAcceptProtobuf = "application/vnd.kubernetes.protobuf,application/json";

Result<Response> fetch(HttpLoop& loop, Request request) {
  auto answer = std::make_shared<std::promise<Response>>();
  std::future<Response> future = answer->get_future();
  loop.post([&loop, answer, request = std::move(request)]() mutable {
    loop.start(std::move(request), [answer](Response response) { answer->set_value(std::move(response)); });
  });
  Response response = future.get();
  if (!response.is_complete()) return fail(Error(std::move(response.error)));
  return response;
}

Result<std::vector<api::AnyObject>> list_all(HttpLoop& loop, const api::ObjectKind& kind, InternPool& pool,
                                             FunctionRef<void(std::size_t)> progress) {
  return list_some(loop, kind, {}, pool, progress);
}

Result<std::vector<api::AnyObject>> list_some(HttpLoop& loop, const api::ObjectKind& kind, const ListScope& scope,
                                              InternPool& pool, FunctionRef<void(std::size_t)> progress) {
  const std::string what = fmt::format("cannot list {}", kind.resource);
  std::vector<api::AnyObject> objects;
  std::string position;
  int restarts = 0;
  while (true) {
    Request request;
    request.path = with_query(path_of(kind, scope.name_space),
                              {{"limit", kPageSize}, {"continue", position}, {"fieldSelector", scope.field_selector}});
    request.accept = kAcceptProtobuf;
    auto response = fetch(loop, std::move(request));
    if (!response) return fail(fmt::format("{}: {}", what, response.error().message()));
    if (!response->is_success()) {
      const ApiError error = api_error_of(*response);
      if (error.is_not_found() && objects.empty()) return objects;
      if (!error.is_gone() || ++restarts > kMaxRestarts) return fail(to_error(what, error));
      objects.clear();
      position.clear();
      continue;
    }
    auto page = decode_list(*response, pool);
    if (!page) return fail(fmt::format("{}: {}", what, page.error().message()));
    objects.insert(objects.end(), std::make_move_iterator(page->items.begin()),
                   std::make_move_iterator(page->items.end()));
    position = std::move(page->metadata.continue_token);
    if (position.empty()) return objects;
    progress(objects.size());
  }
}

}  // namespace berth::client
