// HTTP extenders as the engine sees them: who is asked, in which order, and what their answers come to.
//
// Nothing is sent from here. A round is one question that goes through the extenders: it hands out calls as values, is
// told what became of them, and has a result when it is over. The engine turns calls into commands and outcomes back
// into replies; it must not hand in an outcome twice.
//
//     ExtenderFilterRound round(extenders, pod, feasible);
//     while (auto call = round.next()) round.reply(outcome_of(*call));   // in the engine, spread over commands
//     if (round.error()) ...; else use round.feasible() and round.failed();
//
// For all verbs, extenders that may not be ignored come first, in the order of the configuration, then the ignorable
// ones. An extender that has no verb for the question, or that the pod does not concern, is passed over. What goes
// wrong with an ignorable one is as if it had not been asked. (Binding has no round: see binding_cycle.h, where an
// outcome may also be unknown.)
//
// Rounds keep a reference to the extenders. Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/base/error.h"
#include "berth/base/function_ref.h"
#include "berth/base/symbol.h"
#include "berth/config/scheduler_config.h"
#include "berth/engine/command.h"
#include "berth/engine/extender_protocol.h"
#include "berth/framework/status.h"

namespace berth::engine {

// Who rejected the pod when extenders left fewer nodes. State registers every event for it, so any event wakes the
// pod.
inline constexpr std::string_view kExtenderPlugin = "Extender";
// Extenders score from 0 to 10, plugins from 0 to 100.
inline constexpr std::int64_t kExtenderScoreScale = 10;

class Extenders {
 public:
  Extenders() = default;
  explicit Extenders(std::vector<config::Extender> configured);

  bool empty() const { return configured_.empty(); }
  std::size_t size() const { return configured_.size(); }
  const config::Extender& at(std::size_t index) const { return configured_[index]; }

  // It has no managedResources, or a container (or init container) requests or limits one of them.
  bool is_interested(std::size_t index, const api::Pod& pod) const;
  bool supports(std::size_t index, ExtenderVerb verb) const;

  // The ones to ask about this pod, in the order in which they are asked.
  std::vector<std::size_t> to_ask(ExtenderVerb verb, const api::Pod& pod) const;
  bool any_to_ask(ExtenderVerb verb, const api::Pod& pod) const;

  // Managed resources that NodeResourcesFit must not check, as configured. Loading the configuration has put them into
  // the plugin's arguments already (config/load.cc).
  const std::vector<std::string>& ignored_by_scheduler() const { return ignored_by_scheduler_; }

 private:
  bool is_to_ask(std::size_t index, ExtenderVerb verb, const api::Pod& pod) const;

  std::vector<config::Extender> configured_;
  std::vector<std::vector<Symbol>> managed_;  // by index
  std::vector<std::size_t> order_;
  std::vector<std::string> ignored_by_scheduler_;
};

// The extenders of a round that are asked one after the other.
class ExtenderTurns {
 public:
  ExtenderTurns(const Extenders& extenders, ExtenderVerb verb, const api::Pod& pod);

  bool is_over() const { return next_ == indices_.size(); }
  // Whose turn it is. Requires: !is_over().
  std::size_t current() const;
  const config::Extender& extender() const { return extenders_->at(current()); }

  // Marks the current one as asked. Requires: it is not.
  void ask();
  // Its answer is in: the next one's turn. Requires: it was asked.
  void answered();
  void stop() { next_ = indices_.size(); }

 private:
  const Extenders* extenders_;
  std::vector<std::size_t> indices_;
  std::size_t next_ = 0;
  bool is_asked_ = false;
};

// Narrows the feasible nodes. Ends early when no node is left.
class ExtenderFilterRound {
 public:
  ExtenderFilterRound(const Extenders& extenders, api::PodPtr pod, std::vector<api::NodePtr> feasible);

  // The next call to make; nothing when the round is over. Requires: the call before it was replied to.
  std::optional<CallExtender> next();
  void reply(const Outcome& outcome);

  // Results, when the round is over.

  // What is left, in the order given.
  const std::vector<api::NodePtr>& feasible() const { return feasible_; }
  // Nodes for which an extender gave a reason, each once, in the order of the replies. An extender may name nodes that
  // it was not asked about, and may drop nodes without a reason.
  const std::vector<std::pair<Symbol, framework::Status>>& failed() const { return failed_; }
  // Fewer nodes are left than were given: kExtenderPlugin is among the rejecting plugins.
  bool has_shrunk() const { return feasible_.size() < given_; }
  // The attempt has failed.
  const std::optional<Error>& error() const { return error_; }

 private:
  Result<void> apply(const Outcome& outcome);
  void record(Symbol node, framework::Status status);

  api::PodPtr pod_;
  ExtenderTurns turns_;
  std::size_t given_;
  std::vector<api::NodePtr> feasible_;
  std::vector<std::pair<Symbol, framework::Status>> failed_;
  absl::flat_hash_map<Symbol, std::size_t> failed_index_;  // by node
  std::optional<Error> error_;
};

// What extenders add to the nodes' scores. All are asked at once; one that fails adds nothing.
class ExtenderScoreRound {
 public:
  ExtenderScoreRound(const Extenders& extenders, api::PodPtr pod, std::vector<api::NodePtr> nodes);

  // To be made all at once. An interested extender without prioritizeVerb is not among them: it adds 0.
  std::vector<CallExtender> calls() const;
  // `extender` as in the call. Replies come in any order.
  void reply(std::size_t extender, const Outcome& outcome);
  bool is_over() const { return waiting_for_.empty(); }

  // To be added to the weighted sum of the plugins' scores, per node in the order given.
  const std::vector<std::int64_t>& totals() const { return totals_; }

 private:
  const Extenders* extenders_;
  api::PodPtr pod_;
  std::vector<api::NodePtr> nodes_;
  std::vector<std::size_t> waiting_for_;
  std::vector<std::int64_t> totals_;
};

// Lets extenders drop or change what preemption has found. Ends early when no candidate is left.
class ExtenderPreemptRound {
 public:
  // The pod of that UID on that node; null if there is none.
  using FindPod = FunctionRef<api::PodPtr(Symbol node, std::string_view uid)>;

  ExtenderPreemptRound(const Extenders& extenders, api::PodPtr pod, std::vector<ExtenderVictims> candidates);

  // As for ExtenderFilterRound.
  std::optional<CallExtender> next();
  // An extender answers with UIDs: of the victims it was shown, or of any other pods on those or other nodes.
  void reply(const Outcome& outcome, FindPod find_pod);

  // When the round is over: what is left, in the order given; then nodes that extenders have added.
  const std::vector<ExtenderVictims>& candidates() const { return candidates_; }
  // Preemption has failed.
  const std::optional<Error>& error() const { return error_; }

 private:
  Result<std::vector<ExtenderVictims>> read(const Outcome& outcome, FindPod find_pod) const;
  std::vector<ExtenderVictims> in_order_given(std::vector<ExtenderVictims> answered) const;

  api::PodPtr pod_;
  ExtenderTurns turns_;
  std::vector<ExtenderVictims> candidates_;
  std::optional<Error> error_;
};

}  // namespace berth::engine
