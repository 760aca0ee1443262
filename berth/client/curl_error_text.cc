#include "berth/client/curl_error_text.h"

#include <cstddef>

namespace berth::client {

namespace {

// Puts `instead` where `before`, a number and `after` follow each other.
void replace_around_number(std::string& text, std::string_view before, std::string_view after,
                           std::string_view instead) {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t number = at + before.size();
    const std::size_t end = text.find_first_not_of("0123456789", number);
    if (end == std::string::npos) return;
    if (end == number || text.compare(end, after.size(), after) != 0) continue;
    text.replace(at, end + after.size() - at, instead);
  }
}

}  // namespace

std::string repeatable_curl_error(std::string_view text) {
  std::string result(text);
  replace_around_number(result, " after ", " milliseconds", "");
  replace_around_number(result, " after ", " ms", "");
  replace_around_number(result, "HTTP/2 stream ", " ", "HTTP/2 stream ");
  return result;
}

}  // namespace berth::client
