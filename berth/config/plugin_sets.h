// Which plugins run where. A profile names plugins per extension point and, for all points at once, under multiPoint;
// here both become one ordered list per extension point.
//
// Two steps, as in kube-scheduler. merge_plugins() lays the user's sets over the default ones; the result is what the
// completed configuration shows. expand_plugins() turns that into the lists that the framework runs.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/config/feature_gates.h"
#include "berth/config/scheduler_config.h"

namespace berth::config {

// In the order in which kube-scheduler goes through them when it builds a profile: it decides which error comes first.
enum class ExtensionPoint : std::uint8_t {
  kPreFilter,
  kFilter,
  kPostFilter,
  kReserve,
  kPreScore,
  kScore,
  kPreBind,
  kBind,
  kPostBind,
  kPermit,
  kPreEnqueue,
  kQueueSort,
  kPlacementGenerate,
  kPlacementScore,
};
inline constexpr std::size_t kExtensionPointCount = 14;

struct ExtensionPointSpec {
  ExtensionPoint point;
  std::string_view field;      // "preFilter", as in the file
  std::string_view interface;  // "PreFilterPlugin", as in error messages
  PluginSet Plugins::* set;
};

// By ExtensionPoint.
std::span<const ExtensionPointSpec, kExtensionPointCount> extension_points();

// A set of extension points.
class ExtensionPoints {
 public:
  constexpr ExtensionPoints(std::initializer_list<ExtensionPoint> points) {
    for (const ExtensionPoint point : points) bits_ |= bit(point);
  }
  constexpr bool contains(ExtensionPoint point) const { return (bits_ & bit(point)) != 0; }

 private:
  static constexpr std::uint16_t bit(ExtensionPoint point) {
    return static_cast<std::uint16_t>(1u << static_cast<unsigned>(point));
  }
  std::uint16_t bits_ = 0;
};

// Whether a plugin at these points can reject a pod, so that something has to wake the pod again.
constexpr bool can_reject(ExtensionPoints points) {
  using enum ExtensionPoint;
  return points.contains(kPreEnqueue) || points.contains(kPreFilter) || points.contains(kFilter) ||
         points.contains(kReserve) || points.contains(kPermit);
}

// A plugin that exists, and the extension points that it implements.
struct PluginSpec {
  std::string_view name;
  ExtensionPoints points;
};

// Those that come with kube-scheduler, whatever gate they depend on: the rows of in_tree_plugins.h.
std::span<const PluginSpec> in_tree_plugins();

// What every profile starts from: the plugins that are enabled by default, which depends on the gates.
Plugins default_plugins(const FeatureGates& gates);

// A default plugin that the user names again keeps its place and takes the user's weight; "*" among the disabled drops
// all defaults; everything else the user names comes behind.
Plugins merge_plugins(Plugins defaults, const Plugins& custom);

// The names of all plugins that are enabled anywhere, sorted, each once.
std::vector<std::string> enabled_plugin_names(const Plugins& plugins);

// A profile's plugins per extension point in the order in which they run. `weight` is set for score and placementScore.
struct PluginLists {
  std::array<std::vector<Plugin>, kExtensionPointCount> at_point;

  const std::vector<Plugin>& at(ExtensionPoint point) const { return at_point[static_cast<std::size_t>(point)]; }
  bool operator==(const PluginLists&) const = default;
};

// The error is kube-scheduler's: a plugin that does not exist or does not implement its extension point, one that is
// named twice, a number of queue sort or bind plugins that cannot be.
Result<PluginLists> expand_plugins(std::string_view scheduler_name, const Plugins& plugins,
                                   std::span<const PluginSpec> out_of_tree = {});

}  // namespace berth::config
