#include "berth/daemon/serving.h"

#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/daemon/clock.h"
#include "berth/serve/certificate.h"
#include "berth/serve/guard.h"

namespace berth::daemon {

namespace {

constexpr Duration kStopGrace = Duration::seconds(1);

Instant wall_now() {
  return MachineClock().wall_now();
}

serve::AuthenticationOptions authentication_options(const RunFlags& flags) {
  serve::AuthenticationOptions options;
  options.token_ttl = flags.authentication.token_cache_ttl;
  options.now = wall_now;
  options.steady_now = [clock = MachineClock()] { return clock.now(); };
  return options;
}

serve::AuthorizationOptions authorization_options(const RunFlags& flags) {
  serve::AuthorizationOptions options;
  options.always_allow_paths = flags.authorization.always_allow_paths;
  options.authorized_ttl = flags.authorization.allowed_cache_ttl;
  options.unauthorized_ttl = flags.authorization.denied_cache_ttl;
  options.now = [clock = MachineClock()] { return clock.now(); };
  return options;
}

// The start of the request target. A client that is not authenticated decides how long it is; control characters have
// been refused before.
std::string_view start_of(std::string_view target) {
  constexpr std::size_t kMaxLogged = 256;
  return target.substr(0, kMaxLogged);
}

serve::TrustOptions trust_options(const AuthenticationFlags& flags, bool can_look_up) {
  serve::TrustOptions options;
  options.client_ca_file = flags.client_ca_file;
  options.request_header_ca_file = flags.requestheader_client_ca_file;
  options.allowed_names = flags.requestheader_allowed_names;
  options.username_headers = flags.requestheader_username_headers;
  options.uid_headers = flags.requestheader_uid_headers;
  options.group_headers = flags.requestheader_group_headers;
  options.extra_header_prefixes = flags.requestheader_extra_headers_prefix;
  options.skip_lookup = flags.skip_lookup || !can_look_up;
  options.tolerate_lookup_failure = flags.tolerate_lookup_failure;
  return options;
}

serve::ServerOptions server_options_of(const ServingFlags& flags) {
  serve::ServerOptions options;
  options.bind_address = flags.bind_address;
  options.port = static_cast<std::uint16_t>(flags.secure_port);
  options.share_port = flags.permit_port_sharing;
  if (!flags.tls_min_version.empty()) options.tls.min_version = flags.tls_min_version;
  options.tls.cipher_suites = flags.tls_cipher_suites;
  options.now = wall_now;
  return options;
}

Result<std::shared_ptr<serve::CertificateSource>> certificate_of(const ServingFlags& flags,
                                                                 const std::string& hostname) {
  const serve::SelfSignedOptions self_signed{.host_name = hostname, .addresses = {}, .now = wall_now()};
  if (!flags.tls_cert_file.empty()) {
    return serve::CertificateSource::files(flags.tls_cert_file, flags.tls_private_key_file);
  }
  if (!flags.cert_dir.empty()) return serve::CertificateSource::folder(flags.cert_dir, self_signed);
  auto pair = serve::make_self_signed(self_signed);
  if (!pair) return std::unexpected(pair.error());
  return serve::CertificateSource::fixed(*pair);
}

Result<std::vector<serve::NamedCertificate>> named_certificates_of(const ServingFlags& flags) {
  std::vector<serve::NamedCertificate> named;
  for (const NamedCertificateFlag& flag : flags.tls_sni_cert_keys) {
    auto source = serve::CertificateSource::files(flag.certificate_file, flag.key_file);
    if (!source) return std::unexpected(std::move(source.error()).in_file("--tls-sni-cert-key"));
    named.push_back({.names = flag.names, .source = *std::move(source)});
  }
  return named;
}

}  // namespace

Result<std::unique_ptr<Serving>> Serving::start(const RunFlags& flags, EndpointOptions endpoints, Log& log,
                                                Options options) {
  if (auto checked = serve::Authorizer::check_paths(flags.authorization.always_allow_paths); !checked) {
    return std::unexpected(std::move(checked.error()).in_file("--authorization-always-allow-paths"));
  }
  std::unique_ptr<Serving> serving(new Serving(flags, log, std::move(options)));
  if (auto done = serving->listen(flags, std::move(endpoints)); !done) return std::unexpected(done.error());
  serving->read_trust(flags);
  return serving;
}

Serving::Serving(const RunFlags& flags, Log& log, Options options)
    : log_(log),
      options_(std::move(options)),
      trust_line_(options_.authentication ? *options_.authentication : options_.fallback),
      authenticator_(authentication_options(flags),
                     options_.authentication
                         ? &token_reviews_.emplace(options_.authentication->loop, options_.authentication->transport)
                         : nullptr),
      authorizer_(authorization_options(flags),
                  options_.authorization
                      ? &access_reviews_.emplace(options_.authorization->loop, options_.authorization->transport)
                      : nullptr) {}

Serving::~Serving() {
  stop();
}

Result<void> Serving::listen(const RunFlags& flags, EndpointOptions endpoints) {
  auto certificate = certificate_of(flags.serving, options_.hostname);
  if (!certificate) return std::unexpected(certificate.error());
  auto named = named_certificates_of(flags.serving);
  if (!named) return std::unexpected(named.error());
  serve::ServerOptions server_options = server_options_of(flags.serving);
  server_options.named_certificates = *std::move(named);
  const auto on_refusal = [this](const serve::Call& call, std::string_view what, const Error& why) {
    log_.error(what, {{"err", why}, {"target", start_of(call.target)}, {"from", call.remote_address}});
  };
  endpoints.disabled_metrics = flags.metrics.disabled_metrics;
  auto server = serve::HttpsServer::start(
      server_options, *std::move(certificate),
      serve::guarded(authenticator_, authorizer_, make_endpoints(std::move(endpoints)), on_refusal));
  if (!server) return std::unexpected(server.error());
  server_ = *std::move(server);
  log_.info(0, "Serving securely", {{"address", flags.serving.bind_address}, {"port", server_->port()}});
  return {};
}

void Serving::read_trust(const RunFlags& flags) {
  const bool can_look_up = options_.authentication.has_value();
  trust_line_.loop.post([this, options = trust_options(flags.authentication, can_look_up)] {
    trust_reader_ = std::make_unique<serve::AuthConfigReader>(
        trust_line_.loop, trust_line_.transport, options,
        [this](const serve::Trust& trust) { return authenticator_.set_trust(trust); },
        [this](const Error& error) { log_.warning("Cannot load client CA bundle; retrying", {{"err", error}}); });
    trust_reader_->start([this](const Result<void>& first) {
      if (!first && options_.on_fatal) options_.on_fatal(first.error());
    });
  });
  has_trust_reader_ = true;
}

void Serving::stop() {
  if (server_) server_->stop(kStopGrace);
  if (!std::exchange(has_trust_reader_, false)) return;
  std::promise<void> done;
  trust_line_.loop.post([&] {
    trust_reader_.reset();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace berth::daemon
