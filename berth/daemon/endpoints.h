// What the daemon serves: health, metrics, its configuration and flags, and Berth's own view of pods, queue and nodes.
// docs/http-api.md describes every path.
//
// The handlers run on the server's threads. What they need of the engine they copy on the engine's thread, through
// `ask`, and work on outside: an explanation looks at all nodes with all plugins, and pods must not wait for it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/daemon/component_metrics.h"
#include "berth/engine/metrics.h"
#include "berth/engine/scheduler.h"
#include "berth/serve/health.h"
#include "berth/serve/routes.h"

namespace berth::daemon {

// Runs the function on the engine's thread and waits for it; false if the engine has stopped (EngineThread::ask).
using AskEngine = std::function<bool(const std::function<void(engine::Scheduler&)>&)>;

struct EndpointOptions {
  AskEngine ask;
  // Read on the engine's thread only; may be null.
  const engine::SchedulerMetrics* metrics = nullptr;
  // Further families of /metrics: see component_metrics.h. May be null.
  std::shared_ptr<ComponentMetrics> component_metrics;
  std::vector<std::string> disabled_metrics;  // families that /metrics leaves out: --disabled-metrics

  config::LoadedConfig config = config::default_config();
  config::FeatureGates gates;
  std::vector<std::pair<std::string, std::string>> flags;  // every flag and its value, for /flagz

  // Whether this instance schedules: /metrics/resources is empty otherwise. Unset: it does.
  std::function<bool()> is_leader;
  // Of the clock on the wall.
  std::function<Instant()> now;
  Instant started_at;
  std::string binary_version = "1.36.3";  // as statusz and build info show it
  std::string emulation_version = "1.36";

  // Empty: ping.
  std::vector<serve::HealthCheck> healthz;
  std::vector<serve::HealthCheck> livez;
  std::vector<serve::HealthCheck> readyz;

  // PUT /debug/flags/v; unset, or profiling switched off in the configuration: there is no such path.
  std::function<void(int)> set_verbosity;
};

// All of them. What `options` refers to outlives the routes.
serve::Routes make_endpoints(EndpointOptions options);

}  // namespace berth::daemon
