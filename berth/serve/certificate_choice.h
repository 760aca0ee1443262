// Which certificate a client is shown: --tls-sni-cert-key gives further ones, each for some names, beside the usual
// one.
//
// A client says whom it wants to speak with (server name indication); one that says nothing gets the certificate for
// the address that it has reached. Names that were given come before names that a certificate has itself, exact ones
// before wildcards, and of two that are equally good the first given. If none fits, it is the usual one.
//
// Thread safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/serve/certificate.h"

namespace berth::serve {

struct NamedCertificate {
  // "scheduler.example.com", "*.example.com" (one label), "10.0.0.7"; empty: those in the certificate, as it is now.
  std::vector<std::string> names;
  std::shared_ptr<CertificateSource> source;
};

class CertificateChoice {
 public:
  // No source is null.
  CertificateChoice(std::shared_ptr<CertificateSource> usual, std::vector<NamedCertificate> named)
      : usual_(std::move(usual)), named_(std::move(named)) {}

  std::shared_ptr<const Identity> choose(std::string_view name) const;

 private:
  std::shared_ptr<CertificateSource> usual_;
  std::vector<NamedCertificate> named_;
};

}  // namespace berth::serve
