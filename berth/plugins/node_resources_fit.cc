#include "berth/plugins/node_resources_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "berth/plugins/broken_line.h"
#include "berth/plugins/device_classes.h"
#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/plugin_args.h"
#include "berth/plugins/row_loops.h"
#include "berth/plugins/scored_resources.h"

namespace berth::plugins {

namespace {

using api::ResourceVector;
using framework::kMaxNodeScore;
using framework::ReasonCode;
using framework::Status;
using framework::Verdict;

// --- Filter
// -----------------------------------------------------------------------------------------------------------

// Bits of the verdict, in kube-scheduler's order of the reasons. Scalars follow by name; those that there are no bits
// for share the last.
constexpr unsigned kTooManyPods = 0, kCpu = 1, kMemory = 2, kEphemeralStorage = 3, kFirstScalar = 4;

struct NeededScalar {
  Symbol name;
  std::int64_t amount = 0;
  bool has_device_class = false;
};

// Collects what is short on one node.
class Shortage {
 public:
  void add_pods(std::int64_t pods, std::int64_t allowed) {
    if (pods + 1 > allowed) reasons_ |= 1u << kTooManyPods;
  }
  void add(unsigned bit, std::int64_t needed, std::int64_t allocatable, std::int64_t requested) {
    if (needed <= allocatable - requested) return;
    reasons_ |= 1u << bit;
    is_unresolvable_ |= needed > allocatable;
  }
  Verdict verdict() const {
    if (reasons_ == 0) return {};
    return {reasons_,
            is_unresolvable_ ? framework::Code::kUnschedulableAndUnresolvable : framework::Code::kUnschedulable};
  }

 private:
  std::uint32_t reasons_ = 0;
  bool is_unresolvable_ = false;
};

std::int64_t amount_of(const ResourceVector& resources, Symbol name) {
  const std::int64_t* amount = resources.scalars.find(name);
  return amount != nullptr ? *amount : 0;
}

class FitFilter final : public framework::PodFilter {
 public:
  FitFilter(const ResourceVector& needed, std::vector<NeededScalar> scalars)
      : milli_cpu_(checked(needed.milli_cpu)),
        memory_(checked(needed.memory)),
        ephemeral_storage_(checked(needed.ephemeral_storage)),
        scalars_(std::move(scalars)) {}

  Verdict check(const cache::NodeState& node) const override {
    Shortage shortage;
    shortage.add_pods(static_cast<std::int64_t>(node.pods.size()), node.allocatable.allowed_pods);
    shortage.add(kCpu, milli_cpu_, node.allocatable.milli_cpu, node.requested.milli_cpu);
    shortage.add(kMemory, memory_, node.allocatable.memory, node.requested.memory);
    shortage.add(kEphemeralStorage, ephemeral_storage_, node.allocatable.ephemeral_storage,
                 node.requested.ephemeral_storage);
    add_scalars(node, shortage);
    return shortage.verdict();
  }

  framework::Reason reason(unsigned bit) const override {
    static const Symbol cpu("cpu"), memory("memory"), ephemeral_storage("ephemeral-storage");
    switch (bit) {
      case kTooManyPods: return ReasonCode::kTooManyPods;
      case kCpu: return {ReasonCode::kInsufficientResource, cpu};
      case kMemory: return {ReasonCode::kInsufficientResource, memory};
      case kEphemeralStorage: return {ReasonCode::kInsufficientResource, ephemeral_storage};
      default: return {ReasonCode::kInsufficientResource, scalars_[bit - kFirstScalar].name};
    }
  }

  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    const cache::NodeColumns& columns = table.columns();
    narrow_by(rows, rejected, [&](cache::RowId row) {
      Shortage shortage;
      shortage.add_pods(columns.pods[row], columns.allocatable_pods[row]);
      shortage.add(kCpu, milli_cpu_, columns.allocatable_milli_cpu[row], columns.requested_milli_cpu[row]);
      shortage.add(kMemory, memory_, columns.allocatable_memory[row], columns.requested_memory[row]);
      shortage.add(kEphemeralStorage, ephemeral_storage_, columns.allocatable_ephemeral_storage[row],
                   columns.requested_ephemeral_storage[row]);
      if (!scalars_.empty()) add_scalars(table.at(row), shortage);
      return shortage.verdict();
    });
  }

