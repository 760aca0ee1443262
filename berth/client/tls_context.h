// The TLS configuration of a client: CA bundle and client certificate. Internal to the real
// transport.
#pragma once

#include <openssl/ssl.h>

#include <string>

#include "berth/base/error.h"
#include "berth/client/credential_source.h"
#include "berth/client/openssl.h"

namespace berth::client {

// TLS 1.2 or better, offering HTTP/2 and HTTP/1.1.
Result<Owned<SSL_CTX>> make_tls_context(const Identity& identity, bool insecure_skip_verify);

// A client on `fd` that expects a certificate for `name`, a DNS name or an IP address.
Owned<SSL> make_tls_client(SSL_CTX* context, int fd, const std::string& name);

// What the last TLS operation that failed on this thread has left behind: empties OpenSSL's list of errors.
std::string take_tls_error(const SSL* tls);

}  // namespace berth::client
