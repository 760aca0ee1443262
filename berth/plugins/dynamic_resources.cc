#include "berth/plugins/dynamic_resources.h"

#include <algorithm>

#include "berth/framework/attempt.h"
#include "berth/plugins/device_classes.h"
#include "berth/plugins/dynamic_resources_hints.h"
#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/plugin_args.h"
#include "berth/plugins/row_loops.h"
#include "berth/plugins/scored_resources.h"

namespace berth::plugins {

namespace {

using framework::Status;
using framework::Verdict;

// Of a pod that asks for extended resources. `resources` are those that device classes stand for; every node passes as
// long as there are none.
class DeviceFilter final : public framework::PodFilter {
 public:
  explicit DeviceFilter(std::vector<Symbol> resources) : resources_(std::move(resources)) {}

  Verdict check(const cache::NodeState& node) const override {
    const bool has_all = std::ranges::all_of(resources_, [&node](Symbol name) {
      const std::int64_t* allocatable = node.allocatable.scalars.find(name);
      return allocatable != nullptr && *allocatable > 0;
    });
    return has_all ? Verdict() : Verdict::unresolvable(0);
  }
  framework::Reason reason(unsigned) const override {
    return "node(s) would need devices for an extended resource, which is not supported yet";
  }
  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    if (resources_.empty()) return;
    narrow_by(rows, rejected, [&](cache::RowId row) { return DeviceFilter::check(table.at(row)); });
  }
  std::uint64_t objects_version(const cache::ClusterObjects& objects) const override {
    return objects.device_classes.version();
  }
  Scope scope() const override { return Scope::kNode; }

 private:
  std::vector<Symbol> resources_;
};

class NoClaimsScorer final : public framework::PodScorer {
 public:
  std::int64_t score(const cache::NodeState&) const override { return 0; }
  void score_rows(const cache::NodeTable&, const Bitset& rows, std::span<std::int64_t> scores) const override {
    rows.for_each([&](std::size_t row) { scores[row] = 0; });
  }
  Normalization normalization() const override { return Normalization::kDefault; }
  Scope scope() const override { return Scope::kNode; }
};

class DynamicResources final : public framework::Plugin,
                               public framework::PreEnqueuePlugin,
                               public framework::FilterPlugin,
                               public framework::PostFilterPlugin,
                               public framework::ScorePlugin,
                               public framework::ReservePlugin,
                               public framework::PreBindPlugin {
 public:
  DynamicResources(const config::FeatureGates& gates, HintOptions hints) : gates_(gates), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kDynamicResources; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }
  bool needs_no_events() const override { return !hints_.features.dynamic_resource_allocation; }  // it rejects nobody

  Status pre_enqueue(const api::Pod& pod) const override {
    if (pod.spec->resource_claims.empty()) return {};
    const DynamicResourcesHintOptions options{.enabled = hints_.features.dynamic_resource_allocation,
                                              .workload_claims = hints_.features.dra_workload_resource_claims,
                                              .find_claim = hints_.find_claim,
                                              .quirks = hints_.quirks};
    return dynamic_resources_admits(pod, options) ? Status() : Status::unresolvable("waiting for its ResourceClaims");
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    if (!pod->spec->resource_claims.empty()) {
      return {.status = Status::unresolvable("pod has resource claims, which are not supported yet"),
              .filter = {},
              .node_names = {}};
    }
    if (!hints_.features.dra_extended_resource) return {.status = Status::skip(), .filter = {}, .node_names = {}};
    std::vector<Symbol> by_devices;
    bool has_extended = false;
    for (const auto& [resource, amount] : requests_of(pod, gates_, false).scalars) {
      if (amount == 0) continue;
      has_extended = true;
      if (has_device_class(cluster.objects, resource)) by_devices.push_back(resource);
    }
    const bool has_work = !by_devices.empty();
    std::unique_ptr<DeviceFilter> filter;  // kept even if there is no such class yet
    if (has_extended) filter = std::make_unique<DeviceFilter>(std::move(by_devices));
    return {.status = has_work ? Status() : Status::skip(), .filter = std::move(filter), .node_names = {}};
  }

  framework::PostFiltered post_filter(const framework::FailedAttempt& attempt) const override {
    const auto& filters = attempt.profile().filters();
    const auto own = std::ranges::find_if(
        filters, [this](const auto& filter) { return filter.name == name() && filter.at_pre_filter; });
    const bool was_reached = own != filters.end() && attempt.pre_filter().reached.test(
                                                         static_cast<std::size_t>(std::distance(filters.begin(), own)));
    framework::PostFiltered result;
    result.status = was_reached ? Status::unschedulable("no new claims to deallocate") : Status::error("not found");
    return result;
  }

  framework::PreScored pre_score(const framework::PodToPlace&, const framework::ClusterView&,
                                 const Bitset&) const override {
    return {.status = {}, .scorer = std::make_unique<NoClaimsScorer>()};
  }

  Status reserve(const framework::PodToPlace&, const framework::ClusterView&, Symbol) override { return {}; }
  void unreserve(const framework::PodToPlace&, Symbol) override {}

  framework::PreBinding pre_bind(const framework::PodToPlace&, const framework::ClusterView&, Symbol) override {
    return {.status = Status::skip(), .work = {}, .may_run_in_parallel = true};
  }

 private:
  const config::FeatureGates& gates_;
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_dynamic_resources(const framework::PluginContext& context,
                                                                  const PluginQuirks& quirks) {
  const auto args = args_of<config::DynamicResourcesArgs>(name::kDynamicResources, context);
  if (!args) return fail(args.error());
  return std::make_unique<DynamicResources>(context.gates, hint_options(context, quirks));
}

}  // namespace berth::plugins
