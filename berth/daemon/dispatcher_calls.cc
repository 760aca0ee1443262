#include "berth/daemon/dispatcher_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/check.h"
#include "berth/base/overloaded.h"
#include "berth/client/api_error.h"
#include "berth/client/paths.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"

namespace berth::daemon {
namespace {

using client::ApiError;
using client::Method;
using client::Request;
using client::Response;
using engine::Outcome;

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
// Errors may come in JSON, from proxies and where the server has not got as far as looking at this.
constexpr std::string_view kProtobufOrJson = "application/vnd.kubernetes.protobuf,application/json";
constexpr std::string_view kProtobufMagic("k8s\0", 4);

const api::ObjectKind& pods() {
  return api::kind_of<api::Pod>();
}

std::string json_string(std::string_view text) {
  return codec::to_json(std::string(text));
}

std::string pod_key(Symbol name_space, std::string_view name) {
  return fmt::format("pods/{}/{}", name_space.text(), name);
}

bool is_eviction(const engine::PatchPodStatus& patch) {
  return patch.condition && patch.condition->type == "DisruptionTarget";
}

// --- Requests --------------------------------------------------------------------------------------------------------

Request request_of(Method method, std::string path, Duration timeout) {
  Request request;
  request.method = method;
  request.path = std::move(path);
  request.accept = kProtobufOrJson;
  request.timeout = timeout;
  return request;
}

Request with_body(Request request, std::string body, std::string_view content_type) {
  request.body = std::move(body);
  request.content_type = content_type;
  return request;
}

Request bind_request(const std::shared_ptr<const api::Binding>& binding, Duration timeout) {
  const api::ObjectMeta& pod = binding->metadata;
  return with_body(
      request_of(Method::kPost, client::path_of(pods(), pod.name_space.text(), pod.name, "binding"), timeout),
      codec::object_to_protobuf(api::AnyObject(binding)), kProtobuf);
}

Request delete_request(const engine::PodRef& pod, Duration timeout) {
  return with_body(
      request_of(Method::kDelete, client::path_of(pods(), pod.name_space.text(), pod.name), timeout),
      fmt::format(R"({{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{{"uid":{}}}}})", json_string(pod.uid)),
      "application/json");
}

std::optional<Request> patch_request(const engine::PatchPodStatus& patch, const StatusPatchForm& form,
                                     Duration timeout) {
  std::string body = status_patch_body(patch, form);
  if (body.empty()) return std::nullopt;
  const api::ObjectMeta& pod = patch.base->metadata;
  return with_body(
      request_of(Method::kPatch, client::path_of(pods(), pod.name_space.text(), pod.name, "status"), timeout),
      std::move(body), "application/strategic-merge-patch+json");
}

// What VolumeBinding may have set in a volume or a claim (plugins/volume_reservation.cc). Berth keeps not all fields,
// so it cannot send the object; and since the patch holds only for the version that the object was made from, setting
// what is there already changes nothing.
std::string merge_patch(const api::ObjectMeta& metadata, std::string_view annotation, std::string_view spec) {
  std::vector<std::string> in_metadata;
  if (const std::string* value = metadata.annotations->find(Symbol(annotation))) {
    in_metadata.push_back(fmt::format(R"("annotations":{{{}:{}}})", json_string(annotation), json_string(*value)));
  }
  in_metadata.push_back(fmt::format("\"resourceVersion\":{}", json_string(metadata.resource_version)));
  return fmt::format(R"({{"metadata":{{{}}}{}}})", fmt::join(in_metadata, ","), spec);
}

Result<std::string> merge_patch_of(const api::AnyObject& object) {
  if (const auto volume = object.as<api::PersistentVolume>()) {
    const auto& claim = volume->spec.claim_ref;
    return merge_patch(volume->metadata, "pv.kubernetes.io/bound-by-controller",
                       claim ? fmt::format(R"(,"spec":{{"claimRef":{}}})", codec::to_json(*claim)) : std::string());
  }
  if (const auto claim = object.as<api::PersistentVolumeClaim>()) {
    return merge_patch(claim->metadata, "volume.kubernetes.io/selected-node", {});
  }
  return fail(fmt::format("updates of {} {} are not supported", object.kind().resource, object.metadata().name));
}

Result<Request> update_request(const api::AnyObject& object, Duration timeout) {
  auto patch = merge_patch_of(object);
  if (!patch) return fail(std::move(patch).error());
  const api::ObjectMeta& metadata = object.metadata();
  return with_body(
      request_of(Method::kPatch, client::path_of(object.kind(), metadata.name_space.text(), metadata.name), timeout),
      *std::move(patch), "application/merge-patch+json");
}

// --- Answers ---------------------------------------------------------------------------------------------------------

// An object in the body, or an empty one.
api::AnyObject object_in(const Response& response) {
  auto object = response.body.starts_with(kProtobufMagic) ? codec::object_from_protobuf(response.body)
                                                          : codec::object_from_json(response.body);
  return object ? *std::move(object) : api::AnyObject();
}

bool was_not_sent(const ApiError& error) {
  return error.transfer == Response::Transfer::kNotSent;
}

// Nobody says that it was not done.
bool is_left_open(const ApiError& error) {
  return error.is_outcome_unknown() || error.status >= 500 || error.status == 408;
}

Outcome::Kind kind_of_refusal(const ApiError& error) {
  if (error.is_not_found()) return Outcome::Kind::kNotFound;
  if (error.status == 409) return Outcome::Kind::kConflict;
  return is_left_open(error) ? Outcome::Kind::kUnknown : Outcome::Kind::kRefused;
}

Reading refusal(const ApiError& error) {
  Reading reading;
  reading.outcome = outcome_of(kind_of_refusal(error), error.message);
  if (error.is_too_many_requests()) {
    reading.retry = Retry::kWhenTold;
    reading.retry_after = error.retry_after;
  }
  return reading;
}

// Of what must not be done twice: only what was not sent is sent again.
Reading read_once(const Response& response) {
  const ApiError error = client::api_error_of(response);
  Reading reading = refusal(error);
  if (was_not_sent(error)) reading.retry = Retry::kSoon;
  return reading;
}

// The UID that was given is not that of the pod which has the name now. A deletion is refused as a conflict, a patch as
// an attempt to change the UID.
bool is_another_pod(const ApiError& error) {
  const auto says = [&](std::string_view words) { return error.message.find(words) != std::string::npos; };
  return (error.is_conflict() && says("the UID in the precondition")) ||
         (error.is_invalid() && says("metadata.uid") && says("field is immutable"));
}

// Of what may be done again.
Reading read_repeatable(const Response& response) {
  const ApiError error = client::api_error_of(response);
  Reading reading = refusal(error);
  if (is_another_pod(error)) {
    reading.outcome.kind = Outcome::Kind::kNotFound;  // the one that was meant is gone
  } else if (!response.is_complete()) {
    reading.retry = Retry::kThroughOutage;
  } else if (error.is_internal_error() || error.is_service_unavailable() || error.is_server_timeout() ||
             error.is_conflict()) {
    reading.retry = Retry::kSoon;
  }
  return reading;
}

Reading read_read(const Response& response) {
  Reading reading;
  if (response.is_success()) {
    reading.outcome.object = object_in(response);
    if (reading.outcome.object && reading.outcome.object.as<api::Pod>() != nullptr) return reading;
    reading.outcome = outcome_of(Outcome::Kind::kRefused, "the API server's response is not a Pod");
    reading.retry = Retry::kThroughOutage;
    return reading;
  }
  const ApiError error = client::api_error_of(response);
  reading = refusal(error);
  if (error.is_transient() && reading.retry == Retry::kNo) reading.retry = Retry::kThroughOutage;
  return reading;
}

}  // namespace

std::string_view to_string(Lane lane) {
  static constexpr std::array<std::string_view, kLaneCount> kNames = {"bind",   "nomination", "eviction",
                                                                      "volume", "status",     "extender"};
  return kNames[static_cast<std::size_t>(lane)];
}

engine::Outcome outcome_of(engine::Outcome::Kind kind, std::string message) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = std::move(message);
  return outcome;
}

