// How controllers make pods: everything that the pods of one template have in common is made once and shared by all of
// them, so that a million pods cost what is their own.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/rng.h"
#include "berth/sim/controller_work.h"

namespace berth::sim {

// Five characters as the API server adds them to generated names: no vowels, nothing that looks alike.
std::string random_suffix(Rng& rng);

// Ten hex digits that are the same for equal templates, on every machine and in every run.
std::string template_hash(const api::PodTemplateSpec& pod_template, std::uint64_t seed = 0);

// An owner reference of a controller, alone in its list.
Interned<std::vector<api::OwnerReference>> controlled_by(const api::ObjectKind& kind, const api::ObjectMeta& owner);

api::Labels with_label(const api::Labels& labels, std::string_view key, std::string_view value);
api::Annotations with_annotation(const api::Annotations& annotations, std::string_view key, std::string_view value);

// "25%" of `total`, or the number as it stands. A text that is no percentage counts as 0.
std::int32_t scaled(const api::IntOrString& value, std::int32_t total, bool round_up);

class PodPrototype {
 public:
  PodPrototype(const api::ObjectKind& kind, const api::ObjectMeta& owner, const api::PodTemplateSpec& pod_template);

  api::Pod cast(std::string name) const;
  // Makes a pod with a random name "base-xxxxx" in the API server. The error: it was refused.
  ApiResult<void> make_pod(const Surroundings& around, std::string_view base, Rng& rng) const;
  // What all pods have, without a name.
  const api::Pod& pod() const { return pod_; }
  // Of the template.
  Symbol hash() const { return hash_; }

 private:
  api::Pod pod_;
  Symbol hash_;
};

// The prototype of each owner's current template.
class PodPrototypes {
 public:
  template <typename Workload>
  std::shared_ptr<const PodPrototype> of(const Workload& workload) {
    return of(api::kind_of<Workload>(), workload.metadata, workload.spec.pod_template);
  }
  std::shared_ptr<const PodPrototype> of(const api::ObjectKind& kind, const api::ObjectMeta& owner,
                                         const api::PodTemplateSpec& pod_template);
  // Of a workload.
  void on_change(const Change& change);

 private:
  struct Kept {
    api::PodTemplateSpec made_from;  // comparing costs a few pointers: what is large is shared
    std::shared_ptr<const PodPrototype> prototype;
  };
  absl::flat_hash_map<std::string, Kept> prototypes_;  // by UID of the owner; never gone through
};

}  // namespace berth::sim
