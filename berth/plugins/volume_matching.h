// Which volumes a pod's claims get on a node: those they are bound to, existing ones that match, or new ones.
//
// A VolumeFinder is made for one pod in one attempt. What does not depend on the node is worked out then (which volumes
// are large enough, which class can provision), so that asking about a node is mostly a look at its labels. The answer
// is a decision, or why there is none; VolumeBinding's Filter, Score and Reserve all go by it.
//
// Claims and volumes are taken as AssumedVolumes has them. Everything passed to a finder must outlive it unchanged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/api/label_selector.h"
#include "berth/api/node_selector.h"
#include "berth/api/storage.h"
#include "berth/base/error.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_state.h"
#include "berth/framework/reason.h"
#include "berth/plugins/assumed_volumes.h"
#include "berth/plugins/csi_translation.h"

namespace berth::plugins {

// The claims of a pod by what has to be done about them, in the order of its volumes.
struct PodClaims {
  std::vector<ClaimPtr> bound;
  std::vector<ClaimPtr> delayed;    // to be bound when the pod has a node
  std::vector<ClaimPtr> immediate;  // to be bound by now, without regard to the pod
};
// The error ends the attempt. Requires: all claims exist. A claim that is mounted twice counts once, unless
// `count_each_mount`.
Result<PodClaims> sort_claims(const api::Pod& pod, const cache::ClusterObjects& objects, const AssumedVolumes& assumed,
                              bool count_each_mount);

// Why a node does not do.
enum class VolumeConflict : std::uint8_t { kNodeAffinity, kNoVolume, kNoSpace, kVolumeMissing };
inline constexpr std::size_t kVolumeConflicts = 4;
framework::ReasonCode reason_code(VolumeConflict conflict);

struct VolumeDecision {
  struct Binding {
    VolumePtr volume;
    ClaimPtr claim;
  };
  struct Provision {
    ClaimPtr claim;
    const api::CsiStorageCapacity* capacity = nullptr;  // that has room for it; null if nobody keeps count
  };
  std::vector<Binding> bindings;
  std::vector<Provision> provisions;
};

// Usable on a node with these labels? The error is upstream's text. No matcher means everywhere.
Result<void> check_node_affinity(const std::optional<api::NodeMatcher>& affinity, const api::Labels& node_labels);

// The nodes on which a volume can be used, which may depend on whether its driver was migrated there.
class VolumeAffinity {
 public:
  explicit VolumeAffinity(const api::PersistentVolume& volume);

  // The nodes it can be used on, as seen from one; no matcher means all. The error: the volume cannot be translated for
  // the CSI driver. `node` may be null, and is of no interest unless is_translatable().
  Result<const std::optional<api::NodeMatcher>*> on(const api::CsiNode* node) const;
  bool is_translatable() const { return plugin_ != nullptr; }

 private:
  std::optional<api::NodeMatcher> plain_;
  const InTreePlugin* plugin_ = nullptr;
  std::optional<api::NodeMatcher> translated_;
  std::optional<Error> translation_error_;
};

class VolumeFinder {
 public:
  VolumeFinder(PodClaims claims, const cache::ClusterObjects& objects, const AssumedVolumes& assumed);

  struct Answer {
    std::uint32_t conflicts = 0;  // bits by VolumeConflict
    VolumeDecision decision;      // if there is no conflict

    bool has(VolumeConflict conflict) const { return (conflicts >> static_cast<unsigned>(conflict) & 1) != 0; }
    void add(VolumeConflict conflict) { conflicts |= 1u << static_cast<unsigned>(conflict); }
  };
  // Requires: the node is known.
  Result<Answer> find(const cache::NodeState& node) const;

 private:
  struct BoundClaim {
    VolumePtr volume;  // null if there is none
    std::optional<VolumeAffinity> affinity;
  };
  struct Candidate {
    VolumePtr volume;
    const api::NodeMatcher* affinity;  // may be null
  };
  struct Capacity {
    const api::CsiStorageCapacity* object;
    api::LabelMatcher nodes;
  };
  struct DelayedClaim {
    ClaimPtr claim;
    api::Quantity request;
    const std::string* selected_node = nullptr;

    // Existing volumes. Not looked at for claims that have a selected node.
    std::optional<Error> matching_error;
    std::vector<Candidate> reserved;    // for this claim, in order of names; the first one decides
    std::vector<Candidate> candidates;  // smallest first
    // Indices into candidates, ascending: those that go by the value of one label, and the others.
    struct Pinned {
      Symbol key;
      std::unordered_map<Symbol, std::vector<std::uint32_t>> by_value;
    };
    std::vector<Pinned> pinned;
    std::vector<std::uint32_t> unpinned;

    // New volumes.
    std::optional<Error> provisioning_error;
    bool can_be_provisioned = false;
    std::optional<std::vector<api::LabelMatcher>> topologies;  // ORed; none: any node will do
    std::optional<std::vector<Capacity>> capacities;           // with enough room; none: nobody keeps count
  };

  void prepare_matching(DelayedClaim& delayed, const cache::ClusterObjects& objects,
                        const AssumedVolumes& assumed) const;
  void prepare_provisioning(DelayedClaim& delayed, const cache::ClusterObjects& objects) const;
  Result<void> check_bound(const cache::NodeState& node, Answer& answer) const;
  static VolumePtr match(const DelayedClaim& delayed, const api::Labels& labels,
                         const std::vector<VolumeDecision::Binding>& taken);
  static Result<bool> provision(const DelayedClaim& delayed, const api::Labels& labels, Answer& answer);

  const cache::ClusterObjects& objects_;
  std::vector<BoundClaim> bound_;
  std::vector<DelayedClaim> delayed_;      // in the order of the pod's volumes
  std::vector<std::uint32_t> by_request_;  // indices into delayed_ of those without a selected node, smallest first
};

}  // namespace berth::plugins
