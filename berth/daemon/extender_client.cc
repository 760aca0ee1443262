#include "berth/daemon/extender_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "berth/base/ascii.h"
#include "berth/base/base64.h"
#include "berth/codec/json.h"
#include "berth/config/document.h"
#include "berth/config/json_reader.h"

namespace berth::daemon {
namespace {

using engine::CallExtender;
using engine::ExtenderVerb;
using engine::Outcome;

// Of kube-scheduler, for a configuration that says nothing.
constexpr Duration kDefaultTimeout = Duration::seconds(5);

std::string json_string(std::string_view text) {
  return codec::to_json(std::string(text));
}

const std::string& verb_of(const config::Extender& extender, ExtenderVerb verb) {
  switch (verb) {
    case ExtenderVerb::kFilter: return extender.filter_verb;
    case ExtenderVerb::kPrioritize: return extender.prioritize_verb;
    case ExtenderVerb::kPreempt: return extender.preempt_verb;
    case ExtenderVerb::kBind: break;
  }
  return extender.bind_verb;
}

std::string without_trailing_slashes(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::string url_of(const config::Extender& extender, ExtenderVerb verb) {
  return fmt::format("{}/{}", without_trailing_slashes(extender.url_prefix), verb_of(extender, verb));
}

// --- Requests --------------------------------------------------------------------------------------------------------

template <typename Items, typename ToJson>
std::string list_of(const Items& items, const ToJson& to_json) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    json += to_json(item);
  }
  return json += ']';
}

std::string body_of(const engine::ExtenderNodes& request, bool is_node_cache_capable) {
  std::string nodes = "null";
  std::string names = "null";
  if (is_node_cache_capable) {
    names = list_of(request.nodes, [](const api::NodePtr& node) { return json_string(node->metadata.name); });
  } else {
    nodes = fmt::format(R"({{"metadata":{{}},"items":{}}})",
                        list_of(request.nodes, [](const api::NodePtr& node) { return codec::to_json(*node); }));
  }
  return fmt::format(R"({{"Pod":{},"Nodes":{},"NodeNames":{}}})", codec::to_json(*request.pod), nodes, names);
}

std::string body_of(const engine::ExtenderPreempt& request, bool is_node_cache_capable) {
  const auto pod_to_json = [&](const api::PodPtr& pod) {
    return is_node_cache_capable ? fmt::format(R"({{"UID":{}}})", json_string(pod->metadata.uid))
                                 : codec::to_json(*pod);
  };
  // Go writes maps sorted by key.
  std::vector<const engine::ExtenderVictims*> candidates;
  for (const engine::ExtenderVictims& victims : request.candidates) candidates.push_back(&victims);
  std::ranges::sort(candidates, [](const auto* a, const auto* b) { return a->node_name.text() < b->node_name.text(); });
  std::vector<std::string> members;
  for (const engine::ExtenderVictims* victims : candidates) {
    members.push_back(fmt::format(R"({}:{{"Pods":{},"NumPDBViolations":{}}})", json_string(victims->node_name.text()),
                                  list_of(victims->pods, pod_to_json), victims->pdb_violations));
  }
  const std::string by_node = fmt::format("{{{}}}", fmt::join(members, ","));
  return fmt::format(R"({{"Pod":{},"NodeNameToVictims":{},"NodeNameToMetaVictims":{}}})", codec::to_json(*request.pod),
                     is_node_cache_capable ? "null" : by_node, is_node_cache_capable ? by_node : "null");
}

std::string body_of(const engine::ExtenderBind& request, bool) {
  const api::ObjectMeta& pod = request.pod->metadata;
  return fmt::format(R"({{"PodName":{},"PodNamespace":{},"PodUID":{},"Node":{}}})", json_string(pod.name),
                     json_string(pod.name_space.text()), json_string(pod.uid), json_string(request.node_name.text()));
}

// --- Answers ---------------------------------------------------------------------------------------------------------

// One value of an answer. What is missing or null reads as empty, as in Go; a value of another type reads as empty too
// and leaves an error behind, of which the first counts.
class Answer {
 public:
  using Kind = config::Value::Kind;

