// The events of a dump by the object that they are about: what kubelets and controllers said about a pod or a claim.
//
// Of both APIs, v1 and events.k8s.io, which show the same events. Plain values, not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"

namespace berth::explain {

struct ObjectEvent {
  Symbol reason;
  std::string message;
  bool is_warning = false;
  Symbol component;       // who says so: "kubelet", "attachdetach-controller"
  std::string uid;        // of the object; may be empty
  std::string container;  // if it is about one of a pod
  Instant first;
  Instant last;
  std::int64_t count = 0;
};

class ObjectEvents {
 public:
  // Returns whether it is an event.
  bool add(const api::AnyObject& object);

  // Oldest first. Events about an earlier object of that name, with another UID, are left out.
  std::vector<const ObjectEvent*> about(std::string_view kind, Symbol name_space, std::string_view name,
                                        std::string_view uid) const;
  // The last time that any of them was seen; unset if there are none.
  Instant newest() const { return newest_; }

 private:
  std::map<std::string, std::vector<ObjectEvent>, std::less<>> by_object_;
  Instant newest_;
};

}  // namespace berth::explain
