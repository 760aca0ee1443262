// Which handler answers which path. Paths are exact, or prefixes that end with "/"; the longest match wins. A path that
// is not registered is answered as Go's mux does: 404.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/serve/call.h"

namespace berth::serve {

class Routes {
 public:
  // Requires: the path begins with "/" and is new.
  void add(std::string path, Handler handler);
  // For everything below: "/berth/v1/pods/".
  void add_prefix(std::string prefix, Handler handler);

  Reply operator()(const Call& call) const;
  // Exact paths and prefixes, sorted.
  std::vector<std::string> paths() const;

 private:
  std::map<std::string, Handler, std::less<>> exact_;
  std::map<std::string, Handler, std::less<>> prefixes_;
};

// Answers GET and HEAD; 405 for other methods.
Handler read_only(Handler handler);

}  // namespace berth::serve
