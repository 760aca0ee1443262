// What an API server (v1.36.3) fills in and refuses when a pod or another object is created, as far as it can be known
// from the objects at hand: the API's defaults, the priority of its class, requests and limits from LimitRanges and
// their bounds, the default storage class of claims, and ResourceQuotas. Webhooks, policies and the default tolerations
// of the not-ready and unreachable taints are left out.
//
// It has to be told of the objects that come, change and go. Everybody who asks whether a pod can be created uses this:
// the simulator for every object, `berth explain` and `berth capacity` for the pods of a manifest.
//
// Pods of one template stay pods of one template: what is worked out for the first is shared by all of them, and equal
// templates become one, wherever they come from. A scheduler is fast because of that.
//
// Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berth/admission/limit_ranges.h"
#include "berth/admission/priorities.h"
#include "berth/admission/quotas.h"
#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/base/interned.h"

namespace berth::admission {

// Where an object comes from.
enum class Origin : std::uint8_t {
  kNew,      // somebody creates it now
  kCluster,  // it was admitted by the cluster that it was read from: defaults are filled in, nothing is refused for
             // LimitRanges and quotas, which may be younger than it
};

struct Options {
  // A priority that a new pod states counts, also without a class that says so: see Priorities::resolve().
  bool keeps_given_priority = false;
};

class Admission {
 public:
  explicit Admission(Options options = {}) : options_(options) {}

  // --- What is there -------------------------------------------------------------------------------------------------
  // True if the object is a quota whose usage has to be counted from nothing: count() the objects of its namespace.
  bool add(const api::AnyObject& object);
  bool change(const api::AnyObject& before, const api::AnyObject& now);
  void remove(const api::AnyObject& object);
  void count(const api::ResourceQuota& quota, const api::AnyObject& object) { quotas_.count(quota, object); }

  const Priorities& priorities() const { return priorities_; }
  const Quotas& quotas() const { return quotas_; }

  // --- What is to be created -----------------------------------------------------------------------------------------
  // Each has a namespace already, if its kind has one. The error is the API server's:
  // "pods "web-0" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2".

  // The pod as it would be stored. Keys of labels are merged into its selectors.
  Result<api::Pod> admit(api::Pod pod, Origin origin = Origin::kNew);
  Result<api::PersistentVolumeClaim> admit(api::PersistentVolumeClaim claim, Origin origin = Origin::kNew) const;
  // Of any other kind: only quotas are of interest.
  Result<void> check(const api::AnyObject& object) const;

 private:
  // A completed template, or why pods of it are refused.
  struct Template {
    Interned<api::PodTemplate> given;  // kept alive: its identity is the key
    Interned<api::PodTemplate> completed;
    std::string refusal;
  };
  // By the identity of the template; by the namespace, where one has LimitRanges.
  using TemplateKey = std::pair<const void*, std::uint64_t>;

  const Template& complete(const Interned<api::PodTemplate>& given, Symbol name_space, Origin origin);
  std::optional<Symbol> default_storage_class() const;
  // True as add() is.
  bool set_policy(const api::AnyObject& object);

  Options options_;
  Priorities priorities_;
  LimitRanges limit_ranges_;
  Quotas quotas_;
  // Default storage classes by name, with the time of their creation.
  std::map<std::string, Instant, std::less<>> default_storage_classes_;
  InternPool pool_;
  absl::flat_hash_map<TemplateKey, Template> templates_;  // never gone through
};

// "pods "web-0" is forbidden: WHY"
Error forbidden(const api::ObjectKind& kind, std::string_view name, const Error& why);

}  // namespace berth::admission
