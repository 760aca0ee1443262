#include "berth/engine/extenders.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "berth/base/check.h"
#include "berth/base/time.h"

namespace berth::engine {
namespace {

const std::string& verb_of(const config::Extender& extender, ExtenderVerb verb) {
  switch (verb) {
    case ExtenderVerb::kFilter: return extender.filter_verb;
    case ExtenderVerb::kPrioritize: return extender.prioritize_verb;
    case ExtenderVerb::kPreempt: return extender.preempt_verb;
    case ExtenderVerb::kBind: break;
  }
  return extender.bind_verb;
}

bool names_any(const api::ResourceList& list, const std::vector<Symbol>& names) {
  return std::ranges::any_of(names, [&](Symbol name) { return list.contains(name); });
}

bool asks_for_any(const std::vector<api::Container>& containers, const std::vector<Symbol>& names) {
  return std::ranges::any_of(containers, [&](const api::Container& container) {
    return names_any(container.resources.requests, names) || names_any(container.resources.limits, names);
  });
}

// The reply of type T; the error if there is none, in the words of whoever saw it go wrong.
template <typename T>
Result<const T*> reply_in(const Outcome& outcome, const config::Extender& extender) {
  if (!outcome.is_done()) {
    if (!outcome.message.empty()) return fail(outcome.message);
    return fail(fmt::format("extender \"{}\" did not answer", extender.url_prefix));
  }
  const T* reply = std::get_if<T>(&outcome.extender_reply);
  if (reply == nullptr) return fail(fmt::format("extender \"{}\" answered something else", extender.url_prefix));
  return reply;
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

Symbol name_of(const api::NodePtr& node) {
  return Symbol(node->metadata.name);
}

}  // namespace

// --- Extenders -------------------------------------------------------------------------------------------------------

Extenders::Extenders(std::vector<config::Extender> configured) : configured_(std::move(configured)) {
  for (const config::Extender& extender : configured_) {
    std::vector<Symbol>& managed = managed_.emplace_back();
    for (const config::ExtenderManagedResource& resource : extender.managed_resources) {
      managed.push_back(Symbol(resource.name));
      if (resource.ignored_by_scheduler) ignored_by_scheduler_.push_back(resource.name);
    }
  }
  for (const bool ignorable : {false, true}) {
    for (std::size_t i = 0; i < configured_.size(); ++i) {
      if (configured_[i].ignorable == ignorable) order_.push_back(i);
    }
  }
}

bool Extenders::is_interested(std::size_t index, const api::Pod& pod) const {
  const std::vector<Symbol>& managed = managed_[index];
  return managed.empty() || asks_for_any(pod.spec->containers, managed) ||
         asks_for_any(pod.spec->init_containers, managed);
}

bool Extenders::supports(std::size_t index, ExtenderVerb verb) const {
  return !verb_of(configured_[index], verb).empty();
}

bool Extenders::is_to_ask(std::size_t index, ExtenderVerb verb, const api::Pod& pod) const {
  return supports(index, verb) && is_interested(index, pod);
}

std::vector<std::size_t> Extenders::to_ask(ExtenderVerb verb, const api::Pod& pod) const {
  std::vector<std::size_t> indices;
  std::ranges::copy_if(order_, std::back_inserter(indices),
                       [&](std::size_t index) { return is_to_ask(index, verb, pod); });
  return indices;
}

bool Extenders::any_to_ask(ExtenderVerb verb, const api::Pod& pod) const {
  return std::ranges::any_of(order_, [&](std::size_t index) { return is_to_ask(index, verb, pod); });
}

// --- One after the other ---------------------------------------------------------------------------------------------

ExtenderTurns::ExtenderTurns(const Extenders& extenders, ExtenderVerb verb, const api::Pod& pod)
    : extenders_(&extenders), indices_(extenders.to_ask(verb, pod)) {}

std::size_t ExtenderTurns::current() const {
  BERTH_CHECK(!is_over(), "all {} extenders have answered", indices_.size());
  return indices_[next_];
}

void ExtenderTurns::ask() {
  BERTH_CHECK(!is_over() && !is_asked_, "extender {} of {} asked twice", next_, indices_.size());
  is_asked_ = true;
}

void ExtenderTurns::answered() {
  BERTH_CHECK(!is_over() && is_asked_, "extender {} of {} was not asked", next_, indices_.size());
  is_asked_ = false;
  ++next_;
}

// --- Filter ----------------------------------------------------------------------------------------------------------

ExtenderFilterRound::ExtenderFilterRound(const Extenders& extenders, api::PodPtr pod,
                                         std::vector<api::NodePtr> feasible)
    : pod_(std::move(pod)),
      turns_(extenders, ExtenderVerb::kFilter, *pod_),
      given_(feasible.size()),
      feasible_(std::move(feasible)) {
  if (feasible_.empty()) turns_.stop();
}

std::optional<CallExtender> ExtenderFilterRound::next() {
  if (turns_.is_over()) return std::nullopt;
  turns_.ask();
  return CallExtender{turns_.current(), ExtenderVerb::kFilter, ExtenderNodes{pod_, feasible_}};
}

void ExtenderFilterRound::reply(const Outcome& outcome) {
  const bool is_ignorable = turns_.extender().ignorable;
  Result<void> applied = apply(outcome);
  turns_.answered();
  if (!applied && !is_ignorable) error_ = std::move(applied).error();
  if (error_ || feasible_.empty()) turns_.stop();
}

Result<void> ExtenderFilterRound::apply(const Outcome& outcome) {
  const config::Extender& extender = turns_.extender();
  const auto answer = reply_in<ExtenderFiltered>(outcome, extender);
  if (!answer) return fail(answer.error());
  const ExtenderFiltered& filtered = **answer;
  if (!filtered.error.empty()) return fail(filtered.error);

  absl::flat_hash_map<Symbol, bool> is_kept;
  for (const api::NodePtr& node : feasible_) is_kept[name_of(node)] = false;
  for (const Symbol name : filtered.nodes) {
    const auto sent = is_kept.find(name);
    if (sent == is_kept.end()) {
      return fail(fmt::format("extender \"{}\" claims a filtered node \"{}\" which is not found in the input node list",
                              extender.url_prefix, name.text()));
    }
    sent->second = true;
  }
  std::erase_if(feasible_, [&](const api::NodePtr& node) { return !is_kept.find(name_of(node))->second; });

  // A node that stands in both lists is unresolvable.
  for (const auto& [node, why] : filtered.failed) record(node, framework::Status::unschedulable(why));
  for (const auto& [node, why] : filtered.failed_and_unresolvable) record(node, framework::Status::unresolvable(why));
  return {};
}

// What an extender says later counts.
void ExtenderFilterRound::record(Symbol node, framework::Status status) {
  const auto [known, is_new] = failed_index_.try_emplace(node, failed_.size());
  if (is_new) {
    failed_.emplace_back(node, std::move(status));
  } else {
    failed_[known->second].second = std::move(status);
  }
}

// --- Prioritize ------------------------------------------------------------------------------------------------------

ExtenderScoreRound::ExtenderScoreRound(const Extenders& extenders, api::PodPtr pod, std::vector<api::NodePtr> nodes)
    : extenders_(&extenders),
      pod_(std::move(pod)),
      nodes_(std::move(nodes)),
      waiting_for_(extenders.to_ask(ExtenderVerb::kPrioritize, *pod_)),
      totals_(nodes_.size(), 0) {}

std::vector<CallExtender> ExtenderScoreRound::calls() const {
  std::vector<CallExtender> calls;
  for (const std::size_t index : waiting_for_) {
    calls.push_back({index, ExtenderVerb::kPrioritize, ExtenderNodes{pod_, nodes_}});
  }
  return calls;
}

void ExtenderScoreRound::reply(std::size_t extender, const Outcome& outcome) {
  const auto waiting = std::ranges::find(waiting_for_, extender);
  BERTH_CHECK(waiting != waiting_for_.end(), "extender {} was not asked, or has answered", extender);
  waiting_for_.erase(waiting);

  const auto answer = reply_in<ExtenderPrioritized>(outcome, extenders_->at(extender));
  if (!answer) return;
  const std::int64_t weight = saturating_multiply(extenders_->at(extender).weight, kExtenderScoreScale);
  absl::flat_hash_map<Symbol, std::int64_t> score_by_node;
  for (const auto& [node, score] : (*answer)->scores) {
    std::int64_t& sum = score_by_node[node];
    sum = saturating_add(sum, saturating_multiply(score, weight));
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto scored = score_by_node.find(name_of(nodes_[i]));
    if (scored != score_by_node.end()) totals_[i] = saturating_add(totals_[i], scored->second);
  }
}

// --- Preempt ---------------------------------------------------------------------------------------------------------

ExtenderPreemptRound::ExtenderPreemptRound(const Extenders& extenders, api::PodPtr pod,
                                           std::vector<ExtenderVictims> candidates)
    : pod_(std::move(pod)), turns_(extenders, ExtenderVerb::kPreempt, *pod_), candidates_(std::move(candidates)) {
  if (candidates_.empty()) turns_.stop();
}

std::optional<CallExtender> ExtenderPreemptRound::next() {
  if (turns_.is_over()) return std::nullopt;
  turns_.ask();
  return CallExtender{turns_.current(), ExtenderVerb::kPreempt, ExtenderPreempt{pod_, candidates_}};
}

void ExtenderPreemptRound::reply(const Outcome& outcome, FindPod find_pod) {
  const bool is_ignorable = turns_.extender().ignorable;
  auto answered = read(outcome, find_pod);
  turns_.answered();
  if (answered) {
    candidates_ = in_order_given(*std::move(answered));
  } else if (!is_ignorable) {
    error_ = std::move(answered).error();
  }
  if (error_ || candidates_.empty()) turns_.stop();
}

Result<std::vector<ExtenderVictims>> ExtenderPreemptRound::read(const Outcome& outcome, FindPod find_pod) const {
  const config::Extender& extender = turns_.extender();
  const auto answer = reply_in<ExtenderPreempted>(outcome, extender);
  if (!answer) return fail(answer.error());

  std::vector<ExtenderVictims> candidates;
  for (const ExtenderPreempted::Victims& victims : (*answer)->candidates) {
    if (victims.uids.empty()) {
      if (extender.ignorable) continue;
      return fail(fmt::format("expected at least one victim pod on node \"{}\"", victims.node_name.text()));
    }
    ExtenderVictims candidate{victims.node_name, {}, victims.pdb_violations};
    for (const std::string& uid : victims.uids) {
      api::PodPtr victim = find_pod(victims.node_name, uid);
      if (!victim) {
        return fail(fmt::format(
            "extender: {} claims to preempt pod (UID: {}) on node: {}, but the pod is not found on that node",
            extender.url_prefix, uid, victims.node_name.text()));
      }
      candidate.pods.push_back(std::move(victim));
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<ExtenderVictims> ExtenderPreemptRound::in_order_given(std::vector<ExtenderVictims> answered) const {
  absl::flat_hash_map<Symbol, std::size_t> index_by_node;
  for (std::size_t i = 0; i < answered.size(); ++i) index_by_node[answered[i].node_name] = i;

  std::vector<ExtenderVictims> ordered;
  const auto take = [&](Symbol node) {
    const auto found = index_by_node.find(node);
    if (found == index_by_node.end()) return;
    ordered.push_back(std::move(answered[found->second]));
    index_by_node.erase(found);  // a node is a candidate once
  };
  for (const ExtenderVictims& given : candidates_) take(given.node_name);
  for (std::size_t i = 0; i < answered.size(); ++i) take(answered[i].node_name);
  return ordered;
}

}  // namespace berth::engine
