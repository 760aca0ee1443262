#include "berth/client/kubeconfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "berth/base/base64.h"
#include "berth/client/in_cluster.h"
#include "berth/client/kubeconfig_file.h"
#include "berth/client/proxy.h"
#include "berth/client/server_address.h"
#include "berth/client/watched_file.h"
#include "berth/codec/yaml.h"

namespace berth::client {

namespace {

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// Absolute: a program without a folder would be looked up in $PATH.
std::string resolved(const std::string& path, const std::string& kubeconfig) {
  if (path.empty() || std::filesystem::path(path).is_absolute()) return path;
  std::error_code error;  // there is no current folder any more: then it has to do without
  const std::filesystem::path absolute = std::filesystem::absolute(kubeconfig, error);
  const std::filesystem::path folder = (error ? std::filesystem::path(kubeconfig) : absolute).parent_path();
  return (folder / path).lexically_normal().string();
}

bool exists(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// The reader's words may quote the value; of a secret they must not.
Error without_secrets(Error error) {
  static constexpr std::array<std::string_view, 5> kSecrets = {"token", "password", "client-key-data", "env", "value"};
  const std::string& where = error.where();
  const bool is_secret =
      std::ranges::any_of(kSecrets, [&](std::string_view name) { return where.find(name) != std::string::npos; });
  if (!is_secret) return error;
  return Error("must be a string").in_file(where).with_fix("quote the value");
}

template <typename T>
Result<void> check_names(const std::vector<KubeconfigNamed<T>>& entries, std::string_view list) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name.empty()) return fail(Error("must not be empty").in(fmt::format("{}[{}].name", list, i)));
    for (std::size_t j = 0; j < i; ++j) {
      if (entries[j].name == entries[i].name) {
        return fail(Error(fmt::format("'{}' is duplicated", entries[i].name))
                        .in(fmt::format("{}[{}].name", list, i))
                        .with_fix("rename or remove one"));
      }
    }
  }
  return {};
}

Result<void> check_file(const KubeconfigFile& config) {
  if (!config.kind.empty() && config.kind != "Config") {
    return fail(Error(fmt::format("kind '{}' is invalid", config.kind)).with_fix("a kubeconfig has kind Config"));
  }
  if (!config.api_version.empty() && config.api_version != "v1") {
    return fail(Error(fmt::format("apiVersion '{}' is invalid", config.api_version))
                    .with_fix("a kubeconfig has apiVersion v1"));
  }
  if (auto checked = check_names(config.clusters, "clusters"); !checked) return checked;
  if (auto checked = check_names(config.contexts, "contexts"); !checked) return checked;
  return check_names(config.users, "users");
}

Result<KubeconfigFile> read_file(const std::string& file) {
  auto text = read_small_file(file);
  if (!text) return fail(std::move(text).error());
  const bool is_blank = text->find_first_not_of(" \t\r\n") == std::string::npos;
  auto config = is_blank ? Result<KubeconfigFile>(KubeconfigFile{}) : codec::from_yaml<KubeconfigFile>(*text);
  if (!config) return fail(without_secrets(std::move(config).error()).in_file(file));
  if (auto checked = check_file(*config); !checked) return fail(std::move(checked).error().in_file(file));
  return config;
}

template <typename T>
const KubeconfigNamed<T>* find(const std::vector<KubeconfigNamed<T>>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &KubeconfigNamed<T>::name);
  return found == entries.end() ? nullptr : &*found;
}

template <typename T>
void merge_entries(std::vector<KubeconfigNamed<T>>& into, std::vector<KubeconfigNamed<T>> from,
                   const std::string& file) {
  for (KubeconfigNamed<T>& entry : from) {
    if (find(into, entry.name) != nullptr) continue;
    entry.file = file;
    into.push_back(std::move(entry));
  }
}

