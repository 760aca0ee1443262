// Who makes a request, as Kubernetes describes users.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/schema.h"

namespace berth::serve {

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kMasters = "system:masters";

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  FlatMap<std::vector<std::string>> extra;

  bool operator==(const User&) const = default;
};
User anonymous_user();

}  // namespace berth::serve

namespace berth::api {
template <>
const Schema& schema_of<serve::User>();  // authentication.k8s.io/v1 UserInfo
}
