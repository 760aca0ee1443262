#include "berth/client/api_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"

namespace berth::client {

namespace {

// How much of an answer that is no Status (a proxy's page) is worth showing.
constexpr std::size_t kMaxShownBytes = 200;
constexpr std::string_view kProtobufMagic("k8s\0", 4);

std::optional<api::Status> decode_status(const Response& response) {
  const std::string_view body = response.body;
  if (body.starts_with(kProtobufMagic)) {
    const auto object = codec::object_from_protobuf(body);
    if (!object) return std::nullopt;
    const auto status = object->as<api::Status>();
    return status == nullptr ? std::nullopt : std::optional(*status);
  }
  if (!body.starts_with('{')) return std::nullopt;
  const auto object = codec::object_from_json(body);
  if (!object) return std::nullopt;
  const auto status = object->as<api::Status>();
  return status == nullptr ? std::nullopt : std::optional(*status);
}

std::string_view name_of_status(int status) {
  struct Row {
    int status;
    std::string_view name;
  };
  static constexpr std::array kRows = {
      Row{400, "Bad Request"},
      Row{401, "Unauthorized"},
      Row{403, "Forbidden"},
      Row{404, "Not Found"},
      Row{405, "Method Not Allowed"},
      Row{406, "Not Acceptable"},
      Row{408, "Request Timeout"},
      Row{409, "Conflict"},
      Row{410, "Gone"},
      Row{413, "Payload Too Large"},
      Row{415, "Unsupported Media Type"},
      Row{422, "Unprocessable Entity"},
      Row{429, "Too Many Requests"},
      Row{500, "Internal Server Error"},
      Row{502, "Bad Gateway"},
      Row{503, "Service Unavailable"},
      Row{504, "Gateway Timeout"},
  };
  const auto* found = std::ranges::find(kRows, status, &Row::status);
  return found == kRows.end() ? "" : found->name;
}

// The first line of what came, without what a terminal would take amiss.
std::string excerpt(std::string_view body) {
  std::string text(body.substr(0, std::min(body.find_first_of("\r\n"), kMaxShownBytes)));
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

void take_over(const api::Status& status, ApiError& error) {
  error.reason = status.reason.str();
  error.message = status.message;
  if (!status.details) return;
  error.name = status.details->name;
  error.kind = status.details->kind.str();
  if (error.retry_after == Duration() && status.details->retry_after_seconds > 0) {
    error.retry_after = Duration::seconds(status.details->retry_after_seconds);
  }
}

void ensure_message(ApiError& error) {
  if (!error.message.empty()) return;
  const std::string_view name = name_of_status(error.status);
  error.message = name.empty() ? fmt::format("the server responded with status {}", error.status) : std::string(name);
}

}  // namespace

bool ApiError::is_transient() const {
  if (transfer != Response::Transfer::kComplete) return true;
  return is_too_many_requests() || is_server_timeout() || is_internal_error() || is_service_unavailable() ||
         status == 502 || status == 408 || retry_after > Duration();
}

bool ApiError::is_outcome_unknown() const {
  if (transfer == Response::Transfer::kBroken) return true;
  if (transfer == Response::Transfer::kNotSent) return false;
  return is_server_timeout() || status == 500 || status == 502 || status == 504;
}

std::string ApiError::text() const {
  if (transfer != Response::Transfer::kComplete) return message;
  if (reason.empty()) return fmt::format("{} {}", status, message);
  return fmt::format("{} {}: {}", status, reason, message);
}

ApiError api_error_of(const Response& response) {
  ApiError error;
  error.transfer = response.transfer;
  if (!response.is_complete()) {
    error.message = response.error.empty() ? "connection lost" : response.error;
    return error;
  }
  error.status = response.status;
  error.retry_after = response.retry_after();
  if (const auto status = decode_status(response)) {
    take_over(*status, error);
  } else {
    error.message = excerpt(response.body);
  }
  ensure_message(error);
  return error;
}

ApiError api_error_of(const api::Status& status) {
  ApiError error;
  error.status = status.code;
  take_over(status, error);
  ensure_message(error);
  return error;
}

Error to_error(std::string_view what, const ApiError& error) {
  Error result(fmt::format("{}: {}", what, error.text()));
  if (error.is_unauthorized()) return std::move(result).with_fix("the credentials are invalid or expired");
  return result;
}

}  // namespace berth::client
