#include "berth/plugins/node_affinity.h"

#include <optional>
#include <utility>

#include "berth/api/node_selector.h"
#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/plugin_args.h"
#include "berth/plugins/row_loops.h"

namespace berth::plugins {

namespace {

using framework::ReasonCode;
using framework::Status;
using framework::Verdict;

constexpr unsigned kAddedDoesNotMatch = 0, kPodDoesNotMatch = 1;

// What the plugin's argument adds to every pod.
struct AddedAffinity {
  std::optional<api::NodeMatcher> required;
  std::optional<api::PreferredNodeTerms> preferred;
};

class AffinityFilter final : public framework::PodFilter {
 public:
  AffinityFilter(std::shared_ptr<const api::CompiledPod> pod, const AddedAffinity& added)
      : pod_(std::move(pod)), added_(added) {}

  Verdict check(const cache::NodeState& node) const override {
    const std::string& name = node.node->metadata.name;
    if (added_.required && !added_.required->matches(name, node.labels())) {
      return Verdict::unresolvable(kAddedDoesNotMatch);
    }
    if (!pod_->required_node_affinity.matches(name, node.labels())) return Verdict::unresolvable(kPodDoesNotMatch);
    return {};
  }
  framework::Reason reason(unsigned bit) const override {
    return bit == kAddedDoesNotMatch ? ReasonCode::kAddedNodeAffinity : ReasonCode::kNodeAffinity;
  }
  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    narrow_by(rows, rejected, [&](cache::RowId row) { return AffinityFilter::check(table.at(row)); });
  }
  Scope scope() const override { return Scope::kNode; }

 private:
  std::shared_ptr<const api::CompiledPod> pod_;
  const AddedAffinity& added_;  // the plugin's
};

class AffinityScorer final : public framework::PodScorer {
 public:
  AffinityScorer(std::shared_ptr<const api::CompiledPod> pod, const AddedAffinity& added)
      : pod_(std::move(pod)), added_(added) {}

  std::int64_t score(const cache::NodeState& node) const override {
    const std::string& name = node.node->metadata.name;
    const std::int64_t of_added = added_.preferred ? added_.preferred->score(name, node.labels()) : 0;
    return of_added + pod_->preferred_node_terms.score(name, node.labels());
  }
  void score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const override {
    const bool has_terms = added_.preferred || !pod_->preferred_node_terms.empty();
    rows.for_each([&](std::size_t row) {
      scores[row] = has_terms ? AffinityScorer::score(table.at(static_cast<cache::RowId>(row))) : 0;
    });
  }
  Normalization normalization() const override { return Normalization::kDefault; }
  Scope scope() const override { return Scope::kNode; }

 private:
  std::shared_ptr<const api::CompiledPod> pod_;
  const AddedAffinity& added_;  // the plugin's
};

bool has_preferred_terms(const api::PodTemplate& pod) {
  return pod.affinity && pod.affinity->node_affinity && !pod.affinity->node_affinity->preferred.empty();
}

class NodeAffinity final : public framework::Plugin, public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  NodeAffinity(AddedAffinity added, HintOptions hints) : added_(std::move(added)), hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kNodeAffinity; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod, const framework::ClusterView&) const override {
    const api::RequiredNodeAffinity& required = pod.compiled->required_node_affinity;
    if (required.empty() && !added_.required) return {.status = Status::skip(), .filter = {}, .node_names = {}};
    auto filter = std::make_unique<AffinityFilter>(pod.compiled, added_);
    if (required.node_names() && required.node_names()->empty()) {
      return {.status = Status::unresolvable(ReasonCode::kNodeAffinityTermsConflict),
              .filter = std::move(filter),
              .node_names = {}};
    }
    return {.status = {}, .filter = std::move(filter), .node_names = required.node_names()};
  }

  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView&,
                                 const Bitset&) const override {
    if (pod.compiled->preferred_node_terms_error) {
      return {.status = Status::error(*pod.compiled->preferred_node_terms_error), .scorer = {}};
    }
    const bool has_work = has_preferred_terms(*pod->spec) || added_.preferred;
    return {.status = has_work ? Status() : Status::skip(),
            .scorer = std::make_unique<AffinityScorer>(pod.compiled, added_)};
  }

 private:
  AddedAffinity added_;
  HintOptions hints_;
};

Result<AddedAffinity> compile(const api::NodeAffinity& given) {
  AddedAffinity added;
  if (given.required) {
    added.required.emplace(*given.required);
    if (const auto error = added.required->error()) {
      return fail("parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: " + *error);
    }
  }
  if (!given.preferred.empty()) {
    auto preferred = api::PreferredNodeTerms::compile(given.preferred);
    if (!preferred) {
      return fail("parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: " +
                  preferred.error().message());
    }
    added.preferred = *std::move(preferred);
  }
  return added;
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_node_affinity(const framework::PluginContext& context,
                                                              const PluginQuirks& quirks) {
  const auto args = args_of<config::NodeAffinityArgs>(name::kNodeAffinity, context);
  if (!args) return fail(args.error());
  auto added = args->added_affinity ? compile(*args->added_affinity) : Result<AddedAffinity>(AddedAffinity{});
  if (!added) return fail(added.error());
  return std::make_unique<NodeAffinity>(*std::move(added), hint_options(context, quirks));
}

}  // namespace berth::plugins
