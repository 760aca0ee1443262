#include "berth/serve/routes.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"

namespace berth::serve {

void Routes::add(std::string path, Handler handler) {
  BERTH_CHECK(path.starts_with('/') && !exact_.contains(path), "{}", path);
  exact_.emplace(std::move(path), std::move(handler));
}

void Routes::add_prefix(std::string prefix, Handler handler) {
  BERTH_CHECK(prefix.starts_with('/') && prefix.ends_with('/') && !prefixes_.contains(prefix), "{}", prefix);
  prefixes_.emplace(std::move(prefix), std::move(handler));
}

Reply Routes::operator()(const Call& call) const {
  if (const auto found = exact_.find(call.path); found != exact_.end()) return found->second(call);
  const std::pair<const std::string, Handler>* longest = nullptr;
  for (const auto& entry : prefixes_) {
    if (!call.path.starts_with(entry.first)) continue;
    if (longest == nullptr || entry.first.size() > longest->first.size()) longest = &entry;
  }
  return longest != nullptr ? longest->second(call) : Reply::error(404, "404 page not found");
}

std::vector<std::string> Routes::paths() const {
  std::vector<std::string> result;
  for (const auto& [path, handler] : exact_) result.push_back(path);
  for (const auto& [prefix, handler] : prefixes_) result.push_back(prefix);
  std::ranges::sort(result);
  return result;
}

Handler read_only(Handler handler) {
  return [handler = std::move(handler)](const Call& call) {
    if (call.method == "GET" || call.method == "HEAD") return handler(call);
    Reply reply = Reply::error(405, "405 method not allowed");
    reply.headers.push_back({"Allow", "GET, HEAD"});
    return reply;
  };
}

}  // namespace berth::serve
