// The API server and the credentials to connect with: kubeconfig files as kubectl reads them, and the order in which
// a program looks for one.
//
// Several files are merged: of two clusters, users or contexts with the same name the first counts, and of several
// current contexts as well. File names in a kubeconfig are relative to the folder that it lies in. Errors name the
// file, the field and what to do, and never show a secret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/client/endpoint.h"

namespace berth::client {

// The endpoint of a context; an empty name stands for the current one. Every file must be there.
Result<Endpoint> read_kubeconfig(const std::vector<std::string>& files, std::string_view context = {});

// The part of the process' environment that says where to look.
struct ClientEnvironment {
  std::string kubeconfig;    // $KUBECONFIG
  std::string home;          // $HOME
  std::string service_host;  // $KUBERNETES_SERVICE_HOST
  std::string service_port;  // $KUBERNETES_SERVICE_PORT
  std::string root;          // in front of the paths in a pod; empty but for tests

  static ClientEnvironment of_process();
};

struct EndpointChoice {
  std::string kubeconfig;  // --kubeconfig
  std::string context;     // --context
};

// In this order: the file that was chosen, the files in $KUBECONFIG (those that are there), the pod that we run in, and
// ~/.kube/config. A chosen context leaves out the pod, which has none.
Result<Endpoint> find_endpoint(const EndpointChoice& choice, const ClientEnvironment& environment);

}  // namespace berth::client
