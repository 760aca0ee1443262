#include "berth/whatif/causes.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::whatif {

namespace {

// Preemptors of preemptors: a longer chain would not be read.
constexpr int kMaxDepth = 4;

// "shop/Deployment/web"
std::string workload_of(const sim::PodTimeline& pod_timeline) {
  const std::string_view name_space = std::string_view(pod_timeline.name).substr(0, pod_timeline.name.find('/'));
  return fmt::format("{}/{}", name_space, pod_timeline.group);
}

std::string in_brackets(const std::string& text) {
  return text.empty() ? "" : fmt::format(" ({})", text);
}

}  // namespace

std::string workload_words(std::string_view workload) {
  const std::size_t first = workload.find('/'), second = workload.find('/', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::string(workload);
  return fmt::format("{} {}/{}", workload.substr(first + 1, second - first - 1), workload.substr(0, first),
                     workload.substr(second + 1));
}

Cause Causes::of_leaving(const std::string& uid, int depth) const {
  const sim::PodTimeline* pod_timeline = world_.history().timeline_of_uid(uid);
  if (pod_timeline == nullptr || depth > kMaxDepth) return {};
  const LeavingNodes* leaving = plan_.find_leaving(pod_timeline->node.str());
  switch (pod_timeline->departure) {
    case sim::Departure::kNone: return {};
    case sim::Departure::kPreempted: return of_preemption(*pod_timeline, depth);
    case sim::Departure::kDrained:
      if (leaving == nullptr)
        return {.sentence = fmt::format("evicted from {}", pod_timeline->node.text()), .change = {}, .preemptor = {}};
      return {.sentence = fmt::format("evicted by the {} of {}", leaving->noun(), pod_timeline->node.text()),
              .change = leaving->words,
              .preemptor = {}};
    case sim::Departure::kTainted:
      return {.sentence = fmt::format("evicted by a taint of {}", pod_timeline->node.text()),
              .change = {},
              .preemptor = {}};
    case sim::Departure::kNodeGone:
      return {.sentence = leaving != nullptr && leaving->removes
                              ? fmt::format("removed by force with {}", pod_timeline->node.text())
                              : fmt::format("its node {} does not exist", pod_timeline->node.text()),
              .change = leaving != nullptr ? leaving->words : "",
              .preemptor = {}};
    case sim::Departure::kController: return of_controller(*pod_timeline);
  }
  return {};
}

Cause Causes::of_controller(const sim::PodTimeline& pod_timeline) const {
  const std::string workload = workload_of(pod_timeline);
  for (const Scaling& scaling : plan_.scale) {
    if (workload != scaling.workload()) continue;
    return {.sentence = fmt::format("deleted by {}, which is scaled to {}", workload_words(workload), scaling.replicas),
            .change = scaling.words(),
            .preemptor = {}};
  }
  if (plan_.applies(workload)) {
    return {.sentence = fmt::format("replaced by the rollout of {}", workload_words(workload)),
            .change = plan_.apply_words,
            .preemptor = {}};
  }
  return {
      .sentence = fmt::format("deleted by its controller {}", workload_words(workload)), .change = {}, .preemptor = {}};
}

Cause Causes::of_preemption(const sim::PodTimeline& victim, int depth) const {
  if (victim.preemptor == sim::kNoTimeline) return {.sentence = "preempted", .change = {}, .preemptor = {}};
  const sim::PodTimeline& preemptor = world_.history().pod_timelines()[victim.preemptor];
  Cause result{.sentence = fmt::format("preempted by {}", preemptor.name), .change = {}, .preemptor = preemptor.name};
  if (is_old_(preemptor.uid)) {
    result.sentence += ", which was pending";
    return result;
  }
  const Cause coming = of_coming(preemptor.uid, depth + 1);
  result.change = coming.change;
  if (!coming.sentence.empty()) result.sentence += ", which is " + coming.sentence;
  return result;
}

Cause Causes::of_coming(const std::string& uid, int depth) const {
  const sim::PodTimeline* pod_timeline = world_.history().timeline_of_uid(uid);
  if (pod_timeline == nullptr || depth > kMaxDepth) return {};
  if (const auto old = replaced_.find(uid); old != replaced_.end()) {
    const sim::PodTimeline* before = world_.history().timeline_of_uid(old->second);
    const Cause leaving = of_leaving(old->second, depth + 1);
    return {.sentence = before == nullptr
                            ? "a replacement"
                            : fmt::format("the replacement of {}{}", before->name, in_brackets(leaving.sentence)),
            .change = leaving.change,
            .preemptor = {}};
  }
  const std::string workload = workload_of(*pod_timeline);
  for (const Scaling& scaling : plan_.scale) {
    if (workload != scaling.workload()) continue;
    return {.sentence = fmt::format("new, because {} is scaled to {}", workload_words(workload), scaling.replicas),
            .change = scaling.words(),
            .preemptor = {}};
  }
  if (plan_.applies(workload)) {
    return {.sentence = workload == pod_timeline->name
                            ? "applied"
                            : fmt::format("new, of {}, which is applied", workload_words(workload)),
            .change = plan_.apply_words,
            .preemptor = {}};
  }
  if (std::ranges::find(plan_.new_nodes, pod_timeline->node.str()) != plan_.new_nodes.end()) {
    return {.sentence = fmt::format("new, with the new node {}", pod_timeline->node.text()),
            .change = plan_.add_words,
            .preemptor = {}};
  }
  if (pod_timeline->group == pod_timeline->name || workload == pod_timeline->name) return {};
  return {.sentence = fmt::format("new, of {}", workload_words(workload)), .change = {}, .preemptor = {}};
}

}  // namespace berth::whatif
