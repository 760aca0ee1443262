#include "berth/plugins/taint_toleration.h"

#include <algorithm>
#include <vector>

#include "berth/api/taint.h"
#include "berth/plugins/hint_options.h"
#include "berth/plugins/names.h"
#include "berth/plugins/row_loops.h"

namespace berth::plugins {

namespace {

using framework::Verdict;

constexpr Verdict kUntolerated = Verdict::unresolvable(0);

// What `judge` says about each list of taints, asked once for each that comes up.
template <typename Judge>
class ByTaintList {
 public:
  ByTaintList(const cache::NodeTable& table, Judge judge)
      : table_(table), judge_(std::move(judge)), known_(table.taint_lists(), kUnknown) {}

  std::int32_t at_row(std::size_t row) {
    std::int32_t& known = known_[table_.columns().taints[row]];
    if (known == kUnknown) known = judge_(table_.taint_list(table_.columns().taints[row]));
    return known;
  }

 private:
  static constexpr std::int32_t kUnknown = -1;
  const cache::NodeTable& table_;
  Judge judge_;
  std::vector<std::int32_t> known_;
};

class TaintFilter final : public framework::PodFilter {
 public:
  TaintFilter(Interned<api::PodTemplate> pod, bool comparison_operators)
      : pod_(std::move(pod)), comparison_operators_(comparison_operators) {}

  Verdict check(const cache::NodeState& node) const override {
    return tolerates_all(node.node->spec.taints) ? Verdict() : kUntolerated;
  }
  framework::Reason reason(unsigned) const override { return framework::ReasonCode::kUntoleratedTaints; }

  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    ByTaintList tolerated(table, [this](const auto& taints) { return tolerates_all(taints) ? 1 : 0; });
    narrow_by(rows, rejected, [&](cache::RowId row) { return tolerated.at_row(row) ? Verdict() : kUntolerated; });
  }
  Scope scope() const override { return Scope::kNode; }

 private:
  bool tolerates_all(const std::vector<api::Taint>& taints) const {
    return api::find_untolerated_taint(taints, pod_->tolerations, comparison_operators_) == nullptr;
  }

  Interned<api::PodTemplate> pod_;
  bool comparison_operators_;
};

class TaintScorer final : public framework::PodScorer {
 public:
  TaintScorer(const api::PodTemplate& pod, bool comparison_operators) : comparison_operators_(comparison_operators) {
    static const Symbol kPreferNoSchedule("PreferNoSchedule");
    std::ranges::copy_if(pod.tolerations, std::back_inserter(tolerations_), [](const api::Toleration& toleration) {
      return toleration.effect.empty() || toleration.effect == kPreferNoSchedule;
    });
  }

  std::int64_t score(const cache::NodeState& node) const override { return untolerated(node.node->spec.taints); }
  void score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const override {
    ByTaintList count(table, [this](const auto& taints) { return untolerated(taints); });
    rows.for_each([&](std::size_t row) { scores[row] = count.at_row(row); });
  }
  Normalization normalization() const override { return Normalization::kDefaultReverse; }
  Scope scope() const override { return Scope::kNode; }

 private:
  std::int32_t untolerated(const std::vector<api::Taint>& taints) const {
    return static_cast<std::int32_t>(std::ranges::count_if(taints, [this](const api::Taint& taint) {
      return api::is_prefer_no_schedule(taint) && !api::tolerates(tolerations_, taint, comparison_operators_);
    }));
  }

  std::vector<api::Toleration> tolerations_;
  bool comparison_operators_;
};

class TaintToleration final : public framework::Plugin, public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  explicit TaintToleration(HintOptions hints) : hints_(std::move(hints)) {}

  std::string_view name() const override { return name::kTaintToleration; }
  std::optional<std::vector<HintRegistration>> events(Symbol profile) const override {
    return hints_of(name(), profile, hints_);
  }

  framework::PreFiltered pre_filter(const framework::PodToPlace& pod, const framework::ClusterView&) const override {
    return {.status = {},
            .filter = std::make_unique<TaintFilter>(pod->spec.shared, comparison_operators()),
            .node_names = {}};
  }
  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView&,
                                 const Bitset&) const override {
    return {.status = {}, .scorer = std::make_unique<TaintScorer>(*pod->spec, comparison_operators())};
  }
  std::string error_without_pre_score() const override {
    return R"(failed to read "PreScoreTaintToleration" from cycleState: not found)";
  }

 private:
  bool comparison_operators() const { return hints_.features.taint_toleration_comparison_operators; }

  HintOptions hints_;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_taint_toleration(const framework::PluginContext& context,
                                                                 const PluginQuirks& quirks) {
  return std::make_unique<TaintToleration>(hint_options(context, quirks));
}

}  // namespace berth::plugins
