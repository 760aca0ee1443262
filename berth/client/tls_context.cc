#include "berth/client/tls_context.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <string_view>

#include "berth/client/system_ca.h"

namespace berth::client {

namespace {

// As ALPN wants it: each with its length before it.
constexpr std::array<unsigned char, 12> kProtocols = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

bool trust(SSL_CTX* context, const std::string& ca) {
  if (ca.empty()) {
    const std::string bundle = system_ca_bundle();
    return bundle.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                          : SSL_CTX_load_verify_locations(context, bundle.c_str(), nullptr) == 1;
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const Owned<BIO> bio = bio_of(ca);
  int count = 0;
  while (const Owned<X509> certificate{PEM_read_bio_X509_AUX(bio.get(), nullptr, &no_passphrase, nullptr)}) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) return false;
    ++count;
  }
  ERR_clear_error();  // the end of the text counts as one
  return count > 0;
}

// The first certificate is ours, others lead from it to one that the server trusts.
bool show_certificate(SSL_CTX* context, const Identity& identity) {
  if (identity.certificate.empty()) return true;
  const Owned<BIO> bio = bio_of(identity.certificate);
  const Owned<X509> own(PEM_read_bio_X509_AUX(bio.get(), nullptr, &no_passphrase, nullptr));
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) return false;
  while (Owned<X509> next{PEM_read_bio_X509(bio.get(), nullptr, &no_passphrase, nullptr)}) {
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) return false;
    (void)next.release();
  }
  ERR_clear_error();
  const Owned<BIO> key_bio = bio_of(identity.key);
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, &no_passphrase, nullptr));
  return key && SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
}

bool is_ip_address(const std::string& name) {
  in6_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 || ::inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

}  // namespace

Result<Owned<SSL_CTX>> make_tls_context(const Identity& identity, bool insecure_skip_verify) {
  ERR_clear_error();
  Owned<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return fail(fmt::format("cannot set up TLS: {}", take_tls_error(nullptr)));
  }
  SSL_CTX_set_verify(context.get(), insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  // Whatever is among the trusted certificates is trusted, also if it is not the root of its own chain.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(context.get(), 1);
  if (SSL_CTX_set_alpn_protos(context.get(), kProtocols.data(), kProtocols.size()) != 0) {
    return fail(fmt::format("cannot set up TLS: {}", take_tls_error(nullptr)));
  }
  if (!trust(context.get(), identity.ca)) {
    return fail(fmt::format("cannot load CA bundle: {}", take_tls_error(nullptr)));
  }
  if (!show_certificate(context.get(), identity)) {
    return fail(fmt::format("cannot load client certificate: {}", take_tls_error(nullptr)));
  }
  return context;
}

Owned<SSL> make_tls_client(SSL_CTX* context, int fd, const std::string& name) {
  Owned<SSL> tls(SSL_new(context));
  if (!tls || SSL_set_fd(tls.get(), fd) != 1) return nullptr;
  X509_VERIFY_PARAM* expected = SSL_get0_param(tls.get());
  if (is_ip_address(name)) {
    if (X509_VERIFY_PARAM_set1_ip_asc(expected, name.c_str()) != 1) return nullptr;
  } else {
    X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_host(expected, name.data(), name.size()) != 1) return nullptr;
    (void)SSL_set_tlsext_host_name(tls.get(), name.c_str());
  }
  SSL_set_connect_state(tls.get());
  return tls;
}

std::string take_tls_error(const SSL* tls) {
  const unsigned long code = ERR_peek_error();
  ERR_clear_error();
  if (tls != nullptr && SSL_get_verify_mode(tls) != SSL_VERIFY_NONE) {
    const long verified = SSL_get_verify_result(tls);
    if (verified != X509_V_OK) {
      return fmt::format("cannot verify server certificate: {}", X509_verify_cert_error_string(verified));
    }
  }
  if (code == 0) return "no reason given";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : fmt::format("error {:x}", code);
}

}  // namespace berth::client
