// What an API server said when it refused: a Status object, in JSON or protobuf, behind an HTTP status.
//
// Callers decide by the questions below, which look at the reason first, as client-go does, and at the HTTP status
// where a proxy or an old server gave no Status.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/meta.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/transport.h"

namespace berth::client {

struct ApiError {
  // How the request ended; other than kComplete means that there is no answer, and status is 0.
  Response::Transfer transfer = Response::Transfer::kComplete;
  int status = 0;        // of HTTP
  std::string reason;    // "Conflict"; empty if the server gave none
  std::string message;   // for people; never empty
  Duration retry_after;  // zero: the server did not say
  // What the answer is about, if the server said.
  std::string name;
  std::string kind;

  bool is_conflict() const { return is("Conflict", 409); }
  bool is_already_exists() const { return reason == "AlreadyExists"; }
  bool is_not_found() const { return is("NotFound", 404); }
  // The history that was asked for is no longer there; list again.
  bool is_gone() const { return reason == "Expired" || is("Gone", 410); }
  bool is_too_many_requests() const { return is("TooManyRequests", 429); }
  bool is_unauthorized() const { return is("Unauthorized", 401); }
  bool is_forbidden() const { return is("Forbidden", 403); }
  bool is_invalid() const { return is("Invalid", 422); }
  bool is_bad_request() const { return is("BadRequest", 400); }
  // The server (or etcd behind it) ran out of time; the change may have been made all the same.
  bool is_server_timeout() const { return reason == "ServerTimeout" || is("Timeout", 504); }
  bool is_internal_error() const { return is("InternalError", 500); }
  bool is_service_unavailable() const { return is("ServiceUnavailable", 503); }

  // Worth another try: nothing is wrong with the request itself.
  bool is_transient() const;
  // The request may have taken effect although there is no answer that says so.
  bool is_outcome_unknown() const;

  // "409 Conflict: pods "web-1" is already assigned to node "n1"", or what broke the transfer.
  std::string text() const;

 private:
  bool is(std::string_view of_reason, int of_status) const {
    return reason.empty() ? status == of_status : reason == of_reason;
  }
};

// Requires: not response.is_success().
ApiError api_error_of(const Response& response);
// Of a Status that came in another way: the ERROR event of a watch.
ApiError api_error_of(const api::Status& status);

// The same as an error value, with `what` in front: "cannot list pods: 403 Forbidden: ...".
Error to_error(std::string_view what, const ApiError& error);

}  // namespace berth::client
