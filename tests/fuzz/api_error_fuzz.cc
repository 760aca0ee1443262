// Any bytes as an answer that is no success: two bytes for the HTTP status, a line for the header Retry-After, and the
// body, which may be a Status in JSON or protobuf, or a proxy's page. There is always a text for people, on one line if
// it is not the server's own.
#include <string>

#include "berth/base/check.h"
#include "berth/client/api_error.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  if (size < 2) return 0;
  client::Response response;
  response.status = 300 + (data[0] << 8 | data[1]) % 700;
  const std::string_view rest = fuzz::as_text(data + 2, size - 2);
  const std::size_t line = std::min(rest.find('\n'), rest.size());
  if (line > 0) response.headers.push_back({"Retry-After", std::string(rest.substr(0, line))});
  response.body = rest.substr(std::min(line + 1, rest.size()));

  const client::ApiError error = client::api_error_of(response);
  BERTH_CHECK(error.status == response.status && !error.message.empty(), "{}", error.status);
  BERTH_CHECK(error.retry_after >= Duration(), "{}", error.text());
  const Error text = client::to_error("cannot list pods", error);
  BERTH_CHECK(text.what().starts_with("cannot list pods: "), "{}", text.message());
  (void)error.is_transient();
  (void)error.is_outcome_unknown();
  return 0;
}
