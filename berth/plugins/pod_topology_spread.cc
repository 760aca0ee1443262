#include "berth/plugins/pod_topology_spread.h"

#include <utility>

#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/plugin_args.h"
#include "berth/plugins/pod_topology_spread_filter.h"
#include "berth/plugins/pod_topology_spread_score.h"

namespace berth::plugins {

namespace {

using framework::Status;

api::TopologySpreadConstraint soft_constraint(std::string_view topology_key, std::int32_t max_skew) {
  api::TopologySpreadConstraint constraint;
  constraint.topology_key = Symbol(topology_key);
  constraint.max_skew = max_skew;
  constraint.when_unsatisfiable = Symbol("ScheduleAnyway");
  return constraint;
}

std::vector<api::TopologySpreadConstraint> system_defaults() {
  return {soft_constraint("kubernetes.io/hostname", 3), soft_constraint("topology.kubernetes.io/zone", 5)};
}

SpreadOptions options_from(const config::PodTopologySpreadArgs& args, const config::FeatureGates& gates) {
  SpreadOptions options;
  options.are_defaults_of_system = args.defaulting_type == "System";
  api::PodTemplate with_defaults;
  with_defaults.topology_spread_constraints =
      options.are_defaults_of_system ? system_defaults() : args.default_constraints;
  options.default_constraints = api::compile(with_defaults)->spread_constraints;
  options.match_label_keys = gates.enabled(config::Feature::kMatchLabelKeysInPodTopologySpread);
  options.comparison_operators = gates.enabled(config::Feature::kTaintTolerationComparisonOperators);
  return options;
}

class PodTopologySpread : public framework::Plugin, public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  PodTopologySpread(SpreadOptions options, HintOptions hints)
      : options_(std::move(options)), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kPodTopologySpread; }

  std::optional<std::vector<queue::HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  // Whether there is anything to do may depend on other objects: then what is skipped comes with a filter (or scorer)
  // too, whose objects_version() tells when to ask again.
  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    auto spread = SpreadRules::of(pod, SpreadRules::Action::kDoNotSchedule, options_, cluster.objects);
    if (!spread) {
      return {.status = Status::error("get constraints from pod: obtaining pod's hard topology spread constraints: " +
                                      spread.error().what()),
              .filter = nullptr,
              .node_names = std::nullopt};
    }
    const bool skips = spread->rules.empty();
    if (skips && !spread->group) return {.status = Status::skip(), .filter = nullptr, .node_names = std::nullopt};
    return {.status = skips ? Status::skip() : Status(),
            .filter = make_spread_filter(pod, *std::move(spread), cluster.nodes, options_),
            .node_names = std::nullopt};
  }

  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView& cluster,
                                 const Bitset& feasible) const override {
    auto spread = SpreadRules::of(pod, SpreadRules::Action::kScheduleAnyway, options_, cluster.objects);
    if (!spread) {
      return {.status = Status::error("calculating preScoreState: obtaining pod's soft topology spread constraints: " +
                                      spread.error().what()),
              .scorer = nullptr};
    }
    const bool skips = spread->rules.empty() || cluster.nodes.node_count() == 0;
    if (skips && !spread->group) return {.status = Status::skip(), .scorer = nullptr};
    return {.status = skips ? Status::skip() : Status(),
            .scorer = make_spread_scorer(pod, *std::move(spread), cluster.nodes, feasible, options_)};
  }
  std::string error_without_pre_score() const override {
    return R"(error reading "PreScorePodTopologySpread" from cycleState: not found)";
  }

 private:
  SpreadOptions options_;
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_pod_topology_spread(const framework::PluginContext& context,
                                                                    const PluginQuirks& quirks) {
  const auto args = args_of<config::PodTopologySpreadArgs>(name::kPodTopologySpread, context);
  if (!args) return fail(args.error());
  HintOptions hints = hint_options(context, quirks);
  hints.default_selector = [&objects = context.objects](const api::Pod& pod) { return default_selector(pod, objects); };
  return std::make_unique<PodTopologySpread>(options_from(*args, context.gates), std::move(hints));
}

}  // namespace berth::plugins
