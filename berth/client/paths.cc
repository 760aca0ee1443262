#include "berth/client/paths.h"

#include <fmt/format.h>

#include <iterator>

#include "berth/base/check.h"

namespace berth::client {

namespace {

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      result += c;
    } else {
      fmt::format_to(std::back_inserter(result), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string path_of(const api::ObjectKind& kind, std::string_view name_space, std::string_view name,
                    std::string_view subresource) {
  BERTH_CHECK(name.empty() || !name_space.empty() || !kind.namespaced, "{} {} without a namespace", kind.kind, name);
  BERTH_CHECK(subresource.empty() || !name.empty(), "{} of no {}", subresource, kind.kind);
  // The core group is older than groups are.
  std::string path = kind.api_version.find('/') == std::string_view::npos ? "/api/" : "/apis/";
  path += kind.api_version;
  if (kind.namespaced && !name_space.empty()) {
    path += "/namespaces/";
    path += percent_encoded(name_space);
  }
  path += '/';
  path += kind.resource;
  if (!name.empty()) {
    path += '/';
    path += percent_encoded(name);
  }
  if (!subresource.empty()) {
    path += '/';
    path += subresource;
  }
  return path;
}

std::string with_query(std::string path,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> parameters) {
  char separator = path.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : parameters) {
    if (value.empty()) continue;
    path += separator;
    path += name;
    path += '=';
    path += percent_encoded(value);
    separator = '&';
  }
  return path;
}

}  // namespace berth::client
