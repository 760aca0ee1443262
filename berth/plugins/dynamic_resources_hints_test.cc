#include "berth/plugins/dynamic_resources_hints.h"

#include <map>

#include "berth/plugins/hint_testing.h"

namespace berth::plugins::testing {
namespace {

api::ResourceClaim claim(std::string_view name, bool allocated = false) {
  api::ResourceClaim made;
  made.metadata.name = std::string(name);
  made.metadata.uid = "claim-" + std::string(name);
  made.metadata.name_space = Symbol("default");
  if (allocated) made.status.allocation.emplace();
  return made;
}
api::ResourceClaim owned_by(std::string_view uid, api::ResourceClaim made) {
  api::OwnerReference owner;
  owner.kind = Symbol("Pod");
  owner.uid = std::string(uid);
  owner.controller = true;
  made.metadata.owner_references = std::vector{owner};
  return made;
}
api::ResourceClaim reserved(api::ResourceClaim made) {
  made.status.reserved_for.emplace_back();
  return made;
}

const PodSketch kPod("waiting");
const PodSketch kWithClaim =
    kPod.shaped([](api::PodTemplate& pod) { pod.resource_claims.push_back({Symbol("gpu"), Symbol("c"), {}}); });
const PodSketch kWithTemplate =
    kPod.shaped([](api::PodTemplate& pod) { pod.resource_claims.push_back({Symbol("gpu"), {}, Symbol("template")}); });
const PodSketch kGenerated = kWithTemplate.with([](api::Pod& pod) {
  pod.status.resource_claim_statuses = std::vector<api::PodResourceClaimStatus>{{Symbol("gpu"), Symbol("made")}};
});

class DynamicResourcesHints : public ::testing::Test {
 protected:
  void have(const api::ResourceClaim& made) {
    claims_[made.metadata.name] = std::make_shared<const api::ResourceClaim>(made);
  }
  queue::Hint bind(HintAnswer (*hint)(const api::Pod&, const EventObjects&, const DynamicResourcesHintOptions&)) {
    return [this, hint](const api::Pod& pod, const EventObjects& objects) { return hint(pod, objects, options_); };
  }
  std::map<std::string, std::shared_ptr<const api::ResourceClaim>, std::less<>> claims_;
  DynamicResourcesHintOptions options_{
      .enabled = true,
      .workload_claims = false,
      .find_claim = [this](Symbol, std::string_view name) -> std::shared_ptr<const api::ResourceClaim> {
        const auto found = claims_.find(name);
        return found == claims_.end() ? nullptr : found->second;
      },
      .quirks = {}};
};

TEST_F(DynamicResourcesHints, AdmitAPodWhoseClaimsAreThere) {
  EXPECT_TRUE(dynamic_resources_admits(kPod, options_));
  EXPECT_FALSE(dynamic_resources_admits(kWithClaim, options_));
  have(claim("c"));
  EXPECT_TRUE(dynamic_resources_admits(kWithClaim, options_));
  api::ResourceClaim going = claim("c");
  going.metadata.deletion_timestamp = Instant::parse("2025-01-01T00:00:00Z").value();
  have(going);
  EXPECT_FALSE(dynamic_resources_admits(kWithClaim, options_));
  options_.enabled = false;
  EXPECT_TRUE(dynamic_resources_admits(kWithClaim, options_));
  EXPECT_TRUE(dynamic_resources_hints(Symbol("p"), options_).empty());
}

TEST_F(DynamicResourcesHints, AdmitAPodWhoseGeneratedClaimIsItsOwn) {
  EXPECT_FALSE(dynamic_resources_admits(kWithTemplate, options_));
  EXPECT_FALSE(dynamic_resources_admits(kGenerated, options_));
  have(claim("made"));
  EXPECT_FALSE(dynamic_resources_admits(kGenerated, options_));
  have(owned_by("uid-other", claim("made")));
  EXPECT_FALSE(dynamic_resources_admits(kGenerated, options_));
  have(owned_by("uid-waiting", claim("made")));
  EXPECT_TRUE(dynamic_resources_admits(kGenerated, options_));
  const PodSketch not_needed = kWithTemplate.with([](api::Pod& pod) {
    pod.status.resource_claim_statuses = std::vector<api::PodResourceClaimStatus>{{Symbol("gpu"), {}}};
  });
  EXPECT_TRUE(dynamic_resources_admits(not_needed, options_));
}

TEST_F(DynamicResourcesHints, AdmitAPodWhoseGeneratedClaimIsItsGroups) {
  const PodSketch member =
      kGenerated.shaped([](api::PodTemplate& pod) { pod.scheduling_group.emplace().pod_group_name = Symbol("group"); });
  api::ResourceClaim made = claim("made");
  api::OwnerReference owner;
  owner.api_version = Symbol("scheduling.k8s.io/v1alpha2");
  owner.kind = Symbol("PodGroup");
  owner.name = "group";
  owner.controller = true;
  made.metadata.owner_references = std::vector{owner};
  have(made);
  EXPECT_FALSE(dynamic_resources_admits(member, options_));
  options_.workload_claims = true;
  EXPECT_TRUE(dynamic_resources_admits(member, options_));
  EXPECT_FALSE(dynamic_resources_admits(kGenerated, options_));
}

TEST_F(DynamicResourcesHints, WakeForClaims) {
  have(claim("c"));
  const std::vector<Case> cases = {
      {"its claim appears", kWithClaim, added(claim("c")), kQueue},
      {"another claim appears", kWithClaim, added(claim("d")), kSkip},
      {"its claim changes its status", kWithClaim, updated(claim("c"), reserved(claim("c"))), kQueue},
      {"its claim changes otherwise", kWithClaim, updated(claim("c"), owned_by("x", claim("c"))), kSkip},
      {"another claim changes", kWithClaim, updated(claim("d"), reserved(claim("d"))), kSkip},
      {"another claim gives its devices back", kWithClaim, updated(claim("d", true), claim("d")), kQueue},
      {"a pod without claims", kPod, updated(claim("d", true), claim("d")), kQueue},
      {"a claim of the pod is missing", kGenerated, updated(claim("d", true), claim("d")), kSkip},
      {"an object of another kind", kWithClaim, added(kPod), kError},
      {"no object", kWithClaim, {}, kError},
  };
  check(bind(dynamic_resources_after_claim_change), cases);
  options_.quirks = HintQuirks::upstream();
  check(bind(dynamic_resources_after_claim_change), cases);
}

TEST_F(DynamicResourcesHints, WakeWhenADeletedClaimGivesItsDevicesBack) {
  have(claim("c"));
  check(bind(dynamic_resources_after_claim_change),
        {{"with devices", kWithClaim, deleted(claim("d", true)), kQueue},
         {"without", kWithClaim, deleted(claim("d")), kSkip},
         {"but the pod's own claim is missing", kGenerated, deleted(claim("d", true)), kSkip}});
  const auto hears_of_deletions = [this] {
    return std::ranges::any_of(dynamic_resources_hints(Symbol("p"), options_), [](const HintRegistration& hint) {
      return queue::matches(hint.event, {queue::resource::kResourceClaim, queue::action::kDelete});
    });
  };
  EXPECT_TRUE(hears_of_deletions());
  options_.quirks = HintQuirks::upstream();
  EXPECT_FALSE(hears_of_deletions());
}

TEST_F(DynamicResourcesHints, WakeThePodWhoseClaimsWereGenerated) {
  const EventObjects generated = updated(kWithTemplate, kGenerated);
  check(bind(dynamic_resources_after_claims_generated), {{"not there yet", kWithTemplate, generated, kSkip}});
  have(owned_by("uid-waiting", claim("made")));
  check(bind(dynamic_resources_after_claims_generated),
        {{"its own", kWithTemplate, generated, kQueue},
         {"another pod's", PodSketch("other"), generated, kSkip},
         {"an object of another kind", kPod, added(claim("c")), kError}});
}

}  // namespace
}  // namespace berth::plugins::testing
