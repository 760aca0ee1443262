#include "berth/plugins/node_resources_balanced_allocation.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "berth/api/pod_requests.h"
#include "berth/plugins/names.h"
#include "berth/plugins/plugin_args.h"
#include "berth/plugins/scored_resources.h"

namespace berth::plugins {

namespace {

using framework::kMaxNodeScore;
using framework::PodScorer;

double share(std::int64_t used, std::int64_t allocatable) {
  const double fraction = static_cast<double>(used) / static_cast<double>(allocatable);
  return fraction > 1 ? 1 : fraction;
}

std::int64_t balance(double deviation) {
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kMaxNodeScore));
}

double deviation_of_two(double first, double second) {
  return std::fabs((first - second) / 2);
}

// Of the resources that are scored, seldom more than CPU and memory.
using ShareList = absl::InlinedVector<double, 4>;

double deviation(const ShareList& shares) {
  if (shares.size() < 2) return 0;
  if (shares.size() == 2) return deviation_of_two(shares[0], shares[1]);
  const auto count = static_cast<double>(shares.size());
  double total = 0;
  for (const double each : shares) total += each;
  const double mean = total / count;
  double squares = 0;
  for (const double each : shares) squares = squares + (each - mean) * (each - mean);
  return std::sqrt(squares / count);
}

std::int64_t score_of(std::int64_t balance_with, std::int64_t balance_without) {
  return kMaxNodeScore / 2 + (kMaxNodeScore / 2 + balance_with - balance_without) / 2;
}

class BalanceScorer final : public PodScorer {
 public:
  BalanceScorer(std::vector<ScoredResource> resources, Scope scope) : resources_(std::move(resources)), scope_(scope) {}

  std::int64_t score(const cache::NodeState& node) const override {
    Shares shares;
    return score_one(resources_, shares, [&node](const ScoredResource& resource) { return resource.on(node); });
  }

  void score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const override {
    const std::vector<ScoredResource::Column> columns = columns_of(resources_, table);
    if (columns.size() == 2) return score_pairs(columns[0], columns[1], rows, scores);
    Shares shares;
    rows.for_each([&](std::size_t row) {
      scores[row] = score_one(columns, shares, [row](const ScoredResource::Column& column) { return column.at(row); });
    });
  }

  Scope scope() const override { return scope_; }

 private:
  struct Shares {
    ShareList with, without;
  };

  template <typename Resources, typename Amounts>
  static std::int64_t score_one(const Resources& resources, Shares& shares, Amounts&& amounts_of) {
    shares.with.clear();
    shares.without.clear();
    for (const auto& resource : resources) {
      const ResourceAmounts amounts = amounts_of(resource);
      if (amounts.allocatable == 0) continue;
      shares.with.push_back(share(amounts.used + resource.request(), amounts.allocatable));
      shares.without.push_back(share(amounts.used, amounts.allocatable));
    }
    return score_of(balance(deviation(shares.with)), balance(deviation(shares.without)));
  }

  // The usual case, CPU and memory, without the lists.
  static void score_pairs(const ScoredResource::Column& first, const ScoredResource::Column& second, const Bitset& rows,
                          std::span<std::int64_t> scores) {
    rows.for_each([&](std::size_t row) {
      const ResourceAmounts a = first.at(row), b = second.at(row);
      if (a.allocatable == 0 || b.allocatable == 0) {
        scores[row] = score_of(balance(0), balance(0));
        return;
      }
      const double with = deviation_of_two(share(a.used + first.request(), a.allocatable),
                                           share(b.used + second.request(), b.allocatable));
      const double without = deviation_of_two(share(a.used, a.allocatable), share(b.used, b.allocatable));
      scores[row] = score_of(balance(with), balance(without));
    });
  }

  std::vector<ScoredResource> resources_;
  Scope scope_;
};

// Of a pod that asks for nothing, where the plugin is not at PreScore and so cannot skip it.
class ZeroScorer final : public PodScorer {
 public:
  std::int64_t score(const cache::NodeState&) const override { return 0; }
  Scope scope() const override { return Scope::kNode; }
};

class NodeResourcesBalancedAllocation final : public framework::Plugin, public framework::ScorePlugin {
 public:
  NodeResourcesBalancedAllocation(config::NodeResourcesBalancedAllocationArgs args, const config::FeatureGates& gates)
      : args_(std::move(args)), gates_(gates) {}

  std::string_view name() const override { return name::kNodeResourcesBalancedAllocation; }

  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView&,
                                 const Bitset&) const override {
    if (args_.resources.empty()) return {.status = framework::Status::error("resources not found"), .scorer = {}};
    auto resources = scored_resources(args_.resources, requests_of(pod, gates_, true), UsageBasis::kRequested);
    const bool asks_for_nothing =
        std::ranges::all_of(resources, [](const ScoredResource& resource) { return resource.request() == 0; });
    if (asks_for_nothing) return {.status = framework::Status::skip(), .scorer = std::make_unique<ZeroScorer>()};
    const auto scope = api::has_resources_in_status(pod->status) ? PodScorer::Scope::kAttempt : PodScorer::Scope::kNode;
    return {.status = {}, .scorer = std::make_unique<BalanceScorer>(std::move(resources), scope)};
  }

 private:
  config::NodeResourcesBalancedAllocationArgs args_;
  const config::FeatureGates& gates_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_node_resources_balanced_allocation(
    const framework::PluginContext& context, const PluginQuirks&) {
  auto args = args_of<config::NodeResourcesBalancedAllocationArgs>(name::kNodeResourcesBalancedAllocation, context);
  if (!args) return fail(args.error());
  return std::make_unique<NodeResourcesBalancedAllocation>(*std::move(args), context.gates);
}

}  // namespace berth::plugins
