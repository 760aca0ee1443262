#include "berth/informer/fake_api_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/check.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"

namespace berth::informer {

namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

std::string_view field_of(const api::AnyObject& object, std::string_view field) {
  const api::ObjectMeta& metadata = object.metadata();
  if (field == "metadata.name") return metadata.name;
  if (field == "metadata.namespace") return metadata.name_space.text();
  const auto pod = object.as<api::Pod>();
  if (pod != nullptr && field == "status.phase") return pod->status.phase.text();
  if (pod != nullptr && field == "spec.nodeName") return pod->spec.node_name.text();
  BERTH_CHECK(false, "the fake API server cannot select {} by {}", object.kind().resource, field);
}

bool matches_field(const api::AnyObject& object, std::string_view requirement) {
  const std::size_t equals = requirement.find('=');
  BERTH_CHECK(equals != std::string_view::npos && equals > 0, "no field selector: {}", requirement);
  const std::string_view value = requirement.substr(equals + 1);
  if (requirement[equals - 1] == '!') return field_of(object, requirement.substr(0, equals - 1)) != value;
  return field_of(object, requirement.substr(0, equals)) == value;
}

}  // namespace

bool wants_protobuf(const client::Request& request) {
  return request.accept.find(kProtobuf) != std::string::npos;
}

client::Response object_response(const client::Request& request, int status, const api::AnyObject& object) {
  client::Response response;
  response.status = status;
  response.body = wants_protobuf(request) ? codec::object_to_protobuf(object) : codec::object_to_json(object);
  response.headers.push_back(
      {"Content-Type", wants_protobuf(request) ? std::string(kProtobuf) : std::string("application/json")});
  return response;
}

api::AnyObject status_object(int code, std::string_view reason, std::string message, Duration retry_after) {
  api::Status status;
  status.status = Symbol(code < 300 ? "Success" : "Failure");
  status.code = code;
  status.reason = Symbol(reason);
  status.message = std::move(message);
  if (retry_after > Duration()) {
    status.details.emplace();
    status.details->retry_after_seconds = static_cast<std::int32_t>(retry_after.nanoseconds() / 1'000'000'000);
  }
  return api::AnyObject(std::make_shared<const api::Status>(std::move(status)));
}

client::Response status_response(const client::Request& request, int code, std::string_view reason, std::string message,
                                 Duration retry_after) {
  client::Response response =
      object_response(request, code, status_object(code, reason, std::move(message), retry_after));
  if (retry_after > Duration()) {
    response.headers.push_back({"Retry-After", fmt::format("{}", retry_after.nanoseconds() / 1'000'000'000)});
  }
  return response;
}

client::Response not_found(const client::Request& request, const api::ObjectKind& kind, std::string_view name) {
  return status_response(request, 404, "NotFound", fmt::format("{} \"{}\" not found", kind.resource, name));
}

Result<api::AnyObject> object_in(const client::Request& request, const api::ObjectKind& kind) {
  if (request.content_type.starts_with(kProtobuf)) return codec::object_from_protobuf(request.body);
  std::shared_ptr<void> object = kind.make();
  if (auto read = codec::read_json(request.body, *kind.type, object.get()); !read) {
    return fail(std::move(read.error()));
  }
  return api::AnyObject(kind, std::move(object));
}

api::AnyObject with_metadata(const api::AnyObject& object, FunctionRef<void(api::ObjectMeta&)> change) {
  const api::ObjectKind& kind = object.kind();
  std::shared_ptr<void> copy = kind.make();
  const auto read = codec::read_protobuf(codec::to_protobuf(*kind.type, object.get()), *kind.type, copy.get());
  BERTH_CHECK(read.has_value(), "a {} cannot be copied: {}", kind.kind, read.error().message());
  // The copy is ours, and not const.
  change(const_cast<api::ObjectMeta&>(kind.metadata(copy.get())));
  return {kind, std::move(copy)};
}

bool matches_fields(const api::AnyObject& object, std::string_view selector) {
  while (!selector.empty()) {
    const std::size_t comma = std::min(selector.find(','), selector.size());
    if (!matches_field(object, selector.substr(0, comma))) return false;
    selector.remove_prefix(std::min(comma + 1, selector.size()));
  }
  return true;
}

}  // namespace berth::informer
