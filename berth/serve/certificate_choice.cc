#include "berth/serve/certificate_choice.h"

#include <openssl/x509v3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "berth/base/ascii.h"
#include "berth/serve/openssl.h"

namespace berth::serve {

namespace {

enum class Match : std::uint8_t { kExact, kWildcard };

bool fits(std::string_view pattern, std::string_view name, Match how) {
  if (how == Match::kExact) return same_ignoring_case(pattern, name);
  const std::size_t dot = name.find('.');
  return pattern.starts_with("*.") && dot != std::string_view::npos &&
         same_ignoring_case(pattern.substr(1), name.substr(dot));
}

bool is_for(const Identity& identity, const std::string& name, Match how) {
  if (X509_check_ip_asc(identity.leaf.get(), name.c_str(), 0) == 1) return true;
  const unsigned int flags = how == Match::kExact ? X509_CHECK_FLAG_NO_WILDCARDS : 0;
  return X509_check_host(identity.leaf.get(), name.data(), name.size(), flags, nullptr) == 1;
}

}  // namespace

std::shared_ptr<const Identity> CertificateChoice::choose(std::string_view name) const {
  if (named_.empty() || name.empty()) return usual_->current();
  for (const Match how : {Match::kExact, Match::kWildcard}) {
    for (const NamedCertificate& each : named_) {
      if (std::ranges::any_of(each.names, [&](const std::string& pattern) { return fits(pattern, name, how); })) {
        return each.source->current();
      }
    }
    for (const NamedCertificate& each : named_) {
      if (!each.names.empty()) continue;
      auto identity = each.source->current();
      if (is_for(*identity, std::string(name), how)) return identity;
    }
  }
  return usual_->current();
}

}  // namespace berth::serve
