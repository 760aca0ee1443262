#include "berth/autoscaler/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "berth/codec/yaml.h"

namespace berth::autoscaler {

namespace {

// The YAML form, as far as it matters here.
struct YamlHealth {
  std::string status;
  std::optional<std::int64_t> min_size;
  std::optional<std::int64_t> max_size;
  std::optional<std::int64_t> target;
};
struct YamlBackoff {
  std::string error_code;
  std::string error_message;
};
struct YamlScaleUp {
  std::string status;
  YamlBackoff backoff;
};
struct YamlGroup {
  std::string name;
  YamlHealth health;
  YamlScaleUp scale_up;
};
struct YamlStatus {
  std::vector<YamlGroup> groups;
};

// "maxSize=10" after `from`; nothing if the text has no such number.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Of 1.29 and before:
//   NodeGroups:
//     Name:        eks-spot-1234
//     Health:      Healthy (ready=1 ... cloudProviderTarget=1 (minSize=1, maxSize=5))
//     ScaleUp:     Backoff (ready=1 cloudProviderTarget=1)
std::vector<ReportedGroup> parse_text(std::string_view text) {
  std::vector<ReportedGroup> groups;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("Name:")) {
      groups.emplace_back().name = trimmed(line.substr(5));
    } else if (line.starts_with("Health:") && !groups.empty()) {
      ReportedGroup& group = groups.back();
      group.is_healthy = trimmed(line.substr(7)).starts_with("Healthy");
      group.min_nodes = number_after(line, "minSize=");
      group.max_nodes = number_after(line, "maxSize=");
      group.target = number_after(line, "cloudProviderTarget=");
    } else if (line.starts_with("ScaleUp:") && !groups.empty() && trimmed(line.substr(8)).starts_with("Backoff")) {
      groups.back().backoff = "its last scale-up failed";
    }
  }
  return groups;
}

}  // namespace

}  // namespace berth::autoscaler

namespace berth::api {

template <>
const Schema& schema_of<autoscaler::YamlHealth>() {
  using T = autoscaler::YamlHealth;
  static const Schema schema(
      "Health", {field<&T::status>("status", 0), field<&T::min_size>("minSize", 0), field<&T::max_size>("maxSize", 0),
                 field<&T::target>("cloudProviderTarget", 0)});
  return schema;
}
template <>
const Schema& schema_of<autoscaler::YamlBackoff>() {
  using T = autoscaler::YamlBackoff;
  static const Schema schema("Backoff",
                             {field<&T::error_code>("errorCode", 0), field<&T::error_message>("errorMessage", 0)});
  return schema;
}
template <>
const Schema& schema_of<autoscaler::YamlScaleUp>() {
  using T = autoscaler::YamlScaleUp;
  static const Schema schema("ScaleUp", {field<&T::status>("status", 0), field<&T::backoff>("backoffInfo", 0)});
  return schema;
}
template <>
const Schema& schema_of<autoscaler::YamlGroup>() {
  using T = autoscaler::YamlGroup;
  static const Schema schema(
      "NodeGroup", {field<&T::name>("name", 0), field<&T::health>("health", 0), field<&T::scale_up>("scaleUp", 0)});
  return schema;
}
template <>
const Schema& schema_of<autoscaler::YamlStatus>() {
  using T = autoscaler::YamlStatus;
  static const Schema schema("Status", {field<&T::groups>("nodeGroups", 0)});
  return schema;
}

}  // namespace berth::api

namespace berth::autoscaler {

std::vector<ReportedGroup> parse_status(std::string_view text) {
  if (text.find("NodeGroups:") != std::string_view::npos && text.find("nodeGroups:") == std::string_view::npos) {
    return parse_text(text);
  }
  const auto status = codec::from_yaml<YamlStatus>(text);
  if (!status) return {};
  std::vector<ReportedGroup> groups;
  for (const YamlGroup& group : status->groups) {
    ReportedGroup& reported = groups.emplace_back();
    reported.name = group.name;
    reported.min_nodes = group.health.min_size;
    reported.max_nodes = group.health.max_size;
    reported.target = group.health.target;
    reported.is_healthy = group.health.status.empty() || group.health.status == "Healthy";
    if (group.scale_up.status != "Backoff") continue;
    const YamlBackoff& backoff = group.scale_up.backoff;
    reported.backoff = "its last scale-up failed";
    if (!backoff.error_code.empty()) reported.backoff += fmt::format(" ({})", backoff.error_code);
    if (!backoff.error_message.empty()) reported.backoff += fmt::format(": {}", backoff.error_message);
  }
  return groups;
}

bool names_pool(std::string_view reported, std::string_view pool) {
  if (pool.empty()) return false;
  const auto is_between = [](char c) { return c == '-' || c == '/' || c == '.' || c == '_' || c == ':'; };
  for (std::size_t at = reported.find(pool); at != std::string_view::npos; at = reported.find(pool, at + 1)) {
    const std::size_t end = at + pool.size();
    if ((at == 0 || is_between(reported[at - 1])) && (end == reported.size() || is_between(reported[end]))) return true;
  }
  return false;
}

}  // namespace berth::autoscaler
