// ResourceQuotas, and how much of them the objects of their namespaces use: the API server's admission plugin
// ResourceQuota together with the controller that keeps the status, in their words.
//
// What is used is counted as objects come, change and go, in namespaces that have a quota only; elsewhere an object
// costs one look-up. The status of a quota is not read: what is used is what the objects at hand use. Pods that have
// ended count for "count/pods" alone. A pod that is being deleted counts until it is gone (the API server stops at the
// end of its grace period).
//
// Pods count with their requests and limits (cpu, limits.memory, requests.nvidia.com/gpu, ...), claims with their
// storage, also per storage class; every object counts as one (count/deployments.apps). Scopes are those of pods and
// the VolumeAttributesClass of claims.
//
// Not thread safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "berth/api/kinds.h"
#include "berth/base/error.h"

namespace berth::admission {

class Quotas {
 public:
  // True if what is used of it has to be counted from nothing: count() every object of its namespace.
  bool set(const api::ResourceQuota& quota);
  void remove(Symbol name_space, std::string_view name);
  bool covers(Symbol name_space) const { return !quotas_.empty() && quotas_.contains(name_space); }

  // The object counts for this quota.
  void count(const api::ResourceQuota& quota, const api::AnyObject& object);
  // Objects that come, change and go.
  void add(const api::AnyObject& object);
  void change(const api::AnyObject& before, const api::AnyObject& now);
  void remove(const api::AnyObject& object);

  // Whether there is room for one more. The error says what follows "is forbidden: ".
  Result<void> check(const api::AnyObject& object) const;

 private:
  struct Quota {
    api::ResourceQuotaSpec spec;
    api::ResourceList used;
  };
  using ByName = std::map<std::string, Quota, std::less<>>;

  const ByName* in(Symbol name_space) const;
  void charge(const api::AnyObject& object, bool is_added);

  std::map<Symbol, ByName, SymbolTextLess> quotas_;
};

// What the object counts for in a quota that names these resources.
api::ResourceList quota_usage(const api::AnyObject& object);

}  // namespace berth::admission
