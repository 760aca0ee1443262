// What a scenario does to single pods on their way to a node: a plugin of the simulation, in every profile, that holds
// them back, rejects, delays or fails them where the scenario says. Without a word about a pod it does nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/error.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/framework/registry.h"

namespace berth::sim {

inline constexpr std::string_view kScriptPlugin = "Script";

enum class ScriptPoint : std::uint8_t { kPreEnqueue, kFilter, kReserve, kPermit, kPreBind };

struct ScriptRule {
  enum class Act : std::uint8_t {
    kReject,  // unschedulable
    kFail,    // an error
    kWait,    // Permit: wait, rejected after `duration` unless allowed before; PreBind: take `duration`
  };
  Act act = Act::kReject;
  std::string message;
  Duration duration;
  int times = -1;       // how often; -1: until it is taken back
  Symbol only_on_node;  // at Filter: only this node; empty: all
};

// Pods are named "namespace/name"; "*" is every pod.
class PodScript {
 public:
  void set(std::string_view pod, ScriptPoint point, ScriptRule rule);
  void clear(std::string_view pod, ScriptPoint point);
  // The rule for that pod now, counted down; nothing if there is none.
  std::optional<ScriptRule> take(std::string_view pod, ScriptPoint point);
  std::optional<ScriptRule> peek(std::string_view pod, ScriptPoint point) const;
  bool empty() const;
  bool has_rules_at(ScriptPoint point) const { return !rules_at(point).empty(); }
  // Changes whenever a rule comes, goes or is used up.
  std::uint64_t version() const { return version_; }
  // Time for PreBind to take. Without a clock, it takes none.
  void set_clock(std::function<Instant()> now) { now_ = std::move(now); }
  Instant now() const { return now_ ? now_() : Instant(); }

  // The plugin, for a registry. The script outlives it.
  Result<void> add_to(framework::PluginRegistry& registry);

 private:
  using Rules = std::map<std::string, ScriptRule, std::less<>>;
  static constexpr std::size_t kPoints = 5;
  Rules& rules_at(ScriptPoint point) { return rules_[static_cast<std::size_t>(point)]; }
  const Rules& rules_at(ScriptPoint point) const { return rules_[static_cast<std::size_t>(point)]; }

  std::array<Rules, kPoints> rules_;
  std::uint64_t version_ = 0;
  std::function<Instant()> now_;
};

}  // namespace berth::sim
