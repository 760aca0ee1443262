// Who makes a request. In this order, as kube-scheduler delegates it: a proxy that vouches for the user in headers and
// proves itself by a certificate; a client certificate; a bearer token, which the API server is asked about. Who shows
// no credentials is system:anonymous; one with invalid credentials gets 401.
//
// Whom to trust may change at any time (trust.h reads it), from any thread. Everything here is thread safe.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/serve/call.h"
#include "berth/serve/certificate.h"
#include "berth/serve/expiring_cache.h"
#include "berth/serve/reviews.h"
#include "berth/serve/user.h"

namespace berth::serve {

// CA bundles (PEM) and request headers to authenticate with; an empty bundle disables that method.
struct Trust {
  std::string client_ca = {};

  std::string request_header_ca = {};
  std::vector<std::string> allowed_names = {};  // of the proxy's certificate; empty: all
  std::vector<std::string> username_headers = {};
  std::vector<std::string> uid_headers = {};
  std::vector<std::string> group_headers = {};
  std::vector<std::string> extra_header_prefixes = {};

  bool operator==(const Trust&) const = default;
};

struct AuthenticationOptions {
  // Of what the API server said about a token, good or bad. That it could not be asked, or could not tell, is not
  // remembered.
  Duration token_ttl = Duration::seconds(10);
  std::size_t remembered_tokens = 4096;
  std::function<Instant()> now;              // of the wall clock: certificates are valid by it
  std::function<Instant()> steady_now = {};  // monotonic: token cache entries expire by it; unset: `now`
};

class Authenticator {
 public:
  // `reviews` outlives this; null: tokens count for nothing.
  Authenticator(AuthenticationOptions options, Reviews* reviews);

  // Replaces the CA bundles and headers. On an error, which is an invalid bundle, the previous ones stay.
  Result<void> set_trust(const Trust& trust);

  // The error: what was shown does not hold, or could not be checked. For the log, not for the client.
  Result<User> authenticate(const Call& call);

 private:
  struct Checked {
    Trust trust;
    std::shared_ptr<const CertificateAuthorities> client_authorities;          // null: none
    std::shared_ptr<const CertificateAuthorities> request_header_authorities;  // null: none
  };
  // The cached review of a token: a user, or that the token is invalid.
  using TokenAnswer = std::expected<User, Error>;

  TokenAnswer review(std::string_view token, bool& may_be_remembered);
  Result<User> user_of_token(std::string_view token);

  const AuthenticationOptions options_;
  Reviews* const reviews_;
  std::mutex mutex_;  // of checked_
  std::shared_ptr<const Checked> checked_;
  ExpiringCache<TokenAnswer> tokens_;
};

}  // namespace berth::serve
