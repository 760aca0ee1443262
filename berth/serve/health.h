// Health checks under /healthz, /livez and /readyz, with kube-scheduler's texts. What a check says in detail only those
// see who may read its own path (/readyz/<check>); the sum says "reason withheld", because that path needs no
// authorization.
//
// Checks are called on the server's threads, several at a time. What they found is counted for /metrics/slis.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/serve/call.h"
#include "berth/serve/routes.h"

namespace berth::serve {

struct HealthCheck {
  std::string name;
  // What is wrong; nothing if all is well.
  std::function<std::optional<std::string>()> check;
};
// Always well: what there is when there is nothing else.
HealthCheck ping_check();

// How often checks succeeded and failed. Thread safe.
class HealthCounts {
 public:
  struct Counts {
    std::string name;  // "ping"
    std::string type;  // "livez"
    std::uint64_t successes = 0;
    std::uint64_t errors = 0;
    bool is_well = false;  // the last time
  };
  void note(const std::string& type, const std::string& name, bool is_well);
  // By name, then type.
  std::vector<Counts> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Counts> counts_;
};

// Adds `path` ("/readyz") and one path per check below it. Without checks: ping. `counts` may be null. As in
// kube-scheduler they answer every method: a probe may be a POST.
void add_health(Routes& routes, const std::string& path, std::vector<HealthCheck> checks,
                std::shared_ptr<HealthCounts> counts);

}  // namespace berth::serve
