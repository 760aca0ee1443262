// Where the machine keeps the certificate authorities that it trusts. OpenSSL has one place compiled in, that of the
// distribution that built it; a program that is copied to another distribution has to look where that one keeps them.
#pragma once

#include <functional>
#include <string>

namespace berth::client {

// The bundle to load; empty if OpenSSL's own place is there or SSL_CERT_FILE or SSL_CERT_DIR names another, and if no
// bundle is found. `is_there` says whether a file or folder can be read; without it the file system is asked.
std::string system_ca_bundle(const std::function<bool(const std::string& file)>& is_there);
std::string system_ca_bundle();

}  // namespace berth::client
