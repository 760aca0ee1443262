// Credentials from a program: the exec plugins of kubeconfigs (client.authentication.k8s.io), with which cloud
// providers log users in.
//
// The program is started as a child process whose output is read as it comes, so that a loop can wait for it beside
// everything else. What it prints is secret: no error here repeats any of it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/client/endpoint.h"

namespace berth::client {

// What a plugin gave. A token, or a certificate with its key, or both.
struct ExecCredential {
  std::string token;
  std::string client_certificate;  // PEM
  std::string client_key;          // PEM
  Instant expires_at;              // unset: when the server refuses it
  bool operator==(const ExecCredential&) const = default;
};

// The ExecCredential that the plugin gets in $KUBERNETES_EXEC_INFO. `ca` is the PEM text of the cluster's CA.
std::string exec_info_json(const ExecPlugin& plugin, const Endpoint& endpoint, std::string_view ca,
                           bool is_interactive);

// What the plugin printed.
Result<ExecCredential> read_exec_credential(std::string_view output, const ExecPlugin& plugin);

// A plugin at work. Not thread safe; the destructor ends a program that still runs.
class PluginProcess {
 public:
  static Result<std::unique_ptr<PluginProcess>> start(const ExecPlugin& plugin, const Endpoint& endpoint,
                                                      std::string_view ca);
  ~PluginProcess();
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;

  // Readable when the plugin has said something. -1 once it has closed its output: then only its end is missing, which
  // nothing announces.
  int output_fd() const { return output_fd_; }
  // Takes what is there without waiting. True when the program has ended: then call result(), once.
  bool is_done();
  Result<ExecCredential> result();

 private:
  PluginProcess(ExecPlugin plugin, pid_t process, int output_fd)
      : plugin_(std::move(plugin)), process_(process), output_fd_(output_fd) {}

  ExecPlugin plugin_;
  pid_t process_;
  int output_fd_;
  std::string output_;
  int exit_status_ = 0;
  bool is_too_long_ = false;

  // Until there is no more for now.
  void read_output();
  void close_output();
};

}  // namespace berth::client
