#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "berth/daemon/endpoints_view.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explain.h"
#include "berth/explain/render.h"
#include "berth/text/page.h"
#include "berth/text/words.h"

namespace berth::daemon {

namespace {

// The newest attempt, if it did not place the pod.
const AttemptAnswer* last_rejection(const PodAnswer& answer) {
  if (answer.attempts.empty()) return nullptr;
  const AttemptAnswer& last = answer.attempts.back();
  return last.result == "unschedulable" || last.result == "error" ? &last : nullptr;
}

std::string rejected_sentence(const PodAnswer& answer, const AttemptAnswer& attempt) {
  std::string message = attempt.message;
  while (message.ends_with('.') || message.ends_with(' ')) message.pop_back();
  return fmt::format("{} was rejected at {}: {}.", answer.pod, attempt.ended_at.rfc3339(), message);
}

// What the explanation says, set right by what the scheduler found: a plugin of one's own, or a change since the last
// try, shows only there.
std::string sentence_of(const PodAnswer& answer, const std::optional<Error>& problem) {
  const AttemptAnswer* rejection = last_rejection(answer);
  if (answer.explanation) {
    if (answer.explanation->answer != explain::answer::kFits || rejection == nullptr || rejection->message.empty()) {
      return answer.explanation->sentence;
    }
    return fmt::format("{} As the cluster is now, kube-scheduler's plugins would let it go to {}.",
                       rejected_sentence(answer, *rejection), answer.explanation->node);
  }
  if (answer.place == to_string(engine::PodPlace::kBound))
    return fmt::format("{} is on {}.", answer.pod, answer.node.text());
  if (!answer.node.empty()) return fmt::format("{} is being bound to {}.", answer.pod, answer.node.text());
  if (rejection != nullptr) return rejected_sentence(answer, *rejection);
  if (problem) return fmt::format("{} cannot be explained: {}.", answer.pod, problem->message());
  return fmt::format("{} waits to be tried.", answer.pod);
}

// What only this scheduler knows, below what anybody could work out from the cluster.
void add_history(const PodAnswer& answer, Instant now, text::Page& page) {
  std::string text = fmt::format("In this scheduler: {}", answer.place);
  if (!answer.nominated_node.empty()) text += fmt::format(", nominated to {}", answer.nominated_node.text());
  if (answer.queue) {
    text += fmt::format(", {} so far", text::counted(std::int64_t{answer.queue->attempts}, "attempt"));
    if (answer.queue->gated_by != Symbol()) text += fmt::format(", held back by {}", answer.queue->gated_by.text());
    if (answer.queue->backoff_ends_at.is_set() && answer.queue->backoff_ends_at > now) {
      text += fmt::format(", tried again by {}", answer.queue->backoff_ends_at.rfc3339());
    } else if (answer.queue->forced_try_at.is_set()) {
      text += fmt::format(", tried again after {} even if nothing happens", answer.queue->forced_try_at.rfc3339());
    }
  }
  page.gap();
  page.paragraph(text);
  for (const AttemptAnswer& attempt : answer.attempts) {
    std::string about = fmt::format("attempt {} at {}", attempt.number, attempt.ended_at.rfc3339());
    if (!attempt.woken_by.empty()) about += fmt::format(" after {}", attempt.woken_by.text());
    about += fmt::format(": {}", attempt.result);
    if (!attempt.node.empty()) about += fmt::format(" on {}", attempt.node.text());
    if (!attempt.message.empty()) about += fmt::format(": {}", attempt.message);
    page.item(about);
  }
}

}  // namespace

text::Page page_of(const PodAnswer& answer, Instant now, const explain::RenderOptions& options) {
  text::Page page;
  if (answer.explanation && answer.sentence == answer.explanation->sentence) {
    page = explain::page_of(*answer.explanation, options);
  } else {
    page.headline(answer.sentence);
  }
  add_history(answer, now, page);
  return page;
}

void explain_pod(PodAnswer& answer, const api::PodPtr& pod, const std::vector<api::AnyObject>& cluster,
                 const config::LoadedConfig& config, const config::FeatureGates& gates, Instant now) {
  std::optional<Error> problem;
  if (!cluster.empty()) {
    explain::Cluster copy(cluster);
    auto explanation = explain::explain(copy, pod, config, gates);
    if (explanation) {
      answer.explanation = *std::move(explanation);
    } else {
      problem = std::move(explanation).error();
    }
  }
  answer.sentence = sentence_of(answer, problem);
  answer.text = page_of(answer, now).render({});
}

}  // namespace berth::daemon
