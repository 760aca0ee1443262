#include "berth/api/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "berth/base/utf8.h"

namespace berth::api {

namespace {

constexpr std::string_view kNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelValuePattern = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
constexpr std::string_view kDnsLabelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kDnsSubdomainPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
constexpr std::string_view kLabelValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character";
constexpr std::string_view kDnsLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character";
constexpr std::string_view kDnsSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}
bool is_alphanumeric(char c) {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

// kNamePattern
bool is_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// kDnsLabelPattern
bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

// kDnsSubdomainPattern
bool is_dns_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string too_long(std::size_t limit) {
  return fmt::format("must be no more than {} bytes", limit);
}

std::string against_pattern(std::string_view rule, std::string_view pattern, std::string_view examples) {
  return fmt::format("{} (e.g. {}, regex used for validation is '{}')", rule, examples, pattern);
}

std::vector<std::string> all_quoted(std::span<const std::string_view> texts) {
  std::vector<std::string> result;
  for (const std::string_view text : texts) result.push_back(quoted(text));
  return result;
}

constexpr std::string_view kNameExamples = "'MyName',  or 'my.name',  or '123-abc'";

}  // namespace

std::vector<std::string> qualified_name_errors(std::string_view name) {
  std::vector<std::string> errors;
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    if (name.find('/', slash + 1) != std::string_view::npos) {
      errors.push_back("a valid label key " + against_pattern(kNameRule, kNamePattern, kNameExamples) +
                       " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return errors;
    }
    const std::string_view prefix = name.substr(0, slash);
    if (prefix.empty()) {
      errors.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& error : dns_subdomain_errors(prefix)) errors.push_back("prefix part " + error);
    }
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) {
    errors.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxLabelBytes) {
    errors.push_back("name part " + too_long(kMaxLabelBytes));
  }
  if (!is_name(name)) errors.push_back("name part " + against_pattern(kNameRule, kNamePattern, kNameExamples));
  return errors;
}

bool is_qualified_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    if (prefix.size() > kMaxSubdomainBytes || !is_dns_subdomain(prefix)) return false;
    name.remove_prefix(slash + 1);
  }
  return name.size() <= kMaxLabelBytes && is_name(name);
}

std::vector<std::string> label_value_errors(std::string_view value) {
  std::vector<std::string> errors;
  if (value.size() > kMaxLabelBytes) errors.push_back(too_long(kMaxLabelBytes));
  if (!value.empty() && !is_name(value)) {
    errors.push_back(against_pattern(kLabelValueRule, kLabelValuePattern, "'MyValue',  or 'my_value',  or '12345'"));
  }
  return errors;
}

bool is_label_value(std::string_view value) {
  return value.empty() || (value.size() <= kMaxLabelBytes && is_name(value));
}

std::vector<std::string> dns_label_errors(std::string_view label) {
  std::vector<std::string> errors;
  if (label.size() > kMaxLabelBytes) errors.push_back(too_long(kMaxLabelBytes));
  if (is_dns_label(label)) return errors;
  if (is_dns_subdomain(label)) {
    errors.emplace_back("must not contain dots");
  } else {
    errors.push_back(against_pattern(kDnsLabelRule, kDnsLabelPattern, "'my-name',  or '123-abc'"));
  }
  return errors;
}

std::vector<std::string> dns_subdomain_errors(std::string_view subdomain) {
  std::vector<std::string> errors;
  if (subdomain.size() > kMaxSubdomainBytes) errors.push_back(too_long(kMaxSubdomainBytes));
  if (!is_dns_subdomain(subdomain)) {
    errors.push_back(against_pattern(kDnsSubdomainRule, kDnsSubdomainPattern, "'example.com'"));
  }
  return errors;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_canonical_integer(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || !is_digit(digits.front())) return std::nullopt;
  if (digits.front() == '0' && text != "0") return std::nullopt;
  return parse_integer(text);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
      if (text.size() >= length && is_valid_utf8(text.substr(0, length))) {
        out += text.substr(0, length);
        text.remove_prefix(length);
        continue;
      }
    }
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\a': out += "\\a"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\v': out += "\\v"; break;
      default:
        if (byte < 0x20 || byte >= 0x7F) {
          out += fmt::format("\\x{:02x}", byte);
        } else {
          out += c;
        }
    }
    text.remove_prefix(1);
  }
  return out + '"';
}

std::string invalid_value(std::string_view place, std::string_view value, std::string_view what) {
  return fmt::format("{}: Invalid value: {}: {}", place, quoted(value), what);
}

std::string invalid_values(std::string_view place, std::span<const std::string_view> values, std::string_view what) {
  const std::string list = values.empty() ? "null" : fmt::format("[{}]", fmt::join(all_quoted(values), ","));
  return fmt::format("{}: Invalid value: {}: {}", place, list, what);
}

std::string unsupported_value(std::string_view place, std::string_view value,
                              std::span<const std::string_view> supported) {
  return fmt::format("{}: Unsupported value: {}: supported values: {}", place, quoted(value),
                     fmt::join(all_quoted(supported), ", "));
}

std::string aggregate_errors(std::span<const std::string> errors) {
  std::vector<std::string_view> distinct;
  for (const std::string& error : errors) {
    if (std::ranges::find(distinct, error) == distinct.end()) distinct.push_back(error);
  }
  if (distinct.size() == 1) return std::string(distinct.front());
  return fmt::format("[{}]", fmt::join(distinct, ", "));
}

}  // namespace berth::api
