// Whether a user may do something. Some paths are for all, members of system:masters may do all, and about the rest the
// API server is asked (SubjectAccessReview). Without an API server to ask, nothing else is allowed. Thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/serve/expiring_cache.h"
#include "berth/serve/reviews.h"
#include "berth/serve/user.h"

namespace berth::serve {

struct AuthorizationOptions {
  // Exact, or with a "*" at the end.
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};
  std::vector<std::string> always_allow_groups = {std::string(kMasters)};
  Duration authorized_ttl = Duration::seconds(10);
  Duration unauthorized_ttl = Duration::seconds(10);
  std::size_t remembered_answers = 4096;
  std::function<Instant()> now;  // monotonic
};

struct Decision {
  bool is_allowed = false;
  std::string reason;  // of a refusal, as the API server gives it; often empty
};

class Authorizer {
 public:
  // `reviews` outlives this; null: there are none.
  Authorizer(AuthorizationOptions options, Reviews* reviews);

  // `verb` is the method in lower case. The error: the API server could not be asked.
  Result<Decision> authorize(const User& user, std::string_view verb, std::string_view path);

  // The error: a "*" somewhere else than at the end. To be called with the flag's value.
  static Result<void> check_paths(const std::vector<std::string>& paths);

 private:
  bool is_for_all(std::string_view path) const;
  bool is_privileged(const User& user) const;
  Result<Decision> ask(const User& user, std::string_view verb, std::string_view path);

  const AuthorizationOptions options_;
  Reviews* const reviews_;
  ExpiringCache<Decision> answers_;
};

}  // namespace berth::serve
