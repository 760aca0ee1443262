// The resources that NodeResourcesFit and NodeResourcesBalancedAllocation compare nodes by: how much a node has of
// each, how much its pods take up and how much the incoming pod would add.
//
// Of the configured resources only those are kept that can count for the pod: CPU, memory and ephemeral storage, and
// the scalars that it asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/api/pod_requests.h"
#include "berth/cache/node_state.h"
#include "berth/cache/node_table.h"
#include "berth/config/feature_gates.h"
#include "berth/config/scheduler_config.h"
#include "berth/framework/pod_to_place.h"

namespace berth::plugins {

// What the pods on a node are taken to use of CPU and memory.
enum class UsageBasis : std::uint8_t {
  kRequested,
  kNonZero,  // with the defaults of containers that ask for nothing
};

struct ResourceAmounts {
  std::int64_t allocatable = 0;  // 0: the node does not have the resource
  std::int64_t used = 0;
};

class ScoredResource {
 public:
  // Nothing if it cannot count. `needed` is what the pod adds.
  static std::optional<ScoredResource> of(const config::ResourceSpec& spec, const api::ResourceVector& needed,
                                          UsageBasis basis);

  std::int64_t weight() const { return weight_; }
  std::int64_t request() const { return request_; }

  ResourceAmounts on(const cache::NodeState& node) const;

  // The same over the rows of a table. Valid until the table changes.
  class Column {
   public:
    Column(const ScoredResource& resource, const cache::NodeTable& table);

    ResourceAmounts at(std::size_t row) const {
      if (allocatable_ != nullptr) return {allocatable_[row], used_[row]};
      return resource_->on(table_->at(static_cast<cache::RowId>(row)));
    }
    std::int64_t weight() const { return resource_->weight_; }
    std::int64_t request() const { return resource_->request_; }

   private:
    const ScoredResource* resource_;
    const cache::NodeTable* table_;
    const std::int64_t* allocatable_ = nullptr;  // null: the resource has no column
    const std::int64_t* used_ = nullptr;
  };

 private:
  enum class Kind : std::uint8_t { kCpu, kMemory, kEphemeralStorage, kScalar };

  Kind kind_ = Kind::kCpu;
  UsageBasis basis_ = UsageBasis::kRequested;
  Symbol name_;
  std::int64_t weight_ = 0;
  std::int64_t request_ = 0;
};

std::vector<ScoredResource> scored_resources(const std::vector<config::ResourceSpec>& specs,
                                             const api::ResourceVector& needed, UsageBasis basis);
std::vector<ScoredResource::Column> columns_of(const std::vector<ScoredResource>& resources,
                                               const cache::NodeTable& table);

// What the incoming pod asks for. `use_status`: a container that has been given more counts with that.
api::ResourceVector requests_of(const framework::PodToPlace& pod, const config::FeatureGates& gates, bool use_status);

}  // namespace berth::plugins
