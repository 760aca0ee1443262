// The API server as a pod sees it: its address in two environment variables, a token and the cluster's CA in files that
// the kubelet mounts and renews.
#pragma once

#include "berth/base/error.h"
#include "berth/client/endpoint.h"
#include "berth/client/kubeconfig.h"

namespace berth::client {

// Whether the process runs in a pod with a service account.
bool is_in_cluster(const ClientEnvironment& environment);

// The error says what is missing.
Result<Endpoint> in_cluster_endpoint(const ClientEnvironment& environment);

}  // namespace berth::client
