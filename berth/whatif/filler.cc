#include "berth/whatif/filler.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "berth/explain/diagnosis.h"
#include "berth/explain/evaluation.h"
#include "berth/plugins/default_plugins.h"

namespace berth::whatif {

namespace {

void end_with_error(std::string message, Filler::Outcome& outcome) {
  outcome.node = Symbol();
  outcome.stop = Symbol(stop::kError);
  outcome.message = std::move(message);
}

}  // namespace

Result<std::unique_ptr<framework::Profile>> profile_for(const api::Pod& pod, const report::Settings& settings,
                                                        const cache::ClusterObjects& objects) {
  const auto& profiles = settings.config.config.profiles;
  const Symbol scheduler = pod.spec->scheduler_name;
  const auto configured = std::ranges::find_if(
      profiles, [&](const config::Profile& profile) { return profile.name() == scheduler.text(); });
  if (configured == profiles.end()) {
    return fail(
        Error(fmt::format("the pod asks for the scheduler {}, which the configuration does not have", scheduler.text()))
            .with_fix("give its configuration with --config"));
  }
  return framework::Profile::build(*configured, plugins::default_registry(), settings.gates, objects);
}

Filler::Filler(explain::Cluster& cluster, explain::Probe& probe, api::PodPtr first, const framework::Profile& profile,
               const CapacityOptions& options, std::size_t number)
    : cluster_(cluster),
      probe_(probe),
      first_(std::move(first)),
      profile_(profile),
      options_(options),
      number_(number),
      memory_(profile, cluster.view()),
      rng_(Rng(options.seed).fork(number)) {
  // The answer about one pod does not depend on how many others may be asked for.
  if (number == 0) rng_ = Rng(options.seed);
}

Filler::Outcome Filler::place_next() {
  Outcome outcome;
  const Result<api::PodPtr> made = make_instance();
  if (!made) {
    outcome.stop = Symbol(stop::kForbidden);
    outcome.message = made.error().what();
    return outcome;
  }
  const framework::PodToPlace next{*made, cluster_.cache.compile(**made)};
  find_node(next, outcome);
  if (!outcome.node.empty()) place(next, outcome);
  return outcome;
}

Result<api::PodPtr> Filler::make_instance() {
  auto made = first_ != nullptr ? Result<api::PodPtr>(std::exchange(first_, nullptr)) : probe_.make_instance(cluster_);
  if (!made || number_ == 0) return made;
  auto pod = std::make_shared<api::Pod>(**made);
  pod->metadata.uid += fmt::format(" of {}", number_);
  return api::PodPtr(std::move(pod));
}

void Filler::find_node(const framework::PodToPlace& next, Outcome& outcome) {
  const framework::Decision decision = memory_.decide(next, cluster_.nominated, rng_.next_u64());
  if (!decision.error.is_success()) return end_with_error(decision.error.message(), outcome);
  if (decision.row != cache::kNoRow) {
    outcome.node = cluster_.cache.nodes().at(decision.row).name;
    return;
  }
  outcome.stop = Symbol(stop::kUnschedulable);
  if (cluster_.cache.nodes().node_count() == 0) {
    outcome.message = "no nodes available to schedule pods";
    return;
  }
  const framework::ClusterView view = cluster_.view();
  const framework::FailedAttempt attempt(profile_, next, view, cluster_.nominated, *decision.pre_filter,
                                         decision.filtered);
  std::string preemption_message;
  if (options_.preemption) {
    const framework::PostFiltered post = framework::run_post_filter(profile_, attempt);
    if (post.status.is_success() && post.nominated_node && !post.nominated_node->empty()) {
      outcome.node = *post.nominated_node;
      outcome.stop = Symbol();
      for (const api::PodPtr& victim : post.victims) {
        outcome.victims.push_back(api::full_name(victim->metadata));
        (void)cluster_.cache.remove(*victim);
        probe_.removed(victim);
      }
      return;
    }
    preemption_message = post.status.message();
  }
  outcome.message = attempt.message(preemption_message);
  explain_end(next, outcome);
}

void Filler::explain_end(const framework::PodToPlace& next, Outcome& outcome) {
  const explain::Evaluation evaluation = explain::evaluate(profile_, cluster_, next.pod);
  if (evaluation.error || evaluation.fits()) return;
  explain::Diagnosis diagnosis = explain::diagnose(profile_, cluster_, evaluation);
  outcome.headline = std::move(diagnosis.headline);
  outcome.groups = std::move(diagnosis.groups);
}

void Filler::place(const framework::PodToPlace& next, Outcome& outcome) {
  // What plugins keep for a pod besides the node's resources: volumes.
  for (const auto& reserve : profile_.reserve()) {
    const framework::Status status = reserve.plugin->reserve(next, cluster_.view(), outcome.node);
    if (!status.is_success()) return end_with_error(status.message(), outcome);
  }
  auto placed = std::make_shared<api::Pod>(*next);
  placed->spec.node_name = outcome.node;
  if (const auto added = cluster_.cache.add(std::move(placed)); !added) {
    return end_with_error(added.error().message(), outcome);
  }
  outcome.pod = next.pod;
  probe_.placed(next.pod);
}

}  // namespace berth::whatif
