#include "berth/client/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <type_traits>

namespace berth::client {

namespace {

constexpr const char* kName = "libcurl.so.4";

Result<CurlLibrary> load() {
  void* handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(
        Error(fmt::format("{} cannot be loaded, which proxies and servers without HTTP/2 need: {}", kName, ::dlerror()))
            .with_fix("install Debian's libcurl4"));
  }
  CurlLibrary curl;
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    void* found = ::dlsym(handle, name);
    if (found == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find("curl_easy_cleanup", curl.easy_cleanup);
  find("curl_easy_getinfo", curl.easy_getinfo);
  find("curl_easy_init", curl.easy_init);
  find("curl_easy_setopt", curl.easy_setopt);
  find("curl_easy_strerror", curl.easy_strerror);
  find("curl_global_init", curl.global_init);
  find("curl_multi_add_handle", curl.multi_add_handle);
  find("curl_multi_cleanup", curl.multi_cleanup);
  find("curl_multi_info_read", curl.multi_info_read);
  find("curl_multi_init", curl.multi_init);
  find("curl_multi_perform", curl.multi_perform);
  find("curl_multi_poll", curl.multi_poll);
  find("curl_multi_remove_handle", curl.multi_remove_handle);
  find("curl_multi_setopt", curl.multi_setopt);
  find("curl_multi_strerror", curl.multi_strerror);
  find("curl_slist_append", curl.slist_append);
  find("curl_slist_free_all", curl.slist_free_all);
  if (!missing.empty()) {
    return fail(
        Error(fmt::format("{} is too old: it has no {}", kName, missing)).with_fix("install libcurl 7.66 or newer"));
  }
  // Never cleaned up, because others in the process may use it.
  const CURLcode code = curl.global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) return fail(fmt::format("{} cannot be initialised: {}", kName, curl.easy_strerror(code)));
  return curl;
}

}  // namespace

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace berth::client
