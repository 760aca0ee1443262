// Where objects live on an API server.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "berth/api/object.h"

namespace berth::client {

//   path_of(pods)                          "/api/v1/pods"                            all of them
//   path_of(pods, "shop")                  "/api/v1/namespaces/shop/pods"            all of a namespace
//   path_of(pods, "shop", "web-1")         "/api/v1/namespaces/shop/pods/web-1"
//   path_of(pods, "shop", "web-1", "binding")   ".../web-1/binding"
//   path_of(nodes, "", "n1")               "/api/v1/nodes/n1"
//
// The namespace is left out for kinds without one. Requires: a name only together with a namespace if the kind has one;
// a subresource only together with a name.
std::string path_of(const api::ObjectKind& kind, std::string_view name_space = {}, std::string_view name = {},
                    std::string_view subresource = {});

// Appends "?limit=500&continue=..." with the values escaped; parameters with an empty value are left out.
std::string with_query(std::string path,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> parameters);

// As it may stand in a part of a path or in a query.
std::string percent_encoded(std::string_view text);

}  // namespace berth::client
