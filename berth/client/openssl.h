// OpenSSL's objects with owners. Internal to this folder.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string_view>

namespace berth::client {

struct FreeOpenSsl {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeOpenSsl>;

// To read from; the text outlives it.
inline Owned<BIO> bio_of(std::string_view text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Refuses keys with a passphrase: there is no terminal to ask on.
inline int no_passphrase(char* /*buffer*/, int /*size*/, int /*is_writing*/, void* /*context*/) {
  return 0;
}

}  // namespace berth::client
