#include "berth/serve/call.h"

#include <algorithm>
#include <utility>

#include "berth/base/ascii.h"

namespace berth::serve {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = ascii_lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

std::vector<QueryValue> parse_query(std::string_view text) {
  std::vector<QueryValue> result;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    auto name = percent_decoded(part.substr(0, equals), true);
    auto value = percent_decoded(equals == std::string_view::npos ? "" : part.substr(equals + 1), true);
    if (name && value) result.push_back({*std::move(name), *std::move(value)});
  }
  return result;
}

std::string_view Call::header(std::string_view name) const {
  for (const client::Header& each : headers) {
    if (same_ignoring_case(each.name, name)) return each.value;
  }
  return {};
}

std::vector<std::string_view> Call::header_values(std::string_view name) const {
  std::vector<std::string_view> result;
  for (const client::Header& each : headers) {
    if (same_ignoring_case(each.name, name)) result.push_back(each.value);
  }
  return result;
}

std::optional<std::string_view> Call::query_value(std::string_view name) const {
  for (const QueryValue& each : query) {
    if (each.name == name) return each.value;
  }
  return std::nullopt;
}

Reply Reply::error(int status, std::string text) {
  text += '\n';
  return {.status = status,
          .content_type = kText,
          .body = std::move(text),
          .headers = {{"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace berth::serve