  // `value` may be null; it and `error` outlive the answer.
  Answer(const config::Value* value, std::string name, std::optional<Error>& error)
      : value_(value != nullptr && value->kind != Kind::kNull ? value : nullptr),
        name_(std::move(name)),
        error_(&error) {}

  bool is_null() const { return value_ == nullptr; }

  // Of several members of that name the last counts.
  Answer member(std::string_view name) const {
    const config::Value* found = nullptr;
    each_member([&](std::string_view key, const Answer& value) {
      if (same_ignoring_case(key, name)) found = value.value_;
    });
    return {found, std::string(name), *error_};
  }

  std::string text() const { return is(Kind::kString, "a string") ? value_->text : std::string(); }

  std::int64_t integer() const {
    if (!is(Kind::kNumber, "an integer")) return 0;
    std::int64_t number = 0;
    const char* end = value_->text.data() + value_->text.size();
    const auto read = std::from_chars(value_->text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) expected("an integer");
    return number;
  }

  template <typename F>
  void each_element(const F& f) const {
    if (!is(Kind::kList, "a list")) return;
    for (const config::Value& item : value_->elements) f(Answer(&item, name_, *error_));
  }
  template <typename F>
  void each_member(const F& f) const {
    if (!is(Kind::kMap, "an object")) return;
    for (const config::Member& field : value_->members) f(field.key, Answer(&field.value, field.key, *error_));
  }

 private:
  bool is(Kind kind, std::string_view description) const {
    if (value_ == nullptr) return false;
    if (value_->kind != kind) expected(description);
    return value_->kind == kind;
  }
  void expected(std::string_view description) const {
    if (!*error_) *error_ = Error(fmt::format("expected {}", description)).in(name_);
  }

  const config::Value* value_;
  std::string name_;
  std::optional<Error>* error_;
};

std::vector<std::pair<Symbol, std::string>> failed_nodes(const Answer& by_node) {
  std::vector<std::pair<Symbol, std::string>> failed;
  by_node.each_member([&](std::string_view node, const Answer& why) { failed.emplace_back(Symbol(node), why.text()); });
  return failed;
}

engine::ExtenderFiltered read_filtered(const Answer& answer, bool is_node_cache_capable) {
  engine::ExtenderFiltered filtered;
  filtered.error = answer.member("Error").text();
  const Answer names = answer.member("NodeNames");
  if (is_node_cache_capable && !names.is_null()) {
    names.each_element([&](const Answer& name) { filtered.nodes.emplace_back(name.text()); });
  } else {
    answer.member("Nodes").member("items").each_element(
        [&](const Answer& node) { filtered.nodes.emplace_back(node.member("metadata").member("name").text()); });
  }
  filtered.failed = failed_nodes(answer.member("FailedNodes"));
  filtered.failed_and_unresolvable = failed_nodes(answer.member("FailedAndUnresolvableNodes"));
  return filtered;
}

engine::ExtenderPrioritized read_prioritized(const Answer& answer) {
  engine::ExtenderPrioritized prioritized;
  answer.each_element([&](const Answer& host) {
    prioritized.scores.emplace_back(Symbol(host.member("Host").text()), host.member("Score").integer());
  });
  return prioritized;
}

engine::ExtenderPreempted read_preempted(const Answer& answer) {
  engine::ExtenderPreempted preempted;
  answer.member("NodeNameToMetaVictims").each_member([&](std::string_view node, const Answer& victims) {
    engine::ExtenderPreempted::Victims& read = preempted.candidates.emplace_back();
    read.node_name = Symbol(node);
    read.pdb_violations = victims.member("NumPDBViolations").integer();
    victims.member("Pods").each_element([&](const Answer& pod) { read.uids.push_back(pod.member("UID").text()); });
  });
  return preempted;
}

engine::ExtenderReply read_reply(const Answer& answer, ExtenderVerb verb, bool is_node_cache_capable) {
  switch (verb) {
    case ExtenderVerb::kFilter: return read_filtered(answer, is_node_cache_capable);
    case ExtenderVerb::kPrioritize: return read_prioritized(answer);
    case ExtenderVerb::kPreempt: return read_preempted(answer);
    case ExtenderVerb::kBind: break;
  }
  return engine::ExtenderBound{answer.member("Error").text()};
}

Result<engine::ExtenderReply> decode(std::string_view body, ExtenderVerb verb, bool is_node_cache_capable) {
  const auto root = config::read_json_value(body);
  if (!root) return fail(root.error().error);
  std::optional<Error> error;
  engine::ExtenderReply reply = read_reply(Answer(&*root, "the answer", error), verb, is_node_cache_capable);
  if (error) return fail(*std::move(error));
  return reply;
}

Outcome failed(Outcome::Kind kind, std::string message) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.message = std::move(message);
  return outcome;
}

