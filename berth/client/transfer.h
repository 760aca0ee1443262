// One request on its way: what is sent, and what has come back so far. Internal to the real transport (http_worker.h).
//
// The worker owns it and says who is called; a wire (wire.h) moves its bytes and only stores here what came.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/time.h"
#include "berth/client/credential_source.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"

namespace berth::client {

// An answer that does not come in pieces may be so long; the codec reads no longer documents.
inline constexpr std::size_t kMaxBodyBytes = std::size_t{2} << 30;

struct Transfer {
  RequestId id = 0;
  Request request;
  // Of a stream; null for a request whose answer comes whole. Shared, since a callback may cancel the request that it
  // is called for.
  std::shared_ptr<const StreamHandler> stream;
  std::function<void(Response)> on_answer;
  bool is_retry = false;

  bool is_on_wire = false;
  std::shared_ptr<const Identity> identity;
  std::vector<Header> headers;  // all that is to be sent but what HTTP itself needs

  Response response;
  std::string pieces;        // of a stream, not delivered yet
  bool has_headers = false;  // all of them
  bool has_begun = false;    // on_begin was called
  bool is_touched = false;   // on WireNews::touched

  Instant started_at;
  Instant last_byte_at;
  TimerId deadline_timer = 0;
  TimerId idle_timer = 0;

  bool is_stream() const { return stream != nullptr; }
  // Where the bytes of an answer of this status go.
  std::string& body() {
    const bool is_success = response.status >= 200 && response.status < 300;
    return is_stream() && is_success ? pieces : response.body;
  }
  // Makes it as it was before anything was sent.
  void rewind() {
    headers.clear();
    response = {};
    pieces.clear();
    has_headers = false;
  }
};

}  // namespace berth::client
