#include "berth/client/credential_source.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <utility>

#include "berth/base/base64.h"
#include "berth/base/trimmed.h"
#include "berth/client/openssl.h"

namespace berth::client {

namespace {

std::optional<WatchedFile> watch(const Pem& pem) {
  if (!pem.text.empty() || pem.file.empty()) return std::nullopt;
  return WatchedFile(pem.file);
}

// Of what may be given in place.
Result<void> look_at(std::optional<WatchedFile>& file) {
  if (!file) return {};
  if (auto looked = file->look(); !looked) return fail(std::move(looked).error());
  return {};
}

Error in_file_of(const std::optional<WatchedFile>& file, Error error) {
  return file ? std::move(error).in_file(file->path()) : std::move(error);
}

// The certificates of a bundle that can be read. One that cannot does not hide those after it, as in every other client
// of the API server.
Result<std::string> readable_certificates(const std::string& bundle) {
  const Owned<BIO> from = bio_of(bundle);
  const Owned<BIO> to(BIO_new(BIO_s_mem()));
  for (bool has_ended = false; !has_ended;) {
    const Owned<X509> certificate(PEM_read_bio_X509(from.get(), nullptr, no_passphrase, nullptr));
    if (certificate) {
      PEM_write_bio_X509(to.get(), certificate.get());
    } else {
      has_ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;  // the end of the text
      ERR_clear_error();
    }
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(to.get(), &text);
  if (size <= 0) return fail("certificate-authority contains no PEM certificate");
  return std::string(text, static_cast<std::size_t>(size));
}

}  // namespace

Result<void> check_certificate_and_key(const std::string& certificate, const std::string& key) {
  const Owned<BIO> certificate_bio = bio_of(certificate);
  const Owned<X509> parsed_certificate(PEM_read_bio_X509(certificate_bio.get(), nullptr, no_passphrase, nullptr));
  const Owned<BIO> key_bio = bio_of(key);
  const Owned<EVP_PKEY> parsed_key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_passphrase, nullptr));
  const bool is_pair = parsed_certificate != nullptr && parsed_key != nullptr &&
                       X509_check_private_key(parsed_certificate.get(), parsed_key.get()) == 1;
  ERR_clear_error();
  if (parsed_certificate == nullptr) return fail("client certificate is not valid PEM");
  if (parsed_key == nullptr) return fail("client key is not valid PEM, or is encrypted with a passphrase");
  if (!is_pair) return fail("client certificate and client key do not match");
  return {};
}

CredentialSource::CredentialSource(const Endpoint& endpoint, Warn warn)
    : credentials_(endpoint.credentials),
      tls_(endpoint.tls),
      warn_(std::move(warn)),
      ca_file_(watch(endpoint.tls.ca)),
      certificate_file_(watch(endpoint.tls.client_certificate)),
      key_file_(watch(endpoint.tls.client_key)) {
  if (!credentials_.token_file.empty()) token_file_.emplace(credentials_.token_file);
}

Result<CredentialSource> CredentialSource::make(const Endpoint& endpoint, Warn warn) {
  if (endpoint.tls.client_certificate.is_set() != endpoint.tls.client_key.is_set()) {
    return fail(Error("client certificate and client key must be set together")
                    .with_fix(endpoint.tls.client_key.is_set() ? "add client-certificate" : "add client-key"));
  }
  CredentialSource source(endpoint, std::move(warn));
  // A token in place stands in until its file makes sense; identity() warns of that.
  auto token = source.look_at_token();
  if (!token && endpoint.credentials.bearer_token.empty()) return fail(std::move(token).error());
  if (auto looked = source.look_at_ca(); !looked) return fail(std::move(looked).error());
  if (auto looked = source.look_at_certificate(); !looked) return fail(std::move(looked).error());
  source.rebuild();
  return source;
}

Result<void> CredentialSource::look_at_token() {
  if (!token_file_) return {};
  if (auto looked = token_file_->look(); !looked) return fail(std::move(looked).error());
  const std::string_view token = trimmed(token_file_->content(), " \t\r\n");
  if (token.empty()) return fail(Error("token file is empty").in_file(token_file_->path()));
  file_token_ = token;
  return {};
}

