// HTTP requests to one server, as seen by those who make them. Credentials, TLS, proxies and connections are the
// transport's affair; paths are relative to the server.
//
// All calls on the loop's thread (loop.h); callbacks come there as well, never from within start() or cancel(). Every
// request that is not cancelled ends with exactly one on_end. The real transport is HttpLoop (http_loop.h), the one for
// tests is in testing.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/time.h"

namespace berth::client {

enum class Method : std::uint8_t { kGet, kPost, kPut, kPatch, kDelete };
std::string_view to_string(Method method);  // "GET"

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  Method method = Method::kGet;
  std::string path;  // with the query: "/api/v1/pods?limit=500"
  std::string body;
  std::string content_type;  // of the body; empty: none
  std::string accept;        // empty: anything
  std::vector<Header> headers;
  // The whole request; zero: no limit (watches).
  Duration timeout = Duration::seconds(30);
  // No byte received for so long means that the connection is dead; zero: no limit.
  Duration idle_timeout;
};

// How a request ended.
struct Response {
  enum class Transfer : std::uint8_t {
    kComplete,  // the server answered: see status
    kNotSent,   // it never reached the server: refused, unknown host, TLS failed
    kBroken,    // the connection broke or the time ran out after the request (or part of it) was sent
  };
  Transfer transfer = Transfer::kComplete;
  int status = 0;  // of HTTP; 0 if none came
  std::vector<Header> headers;
  std::string body;   // empty for a stream
  std::string error;  // what went wrong with the transfer; "" if complete

  bool is_complete() const { return transfer == Transfer::kComplete; }
  bool is_success() const { return is_complete() && status >= 200 && status < 300; }
  // The value of the first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const;
  // Of the header Retry-After, which API servers give in seconds; zero if there is none.
  Duration retry_after() const;
};

// Unique in the life of a transport; 0 is none.
using RequestId = std::uint64_t;

// For answers that come piece by piece.
struct StreamHandler {
  // The status line and headers came. Only for a status of 2xx do pieces follow; other answers come whole in on_end.
  std::function<void(int status)> on_begin;
  std::function<void(std::string_view piece)> on_piece;
  std::function<void(const Response&)> on_end;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual RequestId start(Request request, std::function<void(Response)> on_end) = 0;
  virtual RequestId start_stream(Request request, StreamHandler handler) = 0;
  // No callback comes after this one. Nothing happens if the request has ended.
  virtual void cancel(RequestId request) = 0;
};

}  // namespace berth::client
