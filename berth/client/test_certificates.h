// Certificates for tests, made on the spot: a CA and what it signs.
#pragma once

#include <openssl/asn1.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <type_traits>

#include "berth/base/check.h"

namespace berth::client {

struct TestCertificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name = "test CA")
      : key_(EVP_EC_gen("P-256")), certificate_(make(name, key_.get(), "", nullptr)) {}

  std::string certificate() const { return pem(certificate_.get()); }

  // For a server: `names` as in "DNS:kubernetes,IP:127.0.0.1". For a client: without any.
  TestCertificate issue(const std::string& common_name, const std::string& names = "") const {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate = make(common_name, key.get(), names, this);
    return {pem(certificate.get()), pem(key.get())};
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(BIO* bio) const { BIO_free(bio); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Certificate = std::unique_ptr<X509, Free>;

  static void add_extension(X509* certificate, int nid, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
    BERTH_CHECK(extension != nullptr, "bad extension {}", value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  // Signed by `issuer`; by itself, and as a CA, if that is null.
  static Certificate make(const std::string& common_name, EVP_PKEY* key, const std::string& names,
                          const TestAuthority* issuer) {
    Certificate certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial());
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate.get(),
                         X509_get_subject_name(issuer == nullptr ? certificate.get() : issuer->certificate_.get()));
    if (issuer == nullptr) add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    if (!names.empty()) add_extension(certificate.get(), NID_subject_alt_name, names);
    X509_sign(certificate.get(), issuer == nullptr ? key : issuer->key_.get(), EVP_sha256());
    return certificate;
  }

  static long& serial() {
    thread_local long last = 0;
    return last;
  }

  template <typename T>
  static std::string pem(T* value) {
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    if constexpr (std::is_same_v<T, X509>) {
      PEM_write_bio_X509(bio.get(), value);
    } else {
      PEM_write_bio_PrivateKey(bio.get(), value, nullptr, nullptr, 0, nullptr, nullptr);
    }
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return std::string(text, static_cast<std::size_t>(size));
  }

  Key key_;
  Certificate certificate_;
};

}  // namespace berth::client
