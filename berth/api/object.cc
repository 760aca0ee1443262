#include "berth/api/object.h"

#include <algorithm>

#include "berth/api/kinds.h"
#include "berth/base/check.h"

namespace berth::api {

namespace {

constexpr bool kNamespaced = true;
constexpr bool kClusterWide = false;

template <typename T>
ObjectKind row(std::string_view api_version, std::string_view kind, std::string_view resource, bool namespaced) {
  ObjectKind row{.api_version = api_version,
                 .kind = kind,
                 .resource = resource,
                 .namespaced = namespaced,
                 .type = &type_of<T>(),
                 .make = []() -> std::shared_ptr<void> { return std::make_shared<T>(); },
                 .metadata = nullptr};
  if constexpr (!std::is_same_v<T, Status>) {
    row.metadata = [](const void* object) -> const ObjectMeta& { return static_cast<const T*>(object)->metadata; };
  }
  return row;
}

#define BERTH_ROW(T, api_version, kind, resource, scope, ...) row<T>(api_version, kind, resource, scope),
#define BERTH_PARTIAL_ROW(api_version, kind, resource, scope) row<PartialObject>(api_version, kind, resource, scope),

const std::vector<ObjectKind>& table() {
  static const std::vector<ObjectKind> kinds = {
      BERTH_FOR_EACH_KIND(BERTH_ROW)                  // kinds with a struct of their own
      BERTH_FOR_EACH_PARTIAL_KIND(BERTH_PARTIAL_ROW)  // kinds that are read in part
      row<Status>("v1", "Status", "", kClusterWide),
  };
  return kinds;
}

#undef BERTH_ROW
#undef BERTH_PARTIAL_ROW

template <typename T>
const ObjectKind& row_of() {
  const auto found = std::ranges::find(table(), &type_of<T>(), &ObjectKind::type);
  BERTH_CHECK(found != table().end(), "{} is not in the table of kinds", schema_of<T>().name());
  return *found;
}

}  // namespace

std::span<const ObjectKind> all_kinds() {
  return table();
}

const ObjectKind* find_kind(std::string_view api_version, std::string_view kind) {
  // A NodePool of the beta is read as one of v1: what matters here is the same.
  if (api_version == "karpenter.sh/v1beta1") api_version = "karpenter.sh/v1";
  for (const ObjectKind& row : table()) {
    if (row.kind == kind && row.api_version == api_version) return &row;
  }
  return nullptr;
}

const ObjectKind* list_item_kind(std::string_view api_version, std::string_view list_kind) {
  constexpr std::string_view kSuffix = "List";
  if (!list_kind.ends_with(kSuffix)) return nullptr;
  list_kind.remove_suffix(kSuffix.size());
  const ObjectKind* kind = find_kind(api_version, list_kind);
  return kind != nullptr && kind->metadata != nullptr ? kind : nullptr;
}

#define BERTH_DEFINE_KIND(T, ...)         \
  template <>                             \
  const ObjectKind& kind_of<T>() {        \
    static const auto& row = row_of<T>(); \
    return row;                           \
  }
BERTH_FOR_EACH_KIND(BERTH_DEFINE_KIND)
BERTH_DEFINE_KIND(Status)
#undef BERTH_DEFINE_KIND

}  // namespace berth::api
