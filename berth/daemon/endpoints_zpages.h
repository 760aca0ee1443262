// The flags and the state of the process for people, under /flagz and /statusz; as JSON, YAML or CBOR for those who ask
// for a version of it. The layout is kube-scheduler's, whose separator is random so that nobody parses it; here it is
// ": ".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/serve/call.h"

namespace berth::daemon {

using Flags = std::vector<std::pair<std::string, std::string>>;
// `cbor`: whether the gate CBORServingAndStorage is on, which adds that form.
serve::Reply flagz(const serve::Call& call, const Flags& flags, bool cbor = false);

struct ProcessStatus {
  Instant started_at;
  Instant now;
  std::string binary_version;
  std::string emulation_version;
  std::vector<std::string> paths;  // that kube-scheduler serves too and lists
};
serve::Reply statusz(const serve::Call& call, const ProcessStatus& status, bool cbor = false);

}  // namespace berth::daemon