void merge(KubeconfigFile& into, KubeconfigFile from, const std::string& file) {
  if (into.current_context.empty()) into.current_context = std::move(from.current_context);
  merge_entries(into.clusters, std::move(from.clusters), file);
  merge_entries(into.contexts, std::move(from.contexts), file);
  merge_entries(into.users, std::move(from.users), file);
}

template <typename T>
std::string names_of(const std::vector<KubeconfigNamed<T>>& entries) {
  std::string names;
  for (const auto& entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
  return names.empty() ? "none are defined" : "defined are: " + names;
}

// Certificates and keys: base64 in place counts before a file, as with kubectl.
Result<Pem> pem_of(const std::string& base64, const std::string& file, std::string_view field,
                   const std::string& kubeconfig) {
  Pem pem;
  if (!base64.empty()) {
    auto bytes = from_base64(base64);
    if (!bytes) return fail(Error("is not valid base64").in(fmt::format("{}-data", field)));
    pem.text = *std::move(bytes);
  } else if (!file.empty()) {
    pem.file = resolved(file, kubeconfig);
    if (!exists(pem.file)) {
      return fail(Error(fmt::format("file '{}' does not exist", pem.file))
                      .in(field)
                      .with_fix("paths are relative to the directory of the kubeconfig"));
    }
  }
  return pem;
}

Result<void> read_cluster(const KubeconfigCluster& cluster, const std::string& file, Endpoint& endpoint) {
  if (cluster.server.empty()) return fail(Error("must not be empty").in("server"));
  endpoint.server = cluster.server;
  auto ca = pem_of(cluster.certificate_authority_data, cluster.certificate_authority, "certificate-authority", file);
  if (!ca) return fail(std::move(ca).error());
  if (cluster.insecure_skip_tls_verify && ca->is_set()) {
    return fail(Error("cannot be used together with a certificate authority")
                    .in("insecure-skip-tls-verify")
                    .with_fix("remove one of them"));
  }
  endpoint.tls.ca = *std::move(ca);
  endpoint.tls.server_name = cluster.tls_server_name;
  endpoint.tls.insecure_skip_verify = cluster.insecure_skip_tls_verify;
  if (!cluster.proxy_url.empty()) {
    if (auto checked = check_proxy_url(cluster.proxy_url); !checked)
      return fail(std::move(checked).error().in("proxy-url"));
  }
  endpoint.proxy_url = cluster.proxy_url;
  endpoint.disable_compression = cluster.disable_compression;
  if (auto address = parse_server_address(endpoint); !address) return fail(std::move(address).error().in("server"));
  return {};
}

Result<ExecPlugin::Interactive> interactive_mode(const KubeconfigExec& exec) {
  if (exec.interactive_mode == "Never") return ExecPlugin::Interactive::kNever;
  if (exec.interactive_mode == "IfAvailable") return ExecPlugin::Interactive::kIfAvailable;
  if (exec.interactive_mode == "Always") return ExecPlugin::Interactive::kAlways;
  if (exec.interactive_mode.empty() && exec.api_version != "client.authentication.k8s.io/v1") {
    return ExecPlugin::Interactive::kIfAvailable;
  }
  return fail(Error(exec.interactive_mode.empty() ? "is required with client.authentication.k8s.io/v1"
                                                  : fmt::format("is '{}'", exec.interactive_mode))
                  .in("exec.interactiveMode")
                  .with_fix("use Never, IfAvailable or Always"));
}

Result<ExecPlugin> read_exec(const KubeconfigExec& exec, const KubeconfigCluster& cluster, const std::string& file) {
  if (exec.command.empty()) return fail(Error("must not be empty").in("exec.command"));
  static constexpr std::array<std::string_view, 2> kVersions = {"client.authentication.k8s.io/v1",
                                                                "client.authentication.k8s.io/v1beta1"};
  if (std::ranges::find(kVersions, std::string_view(exec.api_version)) == kVersions.end()) {
    return fail(Error(fmt::format("is '{}'", exec.api_version))
                    .in("exec.apiVersion")
                    .with_fix("use client.authentication.k8s.io/v1, and a plugin that knows it"));
  }
  const auto interactive = interactive_mode(exec);
  if (!interactive) return fail(interactive.error());
  ExecPlugin plugin;
  plugin.api_version = exec.api_version;
  // A name is looked up in $PATH; a path starts at the kubeconfig.
  plugin.command = exec.command.find('/') == std::string::npos ? exec.command : resolved(exec.command, file);
  plugin.args = exec.args;
  for (const KubeconfigExecVariable& variable : exec.env) plugin.env.emplace_back(variable.name, variable.value);
  plugin.interactive = *interactive;
  plugin.provide_cluster_info = exec.provide_cluster_info;
  plugin.install_hint = exec.install_hint;
  for (const KubeconfigExtension& extension : cluster.extensions) {
    if (extension.name == kExecExtension) plugin.cluster_config_json = extension.extension.text;
  }
  return plugin;
}

// A token or a password, as kubectl has it; certificates may come on top.
Result<void> check_methods(const KubeconfigUser& user) {
  const bool has_token = !user.token.empty() || !user.token_file.empty();
  const bool has_password = !user.username.empty() || !user.password.empty();
  if (!has_token || !has_password) return {};
  return fail(Error("more than one authentication method: token, username and password").with_fix("keep one of them"));
}

// Then a plugin is not asked, as with kubectl.
bool has_way_without_plugin(const Endpoint& endpoint) {
  const Credentials& credentials = endpoint.credentials;
  return !credentials.bearer_token.empty() || !credentials.token_file.empty() || !credentials.username.empty() ||
         endpoint.tls.client_certificate.is_set();
}

Result<void> read_user(const KubeconfigUser& user, const KubeconfigCluster& cluster, const std::string& file,
                       Endpoint& endpoint) {
  if (user.auth_provider) {
    return fail(Error(fmt::format("auth provider '{}' has been removed from Kubernetes", user.auth_provider->name))
                    .in("auth-provider")
                    .with_fix("use an exec plugin"));
  }
  if (auto checked = check_methods(user); !checked) return checked;
  auto certificate = pem_of(user.client_certificate_data, user.client_certificate, "client-certificate", file);
  if (!certificate) return fail(std::move(certificate).error());
  auto key = pem_of(user.client_key_data, user.client_key, "client-key", file);
  if (!key) return fail(std::move(key).error());
  if (certificate->is_set() != key->is_set()) {
    return fail(
        Error(certificate->is_set() ? "client-certificate without client-key" : "client-key without client-certificate")
            .with_fix("set both"));
  }
  endpoint.tls.client_certificate = *std::move(certificate);
  endpoint.tls.client_key = *std::move(key);
  Credentials& credentials = endpoint.credentials;
  credentials.bearer_token = user.token;
  credentials.token_file = resolved(user.token_file, file);
  // Beside a token the file may come later.
  if (user.token.empty() && !credentials.token_file.empty() && !exists(credentials.token_file)) {
    return fail(Error(fmt::format("file '{}' does not exist", credentials.token_file)).in("tokenFile"));
  }
  credentials.username = user.username;
  credentials.password = user.password;
  if (user.exec) {
    auto plugin = read_exec(*user.exec, cluster, file);
    if (!plugin) return fail(std::move(plugin).error());
    if (!has_way_without_plugin(endpoint)) credentials.exec = *std::move(plugin);
  }
  Impersonation& other = credentials.impersonation;
  other.user = user.as;
  other.uid = user.as_uid;
  other.groups = user.as_groups;
  for (const auto& entry : user.as_user_extra) other.extra.emplace_back(entry.key.str(), entry.value);
  if (!other.is_set() && (!other.uid.empty() || !other.groups.empty() || !other.extra.empty())) {
    return fail(Error("required with as-uid, as-groups and as-user-extra").in("as").with_fix("set it"));
  }
  return {};
}

Result<Endpoint> endpoint_of(const KubeconfigFile& config, const std::string& files, std::string_view chosen) {
  const std::string_view name = chosen.empty() ? std::string_view(config.current_context) : chosen;
  if (name.empty()) {
    return fail(Error("no context is selected")
                    .in_file(files)
                    .with_fix(fmt::format("set current-context or give --context; {}", names_of(config.contexts))));
  }
  const auto* context = find(config.contexts, name);
  if (context == nullptr) {
    return fail(
        Error(fmt::format("context '{}' does not exist", name)).in_file(files).with_fix(names_of(config.contexts)));
  }
  const auto in_context = [&](std::string_view kind, const std::string& other, const std::string& names) {
    return fail(Error(other.empty()
                          ? fmt::format("context '{}' has no {}", name, kind)
                          : fmt::format("context '{}' names {} '{}', which does not exist", name, kind, other))
                    .in_file(context->file)
                    .with_fix(names));
  };
  const auto* cluster = find(config.clusters, context->value.cluster);
  if (cluster == nullptr) return in_context("cluster", context->value.cluster, names_of(config.clusters));
  Endpoint endpoint;
  endpoint.name_space = context->value.name_space;
  if (auto read = read_cluster(cluster->value, cluster->file, endpoint); !read) {
    return fail(std::move(read).error().in_file(fmt::format("cluster '{}'", cluster->name)).in_file(cluster->file));
  }
  if (context->value.user.empty()) return endpoint;
  const auto* user = find(config.users, context->value.user);
  if (user == nullptr) return in_context("user", context->value.user, names_of(config.users));
  if (auto read = read_user(user->value, cluster->value, user->file, endpoint); !read) {
    return fail(std::move(read).error().in_file(fmt::format("user '{}'", user->name)).in_file(user->file));
  }
  return endpoint;
}

// What stands between the colons of $KUBECONFIG and is there.
std::vector<std::string> existing_files(std::string_view list) {
  std::vector<std::string> files;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    std::string file(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    const bool is_new = std::ranges::find(files, file) == files.end();
    if (!file.empty() && is_new && exists(file)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Result<Endpoint> read_kubeconfig(const std::vector<std::string>& files, std::string_view context) {
  KubeconfigFile merged;
  std::string names;
  for (const std::string& file : files) {
    auto config = read_file(file);
    if (!config) return fail(std::move(config).error());
    merge(merged, *std::move(config), file);
    names += (names.empty() ? "" : ":") + file;
  }
  return endpoint_of(merged, names, context);
}

ClientEnvironment ClientEnvironment::of_process() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): at the start of a command
    return std::string(value == nullptr ? "" : value);
  };
  return {.kubeconfig = variable("KUBECONFIG"),
          .home = variable("HOME"),
          .service_host = variable("KUBERNETES_SERVICE_HOST"),
          .service_port = variable("KUBERNETES_SERVICE_PORT"),
          .root = ""};
}

Result<Endpoint> find_endpoint(const EndpointChoice& choice, const ClientEnvironment& environment) {
  if (!choice.kubeconfig.empty()) return read_kubeconfig({choice.kubeconfig}, choice.context);
  if (!environment.kubeconfig.empty()) {
    const std::vector<std::string> files = existing_files(environment.kubeconfig);
    if (files.empty()) {
      return fail(Error("none of the files in $KUBECONFIG exists").in_file(environment.kubeconfig));
    }
    return read_kubeconfig(files, choice.context);
  }
  if (choice.context.empty() && is_in_cluster(environment)) return in_cluster_endpoint(environment);
  const std::string in_home = environment.home + "/.kube/config";
  if (environment.home.empty() || !exists(in_home)) {
    return fail(
        Error(
            "no kubeconfig found: $KUBECONFIG and ~/.kube/config do not exist, and this process does not run in a pod")
            .with_fix("give --kubeconfig FILE"));
  }
  return read_kubeconfig({in_home}, choice.context);
}

}  // namespace berth::client
