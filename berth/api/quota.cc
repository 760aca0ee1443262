#include "berth/api/quota.h"

namespace berth::api {

template <>
const Schema& schema_of<LimitRangeItem>() {
  static const Schema schema("LimitRangeItem",
                             {
                                 field<&LimitRangeItem::type>("type", 1, kAlways),
                                 field<&LimitRangeItem::max>("max", 2),
                                 field<&LimitRangeItem::min>("min", 3),
                                 field<&LimitRangeItem::default_limit>("default", 4),
                                 field<&LimitRangeItem::default_request>("defaultRequest", 5),
                                 field<&LimitRangeItem::max_limit_request_ratio>("maxLimitRequestRatio", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<LimitRangeSpec>() {
  static const Schema schema("LimitRangeSpec", {
                                                   field<&LimitRangeSpec::limits>("limits", 1, kAlways),
                                               });
  return schema;
}

template <>
const Schema& schema_of<LimitRange>() {
  static const Schema schema("LimitRange", {
                                               field<&LimitRange::metadata>("metadata", 1, kAlways),
                                               field<&LimitRange::spec>("spec", 2, kAlways),
                                           });
  return schema;
}

template <>
const Schema& schema_of<ScopedResourceSelectorRequirement>() {
  static const Schema schema("ScopedResourceSelectorRequirement",
                             {
                                 field<&ScopedResourceSelectorRequirement::scope_name>("scopeName", 1, kAlways),
                                 field<&ScopedResourceSelectorRequirement::op>("operator", 2, kAlways),
                                 field<&ScopedResourceSelectorRequirement::values>("values", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<ScopeSelector>() {
  static const Schema schema("ScopeSelector", {
                                                  field<&ScopeSelector::match_expressions>("matchExpressions", 1),
                                              });
  return schema;
}

template <>
const Schema& schema_of<ResourceQuotaSpec>() {
  static const Schema schema("ResourceQuotaSpec", {
                                                      field<&ResourceQuotaSpec::hard>("hard", 1),
                                                      field<&ResourceQuotaSpec::scopes>("scopes", 2),
                                                      field<&ResourceQuotaSpec::scope_selector>("scopeSelector", 3),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<ResourceQuotaStatus>() {
  static const Schema schema("ResourceQuotaStatus", {
                                                        field<&ResourceQuotaStatus::hard>("hard", 1),
                                                        field<&ResourceQuotaStatus::used>("used", 2),
                                                    });
  return schema;
}

template <>
const Schema& schema_of<ResourceQuota>() {
  static const Schema schema("ResourceQuota", {
                                                  field<&ResourceQuota::metadata>("metadata", 1, kAlways),
                                                  field<&ResourceQuota::spec>("spec", 2, kAlways),
                                                  field<&ResourceQuota::status>("status", 3, kAlways),
                                              });
  return schema;
}

}  // namespace berth::api
