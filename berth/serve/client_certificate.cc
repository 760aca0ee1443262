#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <utility>

#include "berth/serve/certificate.h"
#include "berth/serve/openssl.h"

namespace berth::serve {

namespace {

std::vector<std::string> subject_values(const X509* certificate, int kind) {
  std::vector<std::string> result;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(subject, kind, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, kind, at)) {
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size >= 0) result.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return result;
}

}  // namespace

ClientCertificate::ClientCertificate(X509Ptr leaf, std::vector<X509Ptr> others)
    : leaf_(std::move(leaf)),
      others_(std::move(others)),
      organizations_(subject_values(leaf_.get(), NID_organizationName)) {
  // Of several, Go takes the last.
  if (std::vector<std::string> names = subject_values(leaf_.get(), NID_commonName); !names.empty()) {
    common_name_ = std::move(names.back());
  }
}

Result<std::shared_ptr<const ClientCertificate>> ClientCertificate::from_pem(std::string_view pem) {
  auto certificates = certificates_from_pem(pem);
  if (!certificates) return fail(std::move(certificates).error());
  X509Ptr leaf = certificates->front();
  certificates->erase(certificates->begin());
  return std::make_shared<const ClientCertificate>(std::move(leaf), *std::move(certificates));
}

std::string ClientCertificate::sha256() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (X509_digest(leaf_.get(), EVP_sha256(), digest.data(), &size) != 1) return "";
  std::string result;
  for (unsigned int i = 0; i < size; ++i) result += fmt::format("{:02x}", digest[i]);
  return result;
}

Result<std::shared_ptr<const CertificateAuthorities>> CertificateAuthorities::from_pem(std::string_view bundle) {
  auto certificates = certificates_from_pem(bundle);
  if (!certificates) return fail(std::move(certificates).error());
  std::shared_ptr<X509_STORE> store(X509_STORE_new(), X509_STORE_free);
  // As in Go, everything in the bundle is trusted by itself, also what another one has signed.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  for (const X509Ptr& certificate : *certificates) {
    if (X509_STORE_add_cert(store.get(), certificate.get()) != 1) return fail(openssl_error());
  }
  return std::shared_ptr<const CertificateAuthorities>(new CertificateAuthorities(std::move(store)));
}

Result<void> CertificateAuthorities::verify(const ClientCertificate& certificate, Instant now) const {
  const std::unique_ptr<X509_STORE_CTX, FreeWith<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  const auto free_stack = [](STACK_OF(X509) * stack) { sk_X509_free(stack); };
  const std::unique_ptr<STACK_OF(X509), decltype(free_stack)> others(sk_X509_new_null());
  for (const X509Ptr& other : certificate.others_) sk_X509_push(others.get(), other.get());
  if (X509_STORE_CTX_init(context.get(), store_.get(), certificate.leaf_.get(), others.get()) != 1) {
    return fail(openssl_error());
  }
  (void)X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  X509_STORE_CTX_set_time(context.get(), 0, static_cast<std::time_t>(now.unix_nanoseconds() / 1'000'000'000));
  if (X509_verify_cert(context.get()) == 1) return {};
  const std::string why = X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
  (void)openssl_error();
  return fail(fmt::format("cannot verify client certificate of \"{}\": {}", certificate.common_name(), why));
}

}  // namespace berth::serve
