#include "berth/client/in_cluster.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "berth/client/watched_file.h"

namespace berth::client {

namespace {

constexpr std::string_view kFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

std::string mounted(const ClientEnvironment& environment, std::string_view name) {
  return fmt::format("{}{}/{}", environment.root, kFolder, name);
}

bool exists(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

}  // namespace

bool is_in_cluster(const ClientEnvironment& environment) {
  return !environment.service_host.empty() && !environment.service_port.empty() &&
         exists(mounted(environment, "token"));
}

Result<Endpoint> in_cluster_endpoint(const ClientEnvironment& environment) {
  if (environment.service_host.empty() || environment.service_port.empty()) {
    return fail(Error("not running in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set")
                    .with_fix("give a kubeconfig"));
  }
  const std::string token = mounted(environment, "token");
  if (!exists(token)) {
    return fail(Error("the pod has no service account token")
                    .in_file(token)
                    .with_fix("enable automountServiceAccountToken, or give a kubeconfig"));
  }
  Endpoint endpoint;
  const bool is_ipv6 = environment.service_host.find(':') != std::string::npos;
  endpoint.server = is_ipv6 ? fmt::format("https://[{}]:{}", environment.service_host, environment.service_port)
                            : fmt::format("https://{}:{}", environment.service_host, environment.service_port);
  endpoint.credentials.token_file = token;
  // Without it the machine's own CAs count, as with client-go.
  if (const std::string ca = mounted(environment, "ca.crt"); exists(ca)) endpoint.tls.ca.file = ca;
  if (auto name_space = read_small_file(mounted(environment, "namespace")))
    endpoint.name_space = *std::move(name_space);
  return endpoint;
}

}  // namespace berth::client
