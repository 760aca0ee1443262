#include "berth/explain/preemption_under_way.h"

#include <fmt/format.h>

#include <vector>

#include "berth/explain/dump_time.h"
#include "berth/explain/words.h"

namespace berth::explain {

namespace {

// How many victims the sentence names.
constexpr std::size_t kMaxVictims = 3;

bool is_preempted(const api::Pod& pod) {
  const api::PodCondition* target = api::find_condition(pod, Symbol("DisruptionTarget"));
  return pod.metadata.deletion_timestamp.is_set() && target != nullptr && target->status == "True" &&
         target->reason == "PreemptionByScheduler";
}

// "up to 50m of its grace period is left", or why it takes longer.
std::string rest_text(const api::Pod& victim, Instant now) {
  const Instant deadline = victim.metadata.deletion_timestamp;
  std::string text = now > deadline ? fmt::format("it had to end {} before the newest time in what was read",
                                                  span_text(now - deadline))
                                    : fmt::format("up to {} of its grace period is left", span_text(deadline - now));
  std::vector<std::string> finalizers;
  for (const Symbol each : *victim.metadata.finalizers) finalizers.push_back(each.str());
  if (!finalizers.empty()) {
    text += fmt::format(", and it has the finalizer{} {}", finalizers.size() == 1 ? "" : "s", listed(finalizers));
  }
  return text;
}

}  // namespace

std::optional<PreemptionUnderWay> preemption_under_way(const framework::Profile& profile, Cluster& cluster,
                                                       const Evaluation& evaluation) {
  const api::Pod& pod = *evaluation.pod;
  const Symbol nominated = pod.status.nominated_node_name;
  if (nominated.empty() || !evaluation.filtered) return std::nullopt;
  const cache::RowId row = cluster.cache.nodes().row_of(nominated);
  if (row == cache::kNoRow || cluster.cache.nodes().at(row).node == nullptr) return std::nullopt;

  std::vector<api::PodPtr> ending;  // all that will be gone, whoever evicted them
  std::vector<api::PodPtr> victims;
  for (const cache::PlacedPod& placed : cluster.cache.nodes().at(row).pods) {
    if (!placed.pod->metadata.deletion_timestamp.is_set()) continue;
    ending.push_back(placed.pod);
    if (is_preempted(*placed.pod) && api::priority_of(*placed.pod) < api::priority_of(pod)) {
      victims.push_back(placed.pod);
    }
  }
  if (victims.empty()) return std::nullopt;
  const bool fits_then = without_pods(cluster, ending, [&] {
    const Evaluation then = evaluate(profile, cluster, evaluation.pod.pod);
    return then.fits() && then.filtered->feasible.test(row);
  });

  const Instant now = newest_time(cluster);
  PreemptionUnderWay result;
  std::vector<std::string> texts;
  for (const api::PodPtr& victim : victims) {
    const std::string name = api::full_name(victim->metadata);
    result.preemption.victims.push_back(name);
    texts.push_back(fmt::format("{} ({})", name, rest_text(*victim, now)));
  }
  result.preemption.node = nominated.str();
  result.preemption.helps = fits_then;
  result.preemption.under_way = true;
  const std::string then =
      fits_then ? "it fits there then" : fmt::format("even then it would not fit on {}", nominated.text());
  const bool is_one = victims.size() == 1;
  result.preemption.sentence =
      fmt::format("Preemption is under way on {}: the {} evicted there for it {} not ended: {}; {}.", nominated.text(),
                  is_one ? "pod" : "pods", is_one ? "has" : "have", listed(texts, kMaxVictims), then);
  result.text = fmt::format("is nominated to {} and waits for the {} that preemption evicted there to end: {}; {}",
                            nominated.text(), is_one ? "pod" : "pods", listed(texts, kMaxVictims), then);
  return result;
}

}  // namespace berth::explain
