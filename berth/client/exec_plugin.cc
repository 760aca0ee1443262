#include "berth/client/exec_plugin.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "berth/api/schema.h"
#include "berth/base/base64.h"
#include "berth/codec/json.h"

namespace berth::client {

namespace {

// A certificate chain with its key has some kilobytes.
constexpr std::size_t kMaxPluginOutputBytes = std::size_t{1} << 20;

// The ExecCredential as it stands in JSON, in both directions.
struct WireCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;  // base64
  std::string proxy_url;
  bool disable_compression = false;
  std::optional<api::RawJson> config;
};
struct WireSpec {
  bool interactive = false;
  std::optional<WireCluster> cluster;
};
struct WireStatus {
  Instant expires_at;
  std::string token;
  std::string client_certificate;
  std::string client_key;
};
struct WireCredential {
  std::string kind;
  std::string api_version;
  std::optional<WireSpec> spec;
  std::optional<WireStatus> status;
};

}  // namespace

}  // namespace berth::client

namespace berth::api {

template <>
const Schema& schema_of<client::WireCluster>() {
  using C = client::WireCluster;
  static const Schema schema("Cluster", {
                                            field<&C::server>("server", 0, kAlways),
                                            field<&C::tls_server_name>("tls-server-name", 0),
                                            field<&C::insecure_skip_tls_verify>("insecure-skip-tls-verify", 0),
                                            field<&C::certificate_authority>("certificate-authority-data", 0),
                                            field<&C::proxy_url>("proxy-url", 0),
                                            field<&C::disable_compression>("disable-compression", 0),
                                            field<&C::config>("config", 0),
                                        });
  return schema;
}

template <>
const Schema& schema_of<client::WireSpec>() {
  using S = client::WireSpec;
  static const Schema schema("ExecCredentialSpec", {
                                                       field<&S::cluster>("cluster", 0),
                                                       field<&S::interactive>("interactive", 0, kAlways),
                                                   });
  return schema;
}

template <>
const Schema& schema_of<client::WireStatus>() {
  using S = client::WireStatus;
  static const Schema schema("ExecCredentialStatus", {
                                                         field<&S::expires_at>("expirationTimestamp", 0),
                                                         field<&S::token>("token", 0),
                                                         field<&S::client_certificate>("clientCertificateData", 0),
                                                         field<&S::client_key>("clientKeyData", 0),
                                                     });
  return schema;
}

template <>
const Schema& schema_of<client::WireCredential>() {
  using C = client::WireCredential;
  static const Schema schema("ExecCredential", {
                                                   field<&C::kind>("kind", 0, kAlways),
                                                   field<&C::api_version>("apiVersion", 0, kAlways),
                                                   field<&C::spec>("spec", 0),
                                                   field<&C::status>("status", 0),
                                               });
  return schema;
}

}  // namespace berth::api

