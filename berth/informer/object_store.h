// A sink that keeps what it hears: the state of all objects, by kind, namespace and name. For tests, and for checkers
// that compare a view with the API server's. The engine keeps its own.
//
// Not thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/object.h"
#include "berth/informer/sink.h"

namespace berth::informer {

class ObjectStore final : public Sink {
 public:
  void observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) override;
  void observe(api::AnyObject object) override;
  void observe_deleted(api::AnyObject object) override;

  // By namespace and name, which is "name" alone for kinds without a namespace (api::full_name). Empty if unknown.
  api::AnyObject find(const api::ObjectKind& kind, std::string_view full_name) const;
  template <typename T>
  std::shared_ptr<const T> find(std::string_view full_name) const {
    return find(api::kind_of<T>(), full_name).template as<T>();
  }
  // In the order of their full names.
  std::vector<api::AnyObject> list(const api::ObjectKind& kind) const;
  std::size_t size(const api::ObjectKind& kind) const;

  // What differs from all objects of the kind that there are, a sentence each; none if nothing does.
  std::vector<std::string> differences(const api::ObjectKind& kind, std::span<const api::AnyObject> truth) const;

 private:
  using Objects = std::map<std::string, api::AnyObject, std::less<>>;

  // Empty if nothing was heard of it.
  const Objects& objects_of(const api::ObjectKind& kind) const;

  std::map<const api::ObjectKind*, Objects> kinds_;
};

// Whether they are of one kind and have the same content.
bool is_same(const api::AnyObject& a, const api::AnyObject& b);

}  // namespace berth::informer
