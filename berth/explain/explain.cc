#include "berth/explain/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "berth/config/suggest.h"
#include "berth/explain/diagnosis.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/help.h"
#include "berth/explain/help_autoscaler.h"
#include "berth/explain/help_search.h"
#include "berth/explain/not_running.h"
#include "berth/explain/preemption_under_way.h"
#include "berth/explain/preemption_view.h"
#include "berth/explain/wake_ups.h"
#include "berth/explain/words.h"
#include "berth/plugins/default_plugins.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";

// "n-2, 24 points ahead of n-1"
std::string winner_text(const framework::Profile& profile, const Cluster& cluster, const Ranking& ranking) {
  const RankedNode& first = ranking.nodes[0];
  std::string winner = cluster.name_of(first.row);
  if (ranking.nodes.size() == 1) return winner;
  const auto equal = static_cast<std::size_t>(
      std::ranges::count(ranking.nodes, first.total, [](const RankedNode& node) { return node.total; }));
  if (equal > 1) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < equal; ++i) names.push_back(cluster.name_of(ranking.nodes[i].row));
    return fmt::format("{}, or to {} just as well", winner, listed(names, 3));
  }
  const RankedNode& second = ranking.nodes[1];
  const std::int64_t lead = first.total - second.total;
  std::string text = fmt::format("{}, {} ahead of {}", winner, counted(static_cast<std::size_t>(lead), "point"),
                                 cluster.name_of(second.row));
  std::size_t decisive = 0;
  for (std::size_t i = 0; i < first.by_plugin.size(); ++i) {
    if (first.by_plugin[i] - second.by_plugin[i] > first.by_plugin[decisive] - second.by_plugin[decisive]) decisive = i;
  }
  if (decisive < ranking.plugins.size() && first.by_plugin[decisive] > second.by_plugin[decisive]) {
    text += fmt::format(" (mostly by {})", profile.scores()[ranking.plugins[decisive]].name.text());
  }
  return text;
}

std::vector<NodeScore> score_table(const framework::Profile& profile, const Cluster& cluster, const Ranking& ranking) {
  std::vector<NodeScore> table;
  for (std::size_t i = 0; i < std::min(kMaxScoredNodes, ranking.nodes.size()); ++i) {
    const RankedNode& node = ranking.nodes[i];
    NodeScore& row = table.emplace_back();
    row.node = cluster.name_of(node.row);
    row.total = node.total;
    for (std::size_t p = 0; p < ranking.plugins.size(); ++p) {
      row.plugins.push_back({profile.scores()[ranking.plugins[p]].name, node.by_plugin[p]});
    }
  }
  return table;
}

// A bound pod as it would be if it were to be scheduled again.
api::PodPtr unbound(const api::Pod& pod) {
  api::Pod copy = pod;
  copy.spec.node_name = Symbol();
  return std::make_shared<const api::Pod>(std::move(copy));
}

class Explainer {
 public:
  Explainer(Cluster& cluster, const api::Pod& pod, const config::LoadedConfig& config,
            const framework::Profile& profile)
      : cluster_(cluster), pod_(pod), config_(config), profile_(profile) {}

  void fill(Explanation& result, const api::PodPtr& pod) {
    note_what_was_read(result);
    if (!pod->spec.node_name.empty()) return explain_bound(result, pod);
    if (!pod->spec->scheduling_gates.empty()) return explain_gated(result, pod);
    for (const auto& [plugin_name, plugin] : profile_.pre_enqueue()) {
      const framework::Status status = plugin->pre_enqueue(*pod);
      if (status.is_success()) continue;
      result.answer = Symbol(answer::kGated);
      result.sentence = fmt::format("{} is held back by {}: {}.", result.pod, plugin_name.text(), status.message());
      result.wake_ups = wake_ups(profile_, std::vector<Symbol>{plugin_name}, *pod, *cluster_.cache.compile(*pod));
      return;
    }
    explain_pending(result, pod);
    const api::PodCondition* scheduled = api::find_condition(*pod, Symbol("PodScheduled"));
    if (result.answer == answer::kFits && scheduled != nullptr && scheduled->status == "False") {
      result.notes.push_back(fmt::format(
          "When it was last tried it did not fit (\"{}\"); what was read is different from that.", scheduled->message));
    }
  }

