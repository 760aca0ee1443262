#include "berth/plugins/inter_pod_affinity.h"

#include <utility>

#include "berth/plugins/hint_options.h"
#include "berth/plugins/inter_pod_affinity_filter.h"
#include "berth/plugins/inter_pod_affinity_score.h"
#include "berth/plugins/names.h"
#include "berth/plugins/plugin_args.h"

namespace berth::plugins {

namespace {

using framework::Status;

bool has_preferred_terms(const api::PodTemplate& pod) {
  if (!pod.affinity) return false;
  const auto& with = pod.affinity->pod_affinity;
  const auto& without = pod.affinity->pod_anti_affinity;
  return (with && !with->preferred.empty()) || (without && !without->preferred.empty());
}

class InterPodAffinity : public framework::Plugin, public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  InterPodAffinity(const config::InterPodAffinityArgs& args, const PluginQuirks& quirks, HintOptions hints)
      : args_(args), quirks_(quirks), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kInterPodAffinity; }

  std::optional<std::vector<queue::HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod,
                                    const framework::ClusterView& cluster) const override {
    if (pod.compiled->pod_affinity_error) {
      return {.status = Status::unresolvable("parsing pod: " + *pod.compiled->pod_affinity_error),
              .filter = nullptr,
              .node_names = std::nullopt};
    }
    auto filter = make_affinity_filter(IncomingPod(pod, IncomingPod::Part::kRequired, cluster.objects, quirks_),
                                       cluster.nodes, quirks_);
    const bool skips = filter->passes_all();
    return {.status = skips ? Status::skip() : Status(), .filter = std::move(filter), .node_names = std::nullopt};
  }

  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView& cluster,
                                 const Bitset& /*feasible*/) const override {
    if (args_.ignore_preferred_terms_of_existing_pods && !has_preferred_terms(*pod->spec)) {
      return {.status = Status::skip(), .scorer = nullptr};
    }
    if (pod.compiled->pod_affinity_error) {
      return {.status = Status::error("failed to parse pod: " + *pod.compiled->pod_affinity_error), .scorer = nullptr};
    }
    auto scorer = make_affinity_scorer(IncomingPod(pod, IncomingPod::Part::kPreferred, cluster.objects, quirks_),
                                       args_.hard_pod_affinity_weight, cluster.nodes);
    const bool skips = scorer->is_constant();
    return {.status = skips ? Status::skip() : Status(), .scorer = std::move(scorer)};
  }
  std::string error_without_pre_score() const override {
    return R"(failed to read "PreScoreInterPodAffinity" from cycleState: not found)";
  }

 private:
  config::InterPodAffinityArgs args_;
  PluginQuirks quirks_;
  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_inter_pod_affinity(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks) {
  const auto args = args_of<config::InterPodAffinityArgs>(name::kInterPodAffinity, context);
  if (!args) return fail(args.error());
  return std::make_unique<InterPodAffinity>(*args, quirks, hint_options(context, quirks));
}

}  // namespace berth::plugins
