#include "berth/scenario/extender.h"

#include <fmt/format.h>

#include "berth/api/node_selector.h"

namespace berth::scenario {

namespace {

engine::ExtenderReply filter(const ExtenderSketch& sketch, const engine::ExtenderNodes& request) {
  engine::ExtenderFiltered filtered;
  std::optional<api::NodeTermMatcher> matcher;
  if (sketch.required) matcher.emplace(*sketch.required, "");
  for (const api::NodePtr& node : request.nodes) {
    const Symbol name(node->metadata.name);
    if (!matcher || matcher->matches(node->metadata.name, *node->metadata.labels)) {
      filtered.nodes.push_back(name);
    } else {
      filtered.failed.emplace_back(name, "the extender refuses its labels");
    }
  }
  return filtered;
}

engine::ExtenderReply prioritize(const ExtenderSketch& sketch, const engine::ExtenderNodes& request) {
  engine::ExtenderPrioritized prioritized;
  std::optional<api::NodeTermMatcher> matcher;
  if (sketch.preferred) matcher.emplace(*sketch.preferred, "");
  for (const api::NodePtr& node : request.nodes) {
    const bool is_liked = matcher && matcher->matches(node->metadata.name, *node->metadata.labels);
    prioritized.scores.emplace_back(Symbol(node->metadata.name), is_liked ? 10 : 0);
  }
  return prioritized;
}

}  // namespace

config::Extender configured(const ExtenderSketch& sketch, std::size_t number) {
  config::Extender extender;
  extender.url_prefix = fmt::format("http://extender-{}", number);
  extender.filter_verb = "filter";
  if (sketch.preferred) extender.prioritize_verb = "prioritize";
  extender.weight = 1;
  extender.http_timeout = Duration::seconds(5);
  extender.ignorable = sketch.is_ignorable;
  if (!sketch.managed_resource.empty()) {
    extender.managed_resources.push_back({.name = sketch.managed_resource, .ignored_by_scheduler = false});
  }
  return extender;
}

engine::Outcome answer_of(const ExtenderSketch& sketch, const engine::CallExtender& call) {
  engine::Outcome outcome;
  const auto* request = std::get_if<engine::ExtenderNodes>(&call.request);
  if (sketch.fails || request == nullptr) {
    outcome.kind = engine::Outcome::Kind::kRefused;
    outcome.message = "the extender is down";
    return outcome;
  }
  outcome.extender_reply =
      call.verb == engine::ExtenderVerb::kPrioritize ? prioritize(sketch, *request) : filter(sketch, *request);
  return outcome;
}

}  // namespace berth::scenario
