#include "berth/report/pod_sentence.h"

#include <fmt/format.h>

#include <vector>

#include "berth/api/kinds.h"
#include "berth/explain/explain.h"
#include "berth/report/words.h"
#include "berth/sim/api_server.h"

namespace berth::report {

std::unique_ptr<explain::Cluster> cluster_of(const sim::ApiServer& api) {
  std::vector<api::AnyObject> dump;
  for (const api::ObjectKind& kind : api::all_kinds()) {
    if (kind.metadata == nullptr) continue;
    api.for_each(kind, [&](const api::AnyObject& object) { dump.push_back(object); });
  }
  return std::make_unique<explain::Cluster>(dump);
}

LastTry last_try_of(const sim::World& world, const api::Pod& pod) {
  if (world.is_scheduler_up()) {
    if (const engine::AttemptRecord* record = world.scheduler().attempts().last(pod.metadata.uid)) {
      const bool was_rejected =
          record->result == engine::AttemptResult::kUnschedulable || record->result == engine::AttemptResult::kError;
      return {record->ended_at, record->detail().message, was_rejected};
    }
  }
  // A scheduler that is down, or was started anew, remembers nothing; the pod's condition does.
  static const Symbol scheduled_type("PodScheduled");
  const api::PodCondition* scheduled = api::find_condition(pod, scheduled_type);
  if (scheduled == nullptr || scheduled->status != "False") return {};
  return {scheduled->last_transition_time, scheduled->message, !scheduled->message.empty()};
}

namespace {

std::string said_by_the_scheduler(const LastTry& last, std::string_view pod, Instant epoch) {
  std::string when = last.at.is_set() ? " at " + short_time(last.at - epoch) : "";
  std::string message = last.message;
  while (message.ends_with('.') || message.ends_with(' ')) message.pop_back();
  return fmt::format("{} was rejected{}: {}.", pod, when, message);
}

}  // namespace

std::string sentence_of(const Result<explain::Explanation>& explanation, const LastTry& last, std::string_view pod,
                        Instant epoch) {
  if (!explanation) {
    return last.was_rejected ? said_by_the_scheduler(last, pod, epoch)
                             : fmt::format("{} cannot be explained: {}.", pod, explanation.error().message());
  }
  if (explanation->answer == explain::answer::kFits && last.was_rejected && !last.message.empty()) {
    return fmt::format("{} As the cluster is now, kube-scheduler's plugins would let it go to {}.",
                       said_by_the_scheduler(last, pod, epoch), explanation->node);
  }
  return explanation->sentence;
}

std::string pod_sentence(const sim::World& world, std::string_view pod_name, const Settings& settings) {
  const std::unique_ptr<explain::Cluster> cluster = cluster_of(world.api());
  const auto pod = cluster->find_pod(pod_name);
  if (!pod) return fmt::format("There is no pod {} in the cluster.", pod_name);
  const auto explanation = explain::explain(*cluster, *pod, settings.config, settings.gates);
  return sentence_of(explanation, last_try_of(world, **pod), api::full_name((*pod)->metadata),
                     world.now() - world.elapsed());
}

}  // namespace berth::report
