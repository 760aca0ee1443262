// The live cluster behind a command: which one it is (--kubeconfig, --context, or what kubectl would take), all of its
// objects that placing a pod depends on, and the Berth daemon in it (--server).
#pragma once

#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/base/interned.h"
#include "berth/client/endpoint.h"
#include "berth/codec/documents.h"
#include "cmd/berth/command.h"

namespace berth::cmd {

struct ClusterAccess {
  std::string kubeconfig;
  std::string context;
  // Of the daemon.
  std::string server;
  std::string server_ca;
  std::string token_file;
  bool insecure = false;

  bool names_a_cluster() const { return !kubeconfig.empty() || !context.empty(); }
};

void add_cluster_options(CLI::App& command, ClusterAccess& access);

// What to connect to, from the options and the environment.
Result<client::Endpoint> cluster_endpoint(const ClusterAccess& access);

// All objects that the scheduler looks at. Kinds that the user may not list are among the errors, but for nodes and
// pods, without which there is no answer. Kinds that the server does not know are none.
Result<codec::Documents> list_cluster(const client::Endpoint& endpoint, InternPool& pool);

// What a daemon says about a pod: the answer of its /berth/v1/pods/NAMESPACE/NAME.
struct DaemonAnswer {
  std::string json;
  std::string text;  // for people
};
// The pod is given as "namespace/name"; without a namespace it is the one of the kubeconfig's context.
Result<DaemonAnswer> ask_daemon(const ClusterAccess& access, std::string_view pod);

}  // namespace berth::cmd
