// The daemon's connections: one for reading from the API server, one for writing to it, and further ones for
// extenders and for reviews under other credentials, each with a thread of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/error.h"
#include "berth/client/endpoint.h"
#include "berth/client/http_loop.h"
#include "berth/config/scheduler_config.h"
#include "berth/daemon/cluster_session.h"
#include "berth/daemon/forwarding_transport.h"
#include "berth/daemon/log.h"
#include "berth/daemon/rest_metrics.h"
#include "berth/daemon/settings.h"

namespace berth::daemon {

class Connections {
 public:
  // Nothing is sent yet. The errors: a kubeconfig that cannot be used, or none at all.
  static Result<std::unique_ptr<Connections>> make(const Settings& settings, std::string user_agent, Log& log);

  ApiLine reading() { return {*reading_, *counted_reading_}; }
  ApiLine writing() { return {*writing_, *counted_writing_}; }
  // For reviews; unset: there are none.
  std::optional<ApiLine> authentication() { return authentication_; }
  std::optional<ApiLine> authorization() { return authorization_; }
  // Usable on the writing loop; null if it could not be made.
  client::Transport* extender(std::size_t index) { return extenders_[index].get(); }

  const RestCounts& counts() const { return *counts_; }
  const std::string& server() const { return endpoint_.server; }

 private:
  explicit Connections(Log& log) : log_(log) {}
  Result<std::unique_ptr<client::HttpLoop>> connect(const client::Endpoint& endpoint, std::string_view what);
  Result<void> connect_api(const Settings& settings);
  Result<std::optional<ApiLine>> connect_reviews(const std::string& kubeconfig, std::string_view flag,
                                                 std::string_view consequence);
  void connect_extender(const config::Extender& extender);

  Log& log_;
  std::string user_agent_;
  client::Endpoint endpoint_;
  std::unique_ptr<RestCounts> counts_;
  // What forwards to a loop outlives it, so that nothing it posted calls what is gone.
  std::vector<std::unique_ptr<ForwardingTransport>> extenders_;
  std::unique_ptr<CountedTransport> counted_reading_;
  std::unique_ptr<CountedTransport> counted_writing_;
  std::optional<ApiLine> authentication_;
  std::optional<ApiLine> authorization_;
  std::unique_ptr<client::HttpLoop> reading_;
  std::unique_ptr<client::HttpLoop> writing_;
  std::vector<std::pair<client::Endpoint, std::unique_ptr<client::HttpLoop>>> others_;
};

}  // namespace berth::daemon
