#include "berth/serve/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/codec/json.h"

namespace berth::serve {

namespace {

// As Go's %q does for the texts that come here.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result += '"';
}

// A browser must not take an error for a page.
std::string without_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      default: result += c;
    }
  }
  return result;
}

Reply status_reply(int code, std::string_view reason, std::string_view message, std::string_view details) {
  return Reply::json(
      fmt::format(
          R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":{},"reason":"{}",)"
          R"({}"code":{}}})"
          "\n",
          codec::to_json(std::string(message)), reason, details, code),
      code);
}

std::string verb_of(std::string_view method) {
  std::string verb(method);
  std::ranges::transform(verb, verb.begin(), ascii_lower);
  return verb;
}

Reply unauthorized() {
  return status_reply(401, "Unauthorized", "Unauthorized", "");
}

Reply forbidden(const User& user, std::string_view verb, const Call& call, const std::string& reason) {
  std::string message = "forbidden: " + without_markup(fmt::format("User {} cannot {} path {}", quoted(user.name), verb,
                                                                   quoted(call.path)));
  if (!reason.empty()) message += ": " + reason;
  Reply reply = status_reply(403, "Forbidden", message, R"("details":{},)");
  reply.headers.push_back({"X-Content-Type-Options", "nosniff"});
  return reply;
}

Reply could_not_ask(const Call& call, const Error& error) {
  return Reply::error(
      500, without_markup(fmt::format("Internal Server Error: {}: {}", quoted(call.target), error.message())));
}

}  // namespace

Handler guarded(Authenticator& authenticator, Authorizer& authorizer, Handler inner, OnRefusal on_refusal) {
  const auto answer = [&authenticator, &authorizer, inner = std::move(inner),
                       on_refusal = std::move(on_refusal)](const Call& call) {
    const auto user = authenticator.authenticate(call);
    if (!user) {
      if (on_refusal) on_refusal(call, "Unable to authenticate the request", user.error());
      return unauthorized();
    }
    const std::string verb = verb_of(call.method);
    const auto decision = authorizer.authorize(*user, verb, call.path);
    if (!decision) {
      if (on_refusal) on_refusal(call, "Unable to authorize the request", decision.error());
      return could_not_ask(call, decision.error());
    }
    return decision->is_allowed ? inner(call) : forbidden(*user, verb, call, decision->reason);
  };
  return [answer](const Call& call) {
    Reply reply = answer(call);
    reply.headers.push_back({"Cache-Control", "no-cache, private"});
    return reply;
  };
}

}  // namespace berth::serve
