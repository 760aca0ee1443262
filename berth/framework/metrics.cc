#include "berth/framework/metrics.h"

#include <fmt/format.h>

namespace berth::framework {
namespace {

std::string_view field_of(ExtensionPoint point) {
  return config::extension_points()[static_cast<std::size_t>(point)].field;
}

}  // namespace

void CountingFrameworkMetrics::point_ends(ExtensionPoint point, Symbol /*profile*/, Code code) {
  ++points[fmt::format("{}/{}", field_of(point), to_string(code))];
}

void CountingFrameworkMetrics::plugin_ends(ExtensionPoint point, Symbol plugin, Symbol /*profile*/, Code code,
                                           std::size_t asked) {
  ++plugins[fmt::format("{}/{}/{}", field_of(point), plugin.text(), to_string(code))];
  nodes[fmt::format("{}/{}", field_of(point), plugin.text())] += static_cast<std::int64_t>(asked);
}

void CountingFrameworkMetrics::lookup_ends(Symbol /*profile*/, bool is_known) {
  ++classes[is_known ? "known" : "unknown"];
}

void CountingFrameworkMetrics::build_ends(Symbol /*profile*/) {
  ++classes["built"];
}

void CountingFrameworkMetrics::class_forgotten(Symbol /*profile*/) {
  ++classes["forgotten"];
}

}  // namespace berth::framework
