#include "berth/client/transport.h"

#include <charconv>

#include "berth/base/ascii.h"

namespace berth::client {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kGet: return "GET";
    case Method::kPost: return "POST";
    case Method::kPut: return "PUT";
    case Method::kPatch: return "PATCH";
    case Method::kDelete: return "DELETE";
  }
  return "";
}

std::string_view Response::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (same_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

Duration Response::retry_after() const {
  const std::string_view text = header("Retry-After");
  std::int64_t seconds = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return code == std::errc() && end == text.data() + text.size() && seconds > 0 ? Duration::seconds(seconds)
                                                                                : Duration();
}

}  // namespace berth::client
