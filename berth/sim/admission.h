// What an API server fills in when an object is created, as far as a scheduler notices: namespaces, schedulers' names,
// priorities from priority classes, requests from limits, selectors from label keys, a node's allocatable resources and
// its labels.
//
// Pods of one template stay pods of one template: what is worked out for the first is shared by all of them, and equal
// templates and labels become one, wherever they come from. A scheduler is fast because of that.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <string>

#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/base/interned.h"

namespace berth::sim {

class ApiServer;

// A cordoned node has the taint node.kubernetes.io/unschedulable, and others do not. A controller sees to that, a
// moment after the cordon; here it is done at once.
void taint_as_cordoned(api::Node& node);

class Admission {
 public:
  // The object as it is to be stored: a copy that nobody else has. The error is the API server's: a priority class that
  // is not there.
  Result<api::AnyObject> admit(const api::AnyObject& object, const ApiServer& api);

  // Priority classes have changed.
  void forget_templates() { templates_.clear(); }

 private:
  // Completed templates by the identity of the one that they were made from, which is kept alive.
  struct Template {
    Interned<api::PodTemplate> given;
    Interned<api::PodTemplate> completed;
  };
  struct SharedLabels {
    Interned<api::Labels> given;
    Interned<api::Labels> shared;
  };

  Result<Interned<api::PodTemplate>> complete(const Interned<api::PodTemplate>& given, const ApiServer& api);
  Interned<api::Labels> share(const Interned<api::Labels>& given);
  Result<api::AnyObject> admit_pod(const api::Pod& pod, const ApiServer& api);

  InternPool pool_;
  absl::flat_hash_map<const void*, Template> templates_;
  absl::flat_hash_map<const void*, SharedLabels> labels_;
};

}  // namespace berth::sim
