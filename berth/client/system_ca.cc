#include "berth/client/system_ca.h"

#include <openssl/x509.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace berth::client {

namespace {

constexpr std::array<const char*, 5> kBundles = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Alpine, Arch
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, Red Hat, Amazon Linux
    "/etc/pki/tls/certs/ca-bundle.crt",                   // older ones of these
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // Alpine, BSD
};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::string system_ca_bundle(const std::function<bool(const std::string& file)>& is_there) {
  if (is_set(X509_get_default_cert_file_env()) || is_set(X509_get_default_cert_dir_env())) return "";
  if (is_there(X509_get_default_cert_file()) || is_there(X509_get_default_cert_dir())) return "";
  for (const char* file : kBundles) {
    if (is_there(file)) return file;
  }
  return "";
}

std::string system_ca_bundle() {
  return system_ca_bundle([](const std::string& file) { return ::access(file.c_str(), R_OK) == 0; });
}

}  // namespace berth::client
