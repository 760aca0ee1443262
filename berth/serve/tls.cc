#include "berth/serve/tls.h"

#include <fmt/format.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::serve {

namespace {

struct Version {
  std::string_view name;
  int number;
};
constexpr std::array<Version, 4> kVersions = {{{"VersionTLS10", TLS1_VERSION},
                                               {"VersionTLS11", TLS1_1_VERSION},
                                               {"VersionTLS12", TLS1_2_VERSION},
                                               {"VersionTLS13", TLS1_3_VERSION}}};

// As Go's, what has forward secrecy and authenticated encryption.
constexpr const char* kDefaultCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

struct Chosen {
  int min_version = TLS1_2_VERSION;
  std::string ciphers;  // OpenSSL's list for TLS 1.2 and below
};

bool is_tls13_suite(std::string_view name) {
  return name == "TLS_AES_128_GCM_SHA256" || name == "TLS_AES_256_GCM_SHA384" || name == "TLS_CHACHA20_POLY1305_SHA256";
}

// OpenSSL's name of a suite by its IANA name; nothing if there is none. Go has short names for two.
std::optional<std::string> openssl_name(const std::string& name) {
  std::string standard = name;
  if (standard.ends_with("_CHACHA20_POLY1305")) standard += "_SHA256";
  const char* found = OPENSSL_cipher_name(standard.c_str());
  if (found == nullptr || std::string_view(found) == "(NONE)") return std::nullopt;
  return found;
}

Result<Chosen> choose(const TlsOptions& options) {
  Chosen chosen;
  if (!options.min_version.empty()) {
    const auto* version = std::ranges::find(kVersions, options.min_version, &Version::name);
    if (version == kVersions.end()) return fail(fmt::format("unknown tls version \"{}\"", options.min_version));
    chosen.min_version = version->number;
  }
  bool names_only_tls13 = !options.cipher_suites.empty();
  for (const std::string& name : options.cipher_suites) {
    if (is_tls13_suite(name)) continue;
    const auto known = openssl_name(name);
    if (!known) return fail(fmt::format("Cipher suite {} not supported or doesn't exist", name));
    if (!chosen.ciphers.empty()) chosen.ciphers += ':';
    chosen.ciphers += *known;
    names_only_tls13 = false;
  }
  if (chosen.ciphers.empty()) chosen.ciphers = kDefaultCiphers;
  if (names_only_tls13) chosen.min_version = TLS1_3_VERSION;
  return chosen;
}

// Our end of the connection, as text; empty if there is none.
std::string local_address(SSL* ssl) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  std::array<char, NI_MAXHOST> text{};
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::getsockname(SSL_get_fd(ssl), any, &size) != 0) return {};
  if (::getnameinfo(any, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return text.data();
}

int show_certificate(SSL* ssl, void* choice) {
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  const std::shared_ptr<const Identity> identity =
      static_cast<const CertificateChoice*>(choice)->choose(name != nullptr ? name : local_address(ssl));
  const auto free_stack = [](STACK_OF(X509) * stack) { sk_X509_free(stack); };
  const std::unique_ptr<STACK_OF(X509), decltype(free_stack)> chain(sk_X509_new_null());
  for (const X509Ptr& each : identity->chain) sk_X509_push(chain.get(), each.get());
  return SSL_use_cert_and_key(ssl, identity->leaf.get(), identity->key.get(), chain.get(), 1);
}

// Whether a client certificate counts is decided per request: see authentication.h.
int take_any_certificate(X509_STORE_CTX*, void*) {
  return 1;
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                    unsigned int in_size, void*) {
  static constexpr std::string_view kHttp11 = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, out_size, reinterpret_cast<const unsigned char*>(kHttp11.data()),
                                          static_cast<unsigned int>(kHttp11.size()), in, in_size);
  if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

int milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

}  // namespace

Result<void> check_tls_options(const TlsOptions& options) {
  if (auto chosen = choose(options); !chosen) return fail(std::move(chosen).error());
  return {};
}

Result<SslContextPtr> make_tls_context(const TlsOptions& options, const CertificateChoice& certificates) {
  const auto chosen = choose(options);
  if (!chosen) return fail(chosen.error());
  SslContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), chosen->min_version) != 1 ||
      SSL_CTX_set_cipher_list(context.get(), chosen->ciphers.c_str()) != 1) {
    return fail(fmt::format("cannot set up TLS: {}", openssl_error()));
  }
  // No sessions to resume: each connection shows today's certificates, the server's and the client's.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context.get(), take_any_certificate, nullptr);
  SSL_CTX_set_cert_cb(context.get(), show_certificate, const_cast<CertificateChoice*>(&certificates));
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  return context;
}

TlsStream::TlsStream(SSL_CTX& context, int fd) : ssl_(SSL_new(&context)), fd_(fd) {
  is_broken_ = ssl_ == nullptr || SSL_set_fd(ssl_.get(), fd) != 1;
}

bool TlsStream::wait_after(int result, Deadline deadline) {
  const int error = SSL_get_error(ssl_.get(), result);
  ERR_clear_error();
  if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
    is_broken_ = true;
    return false;
  }
  pollfd waits{.fd = fd_, .events = static_cast<short>(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT), .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&waits, 1, milliseconds_until(deadline));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool TlsStream::handshake(Deadline deadline) {
  if (is_broken_) return false;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_accept(ssl_.get());
    if (result == 1) return true;
    if (!wait_after(result, deadline)) return false;
    // A client that sends a byte now and then never lets the wait run out.
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
}

std::size_t TlsStream::read(char* into, std::size_t size, Deadline deadline) {
  while (!is_broken_ && std::chrono::steady_clock::now() < deadline) {
    ERR_clear_error();
    const int result = SSL_read(ssl_.get(), into, static_cast<int>(size));
    if (result > 0) return static_cast<std::size_t>(result);
    if (!wait_after(result, deadline)) return 0;
  }
  return 0;
}

bool TlsStream::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    if (is_broken_ || std::chrono::steady_clock::now() >= deadline) return false;
    ERR_clear_error();
    const int size = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20));
    const int result = SSL_write(ssl_.get(), bytes.data(), size);
    if (result > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(result));
    } else if (!wait_after(result, deadline)) {
      return false;
    }
  }
  return true;
}

void TlsStream::close() {
  if (is_broken_) return;
  ERR_clear_error();
  (void)SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

std::shared_ptr<const ClientCertificate> TlsStream::peer_certificate() const {
  X509* leaf = SSL_get1_peer_certificate(ssl_.get());
  if (leaf == nullptr) return nullptr;
  std::vector<X509Ptr> others;
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl_.get());
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    X509* each = sk_X509_value(chain, i);
    X509_up_ref(each);
    others.push_back(own(each));
  }
  return std::make_shared<const ClientCertificate>(own(leaf), std::move(others));
}

}  // namespace berth::serve
