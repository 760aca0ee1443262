// What tests of code that reads or writes an API server use: a server in virtual time, and short names for objects.
// For tests only.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/kinds.h"
#include "berth/client/testing.h"
#include "berth/informer/fake_api_server.h"
#include "berth/informer/object_store.h"

namespace berth::informer::testing {

inline api::Pod pod(std::string_view name, std::string_view name_space = "shop") {
  api::Pod pod;
  pod.metadata.name = name;
  pod.metadata.name_space = Symbol(name_space);
  pod.status.phase = Symbol("Pending");
  return pod;
}

inline api::Node node(std::string_view name) {
  api::Node node;
  node.metadata.name = name;
  return node;
}

}  // namespace berth::informer::testing
