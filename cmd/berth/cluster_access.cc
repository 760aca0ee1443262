#include "cmd/berth/cluster_access.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/watched_kinds.h"
#include "berth/client/api_error.h"
#include "berth/client/blocking.h"
#include "berth/client/http_loop.h"
#include "berth/client/kubeconfig.h"
#include "berth/client/paths.h"
#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/text/words.h"
#include "berth/validation/dump_notes.h"
#include "cmd/berth/command.h"
#include "cmd/berth/progress.h"

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

// One kind to list. Without one that matters, the answer may be wrong, so it is an error; the others only add to it.
struct KindToList {
  const api::ObjectKind* kind;
  enum class Need : std::uint8_t { kNeeded, kMatters, kOptional } need = Need::kMatters;
};

// Nodes and pods first, since without them nothing else is worth asking for.
std::vector<KindToList> kinds_to_list(const ClusterKinds& chosen) {
  using Need = KindToList::Need;
  std::vector<KindToList> kinds = {{&api::kind_of<api::Node>(), Need::kNeeded},
                                   {&api::kind_of<api::Pod>(), Need::kNeeded}};
  for (const api::WatchedKind& each : api::watched_kinds()) {
    const bool is_first = each.kind == kinds[0].kind || each.kind == kinds[1].kind;
    if (!is_first) kinds.push_back({each.kind});
  }
  kinds.push_back({&api::kind_of<api::LimitRange>(), Need::kOptional});
  kinds.push_back({&api::kind_of<api::ResourceQuota>(), Need::kOptional});
  if (chosen.workloads) {
    kinds.push_back({&api::kind_of<api::Deployment>()});
    kinds.push_back({&api::kind_of<api::DaemonSet>()});
    kinds.push_back({&api::kind_of<api::Job>()});
  }
  if (chosen.events) kinds.push_back({&api::kind_of<api::CoreEvent>(), Need::kOptional});
  return kinds;
}

// What tells of autoscalers. Few clusters have all of these kinds, and few users may read them: what cannot be listed
// is not missed.
void add_autoscaling(client::HttpLoop& loop, InternPool& pool, codec::Documents& into) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKinds = {{
      {"karpenter.sh/v1", "NodePool"},
      {"karpenter.k8s.aws/v1", "EC2NodeClass"},
      {"karpenter.azure.com/v1beta1", "AKSNodeClass"},
      {"eks.amazonaws.com/v1", "NodeClass"},
      {"cluster.x-k8s.io/v1beta1", "MachineDeployment"},
      {"cluster.x-k8s.io/v1beta1", "MachineSet"},
  }};
  for (const auto& [api_version, name] : kKinds) {
    const api::ObjectKind* kind = api::find_kind(api_version, name);
    auto objects = client::list_all(loop, *kind, pool);
    if (!objects) continue;
    into.objects.insert(into.objects.end(), std::make_move_iterator(objects->begin()),
                        std::make_move_iterator(objects->end()));
  }
  client::Request request;
  request.path = "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status";
  request.accept = "application/json";
  const auto response = client::fetch(loop, std::move(request));
  if (!response || !response->is_success()) return;
  codec::DecodeOptions decode;
  decode.pool = &pool;
  codec::read_documents(response->body, "cluster-autoscaler-status", decode, into);
}

Result<std::unique_ptr<client::HttpLoop>> connect(const client::Endpoint& endpoint) {
  client::HttpLoop::Options options;
  options.user_agent = client_user_agent();
  options.warn = [](std::string_view warning) { failure(warning); };
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

// The body of a successful answer.
Result<std::string> get_from_daemon(const client::Endpoint& endpoint, std::string path) {
  auto loop = connect(endpoint);
  if (!loop) return fail(std::move(loop).error());
  client::Request request;
  request.path = std::move(path);
  request.accept = "application/json";
  auto response = client::fetch(**loop, std::move(request));
  if (!response) return fail(Error("cannot ask the daemon: " + response.error().message()));
  if (response->is_success()) return std::move(response->body);
  const auto words = codec::from_json<DaemonWords>(response->body);
  if (words && !words->error.empty()) return fail(words->error);
  return fail(client::to_error("cannot ask the daemon", client::api_error_of(*response)));
}

Error not_a_daemon(const ClusterAccess& access) {
  return Error(access.server + " does not answer as a Berth daemon does").with_fix("is the URL right?");
}

}  // namespace