Result<void> CredentialSource::look_at_ca() {
  if (auto looked = look_at(ca_file_); !looked) return looked;
  const std::string& bundle = ca_file_ ? ca_file_->content() : tls_.ca.text;
  if (bundle == ca_bundle_) return {};
  auto readable = readable_certificates(bundle);
  if (!readable) return fail(in_file_of(ca_file_, std::move(readable).error()));
  ca_bundle_ = bundle;
  ca_ = *std::move(readable);
  return {};
}

Result<void> CredentialSource::look_at_certificate() {
  if (auto looked = look_at(certificate_file_); !looked) return looked;
  if (auto looked = look_at(key_file_); !looked) return looked;
  const std::string& certificate = certificate_file_ ? certificate_file_->content() : tls_.client_certificate.text;
  const std::string& key = key_file_ ? key_file_->content() : tls_.client_key.text;
  if (certificate == certificate_ && key == key_) return {};
  if (auto checked = check_certificate_and_key(certificate, key); !checked) {
    return fail(in_file_of(certificate_file_, std::move(checked).error()));
  }
  certificate_ = certificate;
  key_ = key;
  return {};
}

Result<void> CredentialSource::look_at_files() {
  Result<void> token = look_at_token();
  Result<void> ca = look_at_ca();
  Result<void> certificate = look_at_certificate();
  if (!token) return token;
  return ca ? certificate : ca;
}

void CredentialSource::rebuild() {
  Identity next;
  next.ca = ca_;
  next.certificate = certificate_;
  next.key = key_;
  if (plugin_credential_ && !plugin_credential_->client_certificate.empty()) {
    next.certificate = plugin_credential_->client_certificate;
    next.key = plugin_credential_->client_key;
  }
  if (plugin_credential_ && !plugin_credential_->token.empty()) {
    next.authorization = "Bearer " + plugin_credential_->token;
  } else if (!file_token_.empty()) {
    next.authorization = "Bearer " + file_token_;
  } else if (!credentials_.bearer_token.empty()) {
    next.authorization = "Bearer " + credentials_.bearer_token;
  } else if (!credentials_.username.empty()) {
    next.authorization = "Basic " + base64_of(credentials_.username + ":" + credentials_.password);
  }
  if (identity_ != nullptr && identity_->authorization == next.authorization && identity_->ca == next.ca &&
      identity_->certificate == next.certificate && identity_->key == next.key) {
    return;
  }
  next.generation = ++last_generation_;
  identity_ = std::make_shared<const Identity>(std::move(next));
}

bool CredentialSource::needs_plugin(Instant wall_now) const {
  if (!credentials_.exec) return false;
  if (!plugin_credential_) return true;
  if (is_plugin_refused_) return true;
  return plugin_credential_->expires_at.is_set() && wall_now >= plugin_credential_->expires_at;
}

Result<void> CredentialSource::set_plugin_credential(ExecCredential credential) {
  if (!credential.client_certificate.empty()) {
    // With a pair that TLS does not take no connection is made, so nobody would ever refuse it.
    if (auto checked = check_certificate_and_key(credential.client_certificate, credential.client_key); !checked) {
      return fail(fmt::format("exec plugin '{}': {}", credentials_.exec->command, checked.error().message()));
    }
  }
  plugin_credential_ = std::move(credential);
  is_plugin_refused_ = false;
  rebuild();
  return {};
}

const std::shared_ptr<const Identity>& CredentialSource::identity(Instant now) {
  if (next_look_.is_set() && now < next_look_) return identity_;
  next_look_ = now + kCredentialFileInterval;
  if (auto looked = look_at_files(); !looked) {
    // Once per trouble, not once a second.
    const std::string warning = looked.error().message();
    if (warn_ && warning != last_warning_) warn_(warning + "; using the previous credentials");
    last_warning_ = warning;
  } else {
    last_warning_.clear();
  }
  rebuild();
  return identity_;
}

bool CredentialSource::refused(std::uint64_t generation, Instant now) {
  if (identity_->generation != generation) return true;
  if (credentials_.exec) {
    is_plugin_refused_ = true;
    return true;
  }
  for (auto* file : {&token_file_, &ca_file_, &certificate_file_, &key_file_}) {
    if (*file) (*file)->distrust();
  }
  next_look_ = Instant();
  return identity(now)->generation != generation;
}

}  // namespace berth::client
