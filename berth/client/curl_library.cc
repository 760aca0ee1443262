#include "berth/client/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <type_traits>

namespace berth::client {

namespace {

#define BERTH_CURL_FUNCTIONS(X) \
  X(easy_cleanup)               \
  X(easy_getinfo)               \
  X(easy_init)                  \
  X(easy_setopt)                \
  X(easy_strerror)              \
  X(global_init)                \
  X(multi_add_handle)           \
  X(multi_cleanup)              \
  X(multi_info_read)            \
  X(multi_init)                 \
  X(multi_perform)              \
  X(multi_poll)                 \
  X(multi_remove_handle)        \
  X(multi_setopt)               \
  X(multi_strerror)             \
  X(slist_append)               \
  X(slist_free_all)

#ifdef BERTH_STATIC_CURL

// A static program cannot load libraries; it brings its own libcurl.
constexpr const char* kName = "libcurl";

Result<CurlLibrary> find_functions() {
  CurlLibrary curl;
#define BERTH_TAKE_CURL_FUNCTION(name) curl.name = &::curl_##name;
  BERTH_CURL_FUNCTIONS(BERTH_TAKE_CURL_FUNCTION)
#undef BERTH_TAKE_CURL_FUNCTION
  return curl;
}

#else

constexpr const char* kName = "libcurl.so.4";

Result<CurlLibrary> find_functions() {
  void* handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(
        Error(fmt::format("cannot load {}, which is required for proxies and HTTP/1.1 servers: {}", kName, ::dlerror()))
            .with_fix("install Debian's libcurl4"));
  }
  CurlLibrary curl;
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    void* found = ::dlsym(handle, name);
    if (found == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)> >(found);
  };
#define BERTH_FIND_CURL_FUNCTION(name) find("curl_" #name, curl.name);
  BERTH_CURL_FUNCTIONS(BERTH_FIND_CURL_FUNCTION)
#undef BERTH_FIND_CURL_FUNCTION
  if (!missing.empty()) {
    return fail(Error(fmt::format("{} is too old: symbol {} not found", kName, missing))
                    .with_fix("install libcurl 7.66 or newer"));
  }
  return curl;
}

#endif
#undef BERTH_CURL_FUNCTIONS

Result<CurlLibrary> load() {
  auto curl = find_functions();
  if (!curl) return curl;
  // Never cleaned up, because others in the process may use it.
  const CURLcode code = curl->global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) return fail(fmt::format("cannot initialize {}: {}", kName, curl->easy_strerror(code)));
  return curl;
}

}  // namespace

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace berth::client