void add_kubeconfig_options(CLI::App& command, ClusterAccess& access) {
  command.add_option("--kubeconfig", access.kubeconfig, "The cluster to ask; as kubectl finds it without")
      ->type_name("FILE");
  command.add_option("--context", access.context, "The context of the kubeconfig; the current one without")
      ->type_name("NAME");
  command.add_option("-n,--namespace", access.name_space, "Of names without one; that of the context without")
      ->type_name("NAMESPACE");
  CLI::Option* as =
      command.add_option("--as", access.as_user, "Ask the cluster as this user, by impersonation")->type_name("USER");
  command.add_option("--as-group", access.as_groups, "Group of that user; may be given several times")
      ->type_name("GROUP")
      ->allow_extra_args(false)
      ->needs(as);
}

void add_daemon_options(CLI::App& command, ClusterAccess& access) {
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
  auto endpoint = client::find_endpoint({.kubeconfig = access.kubeconfig, .context = access.context},
                                        client::ClientEnvironment::of_process());
  if (!endpoint) return endpoint;
  if (!access.name_space.empty()) endpoint->name_space = access.name_space;
  if (!access.as_user.empty()) {
    endpoint->credentials.impersonation = {};
    endpoint->credentials.impersonation.user = access.as_user;
    endpoint->credentials.impersonation.groups = access.as_groups;
  }
  return endpoint;
}

Result<codec::Documents> list_cluster(const client::Endpoint& endpoint, const ClusterKinds& kinds, InternPool& pool) {
  Progress progress("Reading the cluster");
  auto loop = connect(endpoint);
  if (!loop) return fail(std::move(loop).error());
  codec::Documents documents;
  std::vector<std::string> notes;
  for (const auto& [kind, need] : kinds_to_list(kinds)) {
    progress.now(fmt::format("Reading the cluster: {}", kind->resource));
    auto objects = client::list_all(**loop, *kind, pool, [&](std::size_t count) {
      progress.now(fmt::format("Reading the cluster: {} {}", text::grouped(count), kind->resource));
    });
    if (!objects) {
      Error error = std::move(objects).error();
      if (need == KindToList::Need::kNeeded) return fail(std::move(error));
      if (need == KindToList::Need::kOptional) {
        notes.push_back(error.message());
      } else if (need == KindToList::Need::kMatters) {
        documents.errors.push_back(std::move(error));
      }
      continue;
    }
    documents.objects.insert(documents.objects.end(), std::make_move_iterator(objects->begin()),
                             std::make_move_iterator(objects->end()));
  }
  add_autoscaling(**loop, pool, documents);
  progress.end();
  for (const std::string& note : notes) failure("note: " + note);
  documents.notes = validation::tidy_dump(documents.objects);
  return documents;
}

void list_events_of(const client::Endpoint& endpoint, std::string_view pod, InternPool& pool,
                    codec::Documents& documents) {
  const std::size_t slash = pod.find('/');
  if (slash == std::string_view::npos) return;
  auto loop = connect(endpoint);
  if (!loop) return;
  const std::string name_space(pod.substr(0, slash));
  for (const std::string& selector :
       {fmt::format("involvedObject.kind=Pod,involvedObject.name={}", pod.substr(slash + 1)),
        std::string("involvedObject.kind=PersistentVolumeClaim")}) {
    auto events = client::list_some(**loop, api::kind_of<api::CoreEvent>(),
                                    {.name_space = name_space, .field_selector = selector}, pool);
    if (!events) return;
    documents.objects.insert(documents.objects.end(), std::make_move_iterator(events->begin()),
                             std::make_move_iterator(events->end()));
  }
}

Result<DaemonAnswer> ask_daemon(const ClusterAccess& access, std::string_view pod) {
  const auto endpoint = daemon_endpoint(access);
  if (!endpoint) return fail(endpoint.error());
  const std::size_t slash = pod.find('/');
  const std::string own_namespace = endpoint->name_space.empty() ? "default" : endpoint->name_space;
  const std::string_view name_space =
      slash == std::string_view::npos ? std::string_view(own_namespace) : pod.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? pod : pod.substr(slash + 1);
  auto body = get_from_daemon(*endpoint, fmt::format("/berth/v1/pods/{}/{}", client::percent_encoded(name_space),
                                                     client::percent_encoded(name)));
  if (!body) return fail(body.error());
  const auto words = codec::from_json<DaemonWords>(*body);
  if (!words) return fail(not_a_daemon(access));
  return DaemonAnswer{.json = *std::move(body), .text = words->text};
}

Result<explain::PendingReport> ask_daemon_for_pending(const ClusterAccess& access, std::string_view selector) {
  const auto endpoint = daemon_endpoint(access);
  if (!endpoint) return fail(endpoint.error());
  const auto body = get_from_daemon(
      *endpoint,
      client::with_query("/berth/v1/pending", {{"namespace", access.name_space}, {"labelSelector", selector}}));
  if (!body) return fail(body.error());
  auto report = codec::from_json<explain::PendingReport>(*body);
  if (!report) return fail(not_a_daemon(access));
  return *std::move(report);
}

}  // namespace berth::cmd