namespace berth::client {

namespace {

bool is_terminal_there() {
  return ::isatty(STDIN_FILENO) == 1;
}

// Our own environment with the plugin's variables on top.
std::vector<std::string> plugin_environment(const ExecPlugin& plugin, const std::string& exec_info) {
  std::vector<std::string> result;
  const auto is_replaced = [&](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    return name == "KUBERNETES_EXEC_INFO" ||
           std::ranges::any_of(plugin.env, [&](const auto& variable) { return variable.first == name; });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_replaced(*entry)) result.emplace_back(*entry);
  }
  for (const auto& [name, value] : plugin.env) result.push_back(fmt::format("{}={}", name, value));
  result.push_back("KUBERNETES_EXEC_INFO=" + exec_info);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

Error cannot_start(const ExecPlugin& plugin, int error) {
  Error result(fmt::format("cannot start exec plugin '{}': {}", plugin.command, std::strerror(error)));  // NOLINT
  if (error != ENOENT) return result;
  return std::move(result).with_fix(plugin.install_hint.empty() ? "install it, or add its directory to $PATH"
                                                                : plugin.install_hint);
}

// Starts the program with `output_fd` as its standard output. The signals that the calling thread blocks are its own
// affair: the program gets them.
Result<pid_t> spawn(const ExecPlugin& plugin, const std::string& exec_info, bool is_interactive, int output_fd) {
  std::vector<std::string> arguments = {plugin.command};
  arguments.insert(arguments.end(), plugin.args.begin(), plugin.args.end());
  std::vector<std::string> environment = plugin_environment(plugin, exec_info);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  if (!is_interactive) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t no_signals;
  sigemptyset(&no_signals);
  posix_spawnattr_setsigmask(&attributes, &no_signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, plugin.command.c_str(), &actions, &attributes,
                                   pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail(cannot_start(plugin, error));
  return process;
}

// The process is ours and has not been waited for yet, so this cannot fail but for signals.
int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::string exec_info_json(const ExecPlugin& plugin, const Endpoint& endpoint, std::string_view ca,
                           bool is_interactive) {
  WireCredential credential;
  credential.kind = "ExecCredential";
  credential.api_version = plugin.api_version;
  WireSpec& spec = credential.spec.emplace();
  spec.interactive = is_interactive;
  if (plugin.provide_cluster_info) {
    WireCluster& cluster = spec.cluster.emplace();
    cluster.server = endpoint.server;
    cluster.tls_server_name = endpoint.tls.server_name;
    cluster.insecure_skip_tls_verify = endpoint.tls.insecure_skip_verify;
    cluster.certificate_authority = base64_of(ca);
    cluster.proxy_url = endpoint.proxy_url;
    cluster.disable_compression = endpoint.disable_compression;
    if (!plugin.cluster_config_json.empty()) cluster.config = api::RawJson{plugin.cluster_config_json};
  }
  return codec::to_json(credential);
}

Result<ExecCredential> read_exec_credential(std::string_view output, const ExecPlugin& plugin) {
  const auto bad = [&](std::string_view what) {
    return fail(fmt::format("exec plugin '{}' {}", plugin.command, what));
  };
  const auto credential = codec::from_json<WireCredential>(output);
  if (!credential) {
    // The reader's own words may quote a value, and all values here are secret.
    const std::string& where = credential.error().where();
    return bad(where.empty() ? "printed output that is not an ExecCredential in JSON"
                             : fmt::format("printed an invalid ExecCredential at {}", where));
  }
  if (credential->kind != "ExecCredential") return bad("printed an object that is not an ExecCredential");
  if (credential->api_version != plugin.api_version) {
    return bad(fmt::format("printed apiVersion '{}', but the kubeconfig asks for '{}'", credential->api_version,
                           plugin.api_version));
  }
  if (!credential->status) return bad("printed an ExecCredential without a status");
  const WireStatus& status = *credential->status;
  if (status.client_certificate.empty() != status.client_key.empty()) {
    return bad("printed a certificate without its key, or a key without its certificate");
  }
  if (status.token.empty() && status.client_certificate.empty())
    return bad("printed neither a token nor a certificate");
  return ExecCredential{.token = status.token,
                        .client_certificate = status.client_certificate,
                        .client_key = status.client_key,
                        .expires_at = status.expires_at};
}

Result<std::unique_ptr<PluginProcess>> PluginProcess::start(const ExecPlugin& plugin, const Endpoint& endpoint,
                                                            std::string_view ca) {
  const bool is_interactive = plugin.interactive != ExecPlugin::Interactive::kNever && is_terminal_there();
  if (plugin.interactive == ExecPlugin::Interactive::kAlways && !is_interactive) {
    return fail(Error(fmt::format("exec plugin '{}' requires interactive input, but standard input is not a terminal",
                                  plugin.command))
                    .with_fix("use credentials with interactiveMode Never or IfAvailable"));
  }
  std::array<int, 2> pipe_fds{};
  if (::pipe2(pipe_fds.data(), O_CLOEXEC) != 0) return fail(cannot_start(plugin, errno));
  const auto process = spawn(plugin, exec_info_json(plugin, endpoint, ca, is_interactive), is_interactive, pipe_fds[1]);
  ::close(pipe_fds[1]);
  if (!process) {
    ::close(pipe_fds[0]);
    return fail(process.error());
  }
  ::fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<PluginProcess>(new PluginProcess(plugin, *process, pipe_fds[0]));
}

PluginProcess::~PluginProcess() {
  close_output();
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  wait_for(process_);
}

void PluginProcess::close_output() {
  if (output_fd_ >= 0) ::close(output_fd_);
  output_fd_ = -1;
}

void PluginProcess::read_output() {
  std::array<char, 4096> buffer{};
  while (output_fd_ >= 0) {
    const ssize_t count = ::read(output_fd_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      close_output();
      return;
    }
    output_.append(buffer.data(), static_cast<std::size_t>(count));
    if (output_.size() > kMaxPluginOutputBytes) {
      is_too_long_ = true;
      close_output();
      ::kill(process_, SIGKILL);
    }
  }
}

bool PluginProcess::is_done() {
  read_output();
  if (output_fd_ >= 0) return false;
  if (process_ != 0 && ::waitpid(process_, &exit_status_, WNOHANG) == process_) process_ = 0;
  return process_ == 0;
}

Result<ExecCredential> PluginProcess::result() {
  if (is_too_long_) return fail(fmt::format("output of exec plugin '{}' exceeds the limit", plugin_.command));
  if (WIFSIGNALED(exit_status_)) {
    return fail(fmt::format("exec plugin '{}' was terminated by signal {}", plugin_.command, WTERMSIG(exit_status_)));
  }
  if (WEXITSTATUS(exit_status_) != 0) {
    return fail(
        Error(fmt::format("exec plugin '{}' failed with exit code {}", plugin_.command, WEXITSTATUS(exit_status_)))
            .with_fix("see its standard error"));
  }
  return read_exec_credential(output_, plugin_);
}

}  // namespace berth::client
