// What the simulated API server fills in and refuses when an object is created: what every API server does
// (berth/admission), and what kubelets and others see to in a real cluster: a node's allocatable resources and labels,
// the label of a namespace.
//
// An object that has a UID comes from a running cluster and was admitted there: it is not refused for LimitRanges and
// quotas. Equal labels become one, wherever they come from.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <string>

#include "berth/admission/admission.h"
#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/base/interned.h"

namespace berth::sim {

// A cordoned node has the taint node.kubernetes.io/unschedulable, and others do not. A controller sees to that, a
// moment after the cordon; here it is done at once.
void taint_as_cordoned(api::Node& node);

class Admission {
 public:
  // Scenarios give pods priorities without classes.
  Admission() : rules_(admission::Options{.keeps_given_priority = true}) {}

  // The object as it is to be stored: a copy that nobody else has. The error is the API server's: a priority class that
  // is not there, a limit or a quota that is exceeded.
  Result<api::AnyObject> admit(const api::AnyObject& object);

  // To be told of everything that is stored and erased.
  admission::Admission& rules() { return rules_; }

 private:
  struct SharedLabels {
    Interned<api::Labels> given;
    Interned<api::Labels> shared;
  };

  Interned<api::Labels> share(const Interned<api::Labels>& given);
  Result<api::AnyObject> admit_pod(const api::Pod& pod, admission::Origin origin);

  admission::Admission rules_;
  InternPool pool_;
  absl::flat_hash_map<const void*, SharedLabels> labels_;
};

}  // namespace berth::sim
