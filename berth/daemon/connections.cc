#include "berth/daemon/connections.h"

#include <pthread.h>

#include <string_view>
#include <utility>

#include "berth/client/in_cluster.h"
#include "berth/client/kubeconfig.h"
#include "berth/daemon/extender_client.h"
#include "berth/daemon/thread_policy.h"

namespace berth::daemon {

namespace {

Result<client::Endpoint> find_api_server(const Settings& settings) {
  const std::string& master = settings.flags.master;
  client::Endpoint endpoint;
  if (!settings.kubeconfig.empty()) {
    auto found = client::read_kubeconfig({settings.kubeconfig});
    if (!found) return found;
    endpoint = *std::move(found);
  } else if (master.empty()) {
    auto found = client::in_cluster_endpoint(client::ClientEnvironment::of_process());
    if (found) return found;
    return fail(std::move(found.error()).with_fix("give --kubeconfig, or run in a pod with a service account"));
  }
  if (!master.empty()) endpoint.server = master;
  return endpoint;
}

// For those who look with top -H.
void name_thread(const char* name) {
  (void)::pthread_setname_np(::pthread_self(), name);
}

// "https://10.0.0.1:6443/path" is at "10.0.0.1:6443".
std::string host_of(std::string_view server) {
  if (const std::size_t scheme = server.find("://"); scheme != std::string_view::npos) server.remove_prefix(scheme + 3);
  return std::string(server.substr(0, server.find('/')));
}

}  // namespace

Result<std::unique_ptr<Connections>> Connections::make(const Settings& settings, std::string user_agent, Log& log) {
  std::unique_ptr<Connections> made(new Connections(log));
  made->user_agent_ = std::move(user_agent);
  if (auto done = made->connect_api(settings); !done) return std::unexpected(done.error());
  if (settings.flags.serving.secure_port != 0) {
    auto authentication = made->connect_reviews(settings.flags.authentication.kubeconfig, "--authentication-kubeconfig",
                                                "bearer tokens are not authenticated");
    if (!authentication) return std::unexpected(authentication.error());
    if (*authentication) made->authentication_.emplace(**authentication);
    auto authorization = made->connect_reviews(settings.flags.authorization.kubeconfig, "--authorization-kubeconfig",
                                               "only --authorization-always-allow-paths are authorized");
    if (!authorization) return std::unexpected(authorization.error());
    if (*authorization) made->authorization_.emplace(**authorization);
  }
  for (const config::Extender& extender : settings.config.config.extenders) made->connect_extender(extender);
  return made;
}

Result<std::unique_ptr<client::HttpLoop>> Connections::connect(const client::Endpoint& endpoint,
                                                               std::string_view what) {
  client::HttpLoop::Options options;
  options.user_agent = user_agent_;
  options.warn = [this, of = std::string(what)](std::string_view message) {
    log_.warning("Connection error", {{"err", message}, {"connection", of}});
  };
  return client::HttpLoop::make(endpoint, std::move(options));
}

Result<void> Connections::connect_api(const Settings& settings) {
  auto endpoint = find_api_server(settings);
  if (!endpoint) return std::unexpected(endpoint.error());
  endpoint_ = *std::move(endpoint);
  counts_ = std::make_unique<RestCounts>(host_of(endpoint_.server));
  auto reading = connect(endpoint_, "reading");
  if (!reading) return std::unexpected(reading.error());
  reading_ = *std::move(reading);
  auto writing = connect(endpoint_, "writing");
  if (!writing) return std::unexpected(writing.error());
  writing_ = *std::move(writing);
  reading_->post([] { name_thread("reading"); });
  writing_->post([renews_lease = settings.config.config.leader_election.leader_elect] {
    name_thread("writing");
    if (renews_lease) use_normal_scheduling();
  });
  counted_reading_ = std::make_unique<CountedTransport>(*reading_, *reading_, *counts_);
  counted_writing_ = std::make_unique<CountedTransport>(*writing_, *writing_, *counts_);
  return {};
}

Result<std::optional<ApiLine>> Connections::connect_reviews(const std::string& kubeconfig, std::string_view flag,
                                                            std::string_view consequence) {
  const client::ClientEnvironment environment = client::ClientEnvironment::of_process();
  if (kubeconfig.empty() && !client::is_in_cluster(environment)) {
    log_.warning("Flag not set and not running in a cluster", {{"flag", flag}, {"consequence", consequence}});
    return std::optional<ApiLine>();
  }
  auto endpoint = kubeconfig.empty() ? client::in_cluster_endpoint(environment) : client::read_kubeconfig({kubeconfig});
  if (!endpoint) return std::unexpected(std::move(endpoint.error()).in_file(flag));
  if (*endpoint == endpoint_) return std::optional(writing());
  for (const auto& [known, loop] : others_) {
    if (known == *endpoint) return std::optional(ApiLine{*loop, *loop});
  }
  auto loop = connect(*endpoint, flag);
  if (!loop) return std::unexpected(std::move(loop.error()).in_file(flag));
  others_.emplace_back(*endpoint, *std::move(loop));
  client::HttpLoop& made = *others_.back().second;
  return std::optional(ApiLine{made, made});
}

void Connections::connect_extender(const config::Extender& extender) {
  const auto give_up = [&](const Error& error) {
    log_.error("Cannot set up extender client", {{"err", error}, {"extender", extender.url_prefix}});
    extenders_.push_back(nullptr);
  };
  auto endpoint = extender_endpoint(extender);
  if (!endpoint) return give_up(endpoint.error());
  auto loop = connect(*endpoint, extender.url_prefix);
  if (!loop) return give_up(loop.error());
  others_.emplace_back(*std::move(endpoint), *std::move(loop));
  client::HttpLoop& made = *others_.back().second;
  extenders_.push_back(std::make_unique<ForwardingTransport>(*writing_, made, made));
}

}  // namespace berth::daemon
