#include "berth/serve/http_head.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <optional>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/base/trimmed.h"

namespace berth::serve {

namespace {

using Problem = std::unexpected<HeadProblem>;

Problem bad_request(std::string text) {
  return Problem(HeadProblem{.status = 400, .text = "400 Bad Request: " + std::move(text)});
}

bool is_token_char(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kOthers.find(c) != std::string_view::npos;
}
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}
bool is_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7F);
}
bool is_target_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7F;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  return line;
}

// "GET /metrics?x=1 HTTP/1.1". Nothing if all is well.
std::optional<HeadProblem> read_request_line(std::string_view line, RequestHead& head) {
  const auto malformed = [] { return HeadProblem{.status = 400, .text = "400 Bad Request: malformed request line"}; };
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return malformed();
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || !target.starts_with('/') || !std::ranges::all_of(target, is_target_char)) return malformed();
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return HeadProblem{.status = 505, .text = "505 HTTP Version Not Supported"};
  }
  const std::size_t question_mark = target.find('?');
  auto path = percent_decoded(target.substr(0, question_mark), false);
  if (!path) return malformed();
  head.call.method = method;
  head.call.target = target;
  head.call.path = *std::move(path);
  if (question_mark != std::string_view::npos) head.call.query = parse_query(target.substr(question_mark + 1));
  head.keeps_alive = version == "HTTP/1.1";
  return std::nullopt;
}

bool names(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::string_view each = list.substr(0, list.find(','));
    list.remove_prefix(std::min(each.size() + 1, list.size()));
    if (same_ignoring_case(trimmed(each, " \t"), wanted)) return true;
  }
  return false;
}

std::optional<HeadProblem> read_framing(RequestHead& head, bool is_old, std::size_t max_body_bytes) {
  const auto problem = [](int status, std::string text) {
    return HeadProblem{.status = status, .text = std::move(text)};
  };
  if (!is_old && head.call.header_values("Host").size() != 1) {
    return problem(400, "400 Bad Request: exactly one Host header is required");
  }
  if (!head.call.header_values("Transfer-Encoding").empty()) {
    return problem(411, "411 Length Required: bodies need a Content-Length");
  }
  const std::vector<std::string_view> lengths = head.call.header_values("Content-Length");
  if (lengths.size() > 1) return problem(400, "400 Bad Request: more than one Content-Length");
  if (!lengths.empty()) {
    const std::string_view text = lengths.front();
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), head.body_bytes);
    if (code != std::errc() || end != text.data() + text.size() || text.starts_with('-')) {
      return problem(400, "400 Bad Request: malformed Content-Length");
    }
    if (head.body_bytes > max_body_bytes) return problem(413, "413 Request Entity Too Large");
  }
  for (const std::string_view value : head.call.header_values("Connection")) {
    if (names(value, "close")) head.keeps_alive = false;
  }
  head.expects_continue = same_ignoring_case(head.call.header("Expect"), "100-continue");
  return std::nullopt;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 411: return "Length Required";
    case 413: return "Request Entity Too Large";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

}  // namespace

std::expected<RequestHead, HeadProblem> parse_head(std::string_view head, std::size_t max_body_bytes) {
  RequestHead result;
  if (auto problem = read_request_line(take_line(head), result)) return Problem(*std::move(problem));
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return bad_request("malformed header");
    const std::string_view value = trimmed(line.substr(colon + 1), " \t");
    if (!std::ranges::all_of(value, is_value_char)) return bad_request("malformed header value");
    result.call.headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
  }
  const bool is_old = !result.keeps_alive;
  if (auto problem = read_framing(result, is_old, max_body_bytes)) return Problem(*std::move(problem));
  return result;
}

std::string http_date(Instant at) {
  const auto seconds = static_cast<std::time_t>(at.floor_to_second().unix_nanoseconds() / 1'000'000'000);
  std::tm parts{};
  (void)::gmtime_r(&seconds, &parts);
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", parts);
}

std::string head_of(const Reply& reply, bool keeps_alive, Instant now) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\n", reply.status, reason_of(reply.status), reply.body.size());
  if (!reply.content_type.empty()) head += fmt::format("Content-Type: {}\r\n", reply.content_type);
  for (const client::Header& header : reply.headers) head += fmt::format("{}: {}\r\n", header.name, header.value);
  if (now.is_set()) head += fmt::format("Date: {}\r\n", http_date(now));
  if (!keeps_alive) head += "Connection: close\r\n";
  head += "\r\n";
  return head;
}

}  // namespace berth::serve
