// The priority classes of a cluster, and the priority that they give a new pod: the API server's admission plugin
// Priority. Not thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "berth/api/pod.h"
#include "berth/api/policy.h"
#include "berth/base/error.h"

namespace berth::admission {

class Priorities {
 public:
  using ClassPtr = std::shared_ptr<const api::PriorityClass>;

  void set(ClassPtr priority_class);
  void remove(std::string_view name);
  std::size_t size() const { return classes_.size(); }

  // Null if there is none. The two classes that every cluster has are there also if nobody has set them.
  ClassPtr find(std::string_view name) const;

  // Priority, class name and preemption policy of a new pod: those of its class or of the default class, and of several
  // default classes those of the lowest. `keeps_given`: a priority that the pod states counts, whatever its class says;
  // that is how a pod of a running cluster looks, and one of a scenario may. Without it the API server's rule holds: it
  // has to be the one of the class. The error says what follows "is forbidden: ".
  Result<void> resolve(api::PodTemplate& spec, bool keeps_given) const;

 private:
  ClassPtr default_class() const;

  std::map<std::string, ClassPtr, std::less<>> classes_;
};

}  // namespace berth::admission
