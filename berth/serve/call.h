// A request as a handler sees it, and its answer. Handlers are called on the server's threads, several at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/client/transport.h"

namespace berth::serve {

class ClientCertificate;

struct QueryValue {
  std::string name;
  std::string value;
};

struct Call {
  std::string method;  // "GET"
  std::string path;    // decoded, without the query: what is routed by and what rights are asked for
  std::string target;  // as the client sent it, for messages
  std::vector<QueryValue> query;
  std::vector<client::Header> headers;  // in the client's order and spelling
  std::string body;
  std::string remote_address;                            // "10.0.0.7"
  std::shared_ptr<const ClientCertificate> certificate;  // as presented, checked by nobody; null: none

  // The first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const;
  // All of them, in order.
  std::vector<std::string_view> header_values(std::string_view name) const;
  // The first value in the query; nothing if the name is not there.
  std::optional<std::string_view> query_value(std::string_view name) const;
};

struct Reply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<client::Header> headers;  // besides Content-Type and Content-Length

  // As Go's http.Error: the text and a line break.
  static Reply error(int status, std::string text);
  static Reply text(std::string body) {
    return {.status = 200, .content_type = kText, .body = std::move(body), .headers = {}};
  }
  static Reply json(std::string body, int status = 200) {
    return {.status = status, .content_type = "application/json", .body = std::move(body), .headers = {}};
  }

 private:
  static constexpr const char* kText = "text/plain; charset=utf-8";
};

using Handler = std::function<Reply(const Call&)>;

// "%2F" and the like; with `plus_is_space` as in queries. Nothing if an escape is broken.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);
// "a=1&b=%20&c": broken parts are left out, as Go does.
std::vector<QueryValue> parse_query(std::string_view text);

}  // namespace berth::serve