Lane lane_of(const Work& work) {
  return std::visit(
      Overloaded{[](const engine::BindPod&) { return Lane::kBind; }, [](const engine::ReadPod&) { return Lane::kBind; },
                 [](const engine::DeletePod&) { return Lane::kEviction; },
                 [](const engine::UpdateObject&) { return Lane::kVolume; },
                 [](const engine::CallExtender&) { return Lane::kExtender; },
                 [](const engine::PatchPodStatus& patch) {
                   if (!patch.condition) return Lane::kNomination;
                   return is_eviction(patch) ? Lane::kEviction : Lane::kStatus;
                 }},
      work);
}

std::string object_of(const Work& work) {
  return std::visit(Overloaded{
                        [](const engine::BindPod& what) {
                          return pod_key(what.binding->metadata.name_space, what.binding->metadata.name);
                        },
                        [](const engine::PatchPodStatus& what) {
                          return pod_key(what.base->metadata.name_space, what.base->metadata.name);
                        },
                        [](const engine::DeletePod& what) { return pod_key(what.pod.name_space, what.pod.name); },
                        [](const engine::ReadPod& what) { return pod_key(what.pod.name_space, what.pod.name); },
                        [](const engine::UpdateObject& what) {
                          return fmt::format("{}/{}", what.object.kind().resource,
                                             api::full_name(what.object.metadata()));
                        },
                        [](const engine::CallExtender&) { return std::string(); },
                    },
                    work);
}

Result<std::optional<Request>> request_for(const Work& work, const StatusPatchForm& form, Duration timeout) {
  using Made = Result<std::optional<Request>>;
  return std::visit(Overloaded{
                        [&](const engine::BindPod& what) -> Made { return bind_request(what.binding, timeout); },
                        [&](const engine::PatchPodStatus& what) -> Made { return patch_request(what, form, timeout); },
                        [&](const engine::DeletePod& what) -> Made { return delete_request(what.pod, timeout); },
                        [&](const engine::ReadPod& what) -> Made {
                          return request_of(Method::kGet,
                                            client::path_of(pods(), what.pod.name_space.text(), what.pod.name),
                                            timeout);
                        },
                        [&](const engine::UpdateObject& what) -> Made {
                          auto request = update_request(what.object, timeout);
                          if (!request) return fail(std::move(request).error());
                          return *std::move(request);
                        },
                        [](const auto&) -> Made { return fail("not an API server request"); },
                    },
                    work);
}

Reading read_answer(const Work& work, const Response& response) {
  if (std::holds_alternative<engine::ReadPod>(work)) return read_read(response);
  if (response.is_success()) {
    Reading reading;
    if (std::holds_alternative<engine::UpdateObject>(work)) reading.outcome.object = object_in(response);
    return reading;
  }
  const bool may_be_repeated =
      std::holds_alternative<engine::PatchPodStatus>(work) || std::holds_alternative<engine::DeletePod>(work);
  return may_be_repeated ? read_repeatable(response) : read_once(response);
}

}  // namespace berth::daemon