 private:
  void note_what_was_read(Explanation& result) const {
    const bool is_only_itself = cluster_.dangling.size() == 1 && cluster_.dangling.front() == result.pod;
    if (!cluster_.dangling.empty() && !is_only_itself) {
      result.notes.push_back(fmt::format("{} on nodes that are not in what was read ({}): their nodes are not counted.",
                                         counted(cluster_.dangling.size(), "pod is", "pods are"),
                                         listed(cluster_.dangling, 3)));
    }
    const bool uses_claims = std::ranges::any_of(pod_.spec->volumes, [](const api::Volume& volume) {
      return volume.source.persistent_volume_claim.has_value();
    });
    if (uses_claims && cluster_.objects.persistent_volume_claims.size() == 0) {
      result.notes.emplace_back(
          "What was read has no PersistentVolumeClaims at all: dump pvc, pv, storageclasses and csinodes too if there "
          "are any.");
    }
    if (!config_.config.extenders.empty()) {
      result.notes.push_back(fmt::format("The configuration has {}, which explain does not ask.",
                                         counted(config_.config.extenders.size(), "extender")));
    }
  }

  void explain_bound(Explanation& result, const api::PodPtr& pod) {
    result.answer = Symbol(answer::kBound);
    result.node = pod->spec.node_name.str();
    const std::string phase = pod->status.phase.empty() ? "" : fmt::format(" ({})", pod->status.phase.text());
    const std::optional<PodTrouble> trouble = trouble_of(cluster_, *pod);
    if (trouble) result.running = trouble->state;
    // Where else it could go is of interest only if it runs, or if its node is the reason why not.
    if (trouble && !trouble->is_of_node) {
      result.sentence = fmt::format("{} {}.", result.pod, trouble->text);
      return;
    }
    std::string again;
    const api::PodPtr known = cluster_.cache.find(pod->metadata.uid);
    const std::vector<api::PodPtr> itself = known != nullptr ? std::vector{known} : std::vector<api::PodPtr>();
    without_pods(cluster_, itself, [&] {
      const Evaluation evaluation = evaluate(profile_, cluster_, unbound(*pod));
      if (evaluation.error) return 0;
      if (!evaluation.fits()) {
        again = "; scheduled again now, it would fit nowhere";
        const Diagnosis diagnosis = diagnose(profile_, cluster_, evaluation);
        result.groups = diagnosis.groups;
        return 0;
      }
      const Ranking ranking = rank(profile_, cluster_, evaluation);
      const auto is_its_node = [&](const RankedNode& node) { return cluster_.name_of(node.row) == result.node; };
      const auto own = std::ranges::find_if(ranking.nodes, is_its_node);
      result.feasible_nodes = std::ssize(ranking.nodes);
      result.scores = score_table(profile_, cluster_, ranking);
      if (own != ranking.nodes.end() && own->total == ranking.nodes[0].total) {
        again = ranking.nodes.size() == 1 ? "; it fits nowhere else" : "; scheduled again now, it would go there again";
      } else if (own == ranking.nodes.end() && !trouble) {
        again = fmt::format("; scheduled again now, it would go to {} and not fit there any more",
                            cluster_.name_of(ranking.nodes[0].row));
      } else {
        again = fmt::format("; scheduled again now, it would go to {}", cluster_.name_of(ranking.nodes[0].row));
      }
      return 0;
    });
    result.sentence = trouble ? fmt::format("{} {}{}.", result.pod, trouble->text, again)
                              : fmt::format("{} is on {} already{}{}.", result.pod, result.node, phase, again);
  }

