#include "berth/serve/user.h"

namespace berth::serve {

User anonymous_user() {
  User user;
  user.name = kAnonymous;
  user.groups = {std::string(kUnauthenticated)};
  return user;
}

}  // namespace berth::serve

namespace berth::api {

template <>
const Schema& schema_of<serve::User>() {
  using U = serve::User;
  static const Schema schema("UserInfo", {
                                             field<&U::name>("username", 1),
                                             field<&U::uid>("uid", 2),
                                             field<&U::groups>("groups", 3),
                                             field<&U::extra>("extra", 4),
                                         });
  return schema;
}

}  // namespace berth::api
