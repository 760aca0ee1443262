// One request on its way through libcurl: what is sent, what came back, and how a failure is judged. Internal to the
// real transport (curl_loop.cc).
//
// libcurl calls back from deep inside itself, where its own functions must not be called. So these callbacks only store
// what came and put the transfer on a list; the loop delivers it once libcurl has returned.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/time.h"
#include "berth/client/credential_source.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"

namespace berth::client {

// An answer that does not come in pieces may be so long; the codec reads no longer documents.
inline constexpr std::size_t kMaxBodyBytes = std::size_t{2} << 30;

// Headers as libcurl wants them, in one piece of memory per header.
class HeaderList {
 public:
  void add(std::string_view name, std::string_view value);
  // Keeps libcurl from sending its own header of that name.
  void suppress(std::string_view name);
  // Valid as long as this object and until the next add().
  const curl_slist* get();
  void clear() { lines_.clear(); }

 private:
  std::vector<std::string> lines_;
  std::vector<curl_slist> nodes_;
};

struct CurlTransfer {
  RequestId id = 0;
  Request request;
  // Of a stream; null for a request whose answer comes whole. Shared, since a callback may cancel the request that it
  // is called for.
  std::shared_ptr<const StreamHandler> stream;
  std::function<void(Response)> on_answer;
  bool is_retry = false;

  CURL* handle = nullptr;  // while libcurl is at it
  std::shared_ptr<const Identity> identity;
  HeaderList headers;
  std::size_t body_sent = 0;
  int local_port = 0;  // of the connection that it is on, which is how it is known; 0 while there is none

  Response response;
  std::string pieces;        // of a stream, not delivered yet
  bool has_headers = false;  // all of them
  bool has_begun = false;    // on_begin was called
  bool is_touched = false;   // on `touched`
  bool is_too_long = false;
  bool is_whole = false;  // the answer came to its end
  std::vector<RequestId>* touched = nullptr;
  std::array<char, CURL_ERROR_SIZE> curl_error{};

  Instant started_at;
  Instant last_byte_at;
  TimerId deadline_timer = 0;
  TimerId idle_timer = 0;

  bool is_stream() const { return stream != nullptr; }
  bool is_success_status() const { return response.status >= 200 && response.status < 300; }
  // Makes it as it was before anything was sent.
  void rewind();
  // Sets everything that depends on the request. The handle is set up for the server.
  void attach(CURL* with_handle, const std::string& url_prefix);

 private:
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_send(char* buffer, std::size_t size, std::size_t count, void* transfer);
  static int on_connected(void* transfer, char* remote, char* local, int remote_port, int local_port);
  void touch();
};

// How a transfer that libcurl gave up, or that we end ourselves (CURLE_OPERATION_TIMEDOUT), is to be judged. kNotSent
// only if the server cannot have seen any of the request.
Response::Transfer judge(CURLcode code, CURL* handle);

}  // namespace berth::client
