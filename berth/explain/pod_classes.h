// Classes of pods that the scheduler cannot tell apart: explaining one of them explains them all, and an explanation
// costs a look at all nodes with all plugins.
//
// Told by contents: the namespace, the template, and the labels but for those that number the pods of a workload.
// What pods share (berth/base/interned.h) is looked at once. Not thread safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "berth/api/pod.h"

namespace berth::explain {

class PodClasses {
 public:
  // The number of the pod's class: from 0 on, in the order in which they were first seen. Requires: pods that were
  // given before are still there.
  std::size_t class_of(const api::Pod& pod);

  std::size_t size() const { return index_.size(); }

 private:
  std::size_t template_of(const api::Pod& pod);

  // By template, namespace, nominated node, and whether it is being deleted.
  std::map<std::tuple<std::size_t, std::string, std::string, bool>, std::size_t> index_;
  // Only looked up, never gone through: the order is that of addresses.
  std::map<std::pair<const void*, const void*>, std::size_t> by_identity_;
  std::map<std::string, std::size_t> by_text_;
};

}  // namespace berth::explain
