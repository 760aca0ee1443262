// What the framework counts, handed out as values. Whoever serves metrics implements FrameworkMetrics; the framework
// knows no registry and no clock: it says when something begins and ends, and a world that has a clock measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "berth/base/symbol.h"
#include "berth/config/plugin_sets.h"
#include "berth/framework/status.h"

namespace berth::framework {

using config::ExtensionPoint;

class FrameworkMetrics {
 public:
  virtual ~FrameworkMetrics() = default;

  // framework_extension_point_duration_seconds
  virtual void point_begins(ExtensionPoint) {}
  virtual void point_ends(ExtensionPoint, Symbol /*profile*/, Code) {}
  // plugin_execution_duration_seconds and plugin_evaluation_total. `nodes` is how many nodes the plugin was asked about
  // at once, 0 at points that are not about nodes. The code is kSuccess if it let any of them pass.
  virtual void plugin_begins(ExtensionPoint, Symbol /*plugin*/) {}
  virtual void plugin_ends(ExtensionPoint, Symbol /*plugin*/, Symbol /*profile*/, Code, std::size_t /*nodes*/) {}

  // What is remembered of pods of one class serves what opportunistic batching does upstream, and is counted in its
  // place. get_node_hint_duration_seconds and batch_attempts_total: whether anything was known that helps.
  virtual void lookup_begins() {}
  virtual void lookup_ends(Symbol /*profile*/, bool /*is_known*/) {}
  // store_schedule_results_duration_seconds
  virtual void build_begins() {}
  virtual void build_ends(Symbol /*profile*/) {}
  // batch_cache_flushed_total: a class had to make room for others.
  virtual void class_forgotten(Symbol /*profile*/) {}
};

// Adds everything up, for tests.
class CountingFrameworkMetrics final : public FrameworkMetrics {
 public:
  void point_ends(ExtensionPoint point, Symbol profile, Code code) override;
  void plugin_ends(ExtensionPoint point, Symbol plugin, Symbol profile, Code code, std::size_t nodes) override;
  void lookup_ends(Symbol profile, bool is_known) override;
  void build_ends(Symbol profile) override;
  void class_forgotten(Symbol profile) override;

  std::map<std::string, std::int64_t> points;   // "filter/Success"
  std::map<std::string, std::int64_t> plugins;  // "filter/NodeName/Success"
  std::map<std::string, std::int64_t> nodes;    // "filter/NodeName"
  std::map<std::string, std::int64_t> classes;  // "known", "unknown", "built", "forgotten"
};

// Tells `metrics` that a plugin begins, and at the end of the scope that it ended, with the code set meanwhile. Null
// metrics cost nothing.
class PluginRun {
 public:
  PluginRun(FrameworkMetrics* metrics, ExtensionPoint point, Symbol plugin, Symbol profile)
      : metrics_(metrics), point_(point), plugin_(plugin), profile_(profile) {
    if (metrics_ != nullptr) metrics_->plugin_begins(point_, plugin_);
  }
  ~PluginRun() {
    if (metrics_ != nullptr) metrics_->plugin_ends(point_, plugin_, profile_, code, nodes);
  }
  PluginRun(const PluginRun&) = delete;
  PluginRun& operator=(const PluginRun&) = delete;

  Code code = Code::kSuccess;
  std::size_t nodes = 0;

 private:
  FrameworkMetrics* metrics_;
  ExtensionPoint point_;
  Symbol plugin_;
  Symbol profile_;
};

// The same for an extension point as a whole.
class PointRun {
 public:
  PointRun(FrameworkMetrics* metrics, ExtensionPoint point, Symbol profile)
      : metrics_(metrics), point_(point), profile_(profile) {
    if (metrics_ != nullptr) metrics_->point_begins(point_);
  }
  ~PointRun() {
    if (metrics_ != nullptr) metrics_->point_ends(point_, profile_, code);
  }
  PointRun(const PointRun&) = delete;
  PointRun& operator=(const PointRun&) = delete;

  // It turned out to be somebody else's: nothing is told.
  void forget() { metrics_ = nullptr; }

  Code code = Code::kSuccess;

 private:
  FrameworkMetrics* metrics_;
  ExtensionPoint point_;
  Symbol profile_;
};

}  // namespace berth::framework
