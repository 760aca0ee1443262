// The live cluster behind a command: which one it is (--kubeconfig, --context, or what kubectl would take), as whom to
// ask it (--as), all of its objects that placing a pod depends on, and the Berth daemon in it (--server).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/interned.h"
#include "berth/client/endpoint.h"
#include "berth/codec/documents.h"
#include "berth/explain/pending.h"
#include "cmd/berth/command.h"

namespace berth::cmd {

struct ClusterAccess {
  std::string kubeconfig;
  std::string context;
  std::string name_space;  // -n: of names that are given without one
  std::string as_user;
  std::vector<std::string> as_groups;
  // Of the daemon.
  std::string server;
  std::string server_ca;
  std::string token_file;
  bool insecure = false;

  bool names_a_cluster() const { return !kubeconfig.empty() || !context.empty() || !as_user.empty(); }
};

// --kubeconfig, --context, --namespace, --as and --as-group: kubectl's names for them.
void add_kubeconfig_options(CLI::App& command, ClusterAccess& access);
// --server and what goes with it.
void add_daemon_options(CLI::App& command, ClusterAccess& access);

// What to connect to, from the options and the environment.
Result<client::Endpoint> cluster_endpoint(const ClusterAccess& access);

// What is listed besides the objects that the scheduler looks at.
struct ClusterKinds {
  bool workloads = false;      // Deployments, DaemonSets and Jobs
  bool events = false;         // all of them
  std::string events_of = {};  // those of this pod alone
};

// All objects that the scheduler looks at, and what bounds pods at admission. Kinds that the user may not list are
// among the errors, but for nodes and pods, without which there is no answer. Kinds that the server does not serve are
// none. Shows on standard error what is being read if that is a terminal.
Result<codec::Documents> list_cluster(const client::Endpoint& endpoint, const ClusterKinds& kinds, InternPool& pool);

// Adds the events about the pod ("namespace/name"), and about the claims of its namespace. Without the right to list
// them there are none: an answer does not depend on events.
void list_events_of(const client::Endpoint& endpoint, std::string_view pod, InternPool& pool,
                    codec::Documents& documents);

// What a daemon says about a pod: the answer of its /berth/v1/pods/NAMESPACE/NAME.
struct DaemonAnswer {
  std::string json;
  std::string text;  // for people
};
// The pod is given as "namespace/name"; without a namespace it is the one of the kubeconfig's context.
Result<DaemonAnswer> ask_daemon(const ClusterAccess& access, std::string_view pod);
// Its /berth/v1/pending: of the namespace of -n, or of all; with labels as -l takes them.
Result<explain::PendingReport> ask_daemon_for_pending(const ClusterAccess& access, std::string_view selector);

}  // namespace berth::cmd
