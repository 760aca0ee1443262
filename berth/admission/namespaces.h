// The namespaces that objects can be created in, as far as they are known: an API server refuses what is to be created
// in a namespace that does not exist or that is being deleted.
//
// A dump need not have the namespaces. One that has none, or that has objects in others than those, is not the whole
// list, and nothing is missed then. The namespaces that every cluster has are always there.
//
// Not thread safe.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "berth/api/object.h"
#include "berth/base/error.h"

namespace berth::admission {

class Namespaces {
 public:
  // A namespace, or an object that is in one.
  void add(const api::AnyObject& object);

  // "unable to create new content in namespace x because it is being terminated"; behind "... is forbidden: ".
  Result<void> check_active(std::string_view name) const;
  // "namespaces "x" not found"
  Result<void> check_exists(std::string_view name) const;

 private:
  bool is_known(std::string_view name) const;

  std::map<std::string, bool, std::less<>> is_terminating_;  // by name
  std::set<std::string, std::less<>> used_;                  // by objects that were added
};

// Whether the object can be created in the namespace, in a cluster with these objects and after its companions, which
// may bring the namespace. The error is the API server's.
Result<void> check_namespace(const api::AnyObject& object, std::string_view name_space,
                             std::span<const api::AnyObject> cluster, std::span<const api::AnyObject> companions);

}  // namespace berth::admission