  void explain_gated(Explanation& result, const api::PodPtr& pod) {
    std::vector<std::string> gates;
    for (const api::PodSchedulingGate& gate : pod->spec->scheduling_gates) gates.push_back(gate.name.str());
    const bool is_one = gates.size() == 1;
    // Whether it is worth waiting for.
    api::Pod open = *pod;
    api::PodTemplate spec = *pod->spec.shared;
    spec.scheduling_gates.clear();
    open.spec.shared = Interned<api::PodTemplate>(std::move(spec));
    const auto opened = std::make_shared<const api::Pod>(std::move(open));
    Explanation then;
    then.pod = "it";
    explain_pending(then, opened);
    result.answer = Symbol(answer::kGated);
    result.groups = std::move(then.groups);
    result.scores = std::move(then.scores);
    result.feasible_nodes = then.feasible_nodes;
    result.help = std::move(then.help);
    result.autoscaling = std::move(then.autoscaling);
    if (!result.autoscaling.empty()) {
      result.notes.emplace_back("No autoscaler adds a node for a pod that waits behind a scheduling gate.");
    }
    result.no_help = std::move(then.no_help);
    result.sentence = fmt::format(
        "{} waits behind the scheduling gate{} {}: the scheduler does not try it before "
        "whoever put {} there takes {} away; then {}",
        result.pod, is_one ? "" : "s", listed(gates), is_one ? "it" : "them", is_one ? "it" : "them",
        then.answer == answer::kFits ? fmt::format("it fits, on {}.", then.node) : then.sentence);
    result.wake_ups = wake_ups(profile_, std::vector<Symbol>{Symbol(plugins::name::kSchedulingGates)}, *pod,
                               *cluster_.cache.compile(*pod));
  }

  void explain_pending(Explanation& result, const api::PodPtr& pod) {
    const Evaluation evaluation = evaluate(profile_, cluster_, pod);
    if (evaluation.error) {
      result.answer = Symbol(answer::kError);
      result.sentence =
          fmt::format("{} cannot be scheduled because a plugin fails: {}.", result.pod, *evaluation.error);
      return;
    }
    if (evaluation.fits()) return explain_fit(result, evaluation);

    const framework::ClusterView view = cluster_.view();
    const framework::FailedAttempt attempt(profile_, evaluation.pod, view, cluster_.nominated, evaluation.pre_filter,
                                           evaluation.filtered ? &*evaluation.filtered : nullptr);
    Diagnosis diagnosis = diagnose(profile_, cluster_, evaluation);
    const framework::PostFiltered post = framework::run_post_filter(profile_, attempt);
    result.rejection = evaluation.pre_filter.status.reasons();
    result.message = attempt.message(post.status.is_success() ? "" : post.status.message());
    result.wake_ups = wake_ups(profile_, attempt.rejecting_plugins(), *pod, *evaluation.pod.compiled,
                               wake_details(cluster_, evaluation, diagnosis));
    const std::optional<PreemptionUnderWay> under_way = preemption_under_way(profile_, cluster_, evaluation);
    result.preemption = under_way ? under_way->preemption : preemption_of(profile_, cluster_, evaluation);
    FoundHelp found = what_would_help(profile_, cluster_, evaluation, diagnosis, *result.preemption);
    result.help = std::move(found.help);
    result.no_help = std::move(found.none);
    consider_autoscalers(result, evaluation, diagnosis);
    result.groups = std::move(diagnosis.groups);
    result.answer = Symbol(result.preemption->helps ? answer::kPreempts : answer::kUnschedulable);
    result.sentence = fmt::format("{} {}.", result.pod, diagnosis.headline);
    if (under_way) {
      result.node = result.preemption->node;
      result.sentence = fmt::format("{} {}; as things are, it {}.", result.pod, under_way->text, diagnosis.headline);
    } else if (result.preemption->helps) {
      result.node = result.preemption->node;
      result.sentence = fmt::format("{} would go to {} after preemption has evicted {} there; as things are, it {}.",
                                    result.pod, result.node, listed(result.preemption->victims, 2), diagnosis.headline);
    }
    // If it is not about nodes, or there are none, nobody expects eviction to help.
    if (result.nodes == 0 || !evaluation.filtered) result.preemption.reset();
  }

  void consider_autoscalers(Explanation& result, const Evaluation& evaluation, const Diagnosis& diagnosis) {
    // What PreFilter rejects, it rejects on new nodes as well.
    if (!evaluation.filtered || cluster_.node_groups().empty()) return;
    if (auto why = ignored_by_autoscalers(cluster_, *evaluation.pod, result.preemption->helps)) {
      result.notes.push_back(*std::move(why));
      return;
    }
    HelpSearch search(profile_, cluster_, evaluation, diagnosis, *result.preemption);
    result.autoscaling = ask_autoscalers(search);
    // A node that comes by itself goes before everything that somebody has to do.
    const bool helps = std::ranges::any_of(result.autoscaling, &Autoscaling::helps);
    result.help.insert(helps ? result.help.begin() : result.help.end(), search.help.begin(), search.help.end());
    if (!result.help.empty()) result.no_help.clear();
  }

