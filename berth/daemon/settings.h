// What `berth run` does, worked out from its command line and its configuration file: the flags that change the
// configuration are in it, everything is checked, and nothing is started yet.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/error.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/daemon/flags.h"

namespace berth::daemon {

// How often requests may be made, for all of the scheduler's writes together.
struct RequestLimit {
  double per_second = 0;
  std::int32_t burst = 0;
};

struct Settings {
  RunFlags flags;
  config::LoadedConfig config = config::default_config();
  config::FeatureGates gates;
  // Set only if the user asked for one. kube-scheduler limits itself to 50 requests a second unless told otherwise;
  // here the API server's own flow control decides, which knows better what it can bear.
  std::optional<RequestLimit> limit;
  // The file to reach the API server with; empty: the service account of the pod (or --master alone).
  std::string kubeconfig;
  // What the user should know, besides flags.warnings.
  std::vector<std::string> warnings;
};

using ReadFile = std::function<Result<std::string>(const std::string& file)>;

// The errors: everything that is wrong, as far as it can be told.
std::expected<Settings, std::vector<Error>> make_settings(RunFlags flags, const ReadFile& read_file);

}  // namespace berth::daemon
