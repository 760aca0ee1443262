// LimitRanges: defaults for the requests and limits of a namespace's containers, and bounds for its containers, pods
// and claims. The API server's admission plugin LimitRanger, in its words.
//
// Of several LimitRanges of a namespace, the first by name comes first: what it sets, the others find set. Not thread
// safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "berth/api/pod.h"
#include "berth/api/quota.h"
#include "berth/api/storage.h"
#include "berth/base/error.h"

namespace berth::admission {

class LimitRanges {
 public:
  void set(const api::LimitRange& range);
  void remove(Symbol name_space, std::string_view name);
  bool covers(Symbol name_space) const { return ranges_.contains(name_space); }

  // Requests and limits that the containers leave open.
  void set_defaults(Symbol name_space, api::PodTemplate& spec) const;
  // The error says what follows "is forbidden: ".
  Result<void> check(Symbol name_space, const api::PodTemplate& spec) const;
  Result<void> check(const api::PersistentVolumeClaim& claim) const;

 private:
  using ByName = std::map<std::string, api::LimitRangeSpec, std::less<>>;
  std::map<Symbol, ByName, SymbolTextLess> ranges_;  // with the defaults that the API fills in
};

}  // namespace berth::admission
