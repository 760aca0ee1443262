#include "berth/daemon/status_patch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/codec/json.h"

namespace berth::daemon {
namespace {

std::string json_string(std::string_view text) {
  return codec::to_json(std::string(text));
}

std::string time_or_null(Instant time) {
  return time.is_set() ? json_string(time.rfc3339()) : "null";
}

// The fields of a condition but its type, sorted by name; one that Go would leave out has no value.
struct ConditionField {
  std::string_view name;
  std::optional<std::string> json;
};
using ConditionFields = std::array<ConditionField, 6>;

ConditionFields fields_of(const api::PodCondition& condition) {
  const auto unless_empty = [](std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(json_string(text));
  };
  const std::int64_t generation = condition.observed_generation;
  return {{
      {"lastProbeTime", time_or_null(condition.last_probe_time)},
      {"lastTransitionTime", time_or_null(condition.last_transition_time)},
      {"message", unless_empty(condition.message)},
      {"observedGeneration", generation == 0 ? std::nullopt : std::optional(fmt::format("{}", generation))},
      {"reason", unless_empty(condition.reason.text())},
      {"status", json_string(condition.status.text())},
  }};
}

std::string element(Symbol type, const std::vector<std::string>& members) {
  std::string json = "{";
  for (const std::string& member : members) json.append(member).append(",");
  return json.append("\"type\":").append(json_string(type.text())).append("}");
}

std::string member(std::string_view name, std::string_view json) {
  return fmt::format("\"{}\":{}", name, json);
}

// The whole condition.
std::string as_element(const api::PodCondition& condition) {
  std::vector<std::string> members;
  for (const auto& [name, json] : fields_of(condition)) {
    if (json) members.push_back(member(name, *json));
  }
  return element(condition.type, members);
}

// What differs; empty if nothing does.
std::string as_element(const api::PodCondition& condition, const api::PodCondition& base) {
  const ConditionFields now = fields_of(condition);
  const ConditionFields before = fields_of(base);
  std::vector<std::string> members;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].json != before[i].json) members.push_back(member(now[i].name, now[i].json.value_or("null")));
  }
  return members.empty() ? std::string() : element(condition.type, members);
}

// The order of the conditions as it is after the patch.
std::string element_order(const std::vector<api::PodCondition>& base, Symbol patched) {
  std::vector<std::string> elements;
  bool is_known = false;
  for (const api::PodCondition& condition : base) {
    elements.push_back(element(condition.type, {}));
    is_known = is_known || condition.type == patched;
  }
  if (!is_known) elements.push_back(element(patched, {}));
  return fmt::format("[{}]", fmt::join(elements, ","));
}

void append_condition(std::vector<std::string>& members, const api::PodCondition& condition, const api::Pod& base,
                      bool is_base_outdated) {
  const std::vector<api::PodCondition>& known = base.status.conditions;
  const auto old = std::ranges::find(known, condition.type, &api::PodCondition::type);
  const bool is_whole = old == known.end() || is_base_outdated;
  const std::string changed = is_whole ? as_element(condition) : as_element(condition, *old);
  if (changed.empty()) return;
  if (!known.empty() && !is_base_outdated) {
    members.push_back(member("$setElementOrder/conditions", element_order(known, condition.type)));
  }
  members.push_back(member("conditions", fmt::format("[{}]", changed)));
}

}  // namespace

std::string status_patch_body(const engine::PatchPodStatus& patch, const StatusPatchForm& form) {
  std::vector<std::string> members;
  if (patch.condition) append_condition(members, *patch.condition, *patch.base, form.is_base_outdated);
  if (const auto& node = patch.nominated_node_name) {
    members.push_back(member("nominatedNodeName", node->empty() ? "null" : json_string(node->text())));
  }
  if (members.empty()) return {};
  std::string body = "{";
  if (form.names_uid && !patch.base->metadata.uid.empty()) {
    body += fmt::format("\"metadata\":{{\"uid\":{}}},", json_string(patch.base->metadata.uid));
  }
  return body + fmt::format("\"status\":{{{}}}}}", fmt::join(members, ","));
}

std::optional<engine::PatchPodStatus> merge(const engine::PatchPodStatus& older, const engine::PatchPodStatus& newer) {
  if (older.base->metadata.uid != newer.base->metadata.uid) return std::nullopt;
  if (older.condition && newer.condition && older.condition->type != newer.condition->type) return std::nullopt;
  engine::PatchPodStatus both = newer;
  if (!both.condition) both.condition = older.condition;
  if (!both.nominated_node_name) both.nominated_node_name = older.nominated_node_name;
  return both;
}

}  // namespace berth::daemon
