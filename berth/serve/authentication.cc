#include "berth/serve/authentication.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/codec/json.h"

namespace berth::serve {

namespace {

struct TokenReviewSpec {
  std::string token;
};
struct TokenReviewStatus {
  bool authenticated = false;
  User user;
  std::string error;
};
struct TokenReview {
  TokenReviewSpec spec;
  TokenReviewStatus status;
};

}  // namespace

}  // namespace berth::serve

namespace berth::api {

template <>
const Schema& schema_of<serve::TokenReviewSpec>() {
  static const Schema schema("TokenReviewSpec", {field<&serve::TokenReviewSpec::token>("token", 1)});
  return schema;
}
template <>
const Schema& schema_of<serve::TokenReviewStatus>() {
  using S = serve::TokenReviewStatus;
  static const Schema schema("TokenReviewStatus", {
                                                      field<&S::authenticated>("authenticated", 1),
                                                      field<&S::user>("user", 2),
                                                      field<&S::error>("error", 3),
                                                  });
  return schema;
}
template <>
const Schema& schema_of<serve::TokenReview>() {
  using R = serve::TokenReview;
  static const Schema schema("TokenReview", {field<&R::spec>("spec", 2), field<&R::status>("status", 3)});
  return schema;
}

}  // namespace berth::api

namespace berth::serve {

namespace {

constexpr std::string_view kTokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";

// So that memory does not hold tokens longer than a request takes.
std::string digest(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  (void)EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

std::string review_body(std::string_view token) {
  return R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":)" +
         codec::to_json(TokenReviewSpec{std::string(token)}) + "}";
}

// Of "Bearer abc"; nothing if there is none.
std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer";
  if (authorization.size() <= kScheme.size() || !same_ignoring_case(authorization.substr(0, kScheme.size()), kScheme) ||
      authorization[kScheme.size()] != ' ') {
    return std::nullopt;
  }
  const std::string_view rest = authorization.substr(kScheme.size() + 1);
  const std::string_view token = rest.substr(0, rest.find(' '));
  return token.empty() ? std::nullopt : std::optional(token);
}

std::string first_value(const Call& call, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string_view value = call.header(name); !value.empty()) return std::string(value);
  }
  return "";
}

void add_extra(const Call& call, const std::string& prefix, User& user) {
  for (const client::Header& header : call.headers) {
    if (header.name.size() <= prefix.size() || !same_ignoring_case(header.name.substr(0, prefix.size()), prefix))
      continue;
    std::string key = header.name.substr(prefix.size());
    std::ranges::transform(key, key.begin(), ascii_lower);
    user.extra[Symbol(percent_decoded(key, false).value_or(key))].push_back(header.value);
  }
}

// Nothing if the proxy names nobody.
std::optional<User> user_of_headers(const Call& call, const Trust& trust) {
  User user;
  user.name = first_value(call, trust.username_headers);
  if (user.name.empty()) return std::nullopt;
  user.uid = first_value(call, trust.uid_headers);
  for (const std::string& name : trust.group_headers) {
    for (const std::string_view group : call.header_values(name)) {
      if (!group.empty()) user.groups.emplace_back(group);
    }
  }
  for (const std::string& prefix : trust.extra_header_prefixes) add_extra(call, prefix, user);
  return user;
}

// Nothing if the certificate names nobody.
std::optional<User> user_of_certificate(const ClientCertificate& certificate) {
  if (certificate.common_name().empty()) return std::nullopt;
  User user;
  user.name = certificate.common_name();
  user.groups = certificate.organizations();
  user.extra[Symbol(kCredentialId)] = {"X509SHA256=" + certificate.sha256()};
  return user;
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

Result<void> check_proxy(const ClientCertificate& certificate, const CertificateAuthorities& authorities,
                         const Trust& trust, Instant now) {
  if (auto verified = authorities.verify(certificate, now); !verified) return verified;
  if (!trust.allowed_names.empty() && !contains(trust.allowed_names, certificate.common_name())) {
    return fail(fmt::format("x509: subject with cn={} is not in the allowed list", certificate.common_name()));
  }
  return {};
}

User with_authenticated_group(User user) {
  if (user.name != kAnonymous && !contains(user.groups, kAuthenticated) && !contains(user.groups, kUnauthenticated)) {
    user.groups.emplace_back(kAuthenticated);
  }
  return user;
}

Result<std::shared_ptr<const CertificateAuthorities>> authorities_of(const std::string& bundle, std::string_view what) {
  if (bundle.empty()) return std::shared_ptr<const CertificateAuthorities>();
  auto authorities = CertificateAuthorities::from_pem(bundle);
  if (!authorities) return fail(std::move(authorities).error().in(what));
  return authorities;
}

}  // namespace