  void explain_fit(Explanation& result, const Evaluation& evaluation) {
    const Ranking ranking = rank(profile_, cluster_, evaluation);
    result.answer = Symbol(answer::kFits);
    result.node = cluster_.name_of(ranking.nodes[0].row);
    result.feasible_nodes = std::ssize(ranking.nodes);
    result.scores = score_table(profile_, cluster_, ranking);
    result.groups = diagnose(profile_, cluster_, evaluation).groups;
    const std::size_t nodes = cluster_.cache.nodes().node_count();
    if (ranking.nodes.size() == 1) {
      result.sentence =
          nodes == 1 ? fmt::format("{} fits on {}, the only node.", result.pod, result.node)
                     : fmt::format("{} fits on {} alone of {}.", result.pod, result.node, counted(nodes, "node"));
      return;
    }
    result.sentence =
        fmt::format("{} fits on {} of {} and would go to {}.", result.pod, text::grouped(ranking.nodes.size()),
                    counted(nodes, "node"), winner_text(profile_, cluster_, ranking));
  }

  Cluster& cluster_;
  const api::Pod& pod_;
  const config::LoadedConfig& config_;
  const framework::Profile& profile_;
};

void explain_unknown_scheduler(Explanation& result, const config::LoadedConfig& config) {
  std::vector<std::string_view> known;
  std::vector<std::string> names;
  for (const config::Profile& profile : config.config.profiles) {
    known.push_back(profile.name());
    names.emplace_back(profile.name());
  }
  const std::string_view nearest = config::nearest_name(result.scheduler, known);
  result.answer = Symbol(answer::kNoScheduler);
  result.sentence = fmt::format(
      "{} asks for the scheduler {}, and the configuration has {}{}: unless another program of "
      "that name runs in the cluster, nobody will ever look at the pod.",
      result.pod, result.scheduler, names.size() == 1 ? "only " + names[0] : listed(names),
      nearest.empty()     ? ""
      : names.size() == 1 ? " (a typing error?)"
                          : fmt::format(" (did you mean {}?)", nearest));
}

}  // namespace

Result<Explanation> explain(Cluster& cluster, const api::PodPtr& pod, const config::LoadedConfig& config,
                            const config::FeatureGates& gates) {
  Explanation result;
  result.pod = api::full_name(pod->metadata);
  result.scheduler =
      pod->spec->scheduler_name.empty() ? std::string(kDefaultScheduler) : pod->spec->scheduler_name.str();
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());

  if (api::is_terminal(*pod)) {
    result.answer = Symbol(answer::kEnded);
    result.node = pod->spec.node_name.str();
    result.sentence =
        fmt::format("{} has ended ({}) and is not scheduled any more.", result.pod, pod->status.phase.text());
    if (const std::optional<PodTrouble> failure = trouble_of(cluster, *pod)) {
      result.running = failure->state;
      result.sentence = fmt::format("{} {}.", result.pod, failure->text);
    }
    return result;
  }
  if (pod->spec.node_name.empty() && pod->metadata.deletion_timestamp != Instant()) {
    result.answer = Symbol(answer::kDeleted);
    result.sentence = fmt::format("{} is being deleted and is not scheduled any more.", result.pod);
    return result;
  }
  const auto configured = std::ranges::find_if(
      config.config.profiles, [&](const config::Profile& profile) { return profile.name() == result.scheduler; });
  if (configured == config.config.profiles.end()) {
    explain_unknown_scheduler(result, config);
    if (!cluster.node_groups().empty()) {
      result.notes.emplace_back(
          "No autoscaler adds a node for it either: they look at pods that a scheduler has found to be unschedulable.");
    }
    return result;
  }
  const auto profile = framework::Profile::build(*configured, plugins::default_registry(), gates, cluster.objects);
  if (!profile) return fail(profile.error());
  Explainer(cluster, *pod, config, **profile).fill(result, pod);
  return result;
}

}  // namespace berth::explain
