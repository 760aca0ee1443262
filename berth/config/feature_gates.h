// Feature gates, as `--feature-gates` sets them. Immutable once parsed; thread safe.
#pragma once

#include <bitset>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/config/feature_gate_table.h"

namespace berth::config {

enum class Stage : std::uint8_t { kAlpha, kBeta, kGa, kDeprecated };

enum class Feature : std::uint16_t {
#define BERTH_FEATURE(name, enabled, stage, locked) k##name,
  BERTH_FEATURE_GATES(BERTH_FEATURE)
#undef BERTH_FEATURE
};

struct FeatureSpec {
  Feature feature;
  std::string_view name;
  bool enabled;  // by default
  Stage stage;
  bool locked;  // to the default
};

// All gates, by name.
std::span<const FeatureSpec> all_features();
// Null if there is no gate of that name.
const FeatureSpec* find_feature(std::string_view name);
// "ALPHA", "BETA", "GA" or "DEPRECATED"; upstream prints GA as "".
std::string_view stage_name(Stage stage);

class FeatureGates {
 public:
  // All gates at their defaults.
  FeatureGates();

  // Reads "A=true,B=false". AllAlpha and AllBeta set every gate of that stage that is not named itself. Each problem is
  // an error of its own, with the text that kube-scheduler gives: an unknown gate, a locked one, a value that is not a
  // bool, a gate that is on while one it depends on is off.
  static std::expected<FeatureGates, std::vector<Error>> parse(std::string_view text);

  bool enabled(Feature feature) const { return enabled_[static_cast<std::size_t>(feature)]; }

  // Gates that are not at their default as "A=true,B=false", by name; empty if all are.
  std::string differences() const;

  // These gates with one changed, whatever it depends on. For tests and for embedders that know what they do.
  FeatureGates with(Feature feature, bool on) const;

  bool operator==(const FeatureGates&) const = default;

 private:
  static constexpr std::size_t kCapacity = 512;
  std::bitset<kCapacity> enabled_;
};

}  // namespace berth::config
