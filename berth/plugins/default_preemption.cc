#include "berth/plugins/default_preemption.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "berth/config/args_validation.h"
#include "berth/config/field_error.h"
#include "berth/framework/attempt.h"
#include "berth/plugins/default_preemption_hints.h"
#include "berth/plugins/names.h"
#include "berth/plugins/preemption.h"

namespace berth::plugins {
namespace {

using framework::Code;
using framework::PostFiltered;
using framework::Status;

std::vector<Error> errors_of(const PreemptionSearch& search) {
  std::vector<Error> errors;
  for (const auto& [row, status] : search.rejected) {
    if (status.code() == Code::kError) errors.emplace_back(status.message());
  }
  return errors;
}

PostFiltered failed(Code code, const std::string& what) {
  return {
      .status = Status(code, "preemption: " + what), .nominated_node = std::nullopt, .victims = {}, .candidates = {}};
}

// No node can be cleared: whatever the pod was promised, it is promised no more.
PostFiltered nobody_helped(const std::string& what) {
  PostFiltered result = failed(Code::kUnschedulable, what);
  result.nominated_node = Symbol();
  return result;
}

class DefaultPreemption final : public framework::Plugin,
                                public framework::PreEnqueuePlugin,
                                public framework::PostFilterPlugin {
 public:
  DefaultPreemption(const config::DefaultPreemptionArgs& args, const config::FeatureGates& gates,
                    const PreemptionsUnderWay* under_way)
      : args_(args),
        under_way_(under_way),
        topology_aware_(gates.enabled(config::Feature::kTopologyAwareWorkloadScheduling)),
        workload_aware_(gates.enabled(config::Feature::kWorkloadAwarePreemption)),
        hints_{.async_preemption = gates.enabled(config::Feature::kSchedulerAsyncPreemption), .is_preempting = {}} {
    if (under_way_ == nullptr) return;
    hints_.is_preempting = [under_way](const api::Pod& pod) { return under_way->is_preempting(pod); };
  }

  std::string_view name() const override { return name::kDefaultPreemption; }

  std::optional<std::vector<queue::HintRegistration>> events(Symbol profile) const override {
    return default_preemption_hints(profile, hints_);
  }
  bool needs_no_events() const override { return !hints_.async_preemption; }  // it holds nobody back then

  Status pre_enqueue(const api::Pod& pod) const override {
    if (default_preemption_admits(pod, hints_)) return {};
    return Status::unresolvable("waiting for the preemption for this pod to be finished");
  }

  PostFiltered post_filter(const framework::FailedAttempt& attempt) const override {
    if (attempt.pod()->spec->scheduling_group) {
      // Groups are not kept, so there is none to be found.
      if (topology_aware_) return failed(Code::kUnschedulable, "pod group for pod not found");
      if (workload_aware_) {
        return failed(Code::kUnschedulable, "not eligible due to workload aware preemption enabled");
      }
    }
    if (const auto why = preemption_ineligibility(attempt))
      return failed(Code::kUnschedulable, framework::Reason(*why).text());

    const cache::NodeTable& nodes = attempt.cluster().nodes;
    if (nodes.node_count() == 0) return failed(Code::kError, "no nodes available");
    const std::vector<cache::RowId> rows = preemption_rows(attempt);
    if (nodes.lowest_priority() >= api::priority_of(*attempt.pod())) {
      return nobody_helped(no_victims_message(nodes.node_count(), rows.size()));
    }
    const DisruptionBudgets budgets(
        attempt.cluster().objects.pod_disruption_budgets,
        under_way_ == nullptr ? std::span<const api::PodPtr>() : under_way_->uncounted_victims());
    PreemptionSearch search = find_preemption_candidates(attempt, rows, budgets, candidates_wanted(rows.size()));
    if (search.candidates.empty()) {
      if (const auto errors = errors_of(search); !errors.empty()) {
        return failed(Code::kError, config::aggregate(errors));
      }
      return nobody_helped(no_preemption_message(nodes.node_count(), search));
    }
    PostFiltered result;
    for (const PreemptionCandidate& candidate : search.candidates) {
      result.candidates.push_back({nodes.at(candidate.row).name, candidate.victims, candidate.pdb_violations});
    }
    PreemptionCandidate& best = search.candidates[best_preemption_candidates(search.candidates).front()];
    result.nominated_node = nodes.at(best.row).name;
    result.victims = std::move(best.victims);
    return result;
  }

 private:
  std::size_t candidates_wanted(std::size_t potential) const {
    const auto percentage = static_cast<std::size_t>(args_.min_candidate_nodes_percentage);
    const auto absolute = static_cast<std::size_t>(args_.min_candidate_nodes_absolute);
    return std::min(std::max(potential * percentage / 100, absolute), potential);
  }

  config::DefaultPreemptionArgs args_;
  const PreemptionsUnderWay* under_way_;
  bool topology_aware_;
  bool workload_aware_;
  DefaultPreemptionHintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_default_preemption(const framework::PluginContext& context,
                                                                   const PreemptionsUnderWay* under_way) {
  const auto* given = std::get_if<config::DefaultPreemptionArgs>(&context.args);
  const config::DefaultPreemptionArgs args = given == nullptr ? config::DefaultPreemptionArgs() : *given;
  const config::PluginConfig plugin{.name = std::string(name::kDefaultPreemption), .raw = {}, .args = args};
  if (const std::vector<Error> errors = config::validate_args({}, plugin, context.gates); !errors.empty()) {
    return fail(config::aggregate(errors));
  }
  return std::make_unique<DefaultPreemption>(args, context.gates, under_way);
}

}  // namespace berth::plugins
