// What the daemon serves over HTTPS, with its certificate, authentication and authorization, as the flags
// configure them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/daemon/cluster_session.h"
#include "berth/daemon/endpoints.h"
#include "berth/daemon/flags.h"
#include "berth/daemon/log.h"
#include "berth/serve/authentication.h"
#include "berth/serve/authorization.h"
#include "berth/serve/reviews.h"
#include "berth/serve/server.h"
#include "berth/serve/trust.h"

namespace berth::daemon {

class Serving {
 public:
  struct Options {
    std::string hostname;
    // The connections for TokenReviews and the authentication ConfigMap, and for SubjectAccessReviews; unset: none.
    // They outlive the server.
    std::optional<ApiLine> authentication;
    std::optional<ApiLine> authorization;
    // Where files are looked at again and again if `authentication` is unset.
    ApiLine fallback;
    // Serving cannot go on: a setting that must be there could not be read. On a loop's thread.
    std::function<void(const Error&)> on_fatal;
  };

  // Listens when it returns.
  static Result<std::unique_ptr<Serving>> start(const RunFlags& flags, EndpointOptions endpoints, Log& log,
                                                Options options);
  // As stop().
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  std::uint16_t port() const { return server_->port(); }
  // Answers nothing more. Not from a loop's thread.
  void stop();

 private:
  Serving(const RunFlags& flags, Log& log, Options options);
  Result<void> listen(const RunFlags& flags, EndpointOptions endpoints);
  void read_trust(const RunFlags& flags);

  Log& log_;
  Options options_;
  ApiLine trust_line_;
  std::optional<serve::ApiReviews> token_reviews_;
  std::optional<serve::ApiReviews> access_reviews_;
  serve::Authenticator authenticator_;
  serve::Authorizer authorizer_;
  std::unique_ptr<serve::AuthConfigReader> trust_reader_;  // made and ended on the thread of trust_line_
  bool has_trust_reader_ = false;
  std::unique_ptr<serve::HttpsServer> server_;
};

}  // namespace berth::daemon
