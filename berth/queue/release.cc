#include "berth/queue/release.h"

#include <array>
#include <utility>

namespace berth::queue {

namespace {

constexpr std::array<std::pair<Release, std::string_view>, 4> kReleaseNames = {{
    {Release::kV1_17, "v1.17"},
    {Release::kV1_20, "v1.20"},
    {Release::kV1_28, "v1.28"},
    {Release::kV1_36, "v1.36"},
}};

}  // namespace

std::string_view to_string(Release release) {
  for (const auto& [candidate, name] : kReleaseNames) {
    if (candidate == release) return name;
  }
  return "";
}

std::optional<Release> parse_release(std::string_view text) {
  for (const auto& [release, name] : kReleaseNames) {
    if (text == name || (text.starts_with(name) && text[name.size()] == '.')) return release;
  }
  return std::nullopt;
}

}  // namespace berth::queue
