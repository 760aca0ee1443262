#include "berth/serve/authorization.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "berth/codec/json.h"

namespace berth::serve {

namespace {

struct NonResourceAttributes {
  std::string path;
  std::string verb;
};
struct AccessReviewSpec {
  NonResourceAttributes attributes;
  std::string user;
  std::vector<std::string> groups;
  FlatMap<std::vector<std::string>> extra;
  std::string uid;
};
struct AccessReviewStatus {
  bool allowed = false;
  bool denied = false;
  std::string reason;
};
struct AccessReview {
  AccessReviewStatus status;
};

}  // namespace

}  // namespace berth::serve

namespace berth::api {

template <>
const Schema& schema_of<serve::NonResourceAttributes>() {
  using A = serve::NonResourceAttributes;
  static const Schema schema("NonResourceAttributes", {field<&A::path>("path", 1), field<&A::verb>("verb", 2)});
  return schema;
}
template <>
const Schema& schema_of<serve::AccessReviewSpec>() {
  using S = serve::AccessReviewSpec;
  static const Schema schema("SubjectAccessReviewSpec", {
                                                            field<&S::attributes>("nonResourceAttributes", 2),
                                                            field<&S::user>("user", 3),
                                                            field<&S::groups>("groups", 4),
                                                            field<&S::extra>("extra", 5),
                                                            field<&S::uid>("uid", 6),
                                                        });
  return schema;
}
template <>
const Schema& schema_of<serve::AccessReviewStatus>() {
  using S = serve::AccessReviewStatus;
  static const Schema schema("SubjectAccessReviewStatus", {
                                                              field<&S::allowed>("allowed", 1),
                                                              field<&S::reason>("reason", 2),
                                                              field<&S::denied>("denied", 4),
                                                          });
  return schema;
}
template <>
const Schema& schema_of<serve::AccessReview>() {
  static const Schema schema("SubjectAccessReview", {field<&serve::AccessReview::status>("status", 3)});
  return schema;
}

}  // namespace berth::api

namespace berth::serve {

namespace {

constexpr std::string_view kAccessReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

// A client chooses path and verb; long ones would fill the memory of answers.
constexpr std::size_t kMaxRememberedBytes = 10'000;

std::string_view without_slash(std::string_view path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

}  // namespace

Authorizer::Authorizer(AuthorizationOptions options, Reviews* reviews)
    : options_(std::move(options)), reviews_(reviews), answers_(options_.remembered_answers) {}

Result<void> Authorizer::check_paths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const std::string_view rest = without_slash(path);
    const std::size_t star = rest.find('*');
    if (star != std::string_view::npos && star + 1 != rest.size()) {
      return fail(fmt::format("only trailing * allowed in \"{}\"", rest));
    }
  }
  return {};
}

bool Authorizer::is_for_all(std::string_view path) const {
  path = without_slash(path);
  return std::ranges::any_of(options_.always_allow_paths, [path](std::string_view allowed) {
    allowed = without_slash(allowed);
    return allowed.ends_with('*') ? path.starts_with(allowed.substr(0, allowed.size() - 1)) : path == allowed;
  });
}

bool Authorizer::is_privileged(const User& user) const {
  return std::ranges::any_of(user.groups, [this](const std::string& group) {
    return std::ranges::find(options_.always_allow_groups, group) != options_.always_allow_groups.end();
  });
}

Result<Decision> Authorizer::authorize(const User& user, std::string_view verb, std::string_view path) {
  if (is_privileged(user) || is_for_all(path)) return Decision{.is_allowed = true, .reason = ""};
  if (reviews_ == nullptr) return Decision{};
  return ask(user, verb, path);
}

Result<Decision> Authorizer::ask(const User& user, std::string_view verb, std::string_view path) {
  const AccessReviewSpec spec{.attributes = {std::string(path), std::string(verb)},
                              .user = user.name,
                              .groups = user.groups,
                              .extra = user.extra,
                              .uid = user.uid};
  const std::string key = codec::to_json(spec);
  const Instant now = options_.now();
  if (auto known = answers_.find(key, now)) return *std::move(known);

  const std::string body =
      R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":)" + key + "}";
  const auto answer = reviews_->post(std::string(kAccessReviews), body);
  if (!answer) return fail(answer.error());
  auto review = codec::from_json<AccessReview>(*answer);
  if (!review) return fail(std::move(review).error().in("SubjectAccessReview"));
  AccessReviewStatus& status = review->status;
  const Decision decision{.is_allowed = status.allowed && !status.denied, .reason = std::move(status.reason)};
  const Duration ttl = decision.is_allowed ? options_.authorized_ttl : options_.unauthorized_ttl;
  if (ttl > Duration() && key.size() <= kMaxRememberedBytes) answers_.set(key, decision, now + ttl);
  return decision;
}

}  // namespace berth::serve
