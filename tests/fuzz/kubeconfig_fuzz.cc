// Any text as a kubeconfig: an endpoint whose URL can be used, or an error that does not show the user's token or
// password.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "berth/base/check.h"
#include "berth/client/kubeconfig.h"
#include "berth/client/server_address.h"
#include "tests/fuzz/fuzz_object.h"

namespace {

constexpr std::string_view kSecret = "SECRET";

// Whether that word stands where a secret does, and nowhere else: a name or a URL may be shown.
bool has_only_secrets(std::string_view text) {
  for (std::size_t at = text.find(kSecret); at != std::string_view::npos; at = text.find(kSecret, at + 1)) {
    const std::string_view before = text.substr(0, at);
    if (!before.ends_with(" token: ") && !before.ends_with(" password: ") && !before.ends_with(" client-key-data: ")) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  // A file in memory: kubeconfigs are read by name.
  static const int fd = ::memfd_create("kubeconfig", MFD_CLOEXEC);
  static const std::string path = fmt::format("/proc/self/fd/{}", fd);
  BERTH_CHECK(fd >= 0 && ::ftruncate(fd, 0) == 0, "no file in memory");
  BERTH_CHECK(::pwrite(fd, data, size, 0) == static_cast<ssize_t>(size), "cannot write");
  const auto endpoint = client::read_kubeconfig({path});
  if (endpoint) {
    BERTH_CHECK(client::parse_server_address(*endpoint).has_value(), "{}", endpoint->server);
    return 0;
  }
  BERTH_CHECK(!endpoint.error().what().empty(), "no text");
  const std::string message = endpoint.error().message();
  BERTH_CHECK(!has_only_secrets(fuzz::as_text(data, size)) || message.find(kSecret) == std::string::npos, "{}",
              message);
  return 0;
}
