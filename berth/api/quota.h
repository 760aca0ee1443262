// What bounds the pods of a namespace at admission: limits and defaults for each of them (LimitRange), and sums over
// all of them (ResourceQuota).
#pragma once

#include <optional>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/pod.h"
#include "berth/api/quantity.h"

namespace berth::api {

struct LimitRangeItem {
  Symbol type;  // Container, Pod or PersistentVolumeClaim
  ResourceList max;
  ResourceList min;
  ResourceList default_limit;
  ResourceList default_request;
  ResourceList max_limit_request_ratio;
  bool operator==(const LimitRangeItem&) const = default;
};

struct LimitRangeSpec {
  std::vector<LimitRangeItem> limits;
  bool operator==(const LimitRangeSpec&) const = default;
};

struct LimitRange {
  ObjectMeta metadata;
  LimitRangeSpec spec;
  bool operator==(const LimitRange&) const = default;
};

struct ScopedResourceSelectorRequirement {
  Symbol scope_name;
  Symbol op;
  std::vector<Symbol> values;
  bool operator==(const ScopedResourceSelectorRequirement&) const = default;
};

struct ScopeSelector {
  std::vector<ScopedResourceSelectorRequirement> match_expressions;
  bool operator==(const ScopeSelector&) const = default;
};

struct ResourceQuotaSpec {
  ResourceList hard;
  std::vector<Symbol> scopes;
  std::optional<ScopeSelector> scope_selector;
  bool operator==(const ResourceQuotaSpec&) const = default;
};

struct ResourceQuotaStatus {
  ResourceList hard;
  ResourceList used;
  bool operator==(const ResourceQuotaStatus&) const = default;
};

struct ResourceQuota {
  ObjectMeta metadata;
  ResourceQuotaSpec spec;
  ResourceQuotaStatus status;
  bool operator==(const ResourceQuota&) const = default;
};

BERTH_HAS_SCHEMA(LimitRangeItem);
BERTH_HAS_SCHEMA(LimitRangeSpec);
BERTH_HAS_SCHEMA(LimitRange);
BERTH_HAS_SCHEMA(ScopedResourceSelectorRequirement);
BERTH_HAS_SCHEMA(ScopeSelector);
BERTH_HAS_SCHEMA(ResourceQuotaSpec);
BERTH_HAS_SCHEMA(ResourceQuotaStatus);
BERTH_HAS_SCHEMA(ResourceQuota);

}  // namespace berth::api