// Text in place, which the configuration has in base64, or a file.
Result<client::Pem> pem_of(const std::string& base64, const std::string& file, std::string_view field) {
  if (const auto offset = first_invalid_base64(base64)) {
    return fail(Error(fmt::format("illegal base64 data at input byte {}", *offset)).in(field));
  }
  return client::Pem{.text = *from_base64(base64), .file = file};
}

}  // namespace

Result<client::Endpoint> extender_endpoint(const config::Extender& extender) {
  client::Endpoint endpoint;
  endpoint.server = without_trailing_slashes(extender.url_prefix);
  const config::ExtenderTls tls = extender.tls_config.value_or(config::ExtenderTls());
  auto ca = pem_of(tls.ca_data, tls.ca_file, "tlsConfig.caData");
  auto certificate = pem_of(tls.cert_data, tls.cert_file, "tlsConfig.certData");
  auto key = pem_of(tls.key_data, tls.key_file, "tlsConfig.keyData");
  for (const auto* pem : {&ca, &certificate, &key}) {
    if (!*pem) return fail(pem->error());
  }
  endpoint.tls.ca = *std::move(ca);
  endpoint.tls.client_certificate = *std::move(certificate);
  endpoint.tls.client_key = *std::move(key);
  endpoint.tls.server_name = tls.server_name;
  endpoint.tls.insecure_skip_verify = tls.insecure || (extender.enable_https && !endpoint.tls.ca.is_set());
  return endpoint;
}

client::Request extender_request(const config::Extender& extender, const CallExtender& call) {
  client::Request request;
  request.method = client::Method::kPost;
  request.path = "/" + verb_of(extender, call.verb);
  request.content_type = "application/json";
  request.body = std::visit([&](const auto& what) { return body_of(what, extender.node_cache_capable); }, call.request);
  request.timeout = extender.http_timeout > Duration() ? extender.http_timeout : kDefaultTimeout;
  return request;
}

Outcome extender_outcome(const config::Extender& extender, const CallExtender& call, const client::Response& response) {
  const bool is_bind = call.verb == ExtenderVerb::kBind;
  const Outcome::Kind maybe_done = is_bind ? Outcome::Kind::kUnknown : Outcome::Kind::kRefused;
  if (!response.is_complete()) {
    const bool was_sent = response.transfer != client::Response::Transfer::kNotSent;
    return failed(was_sent ? maybe_done : Outcome::Kind::kRefused,
                  fmt::format("Post \"{}\": {}", url_of(extender, call.verb), response.error));
  }
  if (response.status != 200) {
    return failed(response.status >= 500 ? maybe_done : Outcome::Kind::kRefused,
                  fmt::format("failed {} with extender at URL {}, code {}", verb_of(extender, call.verb),
                              url_of(extender, call.verb), response.status));
  }
  auto reply = decode(response.body, call.verb, extender.node_cache_capable);
  if (!reply) {
    return failed(maybe_done, fmt::format("extender \"{}\" returned an invalid response to {}: {}", extender.url_prefix,
                                          verb_of(extender, call.verb), reply.error().message()));
  }
  Outcome outcome;
  outcome.extender_reply = *std::move(reply);
  return outcome;
}

}  // namespace berth::daemon
