// Loads the client CA bundles: from the files that flags name, and, for what no flag gives, from the ConfigMap
// kube-system/extension-apiserver-authentication, where the API server publishes its own. Both are read again
// and again, so rotated authorities are in use without a restart.
//
// A state machine on the loop's thread (berth/client/loop.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/loop.h"
#include "berth/client/transport.h"
#include "berth/serve/authentication.h"

namespace berth::serve {

struct TrustOptions {
  std::string client_ca_file = {};          // --client-ca-file
  std::string request_header_ca_file = {};  // --requestheader-client-ca-file, with the five below
  std::vector<std::string> allowed_names = {};
  std::vector<std::string> username_headers = {"x-remote-user"};
  std::vector<std::string> uid_headers = {};
  std::vector<std::string> group_headers = {"x-remote-group"};
  std::vector<std::string> extra_header_prefixes = {"x-remote-extra-"};

  // --authentication-skip-lookup: files alone.
  bool skip_lookup = false;
  // --authentication-tolerate-lookup-failure: the server begins without what could not be read, and tries again.
  bool tolerate_lookup_failure = true;

  // A ConfigMap that cannot be read is read again after kRetry, otherwise everything after kRefresh.
  static constexpr Duration kRefresh = Duration::seconds(60);
  static constexpr Duration kRetry = Duration::seconds(5);
};

// What the ConfigMap says. The error: JSON that is none, or lists that are none.
Result<Trust> trust_from_config_map(std::string_view json);

class AuthConfigReader {
 public:
  // On every change. What it returns as an error (a bundle that is none) goes to on_problem.
  using OnTrust = std::function<Result<void>(const Trust&)>;
  using OnProblem = std::function<void(const Error&)>;

  AuthConfigReader(client::Loop& loop, client::Transport& transport, TrustOptions options, OnTrust on_trust,
                   OnProblem on_problem = {});
  ~AuthConfigReader();
  AuthConfigReader(const AuthConfigReader&) = delete;
  AuthConfigReader& operator=(const AuthConfigReader&) = delete;

  // `on_first` is called once, when the first reading is over. Its error ends the process: a file that cannot be read
  // or holds no authorities, or a lookup that failed and may not. Nonsense in the ConfigMap is no reason: a scheduler
  // that knows fewer people is better than none.
  void start(std::function<void(Result<void>)> on_first);

 private:
  bool needs_lookup() const;
  void read();
  void looked_up(const client::Response& response);
  // `others` with what the files say instead.
  Result<Trust> with_files(Trust others) const;
  void apply();
  void finish(Duration next);
  void report(const Error& error);
  void tell_first(Result<void> result);

  client::Loop& loop_;
  client::Transport& transport_;
  const TrustOptions options_;
  const OnTrust on_trust_;
  const OnProblem on_problem_;
  std::function<void(Result<void>)> on_first_;
  Trust from_cluster_;            // as last read
  std::optional<Trust> applied_;  // what on_trust was told last
  client::RequestId request_ = 0;
  client::TimerId timer_ = 0;
};

}  // namespace berth::serve
