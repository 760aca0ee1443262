// The head of an HTTP/1.1 request, read strictly: what two programs might understand differently (two lengths, a folded
// header, a name with spaces) is refused, so nothing in front of this server can be tricked by it. Pure functions.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "berth/base/time.h"
#include "berth/serve/call.h"

namespace berth::serve {

struct RequestHead {
  Call call;  // without body, address and certificate
  std::size_t body_bytes = 0;
  bool keeps_alive = true;
  bool expects_continue = false;
};

// What the client is told.
struct HeadProblem {
  int status = 400;
  std::string text;
  bool operator==(const HeadProblem&) const = default;
};

// `head` ends with its last line, without the empty one behind it.
std::expected<RequestHead, HeadProblem> parse_head(std::string_view head, std::size_t max_body_bytes);

// As the header Date has it: "Mon, 16 Nov 2026 19:54:18 GMT" (RFC 9110, 5.6.7).
std::string http_date(Instant at);

// Everything up to the body. With `now` unset there is no Date.
std::string head_of(const Reply& reply, bool keeps_alive, Instant now = {});

}  // namespace berth::serve
