// Any bytes as the head of an HTTP request: a request whose body fits, or an answer for the client.
#include <algorithm>

#include "berth/base/check.h"
#include "berth/serve/http_head.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  constexpr std::size_t kMaxBodyBytes = 4096;
  const auto head = serve::parse_head(fuzz::as_text(data, size), kMaxBodyBytes);
  if (!head) {
    BERTH_CHECK(head.error().status >= 400 && head.error().status < 600 && !head.error().text.empty(), "{}",
                head.error().text);
    return 0;
  }
  BERTH_CHECK(head->body_bytes <= kMaxBodyBytes, "{}", head->body_bytes);
  BERTH_CHECK(head->call.path.starts_with('/') && head->call.target.starts_with('/'), "{}", head->call.target);
  // Nothing that is copied into an answer or a log line may begin a line of its own.
  const auto has_line_break = [](std::string_view text) {
    return text.find_first_of("\r\n") != std::string_view::npos;
  };
  BERTH_CHECK(!has_line_break(head->call.method) && !has_line_break(head->call.target), "{}", head->call.target);
  for (const client::Header& header : head->call.headers) {
    BERTH_CHECK(!has_line_break(header.name) && !has_line_break(header.value), "{}", header.name);
    BERTH_CHECK(!head->call.header_values(header.name).empty(), "{}", header.name);
  }
  BERTH_CHECK(head->call.header_values("Content-Length").size() <= 1, "two lengths");
  return 0;
}
