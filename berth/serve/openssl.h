// OpenSSL's objects with owners, and its errors as text. Internal to this folder.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"

namespace berth::serve {

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;
using KeyPtr = std::shared_ptr<EVP_PKEY>;
using X509Ptr = std::shared_ptr<X509>;
using SslPtr = std::unique_ptr<SSL, FreeWith<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>>;

inline X509Ptr own(X509* certificate) {
  return {certificate, X509_free};
}

struct Identity {
  X509Ptr leaf;
  std::vector<X509Ptr> chain;
  KeyPtr key;
};

// The newest of OpenSSL's errors of this thread in words; clears them all.
std::string openssl_error();

// All certificates of a PEM text. The error: there is none, or one that cannot be read.
Result<std::vector<X509Ptr>> certificates_from_pem(std::string_view pem);

}  // namespace berth::serve
