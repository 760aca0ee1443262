#include "berth/config/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::config {

namespace {

constexpr std::size_t kMaxNameBytes = 63;        // of a label's key without prefix, and of a label's value
constexpr std::size_t kMaxSubdomainBytes = 253;  // RFC 1123

constexpr std::string_view kNameRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
constexpr std::string_view kSubdomainRegex = R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)";

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

std::string name_rule(std::string_view name) {
  return fmt::format("{} {} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{}')", name,
                     kNameRule, kNameRegex);
}

std::string too_long(std::size_t limit) {
  return fmt::format("must be no more than {} bytes", limit);
}

bool is_name(std::string_view name) {
  return !name.empty() && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_subdomain(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    const std::string_view label = name.substr(0, dot);
    const bool is_label = !label.empty() && is_lower_or_digit(label.front()) && is_lower_or_digit(label.back()) &&
                          std::ranges::all_of(label, [](char c) { return is_lower_or_digit(c) || c == '-'; });
    if (!is_label) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

std::vector<std::string> check_prefix(std::string_view prefix) {
  if (prefix.empty()) return {"prefix part must be non-empty"};
  std::vector<std::string> problems;
  if (prefix.size() > kMaxSubdomainBytes) problems.push_back("prefix part " + too_long(kMaxSubdomainBytes));
  if (!is_subdomain(prefix)) {
    problems.push_back(fmt::format(
        "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
        "and "
        "must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{}')",
        kSubdomainRegex));
  }
  return problems;
}

}  // namespace

std::vector<std::string> check_label_key(std::string_view key) {
  std::vector<std::string> problems;
  const std::size_t slash = key.find('/');
  std::string_view name = key;
  if (slash != std::string_view::npos) {
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {name_rule("a valid label key") +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    problems = check_prefix(key.substr(0, slash));
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxNameBytes) {
    problems.push_back("name part " + too_long(kMaxNameBytes));
  }
  if (!is_name(name)) problems.push_back(name_rule("name part"));
  return problems;
}

std::vector<std::string> check_label_value(std::string_view value) {
  std::vector<std::string> problems;
  if (value.size() > kMaxNameBytes) problems.push_back(too_long(kMaxNameBytes));
  if (!value.empty() && !is_name(value)) {
    problems.push_back(fmt::format(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and "
        "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'({})?')",
        kNameRegex));
  }
  return problems;
}

bool is_extended_resource_name(std::string_view name) {
  constexpr std::string_view kQuotaPrefix = "requests.";
  const bool is_native =
      name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
  if (is_native || name.starts_with(kQuotaPrefix)) return false;
  return check_label_key(fmt::format("{}{}", kQuotaPrefix, name)).empty();
}

}  // namespace berth::config
