// Any bytes as what an exec plugin printed: a token, or a certificate with its key, or an error.
#include "berth/base/check.h"
#include "berth/client/exec_plugin.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  client::ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1";
  plugin.command = "login";
  const auto credential = client::read_exec_credential(fuzz::as_text(data, size), plugin);
  if (!credential) {
    BERTH_CHECK(credential.error().message().find("'login'") != std::string::npos, "{}", credential.error().message());
    return 0;
  }
  BERTH_CHECK(!credential->token.empty() || !credential->client_certificate.empty(), "neither token nor certificate");
  BERTH_CHECK(credential->client_certificate.empty() == credential->client_key.empty(), "half a certificate");
  return 0;
}
