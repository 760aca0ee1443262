#include "berth/api/watched_kinds.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"

namespace berth::api {

namespace {

constexpr bool kHasEvents = true;
constexpr bool kNoEvents = false;

#define BERTH_ROW(T, api_version, kind, resource, scope, reading, events) {&kind_of<T>(), KindReading::reading, events},

std::vector<WatchedKind> read_kinds() {
  std::vector<WatchedKind> kinds = {BERTH_FOR_EACH_KIND(BERTH_ROW)};
  std::erase_if(kinds, [](const WatchedKind& each) { return each.reading == KindReading::kNotRead; });
  for (const ObjectKind* last : {&kind_of<Node>(), &kind_of<Pod>()}) {
    const auto at = std::ranges::find(kinds, last, &WatchedKind::kind);
    std::rotate(at, at + 1, kinds.end());
  }
  return kinds;
}

#undef BERTH_ROW

std::string resource_of(const ObjectKind& kind) {
  const std::size_t slash = kind.api_version.find('/');
  if (slash == std::string_view::npos) return std::string(kind.kind);
  return std::string(kind.api_version.substr(0, slash + 1)).append(kind.kind);
}

}  // namespace

std::span<const WatchedKind> watched_kinds() {
  static const std::vector<WatchedKind> kinds = read_kinds();
  return kinds;
}

Symbol event_resource(const ObjectKind& kind) {
  static const std::vector<Symbol> resources = [] {
    std::vector<Symbol> made(all_kinds().size());
    for (const WatchedKind& each : watched_kinds()) {
      if (each.has_events)
        made[static_cast<std::size_t>(each.kind - all_kinds().data())] = Symbol(resource_of(*each.kind));
    }
    return made;
  }();
  return resources[static_cast<std::size_t>(&kind - all_kinds().data())];
}

}  // namespace berth::api
