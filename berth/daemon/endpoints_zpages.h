// The flags and the state of the process for people, under /flagz and /statusz; as JSON or YAML for those who ask for a
// version of it. The layout is kube-scheduler's, whose separator changes by chance so that nobody parses it; here it is
// ": ".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/serve/call.h"

namespace berth::daemon {

using Flags = std::vector<std::pair<std::string, std::string>>;
serve::Reply flagz(const serve::Call& call, const Flags& flags);

struct ProcessStatus {
  Instant started_at;
  Instant now;
  std::string binary_version;
  std::string emulation_version;
  std::vector<std::string> paths;  // that are served
};
serve::Reply statusz(const serve::Call& call, const ProcessStatus& status);

}  // namespace berth::daemon
