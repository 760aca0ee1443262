#include "cmd/berth/cluster_access.h"

#include <fmt/core.h>

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/client/api_error.h"
#include "berth/client/blocking.h"
#include "berth/client/http_loop.h"
#include "berth/client/kubeconfig.h"
#include "berth/client/paths.h"
#include "berth/codec/json.h"

namespace berth::cmd {
namespace {

// Of a daemon's answer, what is read here.
struct DaemonWords {
  std::string text;
  std::string error;
};

}  // namespace
}  // namespace berth::cmd

namespace berth::api {

template <>
const Schema& schema_of<cmd::DaemonWords>() {
  using W = cmd::DaemonWords;
  static const Schema schema("DaemonWords", {field<&W::text>("text", 0), field<&W::error>("error", 0)});
  return schema;
}

}  // namespace berth::api

namespace berth::cmd {
namespace {

// What placing a pod depends on: nodes and pods first, since without them nothing else is worth asking for.
std::vector<const api::ObjectKind*> kinds_to_list() {
  return {&api::kind_of<api::Node>(),
          &api::kind_of<api::Pod>(),
          &api::kind_of<api::Namespace>(),
          &api::kind_of<api::PriorityClass>(),
          &api::kind_of<api::Service>(),
          &api::kind_of<api::ReplicationController>(),
          &api::kind_of<api::ReplicaSet>(),
          &api::kind_of<api::StatefulSet>(),
          &api::kind_of<api::PodDisruptionBudget>(),
          &api::kind_of<api::StorageClass>(),
          &api::kind_of<api::PersistentVolume>(),
          &api::kind_of<api::PersistentVolumeClaim>(),
          &api::kind_of<api::CsiDriver>(),
          &api::kind_of<api::CsiNode>(),
          &api::kind_of<api::CsiStorageCapacity>(),
          &api::kind_of<api::VolumeAttachment>(),
          &api::kind_of<api::DeviceClass>(),
          &api::kind_of<api::ResourceClaim>(),
          &api::kind_of<api::ResourceSlice>()};
}

Result<std::unique_ptr<client::HttpLoop>> connect(const client::Endpoint& endpoint) {
  client::HttpLoop::Options options;
  options.user_agent = client_user_agent();
  options.warn = [](std::string_view warning) { fmt::print(stderr, "berth: {}\n", warning); };
  return client::HttpLoop::make(endpoint, std::move(options));
}

bool is_on_this_machine(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::string_view host = url.substr(scheme == std::string_view::npos ? 0 : scheme + 3);
  return host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]");
}

// The daemon's address, and whom the kubeconfig says that we are. A daemon has a certificate of its own, so the
// cluster's CA says nothing about it.
Result<client::Endpoint> daemon_endpoint(const ClusterAccess& access) {
  client::Endpoint endpoint;
  auto of_kubeconfig = cluster_endpoint(access);
  if (of_kubeconfig) {
    endpoint.credentials = std::move(of_kubeconfig->credentials);
    endpoint.tls.client_certificate = std::move(of_kubeconfig->tls.client_certificate);
    endpoint.tls.client_key = std::move(of_kubeconfig->tls.client_key);
    endpoint.name_space = std::move(of_kubeconfig->name_space);
  } else if (access.names_a_cluster()) {
    return of_kubeconfig;
  }
  endpoint.server = access.server;
  while (endpoint.server.ends_with('/')) endpoint.server.pop_back();
  if (endpoint.server.find("://") == std::string::npos) endpoint.server = "https://" + endpoint.server;
  endpoint.tls.ca.file = access.server_ca;
  endpoint.tls.insecure_skip_verify = access.insecure;
  // Where everybody on the way can read along, secrets are not sent.
  if (endpoint.server.starts_with("http://") && !is_on_this_machine(endpoint.server)) endpoint.credentials = {};
  if (!access.token_file.empty()) {
    endpoint.credentials = {};
    endpoint.credentials.token_file = access.token_file;
  }
  return endpoint;
}

}  // namespace

void add_cluster_options(CLI::App& command, ClusterAccess& access) {
  command.add_option("--kubeconfig", access.kubeconfig, "The cluster to ask; as kubectl finds it without")
      ->type_name("FILE");
  command.add_option("--context", access.context, "The context of the kubeconfig; the current one without")
      ->type_name("NAME");
  CLI::Option* server =
      command.add_option("--server", access.server, "Ask the Berth daemon there: https://HOST:10259")->type_name("URL");
  command.add_option("--token-file", access.token_file, "Token for the daemon; the kubeconfig's user without")
      ->type_name("FILE")
      ->needs(server);
  command.add_option("--server-ca", access.server_ca, "CA of the daemon's certificate; those of the machine without")
      ->type_name("FILE")
      ->needs(server);
  command.add_flag("--insecure-skip-tls-verify", access.insecure, "Trust any certificate of the daemon")->needs(server);
}

Result<client::Endpoint> cluster_endpoint(const ClusterAccess& access) {
  return client::find_endpoint({.kubeconfig = access.kubeconfig, .context = access.context},
                               client::ClientEnvironment::of_process());
}

Result<codec::Documents> list_cluster(const client::Endpoint& endpoint, InternPool& pool) {
  auto loop = connect(endpoint);
  if (!loop) return fail(std::move(loop).error());
  codec::Documents documents;
  for (const api::ObjectKind* kind : kinds_to_list()) {
    auto objects = client::list_all(**loop, *kind, pool);
    if (!objects) {
      const bool is_needed = kind == &api::kind_of<api::Node>() || kind == &api::kind_of<api::Pod>();
      if (is_needed) return fail(std::move(objects).error());
      documents.errors.push_back(std::move(objects).error());
      continue;
    }
    documents.objects.insert(documents.objects.end(), std::make_move_iterator(objects->begin()),
                             std::make_move_iterator(objects->end()));
  }
  return documents;
}

Result<DaemonAnswer> ask_daemon(const ClusterAccess& access, std::string_view pod) {
  const auto endpoint = daemon_endpoint(access);
  if (!endpoint) return fail(endpoint.error());
  auto loop = connect(*endpoint);
  if (!loop) return fail(std::move(loop).error());
  const std::size_t slash = pod.find('/');
  const std::string own_namespace = endpoint->name_space.empty() ? "default" : endpoint->name_space;
  const std::string_view name_space =
      slash == std::string_view::npos ? std::string_view(own_namespace) : pod.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? pod : pod.substr(slash + 1);

  client::Request request;
  request.path =
      fmt::format("/berth/v1/pods/{}/{}", client::percent_encoded(name_space), client::percent_encoded(name));
  request.accept = "application/json";
  auto response = client::fetch(**loop, std::move(request));
  if (!response) return fail(Error("cannot ask the daemon: " + response.error().message()));
  const auto words = codec::from_json<DaemonWords>(response->body);
  if (!response->is_success()) {
    if (words && !words->error.empty()) return fail(words->error);
    return fail(client::to_error("cannot ask the daemon", client::api_error_of(*response)));
  }
  if (!words) {
    return fail(Error(access.server + " does not answer as a Berth daemon does").with_fix("is the URL right?"));
  }
  return DaemonAnswer{.json = std::move(response->body), .text = words->text};
}

}  // namespace berth::cmd