Authenticator::Authenticator(AuthenticationOptions options, Reviews* reviews)
    : options_(std::move(options)),
      reviews_(reviews),
      checked_(std::make_shared<const Checked>()),
      tokens_(options_.remembered_tokens) {}

Result<void> Authenticator::set_trust(const Trust& trust) {
  auto clients = authorities_of(trust.client_ca, "client CA bundle");
  auto proxies = authorities_of(trust.request_header_ca, "request header CA bundle");
  const std::lock_guard lock(mutex_);
  Checked checked = *checked_;
  if (clients) checked.client_authorities = *clients;
  if (proxies) {
    checked.request_header_authorities = *proxies;
    checked.trust = trust;
  }
  checked_ = std::make_shared<const Checked>(std::move(checked));
  if (!clients) return fail(std::move(clients).error());
  if (!proxies) return fail(std::move(proxies).error());
  return {};
}

Result<User> Authenticator::authenticate(const Call& call) {
  std::shared_ptr<const Checked> checked;
  {
    const std::lock_guard lock(mutex_);
    checked = checked_;
  }
  // What does not hold stays an error unless something else does: a certificate of the cluster's users is none of a
  // proxy's.
  std::optional<Error> problem;
  const auto note = [&problem](Error error) {
    if (!problem) problem = std::move(error);
  };
  if (call.certificate != nullptr && checked->request_header_authorities != nullptr) {
    const auto proxy =
        check_proxy(*call.certificate, *checked->request_header_authorities, checked->trust, options_.now());
    if (!proxy) {
      note(proxy.error());
    } else if (auto user = user_of_headers(call, checked->trust)) {
      return with_authenticated_group(*std::move(user));
    }
  }
  if (call.certificate != nullptr && checked->client_authorities != nullptr) {
    const auto verified = checked->client_authorities->verify(*call.certificate, options_.now());
    if (!verified) {
      note(verified.error());
    } else if (auto user = user_of_certificate(*call.certificate)) {
      return with_authenticated_group(*std::move(user));
    }
  }
  const auto token = bearer_token(call.header("Authorization"));
  if (token && reviews_ != nullptr) {
    auto user = user_of_token(*token);
    if (user) return with_authenticated_group(*std::move(user));
    note(std::move(user).error());
  }
  if (problem) return fail(*std::move(problem));
  return anonymous_user();
}

Result<User> Authenticator::user_of_token(std::string_view token) {
  const std::string key = digest(token);
  const Instant now = options_.steady_now ? options_.steady_now() : options_.now();
  if (auto known = tokens_.find(key, now)) return *std::move(known);
  bool may_be_remembered = false;
  TokenAnswer answer = review(token, may_be_remembered);
  if (may_be_remembered && options_.token_ttl > Duration()) tokens_.set(key, answer, now + options_.token_ttl);
  return answer;
}

Authenticator::TokenAnswer Authenticator::review(std::string_view token, bool& may_be_remembered) {
  may_be_remembered = false;
  const auto body = reviews_->post(std::string(kTokenReviews), review_body(token));
  if (!body) return fail(body.error());
  auto answer = codec::from_json<TokenReview>(*body);
  if (!answer) return fail(std::move(answer).error().in("TokenReview"));
  TokenReviewStatus& status = answer->status;
  // Whoever could not tell may be able to the next time.
  may_be_remembered = status.authenticated || status.error.empty();
  if (!status.authenticated) return fail(status.error.empty() ? "invalid bearer token" : std::move(status.error));
  return std::move(status.user);
}

}  // namespace berth::serve
