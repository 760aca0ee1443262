// What FakeApiServer does when it is told to change something.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/codec/json.h"
#include "berth/informer/fake_api_server.h"
#include "berth/informer/fake_api_text.h"

namespace berth::informer {

namespace {

using client::Request;
using client::Response;

// The value of a text field in a JSON text that is not decoded further: options of a delete. Empty if there is none.
std::string_view text_field(std::string_view json, std::string_view name) {
  const std::string key = fmt::format("\"{}\"", name);
  std::size_t at = json.find(key);
  if (at == std::string_view::npos) return {};
  at = json.find('"', at + key.size());
  if (at == std::string_view::npos) return {};
  const std::size_t end = json.find('"', at + 1);
  return end == std::string_view::npos ? std::string_view() : json.substr(at + 1, end - at - 1);
}

// Quotes within texts are escaped in JSON, so this finds names of fields only.
bool has_field(std::string_view json, std::string_view name) {
  return json.find(fmt::format("\"{}\":", name)) != std::string_view::npos;
}

Response bad_request(const Request& request, const Error& error) {
  return status_response(request, 400, "BadRequest", error.message());
}

Response conflict(const Request& request, const api::ObjectKind& kind, std::string_view name, std::string_view why) {
  return status_response(request, 409, "Conflict",
                         fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", kind.resource, name, why));
}

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

// What the patch says replaces what was there; what it leaves out stays.
void merge(api::PodCondition& into, const api::PodCondition& patch) {
  if (!patch.status.empty()) into.status = patch.status;
  if (!patch.reason.empty()) into.reason = patch.reason;
  if (!patch.message.empty()) into.message = patch.message;
  if (patch.last_probe_time.is_set()) into.last_probe_time = patch.last_probe_time;
  if (patch.last_transition_time.is_set()) into.last_transition_time = patch.last_transition_time;
  if (patch.observed_generation != 0) into.observed_generation = patch.observed_generation;
}

void merge(std::vector<api::PodCondition>& into, const api::PodCondition& patch) {
  const auto found = std::ranges::find(into, patch.type, &api::PodCondition::type);
  if (found == into.end()) {
    into.push_back(patch);
  } else {
    merge(*found, patch);
  }
}

void set_scheduled(api::Pod& pod, Instant now) {
  api::PodCondition condition;
  condition.type = Symbol("PodScheduled");
  condition.status = Symbol("True");
  condition.last_transition_time = now.floor_to_second();
  std::erase_if(pod.status.conditions, [&](const api::PodCondition& each) { return each.type == condition.type; });
  pod.status.conditions.push_back(std::move(condition));
}

}  // namespace

Response FakeApiServer::answer_write(const Request& request, const Target& target) {
  switch (request.method) {
    case client::Method::kPost:
      return target.subresource == "binding" ? answer_bind(request, target) : answer_create(request, target);
    case client::Method::kPut: return answer_update(request, target);
    case client::Method::kPatch: return answer_patch(request, target);
    case client::Method::kDelete: return answer_delete(request, target);
    case client::Method::kGet: break;
  }
  return status_response(request, 405, "MethodNotAllowed", "the server does not allow this method");
}

Response FakeApiServer::answer_create(const Request& request, const Target& target) {
  auto object = object_in(request, *target.kind);
  if (!object) return bad_request(request, object.error());
  const api::AnyObject placed = with_metadata(*object, [&](api::ObjectMeta& metadata) {
    if (metadata.name_space.empty()) metadata.name_space = Symbol(target.name_space);
  });
  const api::ObjectMeta& metadata = placed.metadata();
  if (metadata.name.empty()) return bad_request(request, Error("name or generateName is required"));
  if (get(*target.kind, api::full_name(metadata))) {
    return status_response(request, 409, "AlreadyExists",
                           fmt::format("{} \"{}\" already exists", target.kind->resource, metadata.name));
  }
  return object_response(request, 201, create(placed));
}

Response FakeApiServer::answer_bind(const Request& request, const Target& target) {
  auto body = object_in(request, api::kind_of<api::Binding>());
  if (!body) return bad_request(request, body.error());
  const auto binding = body->as<api::Binding>();
  const auto current = get<api::Pod>(target.full_name());
  if (binding == nullptr) return bad_request(request, Error("not a Binding"));
  if (current == nullptr) return not_found(request, *target.kind, target.name);
  const std::string& uid = binding->metadata.uid;
  if (!uid.empty() && uid != current->metadata.uid) {
    return conflict(request, *target.kind, target.name,
                    fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                                current->metadata.uid));
  }
  if (current->metadata.deletion_timestamp.is_set()) {
    return conflict(request, *target.kind, target.name,
                    fmt::format("pod {} is being deleted, cannot be assigned to a host", target.name));
  }
  if (!current->spec.node_name.empty()) {
    return conflict(
        request, *target.kind, target.name,
        fmt::format("pod {} is already assigned to node \"{}\"", target.name, current->spec.node_name.text()));
  }
  api::Pod pod = *current;
  pod.spec.node_name = Symbol(binding->target.name);
  pod.status.nominated_node_name = {};
  set_scheduled(pod, loop_.wall_now());
  update(std::move(pod));
  return object_response(request, 201, status_object(201, "", ""));
}

Response FakeApiServer::answer_update(const Request& request, const Target& target) {
  auto object = object_in(request, *target.kind);
  if (!object) return bad_request(request, object.error());
  const api::AnyObject current = get(*target.kind, target.full_name());
  if (!current) return not_found(request, *target.kind, target.name);
  const api::ObjectMeta& metadata = object->metadata();
  if (!metadata.uid.empty() && metadata.uid != current.metadata().uid) {
    return conflict(request, *target.kind, target.name, "Precondition failed: the UID is that of another object");
  }
  if (!metadata.resource_version.empty() && metadata.resource_version != current.metadata().resource_version) {
    return conflict(request, *target.kind, target.name, kModified);
  }
  return object_response(request, 200, update(*object));
}

Response FakeApiServer::answer_patch(const Request& request, const Target& target) {
  if (request.content_type != "application/strategic-merge-patch+json") {
    return status_response(request, 415, "UnsupportedMediaType",
                           "the body of the request was in an unknown format: " + request.content_type);
  }
  if (target.kind == &api::kind_of<api::Pod>() && target.subresource == "status") {
    return patch_pod_status(request, target);
  }
  if (target.kind == &api::kind_of<api::Event>()) return patch_event(request, target);
  return status_response(request, 405, "MethodNotAllowed", "the fake API server cannot patch this");
}

Response FakeApiServer::patch_pod_status(const Request& request, const Target& target) {
  const auto patch = codec::from_json<api::Pod>(request.body);
  if (!patch) return bad_request(request, patch.error());
  const auto current = get<api::Pod>(target.full_name());
  if (current == nullptr) return not_found(request, *target.kind, target.name);
  const api::ObjectMeta& wanted = patch->metadata;
  if (!wanted.uid.empty() && wanted.uid != current->metadata.uid) {
    return conflict(request, *target.kind, target.name, "Precondition failed: the UID is that of another object");
  }
  if (!wanted.resource_version.empty() && wanted.resource_version != current->metadata.resource_version) {
    return conflict(request, *target.kind, target.name, kModified);
  }
  api::Pod pod = *current;
  for (const api::PodCondition& condition : patch->status.conditions) merge(pod.status.conditions, condition);
  if (has_field(request.body, "nominatedNodeName")) {
    pod.status.nominated_node_name = patch->status.nominated_node_name;
  }
  if (has_field(request.body, "extendedResourceClaimStatus")) {
    pod.status.extended_resource_claim_status = patch->status.extended_resource_claim_status;
  }
  // A patch that changes nothing leaves the resource version as it is.
  if (pod == *current) return object_response(request, 200, api::AnyObject(current));
  return object_response(request, 200, api::AnyObject(update(std::move(pod))));
}

Response FakeApiServer::patch_event(const Request& request, const Target& target) {
  const auto patch = codec::from_json<api::Event>(request.body);
  if (!patch) return bad_request(request, patch.error());
  const auto current = get<api::Event>(target.full_name());
  if (current == nullptr) return not_found(request, *target.kind, target.name);
  api::Event event = *current;
  if (patch->series) event.series = patch->series;
  if (!patch->note.empty()) event.note = patch->note;
  return object_response(request, 200, api::AnyObject(update(std::move(event))));
}

Response FakeApiServer::answer_delete(const Request& request, const Target& target) {
  const api::AnyObject current = get(*target.kind, target.full_name());
  if (!current) return not_found(request, *target.kind, target.name);
  const std::string_view uid = text_field(request.body, "uid");
  if (!uid.empty() && uid != current.metadata().uid) {
    return conflict(request, *target.kind, target.name,
                    fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                                current.metadata().uid));
  }
  const auto running = current.as<api::Pod>();
  if (running == nullptr || running->spec.node_name.empty() || behaviour.termination <= Duration()) {
    remove(*target.kind, target.full_name());
    return object_response(request, 200, current);
  }
  if (running->metadata.deletion_timestamp.is_set()) return object_response(request, 200, current);
  api::Pod pod = *running;
  pod.metadata.deletion_timestamp = (loop_.wall_now() + behaviour.termination).floor_to_second();
  pod.metadata.deletion_grace_period_seconds = behaviour.termination.nanoseconds() / 1'000'000'000;
  const auto marked = update(std::move(pod));
  end_pod_later(*marked);
  return object_response(request, 200, api::AnyObject(marked));
}

void FakeApiServer::end_pod_later(const api::Pod& pod) {
  loop_.after(behaviour.termination, [this, name = api::full_name(pod.metadata), uid = pod.metadata.uid] {
    const auto current = get<api::Pod>(name);
    if (current != nullptr && current->metadata.uid == uid) remove<api::Pod>(name);
  });
}

}  // namespace berth::informer
