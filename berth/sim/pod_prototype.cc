#include "berth/sim/pod_prototype.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "berth/base/hash.h"
#include "berth/codec/json.h"

namespace berth::sim {

namespace {

constexpr std::string_view kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;
// A generated name has 63 characters at most: what is longer in front of the suffix is cut.
constexpr std::size_t kMaxGeneratedBase = 63 - kSuffixLength;
// Names are drawn until one is free. In an owner of a million pods about every fourteenth draw is taken.
constexpr int kNameTries = 16;

}  // namespace

std::string random_suffix(Rng& rng) {
  std::string suffix(kSuffixLength, ' ');
  for (char& letter : suffix) letter = kSuffixLetters[rng.below(kSuffixLetters.size())];
  return suffix;
}

std::string template_hash(const api::PodTemplateSpec& pod_template, std::uint64_t seed) {
  return fmt::format("{:016x}", hash_bytes(codec::to_json(pod_template), seed)).substr(6);
}

Interned<std::vector<api::OwnerReference>> controlled_by(const api::ObjectKind& kind, const api::ObjectMeta& owner) {
  return std::vector{api::OwnerReference{.api_version = Symbol(kind.api_version),
                                         .kind = Symbol(kind.kind),
                                         .name = owner.name,
                                         .uid = owner.uid,
                                         .controller = true,
                                         .block_owner_deletion = true}};
}

api::Labels with_label(const api::Labels& labels, std::string_view key, std::string_view value) {
  api::Labels more = labels;
  more[Symbol(key)] = Symbol(value);
  return more;
}

api::Annotations with_annotation(const api::Annotations& annotations, std::string_view key, std::string_view value) {
  api::Annotations more = annotations;
  more[Symbol(key)] = std::string(value);
  return more;
}

std::int32_t scaled(const api::IntOrString& value, std::int32_t total, bool round_up) {
  if (!value.text) return value.number;
  std::string_view text = *value.text;
  if (!text.ends_with('%')) return 0;
  text.remove_suffix(1);
  std::int64_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  constexpr std::int64_t kMaxPercent = 1'000'000;  // far above all use, and no product with it overflows
  if (error != std::errc() || end != text.data() + text.size() || percent < 0 || percent > kMaxPercent) return 0;
  const std::int64_t hundredths = percent * total;
  return static_cast<std::int32_t>(round_up ? (hundredths + 99) / 100 : hundredths / 100);
}

PodPrototype::PodPrototype(const api::ObjectKind& kind, const api::ObjectMeta& owner,
                           const api::PodTemplateSpec& pod_template)
    : hash_(template_hash(pod_template)) {
  pod_.metadata.name_space = owner.name_space;
  pod_.metadata.labels = pod_template.metadata.labels;
  pod_.metadata.annotations = pod_template.metadata.annotations;
  pod_.metadata.finalizers = pod_template.metadata.finalizers;
  pod_.metadata.owner_references = controlled_by(kind, owner);
  pod_.spec = pod_template.spec;
}

api::Pod PodPrototype::cast(std::string name) const {
  api::Pod pod = pod_;
  pod.metadata.name = std::move(name);
  return pod;
}

ApiResult<void> PodPrototype::make_pod(const Surroundings& around, std::string_view base, Rng& rng) const {
  const std::string front = fmt::format("{}-", base).substr(0, kMaxGeneratedBase);
  for (int i = 1;; ++i) {
    auto made = create(around, cast(front + random_suffix(rng)));
    if (made) return {};
    if (made.error().kind != engine::Outcome::Kind::kConflict || i == kNameTries) {
      return std::unexpected(std::move(made).error());
    }
  }
}

std::shared_ptr<const PodPrototype> PodPrototypes::of(const api::ObjectKind& kind, const api::ObjectMeta& owner,
                                                      const api::PodTemplateSpec& pod_template) {
  Kept& kept = prototypes_[owner.uid];
  if (kept.prototype == nullptr || !(kept.made_from == pod_template)) {
    kept = {pod_template, std::make_shared<const PodPrototype>(kind, owner, pod_template)};
  }
  return kept.prototype;
}

void PodPrototypes::on_change(const Change& change) {
  if (change.kind == Change::Kind::kDeleted) prototypes_.erase(change.object.metadata().uid);
}

}  // namespace berth::sim