  std::uint64_t objects_version(const cache::ClusterObjects& objects) const override {
    return scalars_.empty() ? 0 : objects.device_classes.version();
  }
  Scope scope() const override { return Scope::kNode; }

 private:
  // What is not asked for is there on every node, even on one that has less than nothing left.
  static std::int64_t checked(std::int64_t needed) {
    return needed > 0 ? needed : std::numeric_limits<std::int64_t>::min();
  }

  void add_scalars(const cache::NodeState& node, Shortage& shortage) const {
    for (unsigned i = 0; i < scalars_.size(); ++i) {
      const auto& [name, amount, has_class] = scalars_[i];
      const std::int64_t allocatable = amount_of(node.allocatable, name);
      if (has_class && allocatable <= 0) continue;
      shortage.add(std::min(kFirstScalar + i, framework::kMaxReasons - 1), amount, allocatable,
                   amount_of(node.requested, name));
    }
  }

  std::int64_t milli_cpu_;
  std::int64_t memory_;
  std::int64_t ephemeral_storage_;
  std::vector<NeededScalar> scalars_;
};

// --- Score
// ------------------------------------------------------------------------------------------------------------

// 100 * part / whole, truncated. Requires: 0 <= part <= whole, whole > 0.
std::int64_t percent(std::int64_t part, std::int64_t whole) {
  // In doubles it is faster, and exact: up to here all numbers are, and a quotient below an integer n <= 100 is below
  // it by at least 1 / whole, more than the 2^-47 that rounding takes it up by at most.
  constexpr std::int64_t kMaxExact = std::int64_t{1} << 46;
  if (whole <= kMaxExact) {
    return static_cast<std::int64_t>(static_cast<double>(part * kMaxNodeScore) / static_cast<double>(whole));
  }
  // Go's product wraps.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(part) * kMaxNodeScore) / whole;
}

// The strategies: what one resource scores, and how the scores of several become one.
struct LeastAllocated {
  std::int64_t score(std::int64_t requested, std::int64_t allocatable) const {
    return requested > allocatable ? 0 : percent(allocatable - requested, allocatable);
  }
  static bool counts(std::int64_t) { return true; }
  static std::int64_t mean(std::int64_t sum, std::int64_t weights) { return sum / weights; }
};

struct MostAllocated {
  std::int64_t score(std::int64_t requested, std::int64_t allocatable) const {
    return percent(std::min(requested, allocatable), allocatable);
  }
  static bool counts(std::int64_t) { return true; }
  static std::int64_t mean(std::int64_t sum, std::int64_t weights) { return sum / weights; }
};

struct RequestedToCapacityRatio {
  std::array<std::int64_t, 101> by_percent;

  explicit RequestedToCapacityRatio(const std::vector<config::UtilizationShapePoint>& shape) {
    const BrokenLine line(shape);
    for (std::size_t i = 0; i < by_percent.size(); ++i) by_percent[i] = line.at(static_cast<std::int64_t>(i));
  }
  std::int64_t score(std::int64_t requested, std::int64_t allocatable) const {
    return by_percent[static_cast<std::size_t>(requested > allocatable ? 100 : percent(requested, allocatable))];
  }
  static bool counts(std::int64_t score) { return score > 0; }
  static std::int64_t mean(std::int64_t sum, std::int64_t weights) {
    return static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
  }
};

template <typename Strategy>
class FitScorer final : public framework::PodScorer {
 public:
  FitScorer(Strategy strategy, std::vector<ScoredResource> resources)
      : strategy_(std::move(strategy)), resources_(std::move(resources)) {}

  std::int64_t score(const cache::NodeState& node) const override {
    return score_of(resources_, [&node](const ScoredResource& resource) { return resource.on(node); });
  }
  void score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const override {
    const std::vector<ScoredResource::Column> columns = columns_of(resources_, table);
    rows.for_each([&](std::size_t row) {
      scores[row] = score_of(columns, [row](const ScoredResource::Column& column) { return column.at(row); });
    });
  }
  Scope scope() const override { return Scope::kNode; }

