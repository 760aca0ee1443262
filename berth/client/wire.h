// What moves the bytes of requests to one server and back. There are two: HTTP/2 over TLS, which is what API servers
// speak and what costs least (http2_wire.h), and libcurl for everything else: proxies, HTTP/1.1, servers without TLS
// (curl_wire.h). Internal to the real transport.
//
// A wire never calls users: it stores what came in the transfers and notes in WireNews whose turn it is. The worker
// (http_worker.h) looks there after perform().
//
// Not thread safe.
#pragma once

#include <poll.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/client/transfer.h"

namespace berth::client {

struct WireNews {
  struct End {
    RequestId request = 0;
    Response::Transfer how = Response::Transfer::kComplete;
    std::string error;  // if it is not complete
  };

  std::vector<RequestId> touched;  // something came for them
  std::vector<End> ended;          // the wire has forgotten them
  bool needs_http1 = false;        // the server does not speak what the wire does

  void end(Transfer& transfer, Response::Transfer how, std::string error = {}) {
    transfer.is_on_wire = false;
    ended.push_back({.request = transfer.id, .how = how, .error = std::move(error)});
  }
  void touch(Transfer& transfer) {
    if (transfer.is_touched) return;
    transfer.is_touched = true;
    touched.push_back(transfer.id);
  }
};

class Wire {
 public:
  virtual ~Wire() = default;

  // The transfer stays where it is until it has ended or is forgotten.
  virtual void send(Transfer& transfer) = 0;
  // Nothing more of it is sent or stored. Requires: it was sent and has not ended.
  virtual void forget(Transfer& transfer) = 0;
  // What to say of a transfer that has not ended: kNotSent only if the server cannot have seen any of it.
  virtual Response::Transfer judge(const Transfer& transfer) const = 0;

  // Moves what can be moved without waiting.
  virtual void perform() = 0;
  // Sleeps until there is something to move, one of the files is readable (see their revents) or the time is over.
  virtual void wait(std::span<pollfd> files, Duration at_most) = 0;
};

}  // namespace berth::client