 private:
  template <typename Resources, typename Amounts>
  std::int64_t score_of(const Resources& resources, Amounts&& amounts_of) const {
    std::int64_t sum = 0, weights = 0;
    for (const auto& resource : resources) {
      const ResourceAmounts amounts = amounts_of(resource);
      if (amounts.allocatable == 0) continue;
      const std::int64_t score = strategy_.score(amounts.used + resource.request(), amounts.allocatable);
      if (!Strategy::counts(score)) continue;
      sum += score * resource.weight();
      weights += resource.weight();
    }
    return weights == 0 ? 0 : Strategy::mean(sum, weights);
  }

  Strategy strategy_;
  std::vector<ScoredResource> resources_;
};

// --- The plugin
// -------------------------------------------------------------------------------------------------------

class NodeResourcesFit final : public framework::Plugin, public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  NodeResourcesFit(config::NodeResourcesFitArgs args, const config::FeatureGates& gates, const PluginQuirks& quirks,
                   HintOptions hints)
      : args_(std::move(args)), gates_(gates), quirks_(quirks), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kNodeResourcesFit; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    const ResourceVector needed = requests_of(pod, gates_, false);
    std::vector<NeededScalar> scalars;
    for (const auto& [resource, amount] : needed.scalars) {
      if (amount == 0 || is_ignored(resource)) continue;
      const bool has_class = hints_.features.dra_extended_resource && has_device_class(cluster.objects, resource);
      scalars.push_back({resource, amount, has_class});
    }
    return {.status = {}, .filter = std::make_unique<FitFilter>(needed, std::move(scalars)), .node_names = {}};
  }

  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView&,
                                 const Bitset&) const override {
    const config::ScoringStrategy& strategy = *args_.scoring_strategy;
    if (strategy.resources.empty()) return {.status = Status::error("resources not found"), .scorer = {}};
    auto resources = scored_resources(strategy.resources, scoring_requests(pod), UsageBasis::kNonZero);
    return {.status = {}, .scorer = make_scorer(strategy, std::move(resources))};
  }

 private:
  bool is_ignored(Symbol resource) const {
    if (!api::is_extended_resource(resource)) return false;
    const std::string_view text = resource.text();
    const auto has = [](const std::vector<std::string>& names, std::string_view which) {
      return std::ranges::find(names, which) != names.end();
    };
    return has(args_.ignored_resources, text) || has(args_.ignored_resource_groups, text.substr(0, text.find('/')));
  }

  // What the pod will add to the usage that it is compared by.
  ResourceVector scoring_requests(const framework::PodToPlace& pod) const {
    const bool by_container =
        quirks_.fit_score_ignores_pod_level_requests || !gates_.enabled(config::Feature::kPodLevelResources);
    if (by_container) return ResourceVector(pod.compiled->scoring_requests);
    ResourceVector needed = pod.compiled->usage.requested;
    needed.milli_cpu = pod.compiled->usage.non_zero_milli_cpu;
    needed.memory = pod.compiled->usage.non_zero_memory;
    return needed;
  }

  static std::unique_ptr<framework::PodScorer> make_scorer(const config::ScoringStrategy& strategy,
                                                           std::vector<ScoredResource> resources) {
    if (strategy.type == "MostAllocated") {
      return std::make_unique<FitScorer<MostAllocated>>(MostAllocated(), std::move(resources));
    }
    if (strategy.type == "RequestedToCapacityRatio") {
      return std::make_unique<FitScorer<RequestedToCapacityRatio>>(
          RequestedToCapacityRatio(strategy.requested_to_capacity_ratio->shape), std::move(resources));
    }
    return std::make_unique<FitScorer<LeastAllocated>>(LeastAllocated(), std::move(resources));
  }

  config::NodeResourcesFitArgs args_;
  const config::FeatureGates& gates_;
  PluginQuirks quirks_;
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_node_resources_fit(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks) {
  auto args = args_of<config::NodeResourcesFitArgs>(name::kNodeResourcesFit, context);
  if (!args) return fail(args.error());
  return std::make_unique<NodeResourcesFit>(*std::move(args), context.gates, quirks, hint_options(context, quirks));
}

}  // namespace berth::plugins
